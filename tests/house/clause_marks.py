"""The mark `clause`: this test is listed for a clause, and fails if the clause is broken.

    @pytest.mark.clause("UNDO-2", broken_by="reversed again and again")

`broken_by` names a wrong rule of `house.wrong_rules`. With `--clauses FILE` only marked tests are
run, each as it is and once under each of its wrong rules; FILE then has what came of it. That a
test fails under its wrong rules is what `allotment clauses` calls a link that holds.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from house import wrong_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A test that is listed for clauses, and a wrong rule that it must notice."""

    clauses: tuple[str, ...]
    broken_by: str | None


def listed(item: pytest.Item) -> list[Listed]:
    """What a test is listed for."""
    return [
        Listed(clauses=tuple(mark.args), broken_by=mark.kwargs.get("broken_by"))
        for mark in item.iter_markers("clause")
    ]


class ClauseRun:
    """The run of the marked tests: as they are, and under their wrong rules."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.items: dict[str, pytest.Function] = {}
        self.outcomes: list[dict[str, object]] = []
        self.broken: list[str] = []

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test for each wrong rule, and one for none."""
        names = {one.broken_by: None for one in listed(metafunc.definition)}
        unknown = names.keys() - wrong_rules.known() - {None}
        if unknown:
            raise pytest.UsageError(f"{metafunc.definition.nodeid}: no wrong rule {unknown}")
        if names:
            every = [None, *(name for name in names if name is not None)]
            metafunc.parametrize("wrong_rule", every, indirect=True, ids=str)

    @pytest.fixture(autouse=True)
    def wrong_rule(self, request: pytest.FixtureRequest) -> Iterator[None]:
        """The rules, one of them wrong if one is named."""
        with wrong_rules.in_force(getattr(request, "param", None)):
            yield

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Refuse a file that skips itself: its listed tests would be missing and not be told."""
        if report.skipped:
            raise pytest.UsageError(f"{report.nodeid} is skipped, with what is listed in it")

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out what is not listed for a clause."""
        marked = [one for one in items if isinstance(one, pytest.Function) and listed(one)]
        config.hook.pytest_deselected(items=[one for one in items if one not in marked])
        items[:] = marked
        self.items = {item.nodeid: item for item in marked}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep how a test ended; one that is skipped may end before it is called, or after."""
        if report.when != "call" and not report.skipped:
            self.broken += [report.nodeid] if report.failed else []
            return
        item = self.items[report.nodeid]
        wrong = item.callspec.params["wrong_rule"]
        for one in listed(item):
            if wrong in (None, one.broken_by):
                self.outcomes.append(
                    {
                        "test": f"{item.nodeid.partition('::')[0]}::{item.originalname}",
                        "clauses": one.clauses,
                        "wrong_rule": wrong,
                        "ending": "xfail" if hasattr(report, "wasxfail") else report.outcome,
                    }
                )

    def pytest_sessionfinish(self) -> None:
        """Write what came of the run; nothing if a test could not even begin."""
        if not self.broken:
            self.path.write_text(json.dumps(self.outcomes), encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--clauses`."""
    parser.addoption(
        "--clauses",
        type=Path,
        metavar="FILE",
        help="Run the tests that are listed for clauses, also under their wrong rules.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark; with `--clauses`, begin such a run."""
    words = "clause(*ids, broken_by): listed for these clauses; fails under that wrong rule"
    config.addinivalue_line("markers", words)
    path: Path | None = config.getoption("--clauses")
    if path is not None:
        config.pluginmanager.register(ClauseRun(path.absolute()), "clause-run")
