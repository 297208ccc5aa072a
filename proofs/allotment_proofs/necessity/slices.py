"""Small worlds, in slices: each slice varies what one group of rules is about.

A slice lists its cases in the order of hosts, then jobs, then amounts (the sum of slots, amounts,
counts, caps and events). The first case that shows a difference is so the smallest of the slice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from allotment_model.cluster import (
    SLOTS,
    AttributeType,
    Cluster,
    Host,
    Identity,
    IdentityKind,
    LimitId,
    Resources,
    Scope,
)
from allotment_model.events import (
    BeginSession,
    Event,
    Finish,
    HostChange,
    LimitSet,
    RunSession,
    Submit,
)
from allotment_model.request import (
    Alter,
    Attribute,
    Expression,
    Job,
    Number,
    Operation,
    Per,
    Primary,
    RusageEntry,
    Span,
    Tasks,
    Text,
)
from allotment_model.variants import VARIANTS

RESOURCES = Resources(
    host=frozenset({"memory"}),
    shared=frozenset({"licence"}),
    attributes={"x": AttributeType.NUMBER},
)
ME = Identity(user="u", queue="q", project="p")
OTHERS = (replace(ME, user="v"), replace(ME, queue="r"), replace(ME, project="s"))
USER, QUEUE, PROJECT = IdentityKind.USER, IdentityKind.QUEUE, IdentityKind.PROJECT

Limits = tuple[tuple[LimitId, int], ...]
Script = Callable[[Sequence[Job]], tuple[Event, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A case: a cluster and events."""

    cluster: Cluster
    events: tuple[Event, ...]


def _host(
    slots: int, memory: int | None = None, x: int | None = None, is_open: bool = True
) -> Host:
    capacity = {SLOTS: slots} | ({} if memory is None else {"memory": memory})
    return Host(name="", capacity=capacity, attributes={} if x is None else {"x": x}, open=is_open)


def _primary(
    most: int,
    *rusage: RusageEntry,
    least: int | None = None,
    select: Expression | None = None,
    span: Span | None = None,
) -> Primary:
    tasks = Tasks(min=most if least is None else least, max=most)
    return Primary(tasks=tasks, select=select, rusage=rusage, span=span or Span())


def _entry(amount: int, per: Per | None = None, resource: str = "memory") -> RusageEntry:
    return RusageEntry(resource=resource, amount=amount, per=per)


def _job(request: Alter, who: Identity = ME, priority: int = 0) -> Job:
    return Job(name="", identity=who, request=request, priority=priority)


def _weight(job: Job) -> int:
    """How much a job asks for."""
    primaries = [primary for compound in job.request for primary in compound]
    tasks = sum(primary.tasks.max for primary in primaries if primary.tasks)
    amounts = sum(entry.amount + 1 for primary in primaries for entry in primary.rusage)
    spans = sum(primary.span != Span() for primary in primaries)
    selects = sum(primary.select is not None for primary in primaries)
    return 2 * len(primaries) + tasks + amounts + spans + selects + (job.identity != ME)


def _run_once(jobs: Sequence[Job]) -> tuple[Event, ...]:
    return (*(Submit(job=job) for job in jobs), RunSession())


def _two_sessions(jobs: Sequence[Job]) -> tuple[Event, ...]:
    return (*_run_once(jobs), BeginSession(), RunSession())


def _then(*between: Event) -> Script:
    """The first job runs, these events come, and the other jobs run."""

    def script(jobs: Sequence[Job]) -> tuple[Event, ...]:
        return (*_run_once(jobs[:1]), *between, *_run_once(jobs[1:]))

    return script


