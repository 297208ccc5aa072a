"""What only a checkout of the repository holds: SPEC.md, the page of theorems, and the tests."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from enum import StrEnum
from importlib.metadata import distributions
from pathlib import Path

import msgspec

import allotment_model
from allotment_conformance.errors import KitError
from allotment_conformance.evidence.links import Kind, Link
from allotment_conformance.evidence.theorems import About, Theorems

DEFINITION = re.compile(r"^\*\*([A-Z]+-\d+)\*\* \*\(", re.MULTILINE)
ROW = re.compile(r"^\| (?!theorem |---)([^|]+) \| ([A-Z][A-Z0-9 -]+) \| ([^|]+) \|$", re.MULTILINE)
SPECIFICATION = Path("SPEC.md")
PAGE = Path("docs", "verified.md")
TESTS = Path("tests")
MARK = "mark.clause("
RAN = (0, 1, 5)
"""What pytest exits with when it ran what it found, failures and nothing at all included."""


class NoCheckout(KitError):
    """A folder that was named is not a checkout of this repository."""

    code = "no-checkout"


class TestsNotRun(KitError):
    """The tests of the checkout could not be run."""

    __test__ = False
    code = "tests-not-run"


class TestEnding(StrEnum):
    """How a test ends; `XFAIL` if it is marked to fail, whether it does or not."""

    __test__ = False
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    XFAIL = "xfail"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a test ended: as it is, or under a wrong rule that it should notice."""

    test: str
    clauses: tuple[str, ...]
    wrong_rule: str | None
    ending: TestEnding


def own_checkout() -> Path | None:
    """The checkout from which the model is imported, if it is imported from one."""
    root = Path(allotment_model.__file__).resolve().parents[2]
    return root if is_checkout(root) else None


def checked(folder: Path) -> Path:
    """The folder, if it is a checkout. Raises `NoCheckout`."""
    if not is_checkout(folder):
        raise NoCheckout(
            f"{folder} is not a checkout: it has no {SPECIFICATION} beside {TESTS}/",
            remedy="Name the folder that holds both, or leave the option out.",
        )
    return folder


def is_checkout(folder: Path) -> bool:
    """Whether a folder holds the specification and the tests."""
    return (folder / SPECIFICATION).is_file() and (folder / TESTS).is_dir()


def specified(checkout: Path) -> list[str]:
    """The ids of the clauses that SPEC.md defines, in order."""
    return DEFINITION.findall((checkout / SPECIFICATION).read_text(encoding="utf-8"))


def listed_theorems(checkout: Path) -> Theorems:
    """The theorems on the page that lists them; none if there is no page."""
    page = checkout / PAGE
    if not page.is_file():
        return {}
    found = ROW.findall(page.read_text(encoding="utf-8"))
    return {
        name.strip(): About(clauses=tuple(clauses.split()), scope=scope.strip())
        for name, clauses, scope in found
    }


def marked_files(checkout: Path) -> list[str]:
    """The test files with a test that is listed for a clause."""
    return [
        str(path.relative_to(checkout))
        for path in sorted((checkout / TESTS).rglob("test_*.py"))
        if MARK in path.read_text(encoding="utf-8")
    ]


def has_pytest() -> bool:
    """Whether the tests can be run here."""
    return any(distributions(name="pytest"))


def run_tests(checkout: Path) -> list[Outcome]:
    """Run every listed test, as it is and under each of its wrong rules. Raises `TestsNotRun`."""
    files = marked_files(checkout)
    if not files:
        return []
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "outcomes.json"
        words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--clauses", str(told), *files]
        done = subprocess.run(
            [sys.executable, *words], cwd=checkout, capture_output=True, text=True, check=False
        )
        if done.returncode not in RAN or not told.is_file():
            last = (done.stdout + done.stderr).strip().splitlines()[-12:]
            raise TestsNotRun(
                "\n".join(["the tests that are listed for clauses could not be run", *last]),
                remedy="Run them by themselves: python -m pytest --clauses FILE tests",
            )
        return msgspec.json.decode(told.read_bytes(), type=list[Outcome])


def links_of_tests(outcomes: Sequence[Outcome]) -> list[Link]:
    """A link for each test and clause, and one for each clause and wrong rule of such a test."""
    links = []
    marks = {(one.test, one.clauses) for one in outcomes}
    for test, clauses in sorted(marks):
        own = [one for one in outcomes if (one.test, one.clauses) == (test, clauses)]
        wrong = dict.fromkeys(one.wrong_rule for one in own if one.wrong_rule is not None)
        failing = tuple(
            name
            for name in wrong
            if any(one.wrong_rule == name and one.ending is TestEnding.FAILED for one in own)
        )
        for clause in clauses:
            links.append(
                Link(
                    clause=clause,
                    kind=Kind.SHOWN,
                    name=test,
                    broken=_broken(own, list(wrong), failing),
                    seen_in=failing,
                )
            )
            links += (
                Link(
                    clause=clause,
                    kind=Kind.WRONG,
                    name=name,
                    seen_in=(test,) if name in failing else (),
                )
                for name in wrong
            )
    return links


def _broken(own: Sequence[Outcome], wrong: Sequence[str], failing: Sequence[str]) -> str:
    """Why a test does not show what it is listed for."""
    if any(one.ending is TestEnding.SKIPPED for one in own):
        return "it is skipped"
    if any(one.ending is TestEnding.XFAIL for one in own):
        return "it is marked to fail"
    if any(one.ending is TestEnding.FAILED for one in own if one.wrong_rule is None):
        return "it fails"
    if not wrong:
        return "it names no wrong rule under which it must fail"
    silent = [name for name in wrong if name not in failing]
    return f"it passes under the wrong rule '{silent[0]}'" if silent else ""
