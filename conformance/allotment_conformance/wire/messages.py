"""The messages of SPEC.md 2.1 to 2.4, each a type that accepts exactly what may be sent.

A message travels as what JSON gives: objects, lists, texts, integers, booleans, null. Integers are
strict: neither 1.0 nor true is one. A field that is not named here is refused.
"""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, dataclass_transform

import msgspec
from msgspec import UNSET, Struct, UnsetType

from allotment_conformance.errors import KitError
from allotment_conformance.wire.legal_values import legal_values
from allotment_conformance.wire.nesting import TOO_DEEP, are_too_deep
from allotment_model.answers import Category, Refusal
from allotment_model.cluster import LARGEST_AMOUNT, LARGEST_TASKS

Message = TypeVar("Message")

Json = dict[str, Any]
"""An object as JSON gives it."""


A_TEXT = re.compile(r"got `str` - at `\$\.events\[\d+\]\.job\.request`$")
"""What is said of a request that is a text."""


class NotACase(KitError):
    """What was given as a case is none (SPEC.md 2.1)."""

    code = "not-a-case"


class NotAMessage(KitError):
    """An allocator answered something that SPEC.md 2 does not know."""

    code = "not-a-message"


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _Sent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What all messages have in common."""


class Resources(_Sent):
    """RES-1: the names that are declared; `slots` is always there and not listed."""

    host: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    attributes: dict[str, Literal["number", "text"]] = {}


class Host(_Sent):
    """A host. Slots are whole, amounts and numbers in attributes thousandths."""

    name: str
    capacity: dict[str, int]
    attributes: dict[str, int | str] = {}
    open: bool = True


class LimitName(_Sent):
    """What makes two limits the same limit: all but the cap (SPEC.md 2.1)."""

    kind: Literal["user", "queue", "project"]
    scope: Literal["host", "cluster"]
    resource: str
    name: str | UnsetType = UNSET
    each: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        """LIMIT-1: a limit has a name or is an *each* limit."""
        if (self.name is UNSET) == (self.each is UNSET) or self.each is False:
            raise ValueError("a limit has either a `name` or `each: true`")


class Limit(LimitName, kw_only=True):
    """A cap on what one user, queue or project may hold."""

    cap: int


class Cluster(_Sent):
    """The starting configuration."""

    hosts: tuple[Host, ...]
    resources: Resources = Resources()
    pools: dict[str, int] = {}
    limits: tuple[Limit, ...] = ()


class Tasks(_Sent):
    """Counts of tasks."""

    min: int
    max: int


class Expression(_Sent):
    """A node of a select: exactly one of a number, a text, a name that is read, an operation."""

    number: int | UnsetType = UNSET
    text: str | UnsetType = UNSET
    attribute: str | UnsetType = UNSET
    defined: str | UnsetType = UNSET
    op: (
        Literal["!", "neg", "*", "/", "+", "-", "<", "<=", ">", ">=", "==", "!=", "&&", "||"]
        | UnsetType
    ) = UNSET
    args: tuple["Expression", ...] | UnsetType = UNSET

    def __post_init__(self) -> None:
        """SPEC.md 2.1: one form a node; `!` and `neg` have one operand, all others two."""
        forms = (self.number, self.text, self.attribute, self.defined, self.op)
        if sum(form is not UNSET for form in forms) != 1:
            raise ValueError("an expression has one of number, text, attribute, defined, op")
        if (self.op is UNSET) != (self.args is UNSET):
            raise ValueError("`op` and `args` go together")
        if isinstance(self.args, tuple):
            operands = 1 if self.op in ("!", "neg") else 2
            if len(self.args) != operands:
                raise ValueError(f"`{self.op}` takes {operands} in `args`, not {len(self.args)}")


class RusageEntry(_Sent):
    """One item of a rusage, in thousandths."""

    resource: str
    amount: int
    per: Literal["task", "host", "job"] | UnsetType = UNSET


class Span(_Sent):
    """How a primary may be spread (PLAN-9, PLAN-10)."""

    hosts_min: int | UnsetType = UNSET
    hosts_max: int | UnsetType = UNSET
    tasks_per_host: int | UnsetType = UNSET
    ptile: int | UnsetType = UNSET


class Primary(_Sent):
    """N equal tasks with one select, one rusage and one span."""

    tasks: Tasks | UnsetType = UNSET
    select: Expression | UnsetType = UNSET
    rusage: tuple[RusageEntry, ...] = ()
    span: Span = Span()


class Job(_Sent):
    """What is submitted: alternatives, each a list of primaries.

    `text`: in the kit alone, the style in which the request is sent as a text (`request_texts`).
    """

    name: str
    user: str
    queue: str
    project: str
    request: tuple[tuple[Primary, ...], ...]
    priority: int = 0
    tasks: Tasks | UnsetType = UNSET
    text: int | UnsetType = UNSET


MOST_CASES_AT_AN_EVENT = 9
"""More empty cases behind each other say no more than one."""


class _Event(_Sent, tag_field="event"):
    """SPEC.md 2.2: what happens to a scheduler.

    `begins_case`: in the kit alone, it and what follows are sent as a case of their own (`parts`);
    a number counts the cases that begin there, of which all but the last are empty.
    """

    begins_case: bool | Annotated[int, msgspec.Meta(ge=0, le=MOST_CASES_AT_AN_EVENT)] = False


class BeginSession(_Event, tag="begin_session"):
    """Finished jobs are credited, changes take effect, the cache is emptied."""


class Submit(_Event, kw_only=True, tag="submit"):
    """A job joins the queue."""

    job: Job


class RunSession(_Event, kw_only=True, tag="run_session"):
    """Every pending job not yet tried in this session is tried once (CANCEL-1: `cancel_at`)."""

    cancel_at: int | UnsetType = UNSET

    def __post_init__(self) -> None:
        """CANCEL-1: a number of polls is not negative."""
        if isinstance(self.cancel_at, int) and self.cancel_at < 0:
            raise ValueError("`cancel_at` is not negative")


class Finish(_Event, kw_only=True, tag="finish"):
    """A live job ends."""

    job: str


class Withdraw(_Event, kw_only=True, tag="withdraw"):
    """A pending job leaves the queue."""

    job: str


class HostAdd(_Event, kw_only=True, tag="host_add"):
    """A host joins, last in order."""

    host: Host


class HostChange(_Event, kw_only=True, tag="host_change"):
    """What is named changes; an attribute given as null is taken away."""

    host: str
    capacity: dict[str, int] = {}
    attributes: dict[str, int | str | None] = {}
    open: bool | UnsetType = UNSET


class PoolChange(_Event, kw_only=True, tag="pool_change"):
    """A pool has a new capacity."""

    pool: str
    capacity: int


class LimitSet(_Event, kw_only=True, tag="limit_set"):
    """A new limit, or a new cap for the same limit."""

    limit: Limit


class LimitRemove(_Event, kw_only=True, tag="limit_remove"):
    """A limit is no more."""

    limit: LimitName


Event = (
    BeginSession
    | Submit
    | RunSession
    | Finish
    | Withdraw
    | HostAdd
    | HostChange
    | PoolChange
    | LimitSet
    | LimitRemove
)


class Case(_Sent):
    """SPEC.md 2.1: a cluster and what happens to it; without a cluster it continues."""

    events: tuple[Event, ...]
    cluster: Cluster | UnsetType = UNSET
    report: tuple[Literal["books", "events"], ...] = ()


class LimitUse(LimitName, kw_only=True):
    """SPEC.md 2.2: what one holder uses of a limit; `host` is null for a cluster-wide one."""

    holder: str
    host: str | None
    used: int


class Books(_Sent):
    """SPEC.md 2.2: what is in use; accounts with nothing in use are left out."""

    hosts: dict[str, dict[str, int]]
    pools: dict[str, int]
    limits: tuple[LimitUse, ...]


Number = Annotated[int, msgspec.Meta(ge=-LARGEST_AMOUNT, le=LARGEST_AMOUNT)]
"""What every reader of JSON keeps exact (docs/protocol.md)."""

Note = tuple[str | Number | tuple[Number, ...], ...]
"""SPEC.md 2.2: one protocol event of an attempt."""

NOTE_ITEMS: dict[str, tuple[type, ...]] = {
    "primary": (int, int),
    "hit": (str,),
    "plan": (tuple,),
    "offered": (str,),
    "refused": (str,),
    "claimed": (str, int),
    "reversed": (str, int),
    "filled": (str,),
    "committed": (),
}
"""What follows the name of each protocol event."""


class _JobAnswer(_Sent, tag_field="answer"):
    """What one job was answered in a run."""

    job: str
    events: tuple[Note, ...] | UnsetType = UNSET

    def __post_init__(self) -> None:
        """SPEC.md 2.2: only the protocol events listed there."""
        for note in self.events or ():
            items = NOTE_ITEMS.get(note[0]) if note and isinstance(note[0], str) else None
            if items is None or items != tuple(map(type, note[1:])):
                raise ValueError(f"{json.dumps(note)} is not a protocol event")


class Dispatched(_JobAnswer, kw_only=True, tag="dispatched"):
    """PAR-3: the alternative that won, and hosts with slots for each of its primaries."""

    alternative: Number
    parts: tuple[tuple[tuple[str, Number], ...], ...]


class Pending(_JobAnswer, kw_only=True, tag="pending"):
    """WHY-1, WHY-2, WHY-3: why the job waits."""

    reason: Category
    never: bool
    cached: bool


class Cancelled(_JobAnswer, kw_only=True, tag="cancelled"):
    """CANCEL-1: the attempt was cut short."""


class _Answer(_Sent, tag_field="answer"):
    """SPEC.md 2.2: each event has exactly one answer."""

    books: Books | UnsetType = UNSET


class Ok(_Answer, kw_only=True, tag="ok"):
    """The event was accepted."""


class Refused(_Answer, kw_only=True, tag="refused"):
    """INGEST-2: the event was refused and changed nothing."""

    code: Refusal


class Ran(_Answer, kw_only=True, tag="ran"):
    """The answers of a run, in the order of trying."""

    jobs: tuple[Dispatched | Pending | Cancelled, ...]


Answer = Ok | Refused | Ran

Feature = Literal[
    "compound",
    "alter",
    "select",
    "rusage",
    "span",
    "ptile",
    "shared",
    "limits",
    "priorities",
    "host-changes",
    "cancel",
    "events",
    "books",
    "text",
]


AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
"""One task on one host with one slot is the least that can be asked."""


class Sizes(_Sent):
    """The largest primary, cluster and integer amount of a case; slots of a host are amounts."""

    tasks: int
    hosts: int
    amount: int


class Largest(Sizes):
    """The largest sizes that an implementation takes."""

    tasks: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_TASKS)]
    hosts: AtLeastOne
    amount: AtLeastOne


class Profile(_Sent):
    """SPEC.md 2.4: what an implementation declares."""

    name: str
    version: str
    features: tuple[Feature, ...]
    host_order: Literal["listed", "most_free", "unspecified"]
    split: Literal["balanced", "any"]
    cache: Literal["none", "transparent", "literal"]
    rusage_default: Literal["host", "task"]
    declares: tuple[Literal["reason", "never", "cached"], ...]
    largest: Largest


def read_case(case: object) -> Case:
    """The case that was sent. Raises `NotACase` with the place of what is wrong."""
    try:
        read = msgspec.convert(case, Case)
    except msgspec.ValidationError as wrong:
        page = "docs/protocol.md" if "begins_case" in str(wrong) else "SPEC.md 2.1"
        remedy = f"{page} lists the fields."
        if A_TEXT.search(str(wrong)):
            remedy = "A request is a tree: give `request` of what `allotment resreq --json` prints."
        raise NotACase(f"not a case: {wrong}{legal_values(wrong, Case)}", remedy=remedy) from wrong
    except RecursionError:
        raise too_deep() from None
    jobs = (event.job for event in read.events if isinstance(event, Submit))
    primaries = (primary for job in jobs for parts in job.request for primary in parts)
    if are_too_deep(primary.select for primary in primaries if primary.select):
        raise too_deep()
    return read


def too_deep() -> NotACase:
    """The refusal of a case that is nested too deeply."""
    return NotACase(f"not a case: it is {TOO_DEEP}", remedy="SPEC.md 2 counts the levels.")


def no_cluster() -> NotACase:
    """The refusal of a first case without `cluster`."""
    return NotACase(
        "not a case: it has no `cluster`, and there is no case before it to go on from",
        remedy="Give the first case a `cluster`.",
    )


class _Answers(Struct, frozen=True, array_like=True):
    """A list of answers, alone in a list: of a message's own type it is known how to read it."""

    answers: list[Answer]


