"""Worlds to test in: short builders for worked cases, and a seeded generator of small sessions.

Random clusters have one to four hosts, limits of every kind, pools and attributes; requests have
selects, spans, rusages, compounds and alternatives. Capacities and wants are drawn from the same
few figures, so that *exactly enough* and *one too few* are frequent. Every fourth job or so
repeats an earlier request, without which no cache would ever be hit.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random

from allotment_model.answers import Answer, Ran
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
    Change,
    Event,
    Finish,
    HostAdd,
    HostChange,
    LimitRemove,
    LimitSet,
    PoolChange,
    RunSession,
    Submit,
    Withdraw,
)
from allotment_model.request import (
    Alter,
    Attribute,
    Compound,
    Defined,
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
from allotment_model.rules import SPEC, Rules
from allotment_model.scheduler import step
from allotment_model.state import State, initial

RESOURCES = Resources(
    host=frozenset({"mem", "disk"}),
    shared=frozenset({"lic", "tok"}),
    attributes={
        "cores": AttributeType.NUMBER,
        "age": AttributeType.NUMBER,
        "arch": AttributeType.TEXT,
    },
)
FIGURES = (0, 500, 1000, 1500, 2000, 3000, 4000)
HOLDERS = {
    IdentityKind.USER: ("ann", "bob"),
    IdentityKind.QUEUE: ("long", "short"),
    IdentityKind.PROJECT: ("sun", "sea"),
}

OPERATORS = (
    *("!", "neg", "*", "/", "+", "-", "<", "<=", ">", ">="),
    *("==", "==", "!=", "&&", "&&", "||", "||", "text"),
)
KINDS_OF_CHANGE = ("add", "change", "change", "change", "pool", "limit", "limit", "remove")
KINDS_OF_EVENT = (
    *("submit", "submit", "submit", "run", "run"),
    *("finish", "finish", "begin", "withdraw", "change"),
)

Session = tuple[Cluster, tuple[Event, ...]]


def host(
    name: str,
    slots: int,
    *,
    is_open: bool = True,
    attributes: Mapping[str, int | str] | None = None,
    **amounts: int,
) -> Host:
    """A host; amounts in thousandths."""
    capacity = {SLOTS: slots, **amounts}
    return Host(name=name, capacity=capacity, attributes=attributes or {}, open=is_open)


def cluster(
    *hosts: Host,
    pools: Mapping[str, int] | None = None,
    limits: Mapping[LimitId, int] | None = None,
) -> Cluster:
    """A cluster of these hosts over the resources of this module."""
    return Cluster(
        resources=RESOURCES,
        hosts={one.name: one for one in hosts},
        pools=pools or {},
        limits=limits or {},
    )


def primary(
    tasks: int | tuple[int, int] | None = 1,
    *entries: RusageEntry,
    select: Expression | None = None,
    span: Span = Span(),  # noqa: B008 - a frozen value
) -> Primary:
    """A primary of so many tasks, or of at least and at most so many."""
    counts = (tasks, tasks) if isinstance(tasks, int) else tasks
    return Primary(
        tasks=Tasks(min=counts[0], max=counts[1]) if counts is not None else None,
        select=select,
        rusage=entries,
        span=span,
    )


def use(resource: str, amount: int, per: Per | None = Per.TASK) -> RusageEntry:
    """An entry of a rusage."""
    return RusageEntry(resource=resource, amount=amount, per=per)


def job(
    name: str,
    *alternatives: Compound,
    user: str = "ann",
    queue: str = "long",
    project: str = "sun",
    priority: int = 0,
    tasks: Tasks | None = None,
) -> Job:
    """A job with these alternatives, each a tuple of primaries."""
    identity = Identity(user=user, queue=queue, project=project)
    return Job(name=name, identity=identity, request=alternatives, priority=priority, tasks=tasks)


def limit(
    kind: IdentityKind, name: str | None, resource: str = SLOTS, scope: Scope = Scope.CLUSTER
) -> LimitId:
    """A limit; `name` None is the form *each*."""
    return LimitId(kind, name, scope, resource)


def change(host_name: str, *, is_open: bool | None = None, **capacity: int) -> HostChange:
    """A change of a host's capacities, or of whether it is open."""
    return HostChange(host=host_name, capacity=capacity, attributes={}, open=is_open)


def replay(
    start: Cluster, events: Iterable[Event], rules: Rules = SPEC
) -> tuple[State, list[Answer]]:
    """The state after these events, and the answer to each."""
    state, answers = initial(start), []
    for event in events:
        state, answer = step(state, event, rules)
        answers.append(answer)
    return state, answers


def submitted(*jobs: Job) -> tuple[Event, ...]:
    """One submission for each job, and a run."""
    return (*(Submit(job=one) for one in jobs), RunSession())


