"""The smallest number of hosts on which a primary fits, found by counting.

Let a host's *room* be the most tasks that fit on it. Wants never shrink as a bucket grows
(WANT-3), so a plan of m buckets of a, then k − m buckets of b ≤ a, finds distinct hosts if and
only if at least m hosts have a room of a and at least k have a room of b (PAR-4).

Not every k need be asked. All k with the same b = N div k have a = b + 1 and m = N − k × b. So
among them the criterion says: k at most the hosts with a room of b, and k at least (N minus the
hosts with a room of b + 1) divided by b. That is one division for each of the at most 2 √N
values of b, and none for the values of b above the largest room.
"""

from collections.abc import Callable

from allotment_impl.demand import HostWant, SpanBounds
from allotment_impl.plans import host_counts
from allotment_impl.refusals import TASKS_LARGEST


def fewest_hosts(
    tasks: int,
    span: SpanBounds,
    hosts_with: Callable[[int], int],
    tallest: int,
    hosts_most: int,
) -> int:
    """How many hosts the first plan has that holds, at most ``hosts_most``; 0 if none (PAR-1).

    ``hosts_with(r)`` is the number of hosts with a room of at least r, asked for
    1 ≤ r ≤ ``tallest`` only, where ``tallest`` is the largest room that counts.
    """
    counts = host_counts(tasks, span)
    if span.ptile is not None:
        fits = counts and counts[0] <= hosts_most
        return counts[0] if fits and _pieces_fit(tasks, span.ptile, hosts_with, tallest) else 0
    if not tallest:
        return 0
    last = min(counts.stop - 1, hosts_most, hosts_with(1))
    # Fewer hosts than this would make the smaller buckets larger than the largest room.
    hosts = max(counts.start, tasks // (tallest + 1) + 1)
    while hosts <= last:
        smaller = tasks // hosts
        last_alike = tasks // smaller
        with_larger = hosts_with(smaller + 1) if smaller < tallest else 0
        enough = -((with_larger - tasks) // smaller)
        if enough > hosts:
            hosts = enough
        if hosts <= last_alike and hosts <= last and hosts <= hosts_with(smaller):
            return hosts
        hosts = last_alike + 1
    return 0


def hosts_within(left: int, tasks: int, want: HostWant) -> int:
    """How many hosts so many tasks may take before they want more than what is left."""
    left -= tasks * want.per_task
    if left < 0:
        return 0
    return left // want.per_host if want.per_host else TASKS_LARGEST


def _pieces_fit(tasks: int, piece: int, hosts_with: Callable[[int], int], tallest: int) -> bool:
    """Whether all full pieces and the rest find hosts (PLAN-10)."""
    full, rest = divmod(tasks, piece)
    if full and (piece > tallest or hosts_with(piece) < full):
        return False
    return not rest or (rest <= tallest and hosts_with(rest) > full)
