"""Theorems about events that are refused, with which code, and that they change nothing.

The tables have what SPEC.md says of each code (INGEST-2): what is wrong, and what is nearly wrong.
"""

from collections.abc import Iterator, Mapping

import z3

from allotment_model.answers import Refusal
from allotment_model.cluster import (
    SLOTS,
    Host,
    IdentityKind,
    LimitId,
    Scope,
)
from allotment_model.events import (
    BeginSession,
    Event,
    Finish,
    HostAdd,
    HostChange,
    LimitRemove,
    LimitSet,
    PoolChange,
    Submit,
    Withdraw,
)
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.events import (
    DONE,
    GONE,
    LIMIT,
    MORE,
    NEIGHBOURS,
    NEW,
    RUNNING,
    WAITING,
    amounts_of,
    any_amounts,
    job_of,
)
from allotment_proofs.theorems.submissions import (
    ACCEPTED,
    MOST,
    answer_to,
    cases,
    state_of_all,
    submissions,
)
from allotment_proofs.theorems.words import first_of


def _added(name: str = "B", *, capacity: Mapping[str, Term] = {}, **attributes: int | str) -> Event:
    return HostAdd(host=Host(name=name, capacity=capacity, attributes=attributes))


def _changed(
    name: str = "A", *, capacity: Mapping[str, Term] = {}, **attributes: int | str | None
) -> Event:
    return HostChange(host=name, capacity=capacity, attributes=attributes)


def _limited(
    resource: str, scope: Scope = Scope.CLUSTER, name: str | None = None, cap: Term = NEW
) -> Event:
    return LimitSet(limit=LimitId(IdentityKind.USER, name, scope, resource), cap=cap)


SCRATCH = z3.Int("scratch")
ALL_AMOUNTS = {SLOTS: NEW, "memory": MORE, "scratch": SCRATCH}
BY_AMOUNT: tuple[Event, ...] = (
    _added(capacity={SLOTS: NEW}),
    _added(capacity=ALL_AMOUNTS, x=1),
    HostChange(host="A", capacity={"memory": NEW}, attributes={"t": "text"}),
    _changed(capacity=ALL_AMOUNTS),
    *(PoolChange(pool=one, capacity=NEW) for one in ("licence", "token")),
    *(_limited(SLOTS, Scope.HOST), _limited("memory", Scope.HOST, "u"), _limited("licence")),
)
"""Accepted exactly if each amount is in range."""

