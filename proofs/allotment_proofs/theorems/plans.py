"""Theorems about plans (PLAN-1 … PLAN-3, PLAN-9, PLAN-10, PAR-2).

The plans of a request are lifted as a family: plan number k is there under a condition, and has a
bucket for each index from 0.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from allotment_model.request import Span
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.trusted.sequences import Items, tuple_of
from allotment_proofs.trusted.symbols import Unsupported

TASKS, HOSTS, INDEX, OTHER = z3.Ints("tasks hosts index other")
HOSTS_MIN, HOSTS_MAX, TASKS_PER_HOST, PTILE = z3.Ints("hosts_min hosts_max tasks_per_host ptile")
REQUEST = (TASKS >= 1, HOSTS_MIN >= 1, HOSTS_MAX >= 1, TASKS_PER_HOST >= 1, PTILE >= 1)
SPLIT = "{tasks} tasks on {hosts} hosts: "
TILED = "{tasks} tasks, {ptile} on each host: "


@dataclass(frozen=True, slots=True)
class Family:
    """The plans of a request, which are there under a condition."""

    condition: Term
    plans: Items

    def present(self, number: Term) -> Term:
        """Whether there is a plan of that number."""
        return z3.And(self.condition, self.plans.present(number))

    def at(self, number: Term) -> Any:
        """The plan of that number, where there is one."""
        return self.plans.at(number)


def family(lifting: Lifting, ptile: Term = None) -> Family:
    """The plans of any number of tasks under any span."""
    span = Span(
        hosts_min=HOSTS_MIN, hosts_max=HOSTS_MAX, tasks_per_host=TASKS_PER_HOST, ptile=ptile
    )
    found = lifting.paths(_listed, lifting.rule("plans"), TASKS, span)
    match [(there, plans) for there, plans in found if isinstance(plans, Items) or plans]:
        case [(there, Items() as plans)]:
            return Family(there, plans)
        case [(there, (plan,))]:
            return Family(there, Items(0, 1, lambda _number: (plan,)))
        case _:
            raise Unsupported("plans that differ by more than whether there are any")


def _listed(rule: Callable[[Term, Span], Any], tasks: Term, span: Span) -> Any:
    return tuple_of(rule(tasks, span))


def balanced_plan(lifting: Lifting, hosts: Term = HOSTS) -> tuple[Any, tuple[Term, ...]]:
    """The plan for a number of hosts, any if not said, without ptile, and that it is there."""
    plans = family(lifting)
    return plans.at(hosts), (*REQUEST, plans.present(hosts))


def ptile_plan(lifting: Lifting) -> tuple[Any, tuple[Term, ...]]:
    """The plan with any ptile, and that it is there."""
    plans = family(lifting, PTILE)
    return plans.at(HOSTS), (*REQUEST, plans.present(HOSTS))


def _shown(plan: Any, *indices: Term) -> dict[str, Term]:
    names = ("index", "slots"), ("other", "other_slots")
    shown = {"tasks": TASKS, "hosts": HOSTS, "ptile": PTILE}
    for (name, slots), index in zip(names, indices, strict=False):
        shown |= {name: index + 1, slots: plan.at(index)}
    return shown


def _sum_of(plan: Any, given: tuple[Term, ...], before: Any, told: str) -> Iterator[Case]:
    """By induction: `before(i)` (ghost) is the sum of the buckets before bucket i."""
    shown = _shown(plan, INDEX) | {"before": before(INDEX), "sum": before(INDEX + 1)}
    yield Case(
        name="base", assumptions=given, claim=before(z3.IntVal(0)) == 0, told=told, values=shown
    )
    yield Case(
        name="step",
        assumptions=(*given, plan.present(INDEX)),
        claim=before(INDEX) + plan.at(INDEX) == before(INDEX + 1),
        told=told + "after {before} tasks in the buckets before it, bucket {index} has {slots} "
        "slots, and {sum} tasks should then be placed",
        values=shown,
    )
    yield Case(
        name="end",
        assumptions=given,
        claim=before(plan.length) == TASKS,
        told=told + "the buckets do not sum to the tasks",
        values=shown,
    )


def _balanced_sum(lifting: Lifting) -> Iterator[Case]:
    plan, given = balanced_plan(lifting)
    whole, rest = TASKS / HOSTS, TASKS % HOSTS

    def before(index: Term) -> Term:
        return index * whole + z3.If(index < rest, index, rest)

    return _sum_of(plan, given, before, SPLIT)


def _ptile_sum(lifting: Lifting) -> Iterator[Case]:
    plan, given = ptile_plan(lifting)

    def before(index: Term) -> Term:
        return z3.If(index * PTILE < TASKS, index * PTILE, TASKS)

    return _sum_of(plan, given, before, TILED)


Plan = Callable[[Lifting], tuple[Any, tuple[Term, ...]]]


def _descending(plan_of: Plan, told: str, lifting: Lifting) -> Iterator[Case]:
    plan, given = plan_of(lifting)
    yield Case(
        assumptions=(*given, plan.present(INDEX), plan.present(OTHER), INDEX < OTHER),
        claim=plan.at(INDEX) >= plan.at(OTHER),
        told=told + "bucket {index} has {slots} slots, bucket {other} has {other_slots}",
        values=_shown(plan, INDEX, OTHER),
    )


def _balanced(lifting: Lifting) -> Iterator[Case]:
    plan, given = balanced_plan(lifting)
    yield Case(
        assumptions=(*given, plan.present(INDEX), plan.present(OTHER)),
        claim=plan.at(INDEX) - plan.at(OTHER) <= 1,
        told=SPLIT + "bucket {index} has {slots} slots, bucket {other} has {other_slots}",
        values=_shown(plan, INDEX, OTHER),
    )


def _unique(lifting: Lifting) -> Iterator[Case]:
    plan, given = balanced_plan(lifting)
    least, larger = z3.Ints("least larger")
    bucket = z3.If(INDEX < larger, least + 1, least)
    yield Case(
        assumptions=(
            *given,
            *(plan.present(INDEX), larger >= 0, larger < HOSTS),
            HOSTS * least + larger == TASKS,
        ),
        claim=plan.at(INDEX) == bucket,
        told=SPLIT + "bucket {index} has {slots} slots, and {bucket} in another balanced split",
        values=_shown(plan, INDEX) | {"bucket": bucket},
    )


def _positive(plan_of: Plan, told: str, lifting: Lifting) -> Iterator[Case]:
    plan, given = plan_of(lifting)
    yield Case(
        assumptions=(*given, plan.present(INDEX)),
        claim=plan.at(INDEX) >= 1,
        told=told + "bucket {index} has {slots} slots",
        values=_shown(plan, INDEX),
    )


def _admitted(lifting: Lifting) -> Iterator[Case]:
    plans = family(lifting)
    bounds = {"hosts_min": HOSTS_MIN, "hosts_max": HOSTS_MAX, "most": TASKS_PER_HOST}
    shown = {"tasks": TASKS, "hosts": HOSTS} | bounds
    told = "{tasks} tasks, {hosts_min} to {hosts_max} hosts, at most {most} tasks on each: "
    yield Case(
        name="admitted",
        assumptions=REQUEST,
        claim=plans.present(HOSTS)
        == z3.And(
            *(HOSTS >= HOSTS_MIN, HOSTS <= HOSTS_MAX, HOSTS <= TASKS),
            TASKS <= HOSTS * TASKS_PER_HOST,
        ),
        told=told + "the plan for {hosts} hosts is there and should not be, or the reverse",
        values=shown,
    )
    plan = plans.at(HOSTS)
    yield Case(
        name="ascending",
        assumptions=(*REQUEST, plans.present(HOSTS)),
        claim=plan.present(INDEX) == z3.And(INDEX >= 0, INDEX < HOSTS),
        told=told + "plan number {hosts} has no bucket {index}, or has more than {hosts}",
        values=shown | {"index": INDEX + 1},
    )


def _ptile(lifting: Lifting) -> Iterator[Case]:
    plans = family(lifting, PTILE)
    plan, length = plans.at(HOSTS), plans.at(HOSTS).length
    largest = z3.If(TASKS < PTILE, TASKS, PTILE)
    shown = _shown(plan, INDEX) | {"length": length, "hosts_min": HOSTS_MIN}
    shown |= {"hosts_max": HOSTS_MAX, "most": TASKS_PER_HOST}
    yield Case(
        name="only plan",
        assumptions=(*REQUEST, plans.present(HOSTS), plans.present(OTHER)),
        claim=HOSTS == OTHER,
        told=TILED + "there is more than one plan",
        values=shown,
    )
    yield Case(
        name="hosts",
        assumptions=(*REQUEST, plans.present(HOSTS)),
        claim=z3.And((length - 1) * PTILE < TASKS, TASKS <= length * PTILE),
        told=TILED + "the plan takes {length} hosts",
        values=shown,
    )
    yield Case(
        name="buckets",
        assumptions=(*REQUEST, plans.present(HOSTS), plan.present(INDEX), INDEX + 1 < length),
        claim=plan.at(INDEX) == PTILE,
        told=TILED + "bucket {index} of {length} has {slots} slots",
        values=shown,
    )
    yield Case(
        name="admitted",
        assumptions=(*REQUEST, (HOSTS - 1) * PTILE < TASKS, TASKS <= HOSTS * PTILE),
        claim=plans.present(z3.IntVal(0))
        == z3.And(HOSTS_MIN <= HOSTS, HOSTS <= HOSTS_MAX, largest <= TASKS_PER_HOST),
        told=TILED + "{hosts_min} to {hosts_max} hosts, at most {most} tasks on each: a plan on "
        "{hosts} hosts is there and should not be, or the reverse",
        values=shown,
    )


def _may_hold(lifting: Lifting) -> Iterator[Case]:
    buckets, hosts, more = z3.Ints("buckets hosts more")
    yield Case(
        assumptions=(buckets >= 1, hosts >= 0, more >= buckets),
        claim=z3.And(
            z3.Implies(z3.Not(lifting.may_hold(buckets, hosts)), more > hosts),
            z3.Implies(lifting.may_hold(more, hosts), more <= hosts),
        ),
        told="the search stops at {buckets} buckets on {hosts} hosts",
        values={"buckets": buckets, "hosts": hosts},
    )


UNBOUNDED = "unbounded"

THEOREMS = (
    Theorem(
        name="The buckets of a balanced plan sum to its tasks",
        clauses=("PLAN-2", "PAR-1"),
        scope="unbounded, by induction over buckets; the sum so far is a ghost",
        cases=_balanced_sum,
    ),
    Theorem(
        name="The buckets of a ptile plan sum to its tasks",
        clauses=("PLAN-10", "PAR-1"),
        scope="unbounded, by induction over buckets; the sum so far is a ghost",
        cases=_ptile_sum,
    ),
    Theorem(
        name="The buckets of a balanced plan descend",
        clauses=("PLAN-3",),
        scope=UNBOUNDED,
        cases=partial(_descending, balanced_plan, SPLIT),
    ),
    Theorem(
        name="The buckets of a ptile plan descend",
        clauses=("PLAN-3", "PLAN-10"),
        scope=UNBOUNDED,
        cases=partial(_descending, ptile_plan, TILED),
    ),
    Theorem(
        name="Two buckets of a plan without ptile differ by at most one",
        clauses=("PLAN-2",),
        scope=UNBOUNDED,
        cases=_balanced,
    ),
    Theorem(
        name="A descending split that differs by at most one is the plan",
        clauses=("PLAN-2", "PLAN-3"),
        scope=UNBOUNDED,
        cases=_unique,
    ),
    Theorem(
        name="Every bucket of a balanced plan has a task",
        clauses=("PLAN-2",),
        scope=UNBOUNDED,
        cases=partial(_positive, balanced_plan, SPLIT),
    ),
    Theorem(
        name="Every bucket of a ptile plan has a task",
        clauses=("PLAN-10",),
        scope=UNBOUNDED,
        cases=partial(_positive, ptile_plan, TILED),
    ),
    Theorem(
        name="The plans are those of the numbers of hosts that the span admits, ascending",
        clauses=("PLAN-1", "PLAN-9"),
        scope=UNBOUNDED,
        cases=_admitted,
    ),
    Theorem(
        name="With ptile the one plan is full hosts and the rest on the last",
        clauses=("PLAN-10", "PLAN-9"),
        scope=UNBOUNDED,
        cases=_ptile,
    ),
    Theorem(
        name="The search stops exactly at the plans with more buckets than hosts",
        clauses=("PAR-2",),
        scope="all numbers, of `may_hold` alone",
        cases=_may_hold,
    ),
)
"""The theorems of this module."""