def tried(start: Cluster, *jobs: Job, rules: Rules = SPEC) -> list[object]:
    """What these jobs are answered in one run, in the order of trying."""
    _state, answers = replay(start, submitted(*jobs), rules)
    ran = answers[-1]
    assert isinstance(ran, Ran)
    return [one.answer for one in ran.jobs]


def random_limit(random: Random) -> LimitId:
    """A limit of any kind, on slots or any amount; on a pool it is cluster-wide."""
    kind = random.choice(list(IdentityKind))
    resource = random.choice([SLOTS, SLOTS, SLOTS, "mem", "disk", "lic", "tok"])
    per_host = resource not in RESOURCES.shared and random.random() < 0.5
    name = random.choice([None, *HOLDERS[kind]])
    return LimitId(kind, name, Scope.HOST if per_host else Scope.CLUSTER, resource)


def random_cap(random: Random, resource: str) -> int:
    """A cap for a limit on that resource."""
    return random.randint(0, 5) if resource == SLOTS else random.choice(FIGURES) * 2


def random_host(random: Random, name: str) -> Host:
    """A host, mostly open, some amounts and attributes lacking."""
    amounts = {amount: random.choice(FIGURES) * 3 for amount in ("mem", "disk")}
    attributes: dict[str, int | str] = {}
    for attribute in ("cores", "age"):
        if random.random() < 0.7:
            attributes[attribute] = random.choice([-1000, 0, 500, 1000, 1500, 2000])
    if random.random() < 0.7:
        attributes["arch"] = random.choice(["x86", "arm"])
    return Host(
        name=name,
        capacity={SLOTS: random.choice([0, 1, 1, 2, 2, 3, 4, 6])}
        | {amount: held for amount, held in amounts.items() if random.random() < 0.85},
        attributes=attributes,
        open=random.random() < 0.85,
    )


def random_cluster(random: Random, hosts_most: int = 4) -> Cluster:
    """A cluster, its hosts named against the alphabet: cluster order is not the order of names."""
    names = "DCBA"[: random.randint(1, hosts_most)]
    limits = {random_limit(random) for _ in range(random.choice([0, 0, 1, 2, 3]))}
    pools = {pool: random.choice(FIGURES) * 3 for pool in ("lic", "tok") if random.random() < 0.8}
    return cluster(
        *(random_host(random, name) for name in names),
        pools=pools,
        limits={one: random_cap(random, one.resource) for one in sorted(limits, key=str)},
    )


def random_number(random: Random, depth: int) -> Expression:
    """An expression that is a number; it may be undefined on a host, or divide by zero."""
    if depth == 0 or random.random() < 0.3:
        leaves: list[Expression] = [
            Number(thousandths=random.choice([-1000, 0, 500, 1000, 1500, 2000])),
            Attribute(name="cores"),
            Attribute(name="age"),
            Defined(name=random.choice(["cores", "age", "arch"])),
        ]
        return random.choice(leaves)
    operator = random.choice(OPERATORS)
    if operator == "text":
        texts = (Attribute(name="arch"), Text(text=random.choice(["x86", "arm"])))
        return Operation(operator=random.choice(["==", "!="]), operands=texts)
    operands = (random_number(random, depth - 1), random_number(random, depth - 1))
    unary = operator in ("!", "neg")
    return Operation(operator=operator, operands=operands[:1] if unary else operands)


def random_span(random: Random, tasks: int) -> Span:
    """A span that mostly leaves some plans."""
    if random.random() < 0.6:
        return Span()
    bounds = {
        "hosts_min": random.randint(1, 2),
        "hosts_max": random.randint(1, 4),
        "tasks_per_host": random.randint(1, tasks),
        "ptile": random.randint(1, tasks),
    }
    return Span(**{name: bound for name, bound in bounds.items() if random.random() < 0.35})


def random_rusage(random: Random) -> tuple[RusageEntry, ...]:
    """Up to three entries, some of one resource twice, some without `per`."""
    entries = []
    for _ in range(random.choice([0, 0, 1, 1, 2, 3])):
        resource = random.choice(["mem", "mem", "disk", "lic", "lic", "tok"])
        shared = resource in RESOURCES.shared
        per = random.choice([None, Per.TASK, Per.JOB if shared else Per.HOST])
        entries.append(use(resource, random.choice(FIGURES[:5]), per))
    return tuple(entries)


def random_primary(random: Random, tasks: Tasks) -> Primary:
    """A primary of so many tasks."""
    select = random_number(random, random.randint(0, 2)) if random.random() < 0.25 else None
    return Primary(
        tasks=tasks,
        select=select,
        rusage=random_rusage(random),
        span=random_span(random, tasks.max),
    )


