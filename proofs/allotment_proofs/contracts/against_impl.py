"""Pairs of functions that must behave alike: the model's, and the built-in allocator's.

Two functions whose names differ in `model_` and `impl_` are a pair. Beyond its scope, which both
name in the same first line of code, a pair answers nothing. CrossHair imports this module in a
process of its own; nothing else does, so that proofs do not depend on the allocator.
"""

from importlib import import_module
from typing import Any

from allotment_model.arithmetic import want
from allotment_model.plans import balanced_split, plans
from allotment_model.request import Span

Splits = tuple[tuple[int, ...], ...]

_PLANS: Any = import_module("allotment_impl.plans")
_DEMAND: Any = import_module("allotment_impl.demand")
_UNBOUNDED: Any = _DEMAND.SpanBounds.fill(None)


def _planned(tasks: int, span: Any) -> Splits:
    """All plans of the built-in allocator."""
    counts = _PLANS.host_counts(tasks, span)
    return tuple(_PLANS.make_plan(tasks, span, hosts).buckets() for hosts in counts)


def model_split(tasks: int, hosts: int) -> tuple[int, ...]:
    """The balanced split for so many hosts (PLAN-2, PLAN-3)."""
    if not 1 <= hosts <= tasks <= 8:
        return ()
    return balanced_split(tasks, hosts)


def impl_split(tasks: int, hosts: int) -> tuple[int, ...]:
    """The balanced split for so many hosts (PLAN-2, PLAN-3)."""
    if not 1 <= hosts <= tasks <= 8:
        return ()
    buckets: tuple[int, ...] = _PLANS.make_plan(tasks, _UNBOUNDED, hosts).buckets()
    return buckets


def model_plans_within_bounds(tasks: int, hosts_min: int, hosts_max: int) -> Splits:
    """All plans within bounds on the number of hosts (PLAN-1, PLAN-9)."""
    if not (1 <= tasks <= 4 and 1 <= hosts_min and 1 <= hosts_max):
        return ()
    return tuple(plans(tasks, Span(hosts_min=hosts_min, hosts_max=hosts_max)))


def impl_plans_within_bounds(tasks: int, hosts_min: int, hosts_max: int) -> Splits:
    """All plans within bounds on the number of hosts (PLAN-1, PLAN-9)."""
    if not (1 <= tasks <= 4 and 1 <= hosts_min and 1 <= hosts_max):
        return ()
    unbounded = _UNBOUNDED.tasks_per_host
    return _planned(tasks, _DEMAND.SpanBounds(hosts_min, hosts_max, unbounded, None))


def model_plan_by_ptile(tasks: int, ptile: int, tasks_per_host: int) -> Splits:
    """The plan with so many tasks on each host (PLAN-10)."""
    if not (1 <= tasks <= 6 and 1 <= ptile and 1 <= tasks_per_host):
        return ()
    return tuple(plans(tasks, Span(ptile=ptile, tasks_per_host=tasks_per_host)))


def impl_plan_by_ptile(tasks: int, ptile: int, tasks_per_host: int) -> Splits:
    """The plan with so many tasks on each host (PLAN-10)."""
    if not (1 <= tasks <= 6 and 1 <= ptile and 1 <= tasks_per_host):
        return ()
    return _planned(tasks, _DEMAND.SpanBounds(1, _UNBOUNDED.hosts_max, tasks_per_host, ptile))


def model_want(per_task: int, per_host: int, slots: int) -> int:
    """What a bucket asks of one amount of its host (WANT-1)."""
    return want(per_task, per_host, slots)


def impl_want(per_task: int, per_host: int, slots: int) -> int:
    """What a bucket asks of one amount of its host (WANT-1)."""
    wanted: int = _DEMAND.HostWant(1, per_task, per_host).of(slots)
    return wanted