def read_answers(answers: object) -> list[Answer]:
    """The answers that were sent. Raises `NotAMessage` with the place of what is wrong."""
    try:
        return msgspec.convert((answers,), _Answers).answers
    except msgspec.ValidationError:
        # The same again, for the place of what is wrong among the answers alone.
        remedy = "SPEC.md 2.2 lists the answers."
        return _read(answers, list[Answer], "answers of the wrong shape", remedy)


def read_profile(profile: object) -> Profile:
    """The profile that was declared. Raises `NotAMessage` with the place of what is wrong."""
    return _read(profile, Profile, "not a profile", "SPEC.md 2.4 lists the axes and their values.")


def plain(message: Struct) -> Json:
    """The message as JSON would give it."""
    built: Json = with_lists(msgspec.to_builtins(message))
    return built


def with_lists(value: Any) -> Any:
    """What JSON gives: lists, where messages, or allocators in this process, have tuples."""
    if isinstance(value, dict):
        return {name: with_lists(item) for name, item in value.items()}
    return [with_lists(item) for item in value] if isinstance(value, tuple | list) else value


def as_json(value: Mapping[str, Any] | list[Any]) -> str:
    """One line of JSON, with integers of any size."""
    return json.dumps(value, ensure_ascii=False)


def _read(value: object, expected: type[Message], what: str, remedy: str) -> Message:
    try:
        return msgspec.convert(value, expected)
    except msgspec.ValidationError as wrong:
        told = f"{what}: {wrong}{legal_values(wrong, expected)}"
        raise NotAMessage(told, remedy=remedy) from wrong