def random_compound(random: Random, tasks: Tasks) -> Compound:
    """One to three parts whose counts sum to these."""
    parts = random.choice([1, 1, 2, 2, 3])
    if tasks.min < parts:
        return (random_primary(random, tasks),)
    cuts = sorted(random.sample(range(1, tasks.min), parts - 1))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, tasks.min], strict=True)]
    rest = tasks.max - tasks.min
    counts = [Tasks(min=size, max=size) for size in sizes]
    counts[-1] = Tasks(min=sizes[-1], max=sizes[-1] + rest)
    return tuple(random_primary(random, one) for one in counts)


def random_request(random: Random, tasks: Tasks) -> Alter:
    """One to three alternatives; sometimes the second repeats the first."""
    alternatives = [random_compound(random, tasks) for _ in range(random.choice([1, 1, 1, 2, 3]))]
    if len(alternatives) > 1 and random.random() < 0.2:
        alternatives[1] = alternatives[0]
    return tuple(alternatives)


def random_job(random: Random, name: str, before: list[Job]) -> Job:
    """A job; now and then it repeats an earlier one under a new name."""
    if before and random.random() < 0.35:
        again = replace(random.choice(before), name=name, priority=random.randint(0, 2))
        users = random.choice(HOLDERS[IdentityKind.USER])
        identity = replace(again.identity, user=users) if random.random() < 0.3 else again.identity
        return replace(again, identity=identity)
    most = random.choice([1, 1, 2, 2, 3, 4, 5, 6])
    tasks = Tasks(min=random.choice([most, most, random.randint(1, most)]), max=most)
    holders = {kind: random.choice(names) for kind, names in HOLDERS.items()}
    return Job(
        name=name,
        identity=Identity(**{kind.value: holder for kind, holder in holders.items()}),
        request=random_request(random, tasks),
        priority=random.choice([0, 0, 0, 1, 2]),
        tasks=tasks if random.random() < 0.3 else None,
    )


def random_change(random: Random, coming: Cluster) -> Change:
    """A change of the configuration that is accepted, as a rule."""
    kind = random.choice(KINDS_OF_CHANGE)
    match kind:
        case "add" if len(coming.hosts) < 4:
            return HostAdd(host=random_host(random, f"E{len(coming.hosts)}"))
        case "pool":
            return PoolChange(pool=random.choice(["lic", "tok"]), capacity=random.choice(FIGURES))
        case "remove" if coming.limits:
            return LimitRemove(limit=random.choice(list(coming.limits)))
        case "limit" | "remove":
            one = random.choice([random_limit(random), *coming.limits])
            return LimitSet(limit=one, cap=random_cap(random, one.resource))
        case _:
            name = random.choice(list(coming.hosts))
            new = random_host(random, name)
            attributes: dict[str, int | str | None] = {**new.attributes}
            if random.random() < 0.3:
                attributes["cores"] = None
            return HostChange(
                host=name,
                capacity={a: n for a, n in new.capacity.items() if random.random() < 0.5},
                attributes=attributes if random.random() < 0.4 else {},
                open=random.choice([None, True, new.open, False]),
            )


def random_event(random: Random, state: State, before: list[Job]) -> Event:
    """An event that makes sense in this state, as a rule."""
    match random.choice(KINDS_OF_EVENT):
        case "submit":
            name = f"j{len(before)}" if random.random() < 0.97 or not before else before[0].name
            before.append(random_job(random, name, before))
            return Submit(job=before[-1])
        case "run":
            return RunSession()
        case "finish" if state.live or random.random() < 0.1:
            return Finish(job=random.choice([*state.live] * 4 + ["j0"]))
        case "withdraw" if random.random() < 0.5:
            return Withdraw(job=random.choice([*state.pending] * 4 + ["j0"]))
        case "change":
            return random_change(random, state.coming)
        case _:
            return BeginSession()


def random_session(seed: int, length: int = 24, hosts_most: int = 4) -> Session:
    """A cluster, and events that lead through several sessions; the same for the same seed."""
    random = Random(seed)
    start = random_cluster(random, hosts_most)
    state, events, jobs = initial(start), [], list[Job]()
    for _ in range(length):
        event = random_event(random, state, jobs)
        state, _answer = step(state, event, SPEC)
        events.append(event)
    return start, tuple(events)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One event of a session: the state before, the event, the answer, the state after."""

    before: State
    event: Event
    answer: Answer
    after: State


def moments(session: Session, rules: Rules = SPEC) -> Iterable[Moment]:
    """The session, event by event."""
    start, events = session
    state = initial(start)
    for event in events:
        after, answer = step(state, event, rules)
        yield Moment(before=state, event=event, answer=answer, after=after)
        state = after
