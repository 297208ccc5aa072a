"""Makes a case on which an allocator disagrees small.

A greedy search: a pass offers smaller cases, the first that still disagrees is taken, and the pass
goes on from it; all passes are repeated until none of them finds anything. What JSON holds can
be deleted or lowered without knowing what it means, because what is no case any more is not run.
Six passes know more: parts are joined, a job goes with the events that name it, a resource with
all that uses it, hosts or slots with the tasks on them, a select shrinks to its operands, and two
counts of tasks go down together.

Nothing here is random: the same case and allocator give the same result.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, combinations, cycle, islice

from allotment_conformance.counterexample.edits import (
    Path,
    at,
    deleted,
    leaves,
    nodes,
    replaced,
    without_resource,
)
from allotment_conformance.counterexample.signature import signature_of
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.parts import is_in_parts, joined, without_events

MOST_TRIES = 6_000
"""How many smaller cases are run at most: some seconds, and more than any directed case needs."""

STEPWISE = 16
"""Numbers up to this one are lowered one by one, larger ones by parts."""

MOST_NUMBERS_FOR_PAIRS = 12
"""With so many numbers in a case the pairs of changes are some thousand."""

MOST_LARGE_FOR_PAIRS = 6
"""With so many large numbers the pairs of them are fifteen, each lowered in some dozens of ways."""

Disagrees = Callable[[Json], Disagreement | None]
"""Runs a case; None if the allocator agrees or if what was given is no case."""

Pass = Callable[[Json], Iterator[Json]]
"""Offers cases that are smaller than one, by one change each."""

KEPT = frozenset({"per"})
"""Fields that are kept though they may be left out: what stands there is easier to read."""


def shrink(case: Json, disagrees: Disagrees, most_tries: int = MOST_TRIES) -> Json:
    """A smaller case on which the allocator still fails in the same way, by its signature."""
    first = disagrees(case)
    assert first is not None, "only a case that disagrees can be made small"
    search = _Search(case, first, disagrees, most_tries)
    search.exhaust_all()
    return search.case


class _Search:
    """The smallest case so far, and how often it may still be tried to find a smaller one."""

    def __init__(self, case: Json, found: Disagreement, disagrees: Disagrees, tries: int) -> None:
        self.case = _cut_after(case, found)
        self.signature = signature_of(found)
        self.disagrees = disagrees
        self.tries_left = tries

    def exhaust_all(self) -> None:
        """Go through the passes, again and again, until none finds anything in the case."""
        exhausted = 0
        for candidates in cycle(PASSES):
            exhausted = 1 if self._exhausts(candidates) else exhausted + 1
            if exhausted == len(PASSES):
                return

    def _exhausts(self, candidates: Pass) -> bool:
        """Whether the pass found something; it is repeated for as long as it does.

        One that takes away goes on behind what it took: what could not be done without before is
        tried again when all else has been. One that lowers numbers begins with large steps again.
        """
        improved, start = False, 0
        while (taken := self._takes_one(candidates, start)) is not None:
            improved, start = True, taken if candidates in TAKING_AWAY else 0
        return improved

    def _takes_one(self, candidates: Pass, start: int) -> int | None:
        """The number of the candidate that is taken, if one is; those before `start` come last."""
        numbered = enumerate(candidates(self.case))
        put_off = list(islice(numbered, start))
        for number, candidate in chain(numbered, put_off):
            if self.tries_left <= 0:
                return None
            self.tries_left -= 1
            found = self.disagrees(candidate)
            if found is not None and signature_of(found) == self.signature:
                self.case = _cut_after(candidate, found)
                return number
        return None


def _cut_after(case: Json, found: Disagreement) -> Json:
    """The case without what follows the disagreement."""
    return {**case, "events": case["events"][: found.step + 1]}


def _in_one_part(case: Json) -> Iterator[Json]:
    """All in one part, if it is sent in several."""
    if is_in_parts(case):
        yield joined(case)


def _without_jobs(case: Json) -> Iterator[Json]:
    """Without one job and the events that name it."""
    events = case["events"]
    for name in [event["job"]["name"] for event in events if event["event"] == "submit"]:
        gone = (number for number, event in enumerate(events) if name in _jobs_of(event))
        yield {**case, "events": without_events(events, frozenset(gone))}


def _jobs_of(event: Json) -> tuple[str, ...]:
    """The job that an event submits, finishes or withdraws."""
    job = event.get("job")
    return () if job is None else (job if isinstance(job, str) else job["name"],)


def _without_runs_of_items(case: Json) -> Iterator[Json]:
    """Without a half, a quarter, … of the events or hosts."""
    lists: tuple[Path, ...] = (("events",), ("cluster", "hosts"), ("cluster", "limits"))
    for path in lists:
        items = at(case, path) if path[-1] in at(case, path[:-1]) else []
        size = len(items) // 2
        while size > 1:
            for start in range(0, len(items), size):
                yield _without_items(case, path, range(start, start + size))
            size //= 2


def _without_items(case: Json, path: Path, gone: Iterable[int]) -> Json:
    """Without some items of a list; of a case in parts as many are left as have an event."""
    items, numbers = at(case, path), frozenset(gone)
    if path == ("events",):
        left = without_events(items, numbers)
    else:
        left = [item for number, item in enumerate(items) if number not in numbers]
    smaller: Json = replaced(case, path, left)
    return smaller


def _without_resources(case: Json) -> Iterator[Json]:
    """Without one declared resource and all that uses it."""
    resources = case["cluster"].get("resources", {})
    for names in list(resources.values()):
        for name in list(names):
            yield without_resource(case, name)


def _without_anything(case: Json) -> Iterator[Json]:
    """Without one item of a list or one field of an object, the outermost first."""
    for path, _value in sorted(nodes(case), key=lambda node: len(node[0])):
        match path:
            case ("events", int(number)):
                yield _without_items(case, ("events",), [number])
            case (*_, last) if last not in KEPT:
                yield deleted(case, path)


def _with_simpler_selects(case: Json) -> Iterator[Json]:
    """With one operation of a select replaced by one of its operands."""
    for path, value in nodes(case):
        if isinstance(value, dict) and "args" in value:
            for operand in value["args"]:
                yield replaced(case, path, operand)


def _with_like_identities(case: Json) -> Iterator[Json]:
    """With a user, queue or project that another job has, too."""
    first: dict[str, str] = {}
    for path, value in leaves(case):
        field = path[-1]
        if path[0] == "events" and field in ("user", "queue", "project"):
            assert isinstance(field, str), "a field has a name"
            other = first.setdefault(field, value)
            if other != value:
                yield replaced(case, path, other)


def _with_fewer_tasks(case: Json) -> Iterator[Json]:
    """With both counts of a primary lowered to the same number."""
    for path, value in nodes(case):
        if _are_counts(value):
            for fewer in _lower(value["max"]):
                yield replaced(case, path, {"min": fewer, "max": fewer})
            if value["min"] != value["max"]:
                yield replaced(case, path, {"min": value["max"], "max": value["max"]})


def _with_lower_numbers(case: Json) -> Iterator[Json]:
    """With one number lowered; a count `min` that equals `max` stays so."""
    for path, value in leaves(case):
        is_equal_minimum = path[-1] == "min" and (at(case, path[:-1])["max"] == value)
        if isinstance(value, int) and not isinstance(value, bool) and not is_equal_minimum:
            for lower in _lower(value):
                yield replaced(case, path, lower)


def _lower(number: int) -> Iterator[int]:
    """Numbers nearer to zero: zero, one, a round one, the half, and the next if it is small."""
    if number < 0:
        yield -number
    size, sign = abs(number), (1 if number > 0 else -1)
    tried = {size}
    following = size - 1 if 0 < size <= STEPWISE else 0
    for lower in (0, 1, 1000, size // 2, following):
        if lower < size and lower not in tried:
            tried.add(lower)
            yield sign * lower


def _with_large_numbers_a_little_lower(case: Json) -> Iterator[Json]:
    """With one large number, or two by the same, lowered by a half, a quarter, …, by one.

    Repeated, this finds in some dozens of steps where a number begins to matter, and where two do
    that have to keep their distance.
    """
    large = [
        (path, n)
        for path, n in leaves(case)
        if type(n) is int and abs(n) > STEPWISE and path[-1] not in ("min", "max")
    ]
    pairs = combinations(large, 2) if len(large) <= MOST_LARGE_FOR_PAIRS else iter([])
    for chosen in ((one,) for one in large), pairs:
        for numbers in chosen:
            less = min(abs(n) for _path, n in numbers) // 2
            while less > 0:
                lower = case
                for path, n in numbers:
                    lower = replaced(lower, path, n - less if n > 0 else n + less)
                yield lower
                less //= 2


def _with_scaled_numbers(case: Json) -> Iterator[Json]:
    """With all large numbers lowered together: sums and near misses often survive that."""
    large = [(path, n) for path, n in leaves(case) if type(n) is int and abs(n) > STEPWISE]
    for divisor in (1000, 10, 2):
        scaled = case
        for path, number in large:
            scaled = replaced(
                scaled, path, number // divisor if number > 0 else -(-number // divisor)
            )
        if large:
            yield scaled


def _with_counts_at_the_primary(case: Json) -> Iterator[Json]:
    """With the counts of a job at its lone primaries, where one looks for them."""
    for path, value in nodes(case):
        if path[-1:] == ("job",) and isinstance(value, dict) and "tasks" in value:
            request = [
                [{**parts[0], "tasks": value["tasks"]}] if len(parts) == 1 else parts
                for parts in value["request"]
            ]
            yield deleted(replaced(case, (*path, "request"), request), (*path, "tasks"))


def _with_two_changes(case: Json) -> Iterator[Json]:
    """With one number lowered, and with that a host less or another number lowered.

    Room and what is asked of it often have to shrink together. Only small cases are tried so.
    """
    if sum(type(value) is int for _path, value in leaves(case)) > MOST_NUMBERS_FOR_PAIRS:
        return
    for once in (*_with_fewer_tasks(case), *_with_lower_numbers(case)):
        for number in range(len(case["cluster"]["hosts"])):
            yield deleted(once, ("cluster", "hosts", number))
        yield from _with_fewer_tasks(once)
        yield from _with_lower_numbers(once)


def _with_less_room_and_tasks(case: Json) -> Iterator[Json]:
    """With a host gone, or a slot of each, and as many tasks: so a plan on many hosts shrinks."""
    counts = [(path, value["max"]) for path, value in nodes(case) if _are_counts(value)]
    for smaller, slots in _with_less_room(case):
        for path, most in counts:
            if 0 < slots < most:
                yield replaced(smaller, path, {"min": most - slots, "max": most - slots})


def _with_less_room(case: Json) -> Iterator[tuple[Json, int]]:
    """The same without the tasks, and how many slots are gone."""
    hosts = case["cluster"]["hosts"]
    for number, host in enumerate(hosts):
        yield deleted(case, ("cluster", "hosts", number)), host["capacity"].get("slots", 0)
    smaller, slots = case, 0
    for number, host in enumerate(hosts):
        if has := host["capacity"].get("slots", 0):
            smaller = replaced(smaller, ("cluster", "hosts", number, "capacity", "slots"), has - 1)
            slots += 1
    yield smaller, slots


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and set(value) == {"min", "max"}


TAKING_AWAY: tuple[Pass, ...] = (
    _in_one_part,
    _without_runs_of_items,
    _without_jobs,
    _without_resources,
    _without_anything,
    _with_simpler_selects,
)

PASSES: tuple[Pass, ...] = (
    *TAKING_AWAY,
    _with_like_identities,
    _with_counts_at_the_primary,
    _with_fewer_tasks,
    _with_scaled_numbers,
    _with_lower_numbers,
    _with_large_numbers_a_little_lower,
    _with_two_changes,
    _with_less_room_and_tasks,
)
"""The passes, those that take away most first."""
