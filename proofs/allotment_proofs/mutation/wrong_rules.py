"""Theorems about whole runs under every wrong rule of the catalogue.

They run nearly every rule, so that `allotment prove` tries them with those of their own clauses
only: with all of them it would take minutes.
"""

from collections.abc import Iterator, Mapping

from allotment_model.variants import VARIANTS
from allotment_proofs.prover import Answers, Outcome, Proved, Refuted, outcome_under
from allotment_proofs.statement import Lifting, Theorem
from allotment_proofs.theorems import THEOREMS

WHOLE = tuple(theorem for theorem in THEOREMS if theorem.is_whole)
IS_REFUTED, IS_TRUE, IS_OPEN = "R", "\u00b7", "?"

SECTION = "## Wrong rules and whole runs"
HEAD = f"""{SECTION}

Theorems about whole runs run nearly every rule, so `allotment prove` tries each with the wrong
rules of its own clauses only. Here each, numbered as below, is tried with all:
**{IS_REFUTED}** where the wrong rule refutes it, {IS_TRUE} where it stays true, and nothing where
it does not run the rule.
"""

Outcomes = Mapping[str, Outcome]


def outcomes_under_all(theorem: Theorem) -> Outcomes:
    """What becomes of a theorem under each wrong rule of which it runs the right one."""
    lifting, answers = Lifting(), Answers()
    outcome_under(theorem, lifting, answers=answers)
    return {
        variant.name: outcome_under(theorem, Lifting(variant.of()), answers=answers, hasty=True)
        for variant in VARIANTS
        if not lifting.fields.isdisjoint(variant.replaced)
    }


def mark_of(outcome: Outcome | None) -> str:
    """A cell of the table."""
    match outcome:
        case None:
            return ""
        case Refuted():
            return IS_REFUTED
        case Proved():
            return IS_TRUE
        case _:
            return IS_OPEN


def left_open(found: Mapping[str, Outcomes]) -> Iterator[str]:
    """The theorems and wrong rules of which neither is shown, in words."""
    for theorem, outcomes in found.items():
        for name, outcome in outcomes.items():
            if mark_of(outcome) == IS_OPEN:
                yield f"{theorem}: under the variant '{name}' it is {outcome.word}"


def section(found: Mapping[str, Outcomes]) -> str:
    """The table, with a row for each wrong rule and a column for each theorem."""
    numbered = [f"{number}. {theorem}" for number, theorem in enumerate(found, start=1)]
    numbers = range(1, len(found) + 1)
    rows = [
        f"| wrong rule | {' | '.join(map(str, numbers))} |",
        f"|---{'|:-:' * len(found)}|",
    ]
    for variant in VARIANTS:
        marks = (mark_of(outcomes.get(variant.name)) for outcomes in found.values())
        rows.append(f"| {variant.name} | {' | '.join(marks)} |")
    return "\n".join((HEAD, *numbered, "", *rows, ""))
