"""Wrong rules for plans (PLAN, PAR)."""

from collections.abc import Iterator
from dataclasses import replace

from allotment_model import plans
from allotment_model.arithmetic import ptile_hosts
from allotment_model.plans import Plan
from allotment_model.request import Span


def second_plan_first(tasks: int, span: Span) -> Iterator[Plan]:
    """PLAN-1 broken: two hosts are tried before one."""
    splits = plans.plans(tasks, span)
    if span.ptile is not None:
        return splits
    fewest, most = hosts_of_first_plan(tasks, span), min(tasks, span.hosts_max)
    offsets = (len(plan) - fewest for plan in splits)
    # Plan 0, 1, 2, 3, … becomes plan 1, 0, 2, 3, …; where there is only one, it stays.
    exchanged = (abs(offset - 1) + min(max(offset - 1, 0), 1) for offset in offsets)
    return (plans.balanced_split(tasks, min(fewest + number, most)) for number in exchanged)


def only_first_plan(tasks: int, span: Span) -> Iterator[Plan]:
    """PLAN-1 broken: eager and one-shot, no alternative plan is ever made."""
    if span.ptile is not None:
        return plans.plans(tasks, span)
    fewest = hosts_of_first_plan(tasks, span)
    return plans.plans(tasks, replace(span, hosts_max=min(fewest, span.hosts_max)))


def hosts_of_first_plan(tasks: int, span: Span) -> int:
    """On how many hosts the first plan is, if there is one, without ptile."""
    return max(span.hosts_min, ptile_hosts(tasks, span.tasks_per_host))


def filled_split(tasks: int, hosts: int) -> Plan:
    """PLAN-2 broken: buckets of the rounded-up size, the last takes what remains."""
    size = (tasks + hosts - 1) // hosts
    taken = (min(size, tasks - index * size) for index in range(hosts))
    return tuple(slots for slots in taken if slots > 0)


def filled_plans(tasks: int, span: Span) -> Iterator[Plan]:
    """PLAN-2 broken: the plans of `filled_split`."""
    splits = plans.plans(tasks, span)
    if span.ptile is not None:
        return splits
    return (filled_split(tasks, len(plan)) for plan in splits)


def ascending_plans(tasks: int, span: Span) -> Iterator[Plan]:
    """PLAN-3 broken: the smallest bucket is placed first."""
    return (plan[::-1] for plan in plans.plans(tasks, span))


def plans_without_bounds(tasks: int, span: Span) -> Iterator[Plan]:
    """PLAN-9 broken: the bounds of the span are not looked at."""
    return plans.plans(tasks, Span(ptile=span.ptile))


def plans_without_ptile(tasks: int, span: Span) -> Iterator[Plan]:
    """PLAN-10 broken: ptile is parsed and dropped."""
    return plans.plans(tasks, replace(span, ptile=None))


def ptile_balanced(tasks: int, span: Span) -> Iterator[Plan]:
    """PLAN-10 broken: ptile fixes the number of hosts, but the split stays balanced."""
    if span.ptile is None:
        return plans.plans(tasks, span)
    hosts = ptile_hosts(tasks, span.ptile)
    if not span.hosts_min <= hosts <= span.hosts_max:
        return iter(())
    return plans.plans(tasks, replace(span, ptile=None, hosts_min=hosts, hosts_max=hosts))


def first_bucket(plan: Plan) -> Plan:
    """PAR-1 broken: the plan counts as satisfied when its first bucket is."""
    return plan[:1]


def may_hold_strictly(buckets: int, hosts: int) -> bool:
    """PAR-2 broken: the search stops at as many buckets as hosts, one plan too early."""
    return buckets < hosts