BY_CODE: tuple[tuple[Refusal | None, tuple[Event, ...]], ...] = (
    (None, (_added(), _added(x=MOST), _added(x=-MOST), _added(x=0, t="text"))),
    (None, (_changed(), _changed(x=MOST), _changed(x=-MOST), _changed(x=None, t="text"))),
    (Refusal.AMOUNT_RANGE, (_added(x=MOST + 1), _changed(x=-MOST - 1))),
    (Refusal.AMOUNT_RANGE, (_added(z=0, x=MOST + 1), _changed(t="text", z=0, x=-MOST - 1))),
    (Refusal.TYPE, (_added(x="text"), _added(t=1), _changed(x="text"), _changed(t=1))),
    (Refusal.TYPE, (_added(z=0, x="text"), _changed(z=None, x=0, t=1))),
    (Refusal.TYPE, (_added(x="text", capacity={SLOTS: z3.IntVal(-1)}),)),
    (Refusal.UNKNOWN_RESOURCE, (_added(capacity={"disk": 1}), _changed(capacity={"disk": 1}))),
    (Refusal.UNKNOWN_RESOURCE, (_added(capacity={"licence": 1}), _changed(capacity={"x": 1}))),
    (Refusal.UNKNOWN_RESOURCE, (_added(y=1), _changed(y=1), _changed(y=None), _added(memory=1))),
    (Refusal.UNKNOWN_RESOURCE, (_limited("disk"), _limited("x"), _added(y=1, x="text"))),
    (Refusal.UNKNOWN_RESOURCE, (PoolChange(pool="memory", capacity=1),)),
    (Refusal.UNKNOWN_RESOURCE, (PoolChange(pool="disk", capacity=z3.IntVal(-1)),)),
    (Refusal.PER_HOST_ON_POOL, (_limited("licence", Scope.HOST, None, z3.IntVal(-1)),)),
    (Refusal.PER_HOST_ON_POOL, (_limited("token", Scope.HOST, "u"),)),
    (Refusal.UNKNOWN_RESOURCE, (_limited("disk", Scope.HOST, "u"),)),
    (Refusal.IDENTITY_MISSING, (_limited(SLOTS, name=""), _limited("disk", name=""))),
    (
        Refusal.IDENTITY_MISSING,
        tuple(
            LimitSet(limit=LIMIT._replace(kind=kind, name=""), cap=1)
            for kind in (IdentityKind.QUEUE, IdentityKind.PROJECT)
        ),
    ),
    (None, tuple(LimitSet(limit=LIMIT._replace(kind=kind), cap=1) for kind in IdentityKind)),
    (Refusal.DUPLICATE_NAME, (_added("A"), _added("A", y=1), Submit(job=job_of(WAITING)))),
    (Refusal.UNKNOWN_NAME, (_changed("C"), _changed("C", y=1))),
    (Refusal.UNKNOWN_NAME, (Finish(job="nobody"), Withdraw(job="nobody"))),
    (Refusal.UNKNOWN_NAME, tuple(LimitRemove(limit=one) for one in NEIGHBOURS if one != LIMIT)),
    (Refusal.DUPLICATE_NAME, tuple(Submit(job=job_of(one)) for one in (RUNNING, DONE, GONE))),
    (Refusal.NOT_RUNNING, tuple(Finish(job=one) for one in (WAITING, DONE, GONE))),
    (Refusal.NOT_PENDING, tuple(Withdraw(job=one) for one in (RUNNING, DONE, GONE))),
)
"""Accepted or refused whatever the amounts, and with which code."""

NEW_LIMIT = LIMIT._replace(name="v")
CLOSING = HostChange(host="A", capacity={}, attributes={}, open=False)
ENDED = Finish(job=RUNNING), BeginSession()

IN_TURN: tuple[tuple[Refusal | None, tuple[Event, ...], Event], ...] = (
    (Refusal.DUPLICATE_NAME, (_added(),), _added()),
    (Refusal.DUPLICATE_NAME, (_added(), BeginSession()), _added()),
    (Refusal.DUPLICATE_NAME, (CLOSING,), _added("A")),
    (None, (CLOSING,), _changed("A", x=1)),
    (None, (_added(),), _changed("B", x=1)),
    (Refusal.TYPE, (_added(),), _changed("B", x="text")),
    (Refusal.UNKNOWN_NAME, (LimitRemove(limit=LIMIT),), LimitRemove(limit=LIMIT)),
    (None, (LimitSet(limit=NEW_LIMIT, cap=1),), LimitRemove(limit=NEW_LIMIT)),
    (None, (LimitRemove(limit=LIMIT), LimitSet(limit=LIMIT, cap=1)), LimitRemove(limit=LIMIT)),
    (Refusal.NOT_RUNNING, (Finish(job=RUNNING),), Finish(job=RUNNING)),
    (Refusal.NOT_RUNNING, ENDED, Finish(job=RUNNING)),
    (Refusal.NOT_RUNNING, (Withdraw(job=WAITING),), Finish(job=WAITING)),
    (Refusal.NOT_PENDING, (Withdraw(job=WAITING),), Withdraw(job=WAITING)),
    (Refusal.NOT_PENDING, (Finish(job=RUNNING),), Withdraw(job=RUNNING)),
    (Refusal.NOT_PENDING, ENDED, Withdraw(job=RUNNING)),
    (Refusal.DUPLICATE_NAME, (Withdraw(job=WAITING),), Submit(job=job_of(WAITING))),
    (Refusal.DUPLICATE_NAME, (Finish(job=RUNNING),), Submit(job=job_of(RUNNING))),
    (Refusal.DUPLICATE_NAME, ENDED, Submit(job=job_of(RUNNING))),
    (Refusal.DUPLICATE_NAME, (Submit(job=job_of("new")),), Submit(job=job_of("new"))),
    (None, (Submit(job=job_of("new")),), Withdraw(job="new")),
    (None, (Submit(job=job_of("B")),), _added()),
    (None, (_added(),), Submit(job=job_of("B"))),
)
"""The same of an event after others, most of which wait: it is judged by what is coming."""


