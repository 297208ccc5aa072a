"""Hypothesis strategies for clusters, limits, identities, requests and whole cases.

Everything is made small first, and a case is a list of steps that make sense in any selection:
deleting one is always a smaller case. So what Hypothesis finds, it also shrinks well.

Each function remembers what it has made: Hypothesis looks a new strategy over before it draws from
it, which takes longer than the drawing.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from allotment_conformance.engines.features import reports_of
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    counts,
    defined,
    finish,
    number,
    operation,
    run,
    text,
    withdraw,
)
from allotment_conformance.wire.messages import Json, Largest, Profile
from allotment_conformance.wire.parts import beginning_case
from allotment_conformance.wire.request_texts import STYLES, worded

AMOUNTS = (0, 1000, 100, 200, 300, 2000, 500, 1, 333, 1001, 999, 2**31, 2**32, 2**53 - 1)
"""Simplest first: units, tenths that doubles cannot hold, near misses, edges of 32 and 53 bits."""

NUMBERS = (0, 1000, 2000, -1000, 500, 1)
TEXTS = ("x86", "arm", "")
HOSTS = "ABCDEFGH"
HOLDERS = ("uqp", "uqp", "uqp", "vqp", "urp", "uqo", "uuu", "vup")
"""User, queue and project, a letter each: often the same, sometimes one name for several kinds."""

Chosen = TypeVar("Chosen", bound=Hashable)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
BOOLEANS = st.booleans()
TASKS_MOST = 6
"""Counts up to this make every kind of split on a handful of hosts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the cases of one profile may name, and how large they may be."""

    amounts: tuple[str, ...]
    shared: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]
    features: frozenset[str]
    largest: Largest

    @property
    def resources(self) -> Json:
        """As a cluster declares it."""
        named = {"host": list(self.amounts), "shared": list(self.shared)}
        return {**named, "attributes": dict(self.attributes)}


def declared_by(profile: Profile) -> Declared:
    """Two of each kind at most, where the profile has the feature."""
    features = frozenset(profile.features)
    rusage, select = "rusage" in features, "select" in features
    return Declared(
        amounts=("mem",) if rusage else (),
        shared=("lic",) if rusage and "shared" in features else (),
        attributes=(("width", "number"), ("arch", "text")) if select else (),
        features=features,
        largest=profile.largest,
    )


@cache
def integers(least: int, most: int) -> SearchStrategy[int]:
    """A number within these bounds."""
    return st.integers(least, most)


@cache
def one_of(values: tuple[Chosen, ...]) -> SearchStrategy[Chosen]:
    """One of these, the simplest first."""
    return st.sampled_from(values)


@cache
def amounts(declared: Declared) -> SearchStrategy[int]:
    """An amount, a capacity or a cap, in thousandths."""
    return one_of(tuple(one for one in AMOUNTS if one <= declared.largest.amount))


@cache
def identities() -> SearchStrategy[Json]:
    """User, queue and project; few, so that limits bind and keys are equal or differ in one."""
    return st.sampled_from(HOLDERS).map(
        lambda names: dict(zip(("user", "queue", "project"), names, strict=True))
    )


@cache
def slots() -> SearchStrategy[int]:
    """Slots of a host, or a cap on slots."""
    return one_of((1, 2, 3, 4, 0, 5, 6))


@cache
def attribute_values(kind: str) -> SearchStrategy[int | str]:
    """A value of an attribute of that type."""
    return st.sampled_from(NUMBERS if kind == "number" else TEXTS)


@cache
def capacities(declared: Declared) -> SearchStrategy[Json]:
    """What a host has of slots and of each amount; any of them may be left out."""
    named = {resource: amounts(declared) for resource in declared.amounts}
    return st.fixed_dictionaries({}, optional={"slots": slots(), **named})


@cache
def attributes_of(declared: Declared) -> SearchStrategy[Json]:
    """Values of some of the attributes."""
    values = {name: attribute_values(kind) for name, kind in declared.attributes}
    return st.fixed_dictionaries({}, optional=values)


@cache
@st.composite
def hosts(draw: DrawFn, declared: Declared, name: str = "A") -> Json:
    """A host of that name."""
    made: Json = {"name": name, "capacity": {"slots": draw(slots())}}
    for resource in declared.amounts:
        if amount := draw(amounts(declared)):
            made["capacity"][resource] = amount
    if attributes := draw(attributes_of(declared)):
        made["attributes"] = attributes
    if draw(integers(0, 9)) == 9:
        made["open"] = False
    return made


@cache
@st.composite
def limits(draw: DrawFn, declared: Declared) -> Json:
    """A limit on slots, an amount or a pool."""
    kind, names = draw(one_of((("user", "uv"), ("queue", "qru"), ("project", "pou"))))
    resource = draw(one_of(("slots", *declared.amounts, *declared.shared)))
    scopes = ("cluster",) if resource in declared.shared else ("cluster", "host")
    made: Json = {"kind": kind, "scope": draw(one_of(scopes)), "resource": resource}
    name = draw(one_of((*names, None)))
    made |= {"each": True} if name is None else {"name": name}
    made["cap"] = draw(slots() if resource == "slots" else amounts(declared))
    return made


@cache
def some_limits(declared: Declared) -> SearchStrategy[list[Json]]:
    """Two limits at most, and no limit twice."""
    return st.lists(limits(declared), max_size=2, unique_by=_limit_name)


@cache
@st.composite
def clusters(draw: DrawFn, declared: Declared) -> Json:
    """A configuration with everything declared that the profile allows."""
    names = HOSTS[: min(4, declared.largest.hosts)]
    count = draw(one_of(tuple(one for one in (1, 2, 3, 4, 0) if one <= len(names))))
    made: Json = {
        "resources": declared.resources,
        "hosts": [draw(hosts(declared, name)) for name in names[:count]],
    }
    if declared.shared:
        made["pools"] = {pool: draw(amounts(declared)) for pool in declared.shared}
    if "limits" in declared.features:
        made["limits"] = draw(some_limits(declared))
    return made


def _limit_name(limit: Json) -> tuple[tuple[str, object], ...]:
    return tuple(sorted((name, value) for name, value in limit.items() if name != "cap"))


@cache
def selects(declared: Declared) -> SearchStrategy[Json]:
    """Expressions whose value is a number, as trees; those of one comparison first."""
    numbers = [name for name, kind in declared.attributes if kind == "number"]
    texts = [name for name, kind in declared.attributes if kind == "text"]
    leaves = st.sampled_from([number(one) for one in NUMBERS] + [attribute(n) for n in numbers])
    terms = st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(operation, st.sampled_from("+-*/"), inner, inner),
            st.builds(operation, st.just("neg"), inner),
        ),
        max_leaves=3,
    )
    compared = st.builds(operation, st.sampled_from(COMPARISONS), terms, terms)
    sides = [attribute(name) for name in texts], [text(one) for one in TEXTS]
    equal = st.builds(
        operation,
        st.sampled_from(("==", "!=")),
        st.sampled_from(sides[0] + sides[1]),
        st.sampled_from(sides[1] + sides[0]),
    )
    asked = st.sampled_from([defined(name) for name, _kind in declared.attributes])
    return st.recursive(
        st.one_of(compared, equal, asked),
        lambda inner: st.one_of(
            st.builds(operation, st.sampled_from(("&&", "||")), inner, inner),
            st.builds(operation, st.just("!"), inner),
        ),
        max_leaves=3,
    )


@cache
def resources_asked(declared: Declared) -> SearchStrategy[list[str]]:
    """The resources of a rusage's entries; one may come twice."""
    return st.lists(one_of(declared.amounts + declared.shared), max_size=2)


