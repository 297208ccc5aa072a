"""Wrong rules that a listed test must notice: the model's variants, and what is below.

A variant replaces a field of the rules. What is below replaces a function, wherever it is named,
or a method of the built-in allocator's iterators.
"""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.zoo.faults import FAULTS
from allotment_impl import plans as impl_plans
from allotment_impl.cancellation import CancellationToken
from allotment_impl.candidates import CandidateHosts
from allotment_impl.plans import SplitPlans
from allotment_model import arithmetic, plans, search
from allotment_model.oracle import accepts, profile
from allotment_model.plans import Plan
from allotment_model.request import Span
from allotment_model.rules import SPEC, Rules
from allotment_model.variants import VARIANTS
from house import planted, sources

Wrong = Callable[[pytest.MonkeyPatch], None]


def swap(patch: pytest.MonkeyPatch, right: Callable[..., Any], wrong: Callable[..., Any]) -> None:
    """Put a wrong function in the place of a right one, in the rules and wherever else it is named.

    This module goes on naming the right one, of which wrong ones are made.
    """
    for field in fields(Rules):
        if getattr(SPEC, field.name) is right:
            object.__setattr__(SPEC, field.name, wrong)
    for module in [one for one in sys.modules.values() if one.__name__ != __name__]:
        for name, held in list(getattr(module, "__dict__", {}).items()):
            if held is right:
                patch.setattr(module, name, wrong)


def _swapped(right: Callable[..., Any], wrong: Callable[..., Any]) -> Wrong:
    return lambda patch: swap(patch, right, wrong)


def _with_rules(rules: Rules) -> Wrong:
    def apply(patch: pytest.MonkeyPatch) -> None:
        for field in fields(Rules):
            object.__setattr__(SPEC, field.name, getattr(rules, field.name))

    return apply


def _endless_plans(tasks: int, span: Span) -> Iterator[Plan]:
    return cycle(plans.balanced_split(tasks, hosts) for hosts in range(1, tasks + 1))


def _plans_for_hosts(tasks: int, span: Span, hosts: Sequence[object] = ()) -> Iterator[Plan]:
    return (plans.balanced_split(tasks, count) for count in range(1, len(hosts) + 1))


def _shrinking_want(per_task: int, per_host: int, slots: int) -> int:
    return slots * per_task + per_host // slots


def _reversed_again(used: int, amount: int, held: bool) -> tuple[int, bool]:
    return used - amount, held


def _last_given_back(claims: tuple[Any, ...], ledger: Any, rules: Rules) -> Any:
    return _GIVE_BACK_ALL(claims[-1:], ledger, rules)


_GIVE_BACK_ALL, _SEARCH_BUCKET, _CANDIDATES = (
    search.give_back_all,
    search.search_bucket,
    search.candidates,
)


def _exhausted_if_not_started(
    slots: int, hosts: Iterable[Any], claims: Any, key: Any, ledger: Any, rules: Rules
) -> Generator[Any, None, Any]:
    if rules.search_starts():
        return (yield from _SEARCH_BUCKET(slots, hosts, claims, key, ledger, rules))
    return None, ()


def _one_search_for_all(patch: pytest.MonkeyPatch) -> None:
    searches: dict[str, Any] = {}

    def candidates(*given: Any) -> Any:
        return searches.setdefault("the one", iter(_CANDIDATES(*given)))

    swap(patch, search.candidates, candidates)


def _all_plans_at_the_start(patch: pytest.MonkeyPatch) -> None:
    made: dict[int, list[Any]] = {}

    def start(self: SplitPlans, demand: Any, token: Any) -> None:
        counts = impl_plans.host_counts(demand.tasks, demand.span)
        made[id(self)] = [impl_plans.make_plan(demand.tasks, demand.span, k) for k in counts]

    patch.setattr(SplitPlans, "start", start)
    patch.setattr(SplitPlans, "next", lambda self: made[id(self)].pop(0))


