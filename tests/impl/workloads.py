"""Random but valid clusters and sessions, for properties that hold on all of them.

What is drawn from is made once: Hypothesis looks a new strategy over, which takes longer than
drawing from it.
"""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from impl.building import BEGIN, RUN, Raw, cluster, entry, host, job, limit, tasks

AMOUNTS = st.sampled_from([0, 1, 100, 250, 500, 1000, 1500])
PLENTY = st.sampled_from([0, 500, 2000, 4000, 4000])
SELECTS: st.SearchStrategy[Raw | None] = st.sampled_from(
    [
        *[None] * 7,
        {"defined": "speed"},
        {"op": ">=", "args": [{"attribute": "speed"}, {"number": 2}]},
        {"op": "!=", "args": [{"attribute": "os"}, {"text": "linux"}]},
        {"op": "/", "args": [{"attribute": "speed"}, {"number": 0}]},
    ]
)
WHOM = st.sampled_from([{"kind": "user", "name": "u"}, {"kind": "queue"}])
BOUNDS = st.sets(st.sampled_from(["hosts_min", "hosts_max", "tasks_per_host", "ptile"]), min_size=1)
BOOLEANS = st.booleans()


@cache
def integers(least: int, most: int) -> st.SearchStrategy[int]:
    """A number within these bounds."""
    return st.integers(least, most)


@cache
def one_of(*values: Any) -> st.SearchStrategy[Any]:
    """One of these; what is named twice comes twice as often."""
    return st.sampled_from(values)


@cache
@st.composite
def hosts(draw: st.DrawFn, name: str) -> Raw:
    """A host that may lack attributes, memory or slots, or be closed."""
    attributes: Raw = {}
    if draw(BOOLEANS):
        attributes["speed"] = draw(integers(0, 3))
    if draw(BOOLEANS):
        attributes["os"] = draw(one_of("linux", "aix"))
    slots, mem = draw(one_of(0, 1, 2, 3, 4, 4)), draw(PLENTY)
    return host(name, slots, mem, attributes=attributes, open=draw(integers(0, 5)) > 0)


@cache
@st.composite
def limits(draw: st.DrawFn) -> Raw:
    """A limit on slots, memory or licences, of one user or of each queue."""
    resource = draw(one_of("slots", "mem", "licence"))
    scope = "cluster" if resource == "licence" else draw(one_of("host", "cluster"))
    whom = draw(WHOM)
    cap = draw(integers(0, 5)) if resource == "slots" else draw(PLENTY)
    return limit(cap, scope=scope, resource=resource, **whom)


@cache
@st.composite
def primaries(draw: st.DrawFn) -> Raw:
    """A primary of at most six tasks with any of select, rusage and span."""
    most = draw(one_of(1, 1, 2, 3, 3, 4, 5, 6))
    found: Raw = {"tasks": tasks(most)}
    if (select := draw(SELECTS)) is not None:
        found["select"] = select
    rusage = []
    for _ in range(draw(one_of(0, 0, 0, 1, 2))):
        resource = draw(one_of("mem", "licence"))
        per = draw(one_of(None, "task", "host" if resource == "mem" else "job"))
        rusage.append(entry(resource, draw(AMOUNTS), per))
    found["rusage"] = rusage
    if draw(integers(0, 3)) == 0:
        found["span"] = {bound: draw(integers(1, 4)) for bound in sorted(draw(BOUNDS))}
    return found


@cache
@st.composite
def requests(draw: st.DrawFn) -> list[list[Raw]]:
    """A bare primary, a compound, or an alter whose alternatives agree in their tasks."""
    first = [draw(primaries()) for _ in range(draw(one_of(1, 1, 1, 2, 3)))]
    found = [first]
    total = sum(part["tasks"]["max"] for part in first)
    for _ in range(draw(one_of(0, 0, 1))):
        found.append([draw(primaries()) | {"tasks": tasks(total)}])
    return found


SOME_LIMITS = st.lists(limits(), max_size=2)


@st.composite
def cases(draw: st.DrawFn, *, configuration: bool = True) -> Raw:
    """A cluster with a few sessions of jobs, finishes, withdrawals and changes."""
    world = cluster(
        *[draw(hosts(name)) for name in "ABC"[: draw(one_of(3, 3, 2, 1, 0))]],
        licence=draw(PLENTY),
        limits=tuple({str(found | {"cap": 0}): found for found in draw(SOME_LIMITS)}.values()),
    )
    events: list[Raw] = []
    for number in range(draw(integers(2, 10))):
        name = f"j{number}"
        priority, user = draw(integers(0, 2)), draw(one_of("u", "v"))
        raw = job(name, *draw(requests()), priority=priority, user=user)
        events.append({"event": "submit", "job": raw})
        events.extend(draw(_others(number, configuration)))
    return {"cluster": world, "events": [*events, RUN], "report": ["books", "events"]}


@cache
def _others(number: int, configuration: bool) -> st.SearchStrategy[list[Raw]]:
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
    return st.lists(st.one_of(plain), max_size=3)
