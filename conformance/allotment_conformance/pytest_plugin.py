"""The pytest plug-in: `pytest --allotment ./adapter` has one test for each family of clauses.

pytest loads this module in every run, so it imports nothing else before the option is used.
"""

import shlex
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from allotment_conformance.errors import KitError
    from allotment_conformance.runs.subject import Subject

COLLECTED_AS = "allotment"
DRAWN, CANARY, STOP = "drawn-cases", "canary", "stop"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; without the first one nothing else of the plug-in does anything."""
    group = parser.getgroup("allotment", "conformance of a slot allocator (allotment)")
    group.addoption(
        "--allotment",
        metavar="ADAPTER",
        help="check this program, or module:Name: a test for each family of clauses",
    )
    group.addoption(
        "--allotment-cases",
        metavar="N",
        type=int,
        default=1_000,
        help="drawn cases besides the directed ones (default: %(default)s)",
    )
    group.addoption(
        "--allotment-seed",
        metavar="N",
        type=int,
        default=1,
        help="what they are drawn from (default: %(default)s)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the tests known, if they are asked for."""
    if config.option.allotment is not None:
        config.pluginmanager.register(Conformance(config), "allotment-conformance")


class Conformance:
    """What the option brings: the tests, and the one allocator that all of them ask."""

    def __init__(self, config: pytest.Config) -> None:
        """Say whom to ask; it is started by the first test."""
        try:
            words = shlex.split(config.option.allotment)
        except ValueError as wrong:
            raise pytest.UsageError(f"--allotment: {wrong}: {config.option.allotment}") from wrong
        if not words:
            raise pytest.UsageError("--allotment: name a program, or module:Name")
        self._config = config
        self._subject: Subject | None = None
        self._refusal: KitError | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add the tests to what pytest finds in files."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result.append(
                Clauses.from_parent(
                    collector, name=COLLECTED_AS, nodeid=COLLECTED_AS, conformance=self
                )
            )
        return report

    def pytest_unconfigure(self) -> None:
        """Stop the allocator."""
        if self._subject is not None:
            self._subject.close()

    @property
    def subject(self) -> "Subject":
        """The allocator, started; one that did not start is not tried again, and may take long."""
        from allotment_conformance.errors import KitError

        if self._refusal is not None:
            raise self._refusal
        if self._subject is None:
            try:
                self._subject = _start(self._config.option.allotment)
            except KitError as refused:
                self._refusal = refused
                raise
        return self._subject

    def fault(self, name: str) -> str | None:
        """What is wrong with a family, with drawn cases, or with how the allocator ends."""
        from allotment_conformance.runs import families
        from allotment_conformance.runs.canary import flags_of_check, what_is_broken

        if name == STOP:
            ended, self._subject = self.subject.close(), None
            return ended
        profile, option = self.subject.profile, self._config.option
        if name == CANARY:
            broken = what_is_broken(profile, flags_of_check)
            return broken and f"the kit is broken: {broken}"
        if name == DRAWN:
            cases, seed = option.allotment_cases, option.allotment_seed
            return self.subject.fault(families.drawn_questions(cases, seed, profile))
        reason = families.why_not_asked(name, profile)
        if reason is not None:
            pytest.skip(reason)
        return self.subject.fault(families.questions_of(name, profile))


def _start(words: str) -> "Subject":
    """The allocator of a command line, or of a name like `module:Name`."""
    from allotment_conformance.runs.subject import AdapterSubject, ProgramSubject
    from allotment_conformance.wire.adapter import is_adapter_name, load_adapter

    if is_adapter_name(words):
        return AdapterSubject(lambda: load_adapter(words))
    return ProgramSubject(tuple(shlex.split(words)))


class Clauses(pytest.Collector):
    """Where the tests are found: they have no file."""

    def __init__(self, *, conformance: Conformance, **told: Any) -> None:
        """Take what pytest tells, and whom to ask."""
        super().__init__(**told)
        self.conformance = conformance

    def collect(self) -> Iterator["Family"]:
        """A test for each family of clauses, and for what belongs to none."""
        from allotment_conformance.runs.families import FAMILIES

        for name in (CANARY, *FAMILIES, DRAWN, STOP):
            yield Family.from_parent(self, name=name, conformance=self.conformance)


class Disagrees(Exception):
    """The allocator, or the kit, is not as it should be; the words say how."""


class Family(pytest.Item):
    """The test of one family."""

    def __init__(self, *, conformance: Conformance, **told: Any) -> None:
        """Take what pytest tells, and whom to ask."""
        super().__init__(**told)
        self._conformance = conformance

    def runtest(self) -> None:
        """Ask the cases. Raises `Disagrees`."""
        fault = self._conformance.fault(self.name)
        if fault is not None:
            raise Disagrees(fault)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The words of what went wrong; only a fault of the kit itself has a traceback."""
        from allotment_conformance.errors import KitError
        from allotment_conformance.report.visible import visible

        if isinstance(excinfo.value, Disagrees):
            return str(excinfo.value)
        if isinstance(excinfo.value, KitError):
            return visible(f"{excinfo.value}\n{excinfo.value.remedy}")
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, None, str]:
        """Where the test stands: in no file."""
        return COLLECTED_AS, None, f"{COLLECTED_AS} {self.name}"
