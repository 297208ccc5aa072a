"""What waits for the next session, in words: changes that were accepted, and jobs that ended."""

from collections.abc import Iterator, Mapping, Sequence

from allotment_conformance.counterexample import words
from allotment_conformance.wire import from_model
from allotment_conformance.wire.messages import Json
from allotment_model.cluster import Cluster, Host
from allotment_model.state import State


def waiting(state: State, came: Sequence[Json] = ()) -> list[str]:
    """A line for each thing that differs when the next session begins (SESSION-2).

    `came` are the events until then, in whose order they are told.
    """
    events: list[Json] = [{"event": "finish", "job": name} for name in sorted(state.finishing)]
    events += _changes(state.cluster, state.coming)
    first: dict[tuple[str, ...], int] = {}
    for number, event in enumerate(came):
        if event["event"] == "begin_session":
            first.clear()
        first.setdefault(_about(event), number)
    events.sort(key=lambda event: first.get(_about(event), len(came)))
    return [f"waits for a session: {words.event(event)}" for event in events]


def _about(event: Json) -> tuple[str, ...]:
    """What an event ends or changes."""
    match event:
        case {"event": "finish", "job": name}:
            return "job", name
        case {"event": "host_add", "host": {"name": name}}:
            return "host", name
        case {"event": "host_change", "host": name}:
            return "host", name
        case {"event": "pool_change", "pool": name}:
            return "pool", name
        case {"event": "limit_set" | "limit_remove", "limit": limit}:
            return "limit", words.limit({k: v for k, v in limit.items() if k != "cap"})
        case _:
            return ("nothing",)


def _changes(now: Cluster, coming: Cluster) -> Iterator[Json]:
    """The changes that lead from one cluster to the other: of several of a host their sum."""
    for name, host in coming.hosts.items():
        if name not in now.hosts:
            yield {"event": "host_add", "host": {"name": name, **_differing(None, host)}}
        elif host != now.hosts[name]:
            yield {"event": "host_change", "host": name, **_differing(now.hosts[name], host)}
    for pool, capacity in coming.pools.items():
        if capacity != now.pools.get(pool):
            yield {"event": "pool_change", "pool": pool, "capacity": capacity}
    for limit, cap in coming.limits.items():
        if cap != now.limits.get(limit):
            yield {"event": "limit_set", "limit": {**from_model.limit(limit), "cap": cap}}
    for limit in now.limits:
        if limit not in coming.limits:
            yield {"event": "limit_remove", "limit": from_model.limit(limit)}


def _differing(now: Host | None, coming: Host) -> Json:
    """The values of a host that are others than now."""
    before: Mapping[str, int] = {} if now is None else now.capacity
    had: Mapping[str, int | str] = {} if now is None else now.attributes
    told: Json = {
        "capacity": {n: v for n, v in coming.capacity.items() if v != before.get(n, 0)},
        "attributes": {n: v for n, v in coming.attributes.items() if v != had.get(n)}
        | {n: None for n in had if n not in coming.attributes},
    }
    was_open = True if now is None else now.open
    return told if coming.open == was_open else {**told, "open": coming.open}
