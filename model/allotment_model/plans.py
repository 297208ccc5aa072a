"""Plans: the splits of N tasks that are tried, in order (PLAN-1 … PLAN-10)."""

from collections.abc import Iterator

from allotment_model.arithmetic import bucket_size, is_admitted, ptile_bucket_size, ptile_hosts
from allotment_model.request import Span

Plan = tuple[int, ...]
"""Tasks of each bucket, largest first."""


def balanced_split(tasks: int, hosts: int) -> Plan:
    """PLAN-2, PLAN-3: the one split of `tasks` over `hosts` hosts, descending."""
    return tuple(bucket_size(tasks, hosts, index) for index in range(hosts))


def ptile_split(tasks: int, ptile: int) -> Plan:
    """PLAN-10: `ptile` tasks on each host, the last with what remains."""
    hosts = ptile_hosts(tasks, ptile)
    return tuple(ptile_bucket_size(tasks, ptile, index) for index in range(hosts))


def plans(tasks: int, span: Span) -> Iterator[Plan]:
    """PLAN-1, PLAN-8, PLAN-9: the plans, most consolidated first, from the request alone.

    A generator makes one plan a call (PLAN-4), its end is stable (PLAN-5), and closing it is
    all that is needed, at any time and as often as one likes (PLAN-6). Each call is a point
    where a caller may stop (PLAN-7).
    """
    if span.ptile is not None:
        splits = (ptile_split(tasks, ptile) for ptile in (span.ptile,))
    else:
        # On fewer hosts the largest bucket is beyond the span.
        hosts_least = max(span.hosts_min, ptile_hosts(tasks, span.tasks_per_host))
        hosts_tried = range(hosts_least, min(tasks, span.hosts_max) + 1)
        splits = (balanced_split(tasks, hosts) for hosts in hosts_tried)
    bounds = span.hosts_min, span.hosts_max, span.tasks_per_host
    return (plan for plan in splits if is_admitted(len(plan), plan[0], *bounds))
