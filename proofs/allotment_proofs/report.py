"""What `allotment prove` prints and writes: a table for people, records for programs."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from allotment_proofs.prover import Outcome, Proof, Refuted, Unknown, Unlifted, Vacuous
from allotment_proofs.statement import Theorem

EXIT_PROVED, EXIT_REFUTED, EXIT_UNKNOWN = 0, 1, 3


def exit_status(proofs: Iterable[Proof]) -> int:
    """0 if all is proved, 1 if something is refuted or says nothing, 3 if something is open."""
    proofs = list(proofs)
    words = {proof.outcome.word for proof in proofs}
    if words & {"refuted", "vacuous"}:
        return EXIT_REFUTED
    if words & {"unknown", "unsupported"} or any(proof.undecided for proof in proofs):
        return EXIT_UNKNOWN
    return EXIT_REFUTED if any(map(complaints, proofs)) else EXIT_PROVED


def complaints(proof: Proof) -> list[str]:
    """What is wrong with the theorem itself, though it may be proved."""
    found = [
        f"the variant '{name}' leaves it true: if that is right, list it in unaffected.py"
        for name in proof.unlisted
    ]
    found += [
        f"the variant '{name}' is listed in unaffected.py, and the theorem under it is "
        f"{proof.variants[name].word}"
        if name in proof.variants
        else f"'{name}' is listed in unaffected.py, and is no variant of a rule that is read"
        for name in proof.wrongly_listed
    ]
    found += [
        f"whether the variant '{name}' leaves it true stays open: {told}; write it in a form that "
        "is read, or state the theorem so that it is decided"
        for name, outcome in proof.undecided.items()
        for told in explained(outcome)
    ]
    if proof.is_suspicious:
        found.append("no variant and no mutation refutes it: it may say nothing")
    return found


def explained(outcome: Outcome) -> list[str]:
    """Why a theorem is not proved, in domain words."""
    match outcome:
        case Refuted(case=case, told=told):
            return [f"{case}: {told}" if case else told]
        case Vacuous(case=case):
            return [f"{case or 'its'} assumptions contradict each other"]
        case Unknown(case=case, reason=reason):
            return [f"{case}: the solver gave up ({reason})"]
        case Unlifted(reason=reason):
            return [f"not lifted: {reason}"]
        case _:
            return []


def table_of(proofs: Sequence[Proof]) -> Table:
    """One row a theorem."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("theorem", "clauses", "scope", "outcome"):
        table.add_column(name, overflow="fold")
    table.add_column("time", justify="right")
    table.add_column("refuted by", justify="right")
    for proof in proofs:
        refuted = sum(isinstance(one, Refuted) for one in proof.variants.values())
        by_variants = f"{refuted} of {len(proof.variants)} variants"
        table.add_row(
            proof.theorem.name,
            " ".join(proof.theorem.clauses),
            proof.theorem.scope,
            proof.outcome.word,
            f"{proof.seconds:.2f} s",
            "a mutant" if proof.mutation else by_variants if proof.variants else "-",
        )
    return table


def print_report(proofs: Sequence[Proof], console: Console) -> None:
    """The table, then all that is not as it should be, then one line of sums."""
    console.print(table_of(proofs))
    for proof in proofs:
        if found := [*explained(proof.outcome), *complaints(proof)]:
            told = "\n  ".join((f"\n{proof.theorem.name}", *found))
            console.print(told, highlight=False, markup=False, soft_wrap=True)
    sums = dict.fromkeys(("proved", "refuted", "vacuous", "unknown", "unsupported"), 0)
    for proof in proofs:
        sums[proof.outcome.word] += 1
    told = ", ".join(f"{count} {word}" for word, count in sums.items() if count)
    if wrong := sum(1 for proof in proofs if [*complaints(proof)]):
        told += f", {wrong} with a wrong rule that is told above"
    lifted = {function for proof in proofs for function in proof.lifted}
    console.print(f"\n{told}; {len(lifted)} model functions run", highlight=False)


def record_of(proof: Proof) -> dict[str, Any]:
    """A proof as plain data."""
    outcome = proof.outcome
    record: dict[str, Any] = {
        "theorem": proof.theorem.name,
        "clauses": list(proof.theorem.clauses),
        "scope": proof.theorem.scope,
        "outcome": outcome.word,
        "seconds": round(proof.seconds, 3),
        "lifted": [f"{one.__module__}.{one.__qualname__}" for one in proof.lifted],
        "variants": {name: one.word for name, one in proof.variants.items()},
        "mutation": proof.mutation,
        "complaints": complaints(proof),
    }
    if isinstance(outcome, Refuted):
        record |= {"case": outcome.case, "told": outcome.told, "values": outcome.values}
    return record


def seconds_of(proofs: Sequence[Proof]) -> dict[str, float]:
    """What the theorems took, and what the wrong rules that were tried on them."""
    seconds = {"theorems": sum(proof.seconds for proof in proofs)}
    if any(proof.is_challenged for proof in proofs):
        seconds["wrong rules"] = sum(proof.seconds_of_variants for proof in proofs)
    return seconds


def print_seconds(seconds: Mapping[str, float], console: Console) -> None:
    """One line that tells parts of the work apart, in seconds of one processor."""
    parts = ", ".join(f"{name} {spent:.1f} s" for name, spent in seconds.items())
    console.print(f"processor time: {parts}", highlight=False)


def write_json(proofs: Iterable[Proof], seconds: Mapping[str, float], path: Path) -> None:
    """Write a record of each proof, and what the parts of the work took."""
    taken = {name.replace(" ", "_"): round(spent, 3) for name, spent in seconds.items()}
    records = {"theorems": [record_of(proof) for proof in proofs], "seconds": taken}
    path.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def keep_smtlib(proof: Proof, folder: Path) -> list[Path]:
    """Write what the solver was asked, one file a case; the case holds if it is unsatisfiable."""
    return [_kept(proof.theorem, case, text, folder) for case, text in proof.smtlib.items()]


def keep_unknown(theorem: Theorem, unknown: Unknown, folder: Path) -> Path:
    """Write what the solver was asked when it gave up."""
    return _kept(theorem, unknown.case, unknown.smtlib, folder)


def _kept(theorem: Theorem, case: str, smtlib: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    words = f"{theorem.name} {case}".lower()
    path = folder / f"{re.sub(r'[^a-z0-9]+', '-', words).strip('-')}.smt2"
    path.write_text(smtlib, encoding="utf-8")
    return path