FINISH, BEGIN = Finish(job="j"), BeginSession()
ONE_SLOT = HostChange(host="A", capacity={SLOTS: 1}, attributes={})
EACH_USER = LimitId(USER, None, Scope.CLUSTER, SLOTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """What varies, and up to which number of hosts and jobs.

    Hosts and jobs are without names here: they become A, B, C and j, k.
    """

    name: str
    hosts: tuple[Host, ...] = (_host(0), _host(1), _host(2))
    hosts_most: int = 1
    jobs: tuple[Job, ...]
    jobs_most: int = 1
    limits: tuple[Limits, ...] = ((),)
    pools: tuple[int | None, ...] = (None,)
    scripts: tuple[Script, ...] = (_run_once,)
    explicit: tuple[World, ...] = field(default=())

    def worlds(self) -> Iterator[World]:
        """All cases of the slice, smallest first."""
        yield from self.explicit
        for hosts, jobs in product(range(self.hosts_most + 1), range(1, self.jobs_most + 1)):
            chosen = product(
                product(self.hosts, repeat=hosts),
                product(self.jobs, repeat=jobs),
                self.limits,
                self.pools,
                self.scripts,
            )
            for one in sorted(chosen, key=_size):
                yield _world(*one)


def _size(
    chosen: tuple[tuple[Host, ...], tuple[Job, ...], Limits, int | None, Script],
) -> int:
    hosts, jobs, limits, pool, script = chosen
    capacities = sum(sum(host.capacity.values()) + (not host.open) for host in hosts)
    attributes = sum(abs(value) for host in hosts for value in _numbers(host)) // 100
    caps = sum(cap + 2 for _limit, cap in limits)
    events = len(script(jobs))
    return capacities + attributes + sum(map(_weight, jobs)) + caps + (pool or 0) + events


def _numbers(host: Host) -> list[int]:
    return [value for value in host.attributes.values() if isinstance(value, int)]


def _world(
    hosts: tuple[Host, ...], jobs: tuple[Job, ...], limits: Limits, pool: int | None, script: Script
) -> World:
    named = [replace(host, name=name) for host, name in zip(hosts, "ABC", strict=False)]
    cluster = Cluster(
        resources=RESOURCES,
        hosts={host.name: host for host in named},
        pools={} if pool is None else {"licence": pool},
        limits=dict(limits),
    )
    submitted = [replace(job, name=name) for job, name in zip(jobs, "jk", strict=False)]
    return World(cluster=cluster, events=script(submitted))


def _alone(*primaries: Primary) -> tuple[Job, ...]:
    return tuple(_job(((primary,),)) for primary in primaries)


def _requests() -> tuple[Job, ...]:
    """Primaries, compounds and alters of up to two primaries; alternatives agree in tasks."""
    one, two, with_memory = _primary(1), _primary(2), _primary(1, _entry(1, Per.TASK))
    compounds: list[Alter] = [(parts,) for parts in product((one, two), repeat=2)]
    alters: list[Alter] = [
        ((first,), (second,)) for first, second in product((one, with_memory), repeat=2)
    ]
    alters += [((two,), (one, one)), ((one, one), (two,))]
    return (*_alone(one, two, with_memory), *map(_job, (*compounds, *alters)))


X, NO = Attribute(name="x"), Number(thousandths=0)
SELECTS = (
    X,
    NO,
    Operation(operator="!", operands=(X,)),
    Operation(operator="||", operands=(Number(thousandths=1000), X)),
)
MEMORY = (
    _primary(1),
    *(_primary(tasks, _entry(1, per)) for tasks in (1, 2) for per in (Per.TASK, Per.HOST, None)),
    _primary(1, _entry(1, Per.TASK), _entry(2, Per.TASK)),
    _primary(2, _entry(1, Per.TASK), _entry(1, Per.HOST)),
    _primary(1, _entry(0, Per.TASK)),
)
LICENCES = tuple(
    _primary(tasks, _entry(1, per, "licence")) for tasks in (1, 2) for per in (Per.TASK, Per.JOB)
)
SPANS = (
    _primary(2, span=Span(hosts_min=2)),
    _primary(2, span=Span(hosts_max=1)),
    _primary(2, span=Span(ptile=1)),
    _primary(4, span=Span(ptile=3)),
)
LIMITS: tuple[Limits, ...] = (
    (),
    *(
        ((LimitId(kind, name, scope, SLOTS), cap),)
        for kind, name in ((USER, "u"), (QUEUE, "q"), (PROJECT, "p"), (USER, None))
        for scope in (Scope.HOST, Scope.CLUSTER)
        for cap in (0, 1)
    ),
    ((LimitId(USER, "u", Scope.CLUSTER, SLOTS), 2), (EACH_USER, 1)),
)
FAILING = (
    *(_primary(most, least=least) for least, most in ((1, 1), (1, 2), (2, 2))),
    _primary(1, select=NO),
    _primary(1, _entry(1, Per.TASK)),
    _primary(2, span=Span(hosts_max=1)),
)


def _refused() -> Iterator[World]:
    """One case for each code: a submission, or two, that must be refused; then a run."""
    text = Operation(operator="==", operands=(Text(text="t"), NO))
    deep: Expression = NO
    for _level in range(100):
        deep = Operation(operator="!", operands=(deep,))
    good = _job(((_primary(1),),))
    bad = (
        replace(good, identity=replace(ME, user="")),
        replace(good, request=()),
        _job(((_primary(1, least=0),),)),
        _job(((Primary(),),)),
        _job(((_primary(1), Primary()),)),
        _job(((_primary(1, span=Span(hosts_max=2**20 + 1)),),)),
        _job(((_primary(1, _entry(1, Per.TASK, SLOTS)),),)),
        _job(((_primary(1, _entry(1, Per.TASK, "disk")),),)),
        _job(((_primary(1, select=Attribute(name="memory")),),)),
        _job(((_primary(1, select=text),),)),
        _job(((_primary(1, _entry(1, Per.HOST, "licence")),),)),
        _job(((_primary(1, _entry(1, Per.JOB)),),)),
        _job(((_primary(1, _entry(2**53, Per.TASK)),),)),
        _job(((_primary(1, select=deep),),)),
    )
    for jobs in ((good, good), *((one,) for one in bad)):
        named = [replace(job, name="j") for job in jobs]
        world = _world((_host(1),), (), (), None, _run_once)
        yield replace(world, events=_run_once(named))


SLICES = (
    Slice(
        name="splits",
        hosts=tuple(map(_host, range(4))),
        hosts_most=3,
        jobs=_alone(*map(_primary, range(1, 5))),
    ),
    Slice(name="spans", hosts=tuple(map(_host, range(4))), hosts_most=2, jobs=_alone(*SPANS)),
    Slice(
        name="selects",
        hosts=(_host(1), *(_host(1, x=x) for x in (0, 500, 1000))),
        jobs=_alone(*(_primary(1, select=select) for select in SELECTS)),
    ),
    Slice(
        name="amounts",
        hosts=tuple(_host(s, m) for s in (1, 2) for m in (None, 0, 1, 2, 3)),
        hosts_most=2,
        jobs=_alone(*MEMORY),
    ),
    Slice(
        name="compounds and alters",
        hosts_most=1,
        jobs=_requests(),
        jobs_most=2,
    ),
    Slice(
        name="limits",
        hosts_most=2,
        jobs=_alone(_primary(1), _primary(2)),
        jobs_most=2,
        limits=LIMITS,
    ),
    Slice(
        name="pools",
        hosts=(_host(1), _host(2)),
        jobs=(*_alone(*LICENCES), _job(((LICENCES[1], LICENCES[1]),))),
        limits=((), ((EACH_USER, 0),)),
        pools=(0, 1, 2),
    ),
    Slice(
        name="keys",
        hosts=(_host(0), _host(1)),
        hosts_most=2,
        jobs=(*_alone(*FAILING), *(_job(((_primary(1),),), who) for who in OTHERS)),
        jobs_most=2,
        limits=(
            (),
            *(
                ((LimitId(kind, name, Scope.CLUSTER, SLOTS), 0),)
                for kind, name in ((USER, "u"), (QUEUE, "q"), (PROJECT, "p"))
            ),
        ),
    ),
    Slice(
        name="sessions",
        hosts=(_host(0), _host(1), _host(1, is_open=False), _host(2)),
        jobs=tuple(_job(((_primary(t),),), priority=p) for t in (1, 2) for p in (0, 1)),
        jobs_most=2,
        scripts=(
            *(_run_once, _two_sessions, _then(FINISH), _then(FINISH, BEGIN), _then(ONE_SLOT)),
            *(_then(ONE_SLOT, BEGIN), _then(LimitSet(limit=EACH_USER, cap=1), BEGIN)),
        ),
    ),
    Slice(name="refusals", jobs=(), explicit=tuple(_refused())),
)
"""All slices."""

_FIRST = {
    "splits": "PLAN PAR HOST SEQ UNDO-1",
    "amounts": "WANT RES",
    "limits": "LIMIT",
    "pools": "SHARED",
    "compounds and alters": "COMPOUND ALTER",
    "keys": "CACHE INGEST TASKS",
    "selects": "SELECT",
    "sessions": "SESSION",
}
_OTHERWISE = {
    "span bounds ignored": "spans",
    "ptile ignored": "spans",
    "ptile balanced": "spans",
    "claimed host not passed over": "spans",
    "select ignored": "selects",
    "limit want of the first host": "limits",
    "exactly enough is not enough": "splits",
    "zero amount asks for something": "amounts",
    "host debits of the attempt not seen": "compounds and alters",
    "limit debits of the attempt not seen": "limits",
    "hit pends the job": "compounds and alters",
    "cache filled inside a compound": "compounds and alters",
    "cache outlives the session": "sessions",
    "limit blamed before pool": "pools",
    "closed hosts count as gone": "sessions",
    "hit not told": "keys",
}


def _slice_name(name: str, clause: str, refuses: bool) -> str:
    if refuses:
        return "refusals"
    groups = [
        piece for piece, of in _FIRST.items() if {clause, clause.split("-")[0]} & {*of.split()}
    ]
    return _OTHERWISE.get(name, groups[0] if groups else "compounds and alters")


_BY_NAME = {piece.name: piece for piece in SLICES}

SLICE_OF = {
    one.name: _BY_NAME[_slice_name(one.name, one.breaks[0], "ignored_refusals" in one.replaced)]
    for one in VARIANTS
}
"""Where the witness of each variant is sought."""
