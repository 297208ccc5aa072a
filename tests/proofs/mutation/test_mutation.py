"""How a mutant is judged, read and told. Cosmic Ray itself is run by `make mutate-model` only."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from allotment_model.answers import Refusal
from allotment_model.cluster import Identity, Resources
from allotment_model.ingest import first_refusal, submission_checks
from allotment_model.request import Job, Primary
from allotment_model.rules import SPEC
from allotment_proofs.mutation.equivalence import BOXES, box_size, changed, difference
from allotment_proofs.mutation.judge import Judgement, read
from allotment_proofs.mutation.known import KNOWN
from allotment_proofs.mutation.page import page
from allotment_proofs.mutation.session import (
    Mutant,
    changed_lines,
    lifted_functions,
    mutants,
)
from house.sources import PACKAGES, ROOT

FUNCTIONS = lifted_functions()
LEAVES = {function.__name__: function for function in FUNCTIONS["arithmetic"]}


@pytest.mark.parametrize(
    ("before", "after", "outcome", "told"),
    [
        ("wanted <= left", "wanted < left", "refuted", "fits is False"),
        ("wanted <= left", "not wanted > left", "survived", ""),
        ("wanted <= left", "wanted ^ left > 9", "unsupported", "arithmetic.py:"),
        ("wanted <= left", "wanted <= ", "crashed", "SyntaxError"),
    ],
)
def test_change_is_judged_by_the_proofs(
    before: str, after: str, outcome: str, told: str, tmp_path: Path
) -> None:
    shutil.copytree(PACKAGES["allotment_model"], tmp_path / "allotment_model")
    leaves = tmp_path / "allotment_model" / "arithmetic.py"
    source = leaves.read_text(encoding="utf-8")
    assert 1 == source.count(f"return {before}")
    leaves.write_text(source.replace(before, after), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "allotment_proofs.mutation.judge", str(leaves)],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    judgement = read(done.stdout + done.stderr)
    assert (outcome, outcome == "survived") == (judgement.outcome, done.returncode == 0)
    assert told in judgement.told


def dumped(outcome: str | None, worker: str = "normal") -> str:
    """A line of `cosmic-ray dump`."""
    mutation = {
        "operator_name": "core/NumberReplacer",
        "definition_name": "may_fill",
        "start_pos": [92, 27],
    }
    diff = (
        "--- mutation diff ---\n--- a/x.py\n+++ b/x.py\n@@ -90,3 +90,3 @@\n def may_fill():\n"
        "-    return parts_before == 0\n+    return parts_before == 1\n \n"
    )
    said = json.dumps({"outcome": outcome, "theorem": "T", "told": "so"})
    result = {"worker_outcome": worker, "output": f"noise\n{said}\n", "diff": diff}
    return json.dumps([{"mutations": [mutation]}, result if outcome else None])


def test_mutants_are_read_from_a_dump() -> None:
    lines = [dumped("refuted"), dumped(None), dumped("survived", "skipped")]
    assert [
        Mutant(
            function="may_fill",
            operator="NumberReplacer",
            before="return parts_before == 0",
            after="return parts_before == 1",
            judgement=Judgement(outcome="refuted", theorem="T", told="so"),
        )
    ] == mutants("\n".join(lines))


def test_run_that_ends_badly_has_crashed() -> None:
    assert "crashed" == mutants(dumped("survived", "abnormal"))[0].judgement.outcome
    assert Judgement(outcome="crashed", told="ValueError: x") == read("Traceback\nValueError: x\n")
    assert "crashed" == read("[1]").outcome


def test_change_of_several_lines_is_joined() -> None:
    diff = "--- a\n+++ b\n@@ -1 +1 @@\n def f():\n-    a +\n-    b\n+    a - b\n"
    assert ("a + b", "a - b") == changed_lines(diff)


def test_every_lifted_leaf_has_a_box() -> None:
    assert {*BOXES} == {function.__name__ for function in FUNCTIONS["arithmetic"]}
    for function in FUNCTIONS["arithmetic"]:
        assert "" == difference(function, function)
        assert box_size(function) >= 7


def test_difference_is_told_with_arguments() -> None:
    strict = changed(LEAVES["fits"], "wanted <= left", "wanted < left")
    assert "fits(1, 1) is True, and then False" == difference(LEAVES["fits"], strict)
    other = changed(LEAVES["fits"], "wanted <= left", "not wanted > left")
    assert "" == difference(LEAVES["fits"], other)
    divided = changed(LEAVES["debit"], "used + amount", "used // amount")
    assert "debit(0, 0) is 0, and then ZeroDivisionError" == difference(LEAVES["debit"], divided)


def test_page_tells_counts_and_survivors() -> None:
    def mutant(after: str, outcome: str) -> Mutant:
        return Mutant(
            function="fits",
            operator="x",
            before="return wanted <= left",
            after=after,
            judgement=Judgement(outcome=outcome),
        )

    told = page(
        {
            "arithmetic": [
                mutant("return wanted < left", "refuted"),
                mutant("return not wanted > left", "survived"),
                mutant("return wanted == left", "survived"),
                mutant("return wanted ^ left", "unsupported"),
            ]
        },
        FUNCTIONS,
    )
    assert "| `arithmetic.py` | 4 | 1 | 2 | 1 | 0 | 0 | 0 |" in told
    assert "| `arithmetic.fits` | 4 | 1 | 2 | 1 | 0 | 0 | 0 |" in told
    assert "`return not wanted > left` | yes, on all 49 arguments of its box |" in told
    assert "`return wanted == left` | **no**: fits(1, 2) is True, and then False |" in told


def test_reasons_that_survivors_are_equivalent_hold() -> None:
    assert SPEC.host_used_seen is SPEC.pool_used_seen is SPEC.limit_used_seen
    assert {7} == {SPEC.limit_used_seen(7, before) for before in range(9)}
    assert {0} == {SPEC.free(capacity, used) for capacity in (-1, 0) for used in range(9)}
    who = Identity(user="u", queue="q", project="p")
    uncounted = Job(name="j", identity=who, request=((Primary(),),))
    checks = submission_checks(uncounted, Resources(attributes={}), name_is_taken=False)
    assert Refusal.COUNTS is first_refusal(checks, frozenset())


def test_every_committed_survivor_is_judged() -> None:
    text = (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
    assert all(f"`{module}.py`" in text for module in FUNCTIONS)
    assert "**not shown**" not in text
    open_ones = [one for one in KNOWN if not one.is_same]
    assert len(open_ones) == text.count("**no**")
    assert all(one.change in text for one in open_ones)