def _told(event: Event) -> str:
    """An event in words; an amount that may be any has a name."""
    match event:
        case Submit(job=job):
            return f"submit {job.name}"
        case Finish(job=name) | Withdraw(job=name):
            return f"{type(event).__name__.lower()} {name}"
        case HostAdd(host=host):
            return f"add host {host.name} with {host.capacity} and {host.attributes}"
        case HostChange():
            opens = {True: ", open", False: ", closed", None: ""}[event.open]
            return f"change host {event.host} to {event.capacity} and {event.attributes}{opens}"
        case PoolChange():
            return f"change the pool of {event.pool} to {event.capacity}"
        case LimitSet(limit=limit, cap=cap):
            return f"set {_of_limit(limit)} to {cap}"
        case LimitRemove(limit=limit):
            return f"remove {_of_limit(limit)}"
        case _:
            return "begin a session"


def _of_limit(limit: LimitId) -> str:
    whom = f"each {limit.kind}" if limit.name is None else f"{limit.kind} '{limit.name}'"
    where = " of each host" if limit.scope is Scope.HOST else ""
    return f"the limit of {whom} on {limit.resource}{where}"


def _expected(event: Event) -> dict[str, Term]:
    """When an event of `BY_AMOUNT` is accepted, and when refused (ghost)."""
    is_right = z3.And(*(z3.And(one >= 0, one <= MOST) for one in amounts_of(event)))
    return {ACCEPTED: is_right, Refusal.AMOUNT_RANGE.value: z3.Not(is_right)}


def _judged(lifting: Lifting) -> Iterator[Case]:
    expected: list[tuple[tuple[Event, ...], dict[str, Term]]] = []
    expected += [((event,), _expected(event)) for event in BY_AMOUNT]
    for code, before, last in (
        *((code, (), event) for code, events in BY_CODE for event in events),
        *IN_TURN,
    ):
        right = ACCEPTED if code is None else code.value
        expected.append(((*before, last), {right: z3.BoolVal(True)}))
    for events, codes in expected:
        found = lifting.paths(answer_to, state_of_all(), events, lifting.rules)
        wrong = [
            (z3.And(here, z3.Not(codes.get(answer, z3.BoolVal(False)))), answer)
            for here, answer in found
        ]
        said = first_of(wrong, ("right",), ("found",))
        said |= first_of([(when, one) for one, when in codes.items()], ("",), ("right",))
        amounts, shown = any_amounts(events)
        yield Case(
            name=", then ".join(map(_told, events)),
            claim=z3.Not(z3.Or(*(one for one, _answer in wrong))),
            told=f"the answer is {{found}}, and should be {{right}}{amounts}",
            values=shown | said,
        )


def _refused(lifting: Lifting) -> Iterator[Case]:
    yield from cases(lifting)
    yield from _judged(lifting)


SUBMITTED = sum(map(len, submissions().values()))
ALONE = len(BY_AMOUNT) + sum(len(events) for _code, events in BY_CODE)

THEOREMS = (
    Theorem(
        name="An event is refused with the first code that applies to it, and changes nothing then",
        clauses=("INGEST-2", "INGEST-3", "RES-1", "RES-3", "SESSION-7"),
        scope=f"{SUBMITTED} submissions with one flaw, with two or nearly one, of any user, queue "
        "and project, and with selects of any number or of 99 to 101 levels; "
        f"{ALONE} other events by themselves, of any amounts, and {len(IN_TURN)} after one or two "
        "that may wait; one or two jobs in each place; the scheduler's step run whole",
        cases=_refused,
        is_whole=True,
    ),
)
"""The theorems of this module."""