def _one_plan_changed_each_time(patch: pytest.MonkeyPatch) -> None:
    right, handed_out = SplitPlans.next, dict[int, Any]()

    def next_plan(self: SplitPlans) -> Any:
        made = right(self)
        if made is None:
            return None
        held = handed_out.setdefault(id(self), made)
        object.__setattr__(held, "runs", made.runs)
        return held

    patch.setattr(SplitPlans, "next", next_plan)


def _close_does_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SplitPlans, "close", lambda self: None)


def _polls_of_another_token(owner: type[SplitPlans | CandidateHosts]) -> Wrong:
    def apply(patch: pytest.MonkeyPatch) -> None:
        right: Callable[..., None] = owner.start

        def start(self: Any, *given: Any) -> None:
            right(self, *given[:-1], CancellationToken())

        patch.setattr(owner, "start", start)

    return apply


def _hosts_close_plans(patch: pytest.MonkeyPatch) -> None:
    right_start, right_close = SplitPlans.start, CandidateHosts.close
    begun: list[SplitPlans] = []

    def start(self: SplitPlans, *given: Any) -> None:
        begun.append(self)
        right_start(self, *given)

    def close(self: CandidateHosts) -> None:
        right_close(self)
        begun.pop().close()

    patch.setattr(SplitPlans, "start", start)
    patch.setattr(CandidateHosts, "close", close)


def _keeps_claims_when_cancelled(patch: pytest.MonkeyPatch) -> None:
    from allotment_impl.attempt import Attempt

    patch.setattr(Attempt, "reverse_to", lambda self, mark: None)


def _planted_source(patch: pytest.MonkeyPatch) -> None:
    right = sources.python_files

    def python_files(folder: Path) -> list[Path]:
        return [*right(folder), Path(planted.__file__)]

    swap(patch, right, python_files)


(_FLOATS,) = (one for one in FAULTS if one.name.startswith("a ledger of floating numbers"))

WRONG: dict[str, Wrong] = {
    **{variant.name: _with_rules(variant.of()) for variant in VARIANTS},
    "all plans are made at the start": _all_plans_at_the_start,
    "one plan is changed at each call": _one_plan_changed_each_time,
    "plans start over at their end": _swapped(plans.plans, _endless_plans),
    "closing plans does nothing": _close_does_nothing,
    "plans do not poll the token": _polls_of_another_token(SplitPlans),
    "plans look at the hosts": _swapped(plans.plans, _plans_for_hosts),
    "one search for all buckets": _one_search_for_all,
    "closing hosts closes plans": _hosts_close_plans,
    "hosts do not poll the token": _polls_of_another_token(CandidateHosts),
    "a failed start is an exhaustion": _swapped(_SEARCH_BUCKET, _exhausted_if_not_started),
    "a want that shrinks": _swapped(arithmetic.want, _shrinking_want),
    "reversed again and again": _swapped(arithmetic.reverse, _reversed_again),
    "only the last claim is given back": _swapped(_GIVE_BACK_ALL, _last_given_back),
    "a cancelled attempt keeps its claims": _keeps_claims_when_cancelled,
    "a source that compares the mode and makes a float": _planted_source,
    _FLOATS.name: _with_rules(_FLOATS.make().rules),
}
"""By name."""


def known() -> set[str]:
    """The names of all wrong rules."""
    return {*WRONG}


@contextmanager
def in_force(name: str | None) -> Iterator[None]:
    """The rules with a wrong one in force, if one is named; as they were when this ends."""
    if name is None:
        yield
        return
    before = {field.name: getattr(SPEC, field.name) for field in fields(Rules)}
    _forget_rules_that_were_made()
    with pytest.MonkeyPatch.context() as patch:
        try:
            WRONG[name](patch)
            yield
        finally:
            for field, held in before.items():
                object.__setattr__(SPEC, field, held)
            _forget_rules_that_were_made()


def _forget_rules_that_were_made() -> None:
    """Have the rules of profiles made anew, of the rules that are in force."""
    profile.rules_for.cache_clear()
    accepts.rules_of_choices.cache_clear()
