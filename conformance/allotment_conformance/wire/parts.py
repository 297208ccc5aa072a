"""Cases in parts: what is sent as several cases, all but the first without `cluster`.

SPEC.md 2.1: a case without `cluster` goes on with the scheduler of the case before it. In the kit a
case is always whole, and an event with `begins_case` says that it and what follows are sent as a
case of their own; as a number it says how many cases begin there, of which all but the last have no
event. The answers are those of the whole: to where a case ends no answer is due.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import pairwise

from allotment_conformance.wire.messages import Json

BEGINS = "begins_case"


def parts_of(case: Json) -> list[Json]:
    """The cases as which a case is sent; itself if it is not in parts."""
    events = case["events"]
    if not any(BEGINS in event for event in events):
        return [case]
    starts = starts_of(case)
    later = {field: value for field, value in case.items() if field != "cluster"}
    return [
        {**(later if part else case), "events": [*map(_sent, events[start:stop])]}
        for part, (start, stop) in enumerate(pairwise([0, *starts, len(events)]))
    ]


def is_in_parts(case: Json) -> bool:
    """Whether it is sent as several cases."""
    return any(map(begins, case["events"]))


def begins(event: Json) -> int:
    """How many cases begin at an event."""
    return int(event.get(BEGINS, 0))


def starts_of(case: Json) -> list[int]:
    """The numbers of the events, from 0, with which a later part begins, once for each part."""
    events = enumerate(case["events"])
    return [number for number, event in events for _part in range(begins(event))]


def in_parts(case: Json, starts: Collection[int]) -> Json:
    """The case in parts of which the later ones begin with these events."""
    times = Counter(starts)
    events = [beginning_case(event, times[n]) for n, event in enumerate(case["events"])]
    return {**case, "events": events}


def joined(case: Json) -> Json:
    """The case in one part."""
    return {**case, "events": [*map(_sent, case["events"])]}


def beginning_case(event: Json, times: int = 1) -> Json:
    """The event as the first one of a part, behind so many others without an event."""
    if times == 0:
        return event
    return {**event, BEGINS: True if times == 1 else times}


def events_of(parts: Iterable[list[Json]]) -> list[Json]:
    """The events of the case that is sent in these parts; the last has an event."""
    told: list[Json] = []
    times = -1
    for part in parts:
        times += 1
        for event in part:
            told.append(beginning_case(event, times))
            times = 0
    assert times == 0, "what follows the last event is no part"
    return told


def _sent(event: Json) -> Json:
    """The event without the kit's own note."""
    return {field: value for field, value in event.items() if field != BEGINS}


def without_events(events: list[Json], gone: frozenset[int]) -> list[Json]:
    """The events without those of some numbers.

    A part whose first event goes begins with the next one that is left.
    """
    left: list[Json] = []
    times = 0
    for number, event in enumerate(events):
        times = max(times, begins(event))
        if number not in gone:
            left.append(beginning_case(event, times))
            times = 0
    return left
