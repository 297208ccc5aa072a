"""`allotment prove`: exit statuses, records, and what it says when a leaf of the model changes."""

import inspect
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.cli import main
from allotment_model import arithmetic
from allotment_model.variants import VARIANTS, Variant
from allotment_proofs import prover
from allotment_proofs.commands import prove as subject
from allotment_proofs.commands.prove import proofs_of
from allotment_proofs.mutants import changing, node_of
from allotment_proofs.prover import Answers, Proof, Proved, Question, Unknown
from allotment_proofs.report import keep_smtlib
from allotment_proofs.statement import Theorem
from allotment_proofs.theorems import GROUPS, THEOREMS
from house.sources import PACKAGES, ROOT
from proofs.proved import SEEDS, proof_of

ALLOTMENT = "from allotment_conformance.cli import main; raise SystemExit(main())"
TELLING = """
import sys
from allotment_proofs.commands import prove as subject

prove = subject.prove

def told(*given, **options):
    print("a theorem is tried", file=sys.stderr, flush=True)
    return prove(*given, **options)

subject.prove = told
"""
"""What is run before the command for it to tell how far it is."""
LEAVES = PACKAGES["allotment_model"] / "arithmetic.py"
WANTS = "Wants and room"


def run(*words: str, model: Path | None = None, folder: Path = ROOT) -> tuple[int, str]:
    """The exit status and output of `allotment prove`, with another model if one is given."""
    environment = os.environ | ({"PYTHONPATH": str(model)} if model else {})
    done = subprocess.run(
        [sys.executable, "-c", ALLOTMENT, "prove", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def edited_model(folder: Path, before: str, after: str) -> Path:
    """A copy of the model in which one place of the leaves reads otherwise."""
    shutil.copytree(PACKAGES["allotment_model"], folder / "allotment_model")
    leaves = folder / "allotment_model" / "arithmetic.py"
    source = leaves.read_text(encoding="utf-8")
    assert 1 == source.count(before)
    leaves.write_text(source.replace(before, after), encoding="utf-8")
    return folder


def run_on_edited_leaf(folder: Path, before: str, after: str) -> tuple[int, str]:
    """The exit status and output up to the first theorem that falls."""
    model = edited_model(folder, before, after)
    leaves = str(model / "allotment_model" / "arithmetic.py")
    return run("--no-variants", "--fail-fast", "--affected-by", leaves, model=model)


def run_here(
    leaf: str, before: str, after: str, group: str, monkeypatch: pytest.MonkeyPatch, *words: str
) -> int:
    """The exit status for a group of theorems, in this process, with one place of a leaf edited."""
    function: Any = getattr(arithmetic, leaf)
    source = inspect.getsource(function)
    assert 1 == source.count(before)
    changed = node_of(function, source.replace(before, after))
    monkeypatch.setattr(subject, "THEOREMS", GROUPS[group])
    with changing({function: changed}):
        return main(["prove", "--no-variants", *words])


@pytest.mark.parametrize(
    ("leaf", "before", "after", "group", "theorem", "told"),
    [
        (
            *("bucket_size", "if index < tasks", "if index <= tasks"),
            *("Plans", "buckets of a balanced plan sum", "bucket"),
        ),
        (
            *("bucket_size", "return tasks // hosts +", "return -(-tasks // hosts) +"),
            *("Plans", "sum to its tasks", "bucket"),
        ),
        (
            *("ptile_bucket_size", "return min(ptile,", "return max(ptile,"),
            *("Plans", "buckets of a ptile plan sum", "bucket"),
        ),
        (
            *("ptile_hosts", "- 1) // ptile", "- 2) // ptile"),
            *("Plans", "sum to its tasks", "on each host"),
        ),
        ("free", "max(0, ", "min(0, ", WANTS, "Free is never negative", "left"),
        ("fits", "wanted <= left", "wanted < left", WANTS, "As many tasks fit as", "fits is False"),
        (
            *("queue_order", "-priority, number", "priority, number"),
            *("Order and answers", "one strict order", "priority"),
        ),
        (
            *("may_fill", "parts_before == 0", "parts_before <= 1"),
            *("Keys and cache", "cached key fails", "in use"),
        ),
    ],
    ids=lambda one: one.strip("( ") if isinstance(one, str) else None,
)
def test_edited_leaf_is_refuted_by_name_with_values(
    leaf: str,
    before: str,
    after: str,
    group: str,
    theorem: str,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 1 == run_here(leaf, before, after, group, monkeypatch, "--fail-fast")
    output = capsys.readouterr().out
    assert theorem in output
    assert told in output
    assert "refuted" in output


def test_edited_file_is_refuted_by_name_with_values(tmp_path: Path) -> None:
    status, output = run_on_edited_leaf(tmp_path, "(1 if index <", "(2 if index <")
    assert 1 == status
    assert "buckets of a balanced plan sum" in output
    assert "bucket 1 has" in output
    assert "refuted" in output


@pytest.mark.xdist_group("theorems")
def test_sound_model_is_proved_under_each_seed_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is asked for is proved for the tests of each theorem, too."""

    def known(theorem: Theorem, *, seeds: int, with_variants: bool, with_smtlib: bool) -> Proof:
        assert (SEEDS, False, False) == (seeds, with_variants, with_smtlib)
        return replace(proof_of(theorem), is_challenged=False, variants={}, mutation="")

    monkeypatch.setattr(subject, "prove", known)
    record = tmp_path / "proofs.json"
    status = main(["prove", "--no-variants", "--json", str(record), "--seeds", str(SEEDS)])
    output = capsys.readouterr().out
    assert 0 == status, output
    assert f"{SEEDS} seeds: all proved under each" in output
    lines = [re.split(r"\s{2,}", line) for line in output.splitlines()]
    for theorem in THEOREMS:
        told = [theorem.name, " ".join(theorem.clauses), theorem.scope, "proved"]
        assert 1 == sum(told == line[:4] for line in lines), theorem.name
    records = json.loads(record.read_text(encoding="utf-8"))
    proofs = records["theorems"]
    assert [theorem.name for theorem in THEOREMS] == [one["theorem"] for one in proofs]
    assert {"proved"} == {one["outcome"] for one in proofs}
    assert {"theorems"} == {*records["seconds"]}
    assert f"processor time: theorems {records['seconds']['theorems']:.1f} s" in output


BY_TYPE = "slots * per_task + (slots // 100 if type(slots) == int else 0)"


def test_nothing_is_proved_of_forms_that_no_symbol_can_refuse(tmp_path: Path) -> None:
    model = edited_model(tmp_path, "slots * per_task", BY_TYPE)
    status, output = run(model=model)
    assert 3 == status
    told = "type does not ask a symbol"
    assert re.match(rf"arithmetic\.py:\d+: {told}\. Nothing is proved", output)


@pytest.mark.parametrize("path", ["README.md", "proofs"])
def test_what_is_no_source_of_the_model_affects_no_theorem(path: str) -> None:
    status, output = run("--no-variants", "--affected-by", path)
    assert 2 == status
    assert "is no source file of the model" in " ".join(output.split())


def test_only_affected_theorems_are_proved(tmp_path: Path) -> None:
    """Those about whole runs are, whatever the file: one of them stands for all."""
    whole = "With most_free hosts are tried by free slots, and then in cluster order"
    few = (*GROUPS["Plans"], *GROUPS["Debits, reversals and books"], *GROUPS["Whole runs"])
    theorems = [one for one in few if not one.is_whole or one.name == whole]
    plans = PACKAGES["allotment_model"] / "plans.py"
    proofs = list(proofs_of(theorems, plans, with_variants=False, with_smtlib=True))
    names = {proof.theorem.name for proof in proofs}
    assert {"proved"} == {proof.outcome.word for proof in proofs}
    assert {"The buckets of a balanced plan descend", whole} <= names
    assert "Giving back again changes nothing" not in names
    for proof in proofs:
        keep_smtlib(proof, tmp_path)
    kept = list(tmp_path.glob("the-buckets-of-a-balanced-plan-descend*.smt2"))
    assert 1 == len(kept)
    assert "(check-sat)" in kept[0].read_text(encoding="utf-8")


AS_MANY = "As many tasks fit as the free amount holds, rounded down"
FREE = "Free is never negative, a zero want always fits, exactly enough is enough"


def test_fail_fast_stops_at_the_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "fits", "wanted <= left", "wanted < left", WANTS
    assert 1 == run_here(*words, monkeypatch, "--fail-fast")
    output = capsys.readouterr().out
    assert 1 == output.count("refuted,") + output.count("1 refuted;")
    assert AS_MANY in output
    assert FREE not in output


def test_every_theorem_that_falls_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == run_here("fits", "wanted <= left", "wanted < left", WANTS, monkeypatch)
    output = capsys.readouterr().out
    assert AS_MANY in output
    assert FREE in output


def test_unlifted_leaf_is_neither_proved_nor_refuted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 3 == run_here("fits", "wanted <= left", "str(wanted) <= str(left)", WANTS, monkeypatch)
    assert "arithmetic.py:" in capsys.readouterr().out


def test_wrong_rule_that_is_not_read_leaves_its_theorem_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def by_text(wanted: int, left: int) -> bool:
        return str(wanted) <= str(left)

    unread = Variant(name="compared as texts", breaks=("WANT-4",), replaced={"fits": by_text})
    [theorem] = [one for one in THEOREMS if one.name == FREE]
    monkeypatch.setattr(prover, "VARIANTS", (*VARIANTS, unread))
    monkeypatch.setattr(subject, "THEOREMS", (theorem,))
    assert 3 == main(["prove", "--affected-by", str(LEAVES)])
    output = capsys.readouterr().out
    assert (
        f"\n{FREE}\n  whether the variant 'compared as texts' leaves it true stays open: not "
        "lifted: test_prove.py:"
    ) in output


def test_seed_that_leaves_a_theorem_open_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def to(self: Answers, question: Question, *, hasty: bool = False) -> Proved | Unknown:
        return Unknown(case=question.case.name, reason="", smtlib="") if self.seed else Proved()

    monkeypatch.setattr(Answers, "to", to)
    monkeypatch.setattr(subject, "THEOREMS", THEOREMS[:1])
    assert 3 == main(["prove", "--no-variants", "--seeds", "2"])
    output = capsys.readouterr().out
    assert f"seed 1: {THEOREMS[0].name}: unknown" in output
    assert "2 seeds: not stable" in output


def test_help_has_an_example() -> None:
    status, output = run("--help")
    assert 0 == status
    assert "Example: allotment prove" in output


def test_interrupt_leaves_with_130() -> None:
    words = [sys.executable, "-c", TELLING + ALLOTMENT, "prove"]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    told = [process.stderr.readline() for _theorem in range(5)]
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert 5 * [b"a theorem is tried\n"] == told, errors
    assert 130 == process.returncode, errors
    assert b"Traceback" not in errors
    assert re.search(rb"INTERRUPTED: \d+ of \d+ theorems were tried\n$", output)


@pytest.mark.parametrize("option", ["--smtlib", "--witnesses"])
@pytest.mark.parametrize("under", ["", "deeper"])
def test_file_where_a_folder_is_asked_for_is_bad_input(
    option: str, under: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kept"
    file.write_text("something", encoding="utf-8")
    assert 2 == main(["prove", option, str(file / under)])
    told = " ".join(capsys.readouterr().err.replace("\u2502", " ").split())
    assert option in told
    assert "is not a folder; name a folder, also a new one" in told
    assert "something" == file.read_text(encoding="utf-8")