@cache
@st.composite
def rusages(draw: DrawFn, declared: Declared, tasks: int) -> list[Json]:
    """Entries whose sums, times the tasks, stay in range (AMOUNT-2)."""
    entries = []
    for resource in draw(resources_asked(declared)):
        amount = min(draw(amounts(declared)), declared.largest.amount // (2 * tasks))
        entry: Json = {"resource": resource, "amount": amount}
        other = "job" if resource in declared.shared else "host"
        if per := draw(one_of(("task", other, None))):
            entry["per"] = per
        entries.append(entry)
    return entries


@cache
def spans(bounds: tuple[str, ...], tasks: int) -> SearchStrategy[Json]:
    """Some of these bounds, at values that bind or nearly do."""
    return st.dictionaries(one_of(bounds), integers(1, tasks + 1), max_size=3)


@cache
@st.composite
def primaries(draw: DrawFn, declared: Declared, tasks: int) -> Json:
    """A primary of so many tasks, without its counts."""
    made: Json = {}
    if declared.amounts and (entries := draw(rusages(declared, tasks))):
        made["rusage"] = entries
    if declared.attributes and draw(integers(0, 3)) == 3:
        made["select"] = draw(selects(declared))
    bounds: tuple[str, ...] = ()
    if "span" in declared.features:
        bounds = ("hosts_min", "hosts_max", "tasks_per_host")
    if "ptile" in declared.features:
        bounds += ("ptile",)
    if bounds and draw(integers(0, 2)) == 2:
        made["span"] = draw(spans(bounds, tasks))
    return made


@cache
@st.composite
def compounds(draw: DrawFn, declared: Declared, least: int, most: int) -> list[Json]:
    """Primaries whose counts sum to these."""
    parts = draw(integers(1, min(3, least))) if "compound" in declared.features else 1
    compound: list[Json] = []
    for part in range(parts):
        left = parts - part - 1
        tasks = most - left if left == 0 else draw(integers(1, most - left))
        fewest = least - left if left == 0 else draw(integers(1, min(tasks, least - left)))
        # What the later parts cannot take up, their maxima being what they are, goes here.
        fewest = max(fewest, least - (most - tasks))
        compound.append({"tasks": counts(fewest, tasks), **draw(primaries(declared, tasks))})
        least, most = least - fewest, most - tasks
    return compound


@cache
@st.composite
def requests(draw: DrawFn, declared: Declared) -> Json:
    """`request`, a tree of alternatives and parts, and `tasks` if the job has counts."""
    counted = range(1, min(TASKS_MOST, declared.largest.tasks) + 1)
    most = draw(one_of(tuple(counted)))
    least = most if draw(BOOLEANS) else draw(integers(1, most))
    alternatives = draw(integers(1, 3)) if "alter" in declared.features else 1
    request = [draw(compounds(declared, least, most)) for _ in range(alternatives)]
    if draw(integers(0, 3)) < 3:
        return {"request": request}
    for compound in request:
        if len(compound) == 1:
            del compound[0]["tasks"]
    return {"request": request, "tasks": counts(least, most)}


@cache
@st.composite
def jobs(draw: DrawFn, declared: Declared) -> Json:
    """A job without a name."""
    made = {**draw(identities()), **draw(requests(declared))}
    if "priorities" in declared.features and (priority := draw(integers(0, 2))):
        made["priority"] = priority
    if "text" in declared.features and draw(BOOLEANS):
        made = worded(made, draw(integers(0, STYLES - 1)))
    return made


@cache
@st.composite
def host_changes(draw: DrawFn, declared: Declared) -> Json:
    """What changes of a host; an attribute may be taken away."""
    values = {
        name: st.one_of(attribute_values(kind), st.none()) for name, kind in declared.attributes
    }
    changed = st.fixed_dictionaries(
        {},
        optional={
            "open": BOOLEANS,
            "capacity": capacities(declared),
            "attributes": st.fixed_dictionaries({}, optional=values),
        },
    )
    return draw(changed)


Step = tuple[str, object]
"""A kind of event and what it is about; a job is named by a number, which any case can resolve."""


@cache
def steps(declared: Declared) -> SearchStrategy[Step]:
    """One step of a scheduler's life."""
    numbers = st.integers(0, 9)
    kinds: dict[str, SearchStrategy[object]] = {
        "submit": jobs(declared),
        "run": st.just(None),
        "begin": st.just(None),
        "finish": numbers,
        "withdraw": numbers,
    }
    if "cancel" in declared.features:
        kinds["cancel"] = st.integers(0, 20)
    if "host-changes" in declared.features:
        kinds["host_add"] = st.sampled_from(HOSTS).flatmap(lambda name: hosts(declared, name))
        kinds["host_change"] = st.tuples(st.sampled_from(HOSTS[:4]), host_changes(declared))
    if declared.shared:
        kinds["pool_change"] = st.tuples(st.sampled_from(declared.shared), amounts(declared))
    if "limits" in declared.features:
        kinds["limit_set"] = kinds["limit_remove"] = limits(declared)
    made = {name: st.tuples(st.just(name), about) for name, about in kinds.items()}
    weights = {"submit": 4, "run": 3, "finish": 2}
    return st.one_of([step for name, step in made.items() for _ in range(weights.get(name, 1))])


def event_of(step: Step, names: list[str]) -> Json:
    """The event that a step is in a case which has submitted these jobs; a new one is added."""
    kind, about = step
    match kind, about:
        case "submit", dict():
            names.append(f"j{len(names)}")
            return {"event": "submit", "job": {"name": names[-1], **about}}
        case "run", _:
            return RUN
        case "begin", _:
            return BEGIN
        case "cancel", int():
            return run(about)
        case "finish" | "withdraw", int():
            name = names[about % len(names)] if names else "nobody"
            return finish(name) if kind == "finish" else withdraw(name)
        case "host_add", _:
            return {"event": "host_add", "host": about}
        case "host_change", (name, dict(changes)):
            return {"event": "host_change", "host": name, **changes}
        case "pool_change", (pool, capacity):
            return {"event": "pool_change", "pool": pool, "capacity": capacity}
        case "limit_set", _:
            return {"event": "limit_set", "limit": about}
        case "limit_remove", dict():
            limit = {name: value for name, value in about.items() if name != "cap"}
            return {"event": "limit_remove", "limit": limit}
        case _:
            raise AssertionError(f"no such step: {kind}")


@cache
@st.composite
def cases(draw: DrawFn, profile: Profile) -> Json:
    """A whole case: a cluster, some steps, and a last run."""
    declared = declared_by(profile)
    names: list[str] = []
    made: Json = {"cluster": draw(clusters(declared))}
    taken = draw(st.lists(steps(declared), min_size=1, max_size=12))
    made["events"] = [*(event_of(step, names) for step in taken), RUN]
    if reports := reports_of(declared.features):
        made["report"] = reports
    return made


@cache
@st.composite
def cases_in_parts(draw: DrawFn, profile: Profile) -> Json:
    """A whole case that may be sent as several, some of them without events (SPEC.md 2.1).

    It shrinks to one that is not. The machine needs none: it sends each event as a case.
    """
    made: Json = draw(cases(profile))
    times = one_of((0, 0, 0, 1, 2))
    return {**made, "events": [beginning_case(event, draw(times)) for event in made["events"]]}
