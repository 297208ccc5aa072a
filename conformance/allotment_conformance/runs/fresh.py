"""An adapter of Python in a process of its own, where it was asked nothing yet."""

from collections.abc import Callable, Sequence
from time import monotonic

from allotment_conformance.counterexample.asking import CannotAsk, Finding, Fresh, InProcess
from allotment_conformance.errors import KitError
from allotment_conformance.runs.pool import NOTHING_YET, AtWork, Crew, Desk, Lost
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.failure import Ending, Failure
from allotment_conformance.wire.messages import Json, Profile

SECONDS = 30.0
"""How long a few hundred cases may take there."""

GRACE = 1.0
"""Seconds that the process may go on after its answer: it has nothing to give up."""


class _Worker:
    """Asks the adapter in the process."""

    def __init__(self, desk: Desk, adapter: str, profile: Profile) -> None:
        self.desk = desk
        self.adapter = load_adapter(adapter)
        self.adapter.start()
        self.profile = profile

    def close(self) -> None:
        """Close the adapter."""
        self.adapter.close()

    def last(self, cases: Sequence[Json]) -> Finding:
        """What came of the last case."""
        findings = InProcess(self.adapter, self.profile).findings(cases)
        for number in range(len(cases)):
            self.desk.note(number)
            finding = next(findings)
        return finding


def in_fresh_process(
    adapter: str, profile: Profile, pulse: Callable[[], None] = lambda: None
) -> Fresh:
    """Asks the adapter of that name, in a new process each time; one that ends it has crashed.

    `pulse` is called twice a second meanwhile; what it raises ends the waiting.
    """

    def asked(cases: Sequence[Json]) -> Finding:
        until = monotonic() + SECONDS

        def look(_at_work: Sequence[AtWork]) -> None:
            pulse()
            if monotonic() >= until:
                raise CannotAsk(f"a process of its own has not answered after {SECONDS:.0f} s")

        with Crew(1, _Worker, (adapter, profile), pulse=look, grace=GRACE) as crew:
            try:
                return crew.one(_Worker.last, cases)
            except Lost as lost:
                return _ended(lost, cases)
            except KitError as refused:
                raise CannotAsk(f"in a process of its own {refused}") from refused

    return asked


def _ended(lost: Lost, cases: Sequence[Json]) -> Finding:
    """What came of the last case, if anything. Raises `CannotAsk`."""
    if lost.item == NOTHING_YET:
        raise CannotAsk(f"a process of its own ended at the start: {lost.words}") from lost
    failure = None
    if lost.item == len(cases) - 1:
        failure = Failure(ending=Ending.CRASH, words=lost.words)
    return Finding(case=cases[-1], answers=None, failure=failure)
