"""Random but valid clusters and sessions, for properties that hold on all of them."""

from typing import Any

from hypothesis import strategies as st

from impl.building import BEGIN, RUN, Raw, cluster, entry, host, job, limit, tasks

AMOUNTS = st.sampled_from([0, 1, 100, 250, 500, 1000, 1500])
PLENTY = st.sampled_from([0, 500, 2000, 4000, 4000])
SELECTS: list[Raw | None] = [
    *[None] * 7,
    {"defined": "speed"},
    {"op": ">=", "args": [{"attribute": "speed"}, {"number": 2}]},
    {"op": "!=", "args": [{"attribute": "os"}, {"text": "linux"}]},
    {"op": "/", "args": [{"attribute": "speed"}, {"number": 0}]},
]


@st.composite
def hosts(draw: st.DrawFn, name: str) -> Raw:
    """A host that may lack attributes, memory or slots, or be closed."""
    attributes: Raw = {}
    if draw(st.booleans()):
        attributes["speed"] = draw(st.integers(0, 3))
    if draw(st.booleans()):
        attributes["os"] = draw(st.sampled_from(["linux", "aix"]))
    slots, mem = draw(st.sampled_from([0, 1, 2, 3, 4, 4])), draw(PLENTY)
    return host(name, slots, mem, attributes=attributes, open=draw(st.integers(0, 5)) > 0)


@st.composite
def limits(draw: st.DrawFn) -> Raw:
    """A limit on slots, memory or licences, of one user or of each queue."""
    resource = draw(st.sampled_from(["slots", "mem", "licence"]))
    scope = "cluster" if resource == "licence" else draw(st.sampled_from(["host", "cluster"]))
    whom = draw(st.sampled_from([{"kind": "user", "name": "u"}, {"kind": "queue"}]))
    cap = draw(st.integers(0, 5)) if resource == "slots" else draw(PLENTY)
    return limit(cap, scope=scope, resource=resource, **whom)


@st.composite
def primaries(draw: st.DrawFn) -> Raw:
    """A primary of at most six tasks with any of select, rusage and span."""
    most = draw(st.sampled_from([1, 1, 2, 3, 3, 4, 5, 6]))
    found: Raw = {"tasks": tasks(most)}
    if (select := draw(st.sampled_from(SELECTS))) is not None:
        found["select"] = select
    rusage = []
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        resource = draw(st.sampled_from(["mem", "licence"]))
        pers = [None, "task", "host" if resource == "mem" else "job"]
        rusage.append(entry(resource, draw(AMOUNTS), draw(st.sampled_from(pers))))
    found["rusage"] = rusage
    if draw(st.integers(0, 3)) == 0:
        bounds = ("hosts_min", "hosts_max", "tasks_per_host", "ptile")
        chosen = draw(st.sets(st.sampled_from(bounds), min_size=1))
        found["span"] = {bound: draw(st.integers(1, 4)) for bound in sorted(chosen)}
    return found


@st.composite
def requests(draw: st.DrawFn) -> list[list[Raw]]:
    """A bare primary, a compound, or an alter whose alternatives agree in their tasks."""
    first = [draw(primaries()) for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3])))]
    found = [first]
    total = sum(part["tasks"]["max"] for part in first)
    for _ in range(draw(st.sampled_from([0, 0, 1]))):
        found.append([draw(primaries()) | {"tasks": tasks(total)}])
    return found


@st.composite
def cases(draw: st.DrawFn, *, configuration: bool = True) -> Raw:
    """A cluster with a few sessions of jobs, finishes, withdrawals and changes."""
    world = cluster(
        *[draw(hosts(name)) for name in "ABC"[: draw(st.sampled_from([3, 3, 2, 1, 0]))]],
        licence=draw(PLENTY),
        limits=tuple(
            {
                str(found | {"cap": 0}): found for found in draw(st.lists(limits(), max_size=2))
            }.values()
        ),
    )
    events: list[Raw] = []
    for number in range(draw(st.integers(2, 10))):
        name = f"j{number}"
        priority, user = draw(st.integers(0, 2)), draw(st.sampled_from("uv"))
        raw = job(name, *draw(requests()), priority=priority, user=user)
        events.append({"event": "submit", "job": raw})
        events.extend(draw(st.lists(_others(number, configuration), max_size=3)))
    return {"cluster": world, "events": [*events, RUN], "report": ["books", "events"]}


def _others(number: int, configuration: bool) -> st.SearchStrategy[Raw]:
    names = st.integers(0, number).map(lambda found: f"j{found}")
    plain: list[st.SearchStrategy[Any]] = [
        st.just(RUN),
        st.just(BEGIN),
        names.map(lambda name: {"event": "finish", "job": name}),
        names.map(lambda name: {"event": "withdraw", "job": name}),
    ]
    if configuration:
        plain += [
            hosts("ABCD"[number % 4]).map(lambda found: {"event": "host_add", "host": found}),
            hosts("ABC"[number % 3]).map(
                lambda found: {
                    "event": "host_change",
                    "host": found["name"],
                    **{k: v for k, v in found.items() if k != "name"},
                }
            ),
            PLENTY.map(lambda size: {"event": "pool_change", "pool": "licence", "capacity": size}),
            limits().map(lambda found: {"event": "limit_set", "limit": found}),
            limits().map(
                lambda found: {
                    "event": "limit_remove",
                    "limit": {k: v for k, v in found.items() if k != "cap"},
                }
            ),
        ]
    return st.one_of(plain)
