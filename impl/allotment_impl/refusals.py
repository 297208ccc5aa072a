"""Refusals: what cannot be meant is refused with a code, and nothing changes (INGEST-2).

An event is checked wholly before anything is touched. All that is wrong with it is noted in a
``Findings``, and the code that stands first in the table of SPEC.md 2.3 becomes the answer.
"""

from enum import Enum
from typing import Any

TASKS_LARGEST = 2**20
"""The largest number of tasks of one primary, and the largest bound of a span."""

AMOUNT_LARGEST = 2**53 - 1
"""The largest amount, capacity or cap: the last integer that every JSON reader keeps exact."""


class RefusalCode(Enum):
    """Why an event is refused. The order of the members is the order of precedence."""

    DUPLICATE_NAME = "duplicate-name"
    UNKNOWN_NAME = "unknown-name"
    NOT_RUNNING = "not-running"
    NOT_PENDING = "not-pending"
    IDENTITY_MISSING = "identity-missing"
    EMPTY_COMPOUND = "empty-compound"
    TASKS_RANGE = "tasks-range"
    COUNTS = "counts"
    SPAN_RANGE = "span-range"
    SLOTS_IN_RUSAGE = "slots-in-rusage"
    UNKNOWN_RESOURCE = "unknown-resource"
    NOT_AN_ATTRIBUTE = "not-an-attribute"
    TYPE = "type"
    PER_HOST_ON_POOL = "per-host-on-pool"
    PER_JOB_ON_HOST = "per-job-on-host"
    AMOUNT_RANGE = "amount-range"
    SYNTAX = "syntax"


HINTS = {
    RefusalCode.DUPLICATE_NAME: "choose a name that no job or host ever had",
    RefusalCode.UNKNOWN_NAME: "name a job, host or limit that exists",
    RefusalCode.NOT_RUNNING: "only a dispatched job that has not finished can finish",
    RefusalCode.NOT_PENDING: "only a pending job can be withdrawn; finish one that runs",
    RefusalCode.IDENTITY_MISSING: "give user, queue and project, none of them empty",
    RefusalCode.EMPTY_COMPOUND: "give at least one alternative, and each at least one primary",
    RefusalCode.TASKS_RANGE: f"give counts within 1 and {TASKS_LARGEST}, min at most max",
    RefusalCode.COUNTS: "let the counts of each alternative add up to those of the job",
    RefusalCode.SPAN_RANGE: f"give span bounds within 1 and {TASKS_LARGEST}",
    RefusalCode.SLOTS_IN_RUSAGE: "leave slots out: every task takes one slot of its own",
    RefusalCode.UNKNOWN_RESOURCE: "use a declared resource, and as what it is declared",
    RefusalCode.NOT_AN_ATTRIBUTE: "a select reads attributes; ask for amounts in the rusage",
    RefusalCode.TYPE: "compare texts with texts by == or !=, and calculate with numbers",
    RefusalCode.PER_HOST_ON_POOL: "a shared amount has no hosts: ask for it per job or per task",
    RefusalCode.PER_JOB_ON_HOST: "a host amount is asked for per task or per host",
    RefusalCode.AMOUNT_RANGE: f"keep amounts within 0 and {AMOUNT_LARGEST} thousandths",
    RefusalCode.SYNTAX: "mend the text as told, and nest a select at most 100 levels deep",
}

_PRECEDENCE = {code: place for place, code in enumerate(RefusalCode)}


class AllotmentError(Exception):
    """The base of every error that this package expects and raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """An error of another process arrives as it was, whatever its class is made with."""
        return _as_it_was, (type(self), self.args, self.__dict__)


def _as_it_was(
    kind: type[AllotmentError], args: tuple[object, ...], attributes: dict[str, Any]
) -> AllotmentError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class Refused(AllotmentError):
    """An event was refused and changed nothing (INGEST-2).

    ``code`` is the reason, ``detail`` says what and where, ``hint`` says what a person can do.
    """

    def __init__(self, code: RefusalCode, detail: str) -> None:
        super().__init__(f"{code.value}: {detail}")
        self.code = code
        self.detail = detail

    @property
    def hint(self) -> str:
        """What the person who sent the event can do about it."""
        return HINTS[self.code]


class Findings:
    """What is wrong with one event; the finding that takes precedence is the answer (2.3)."""

    __slots__ = ("_first",)

    def __init__(self) -> None:
        self._first: Refused | None = None

    def note(self, code: RefusalCode, detail: str) -> None:
        """Note one thing that is wrong; the first of its code keeps its detail."""
        first = self._first
        if first is None or _PRECEDENCE[code] < _PRECEDENCE[first.code]:
            self._first = Refused(code, detail)

    def note_amount(self, amount: int, place: str) -> None:
        """Note an amount, capacity or cap outside 0 … 2^53 − 1 (AMOUNT-1)."""
        if not 0 <= amount <= AMOUNT_LARGEST:
            self.note(RefusalCode.AMOUNT_RANGE, f"{place} is {amount}")

    def raise_first(self) -> None:
        """Raise ``Refused`` with the finding that takes precedence, if there is one."""
        if self._first is not None:
            raise self._first
