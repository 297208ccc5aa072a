"""Every theorem holds, and each would notice wrong rules."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import allotment_model
from allotment_model import oracle, variants
from allotment_model.clauses import CLAUSES
from allotment_model.variants import VARIANTS
from allotment_proofs import catalogue, trusted
from allotment_proofs.prover import (
    Answers,
    Proved,
    Question,
    Refuted,
    outcome_under,
)
from allotment_proofs.statement import Lifting, Theorem
from allotment_proofs.theorems import THEOREMS
from allotment_proofs.unaffected import UNAFFECTED
from house.sources import (
    ROOT,
    Function,
    code_lines,
    documented_items,
    import_lines,
    python_files,
)
from proofs.proved import proof_of


@pytest.mark.xdist_group("theorems")
@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda one: one.name)
def test_theorem_is_proved_and_notices_wrong_rules(theorem: Theorem) -> None:
    proof = proof_of(theorem)
    assert Proved() == proof.outcome
    assert () == proof.unstable
    assert ([], {}, []) == (proof.unlisted, proof.undecided, proof.wrongly_listed)
    assert not proof.is_suspicious


@pytest.mark.xdist_group("theorems")
def test_proofs_are_shared_by_one_process(request: pytest.FixtureRequest) -> None:
    is_grouped = request.config.getoption("loadgroup", default=False)
    assert is_grouped == request.node.nodeid.endswith("@theorems")


def test_names_are_sentences_of_their_own() -> None:
    names = [theorem.name for theorem in THEOREMS]
    assert len(names) == len(set(names))
    assert all(name[0].isupper() and " " in name and not name.endswith(".") for name in names)
    assert {*UNAFFECTED} <= {*names}


def test_clauses_exist() -> None:
    known = {clause.id for clause in CLAUSES}
    assert [] == [one for theorem in THEOREMS for one in theorem.clauses if one not in known]


@pytest.mark.xdist_group("theorems")
def test_variants_that_no_theorem_refutes_are_known() -> None:
    refuted = {
        name
        for theorem in THEOREMS
        for name, outcome in proof_of(theorem).variants.items()
        if isinstance(outcome, Refuted)
    }
    of_select = {one.name for one in VARIANTS if "passes" in one.replaced}
    assert of_select == {one.name for one in VARIANTS} - refuted


def model_functions() -> Iterator[str]:
    """The functions that a step of the specification runs."""
    package = Path(allotment_model.__file__).parent
    apart = {Path(room.__file__).parent for room in (oracle, variants) if room.__file__}
    for path in sorted(package.rglob("*.py")):
        if path.parent not in apart:
            for item in documented_items(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(item, Function):
                    yield f"{path.stem}.{item.name}"


@pytest.mark.xdist_group("theorems")
def test_most_functions_of_the_specification_are_lifted(capsys: pytest.CaptureFixture[str]) -> None:
    lifted = {
        f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        for theorem in THEOREMS
        for function in proof_of(theorem).lifted
    }
    others = sorted({*model_functions()} - lifted)
    with capsys.disabled():
        print(f"\nmodel functions that no theorem lifts: {', '.join(others)}")
    assert len(lifted & {*model_functions()}) >= 105


def test_size_of_trusted_code_is_told() -> None:
    folder = ROOT / "proofs" / "allotment_proofs" / "trusted"
    sources = {path.stem: path.read_text(encoding="utf-8") for path in python_files(folder)}
    imports = sum(map(import_lines, sources.values()))
    sizes = {name: code_lines(one) - import_lines(one) for name, one in sources.items()}
    refusing = sizes.pop("forms")
    assert sum(sizes.values()) <= 280
    assert refusing <= 110
    told = " ".join(catalogue.page().split())
    assert f"{sum(sizes.values())} lines of code that make terms and {refusing} that refuse" in told
    assert f"with {imports} lines of imports" in told
    assert f"{sizes['sequences']} of them read plans of any length" in told


def test_size_of_what_is_trusted_outside_that_folder_is_told() -> None:
    outside = (Lifting, Question, Answers, outcome_under)
    named = re.findall(r"`(statement|prover)\.(\w+)`", str(trusted.__doc__))
    assert [one.__name__ for one in outside] == [name for _module, name in named]
    size = sum(code_lines(inspect.getsource(one)) for one in outside)
    told = " ".join(catalogue.page().split())
    assert f"outside that folder, which it names, are trusted too: {size} lines more" in told


def test_readme_lists_theorems_with_their_scope() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Verified properties")[2].partition("## ")[0]
    rows = re.findall(r"^\| (.+) \| (.+) \|$", section, re.MULTILINE)
    assert ("theorem", "scope") == rows[0]
    assert 10 == len(rows[1:])
    assert {*rows[1:]} <= {(theorem.name, theorem.scope) for theorem in THEOREMS}
