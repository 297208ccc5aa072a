"""The rules: every decision of the spec, as one record of named functions.

`SPEC` is the specification. A profile's legal choices are other values of the record
(`rules_for`), and so are the wrong rules of `variants.py`: the spec with one function replaced.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from allotment_model import (
    accounts,
    arithmetic,
    attempt,
    cache,
    ingest,
    plans,
    runs,
    scheduler,
    search,
    select,
    why,
)
from allotment_model.accounts import Account, Ledger
from allotment_model.answers import Category, Part, Refusal
from allotment_model.cache import Cache, Key
from allotment_model.cluster import Cluster, Host, Identity, LimitId, Scope
from allotment_model.plans import Plan
from allotment_model.request import Expression, Job, Per, Primary, Span, Tasks
from allotment_model.search import Placement
from allotment_model.why import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One function for each decision; the defaults are the spec, and say what each means."""

    # Plans
    plans: Callable[[int, Span], Iterator[Plan]] = plans.plans
    may_hold: Callable[[int, int], bool] = arithmetic.may_hold
    buckets_to_place: Callable[[Plan], Plan] = search.buckets_to_place
    # Hosts
    host_order: Callable[[Ledger, "Rules"], list[Host]] = search.listed
    hosts_to_search: Callable[[list[Host], tuple[str, ...]], list[Host]] = search.hosts_to_search
    is_open: Callable[[Host], bool] = search.is_open
    passes: Callable[[Expression | None, Mapping[str, int | str]], bool] = select.passes
    is_passed_over: Callable[[str, set[str]], bool] = search.is_passed_over
    search_starts: Callable[[], bool] = search.search_starts
    # Wants
    want: Callable[[int, int, int], int] = arithmetic.want
    shared_want: Callable[[int, int, int], int] = arithmetic.shared_want
    add_entry: Callable[[int, int], int] = arithmetic.add_entry
    rusage_default: Per = Per.TASK
    limits_that_apply: Callable[[Iterable[LimitId], Identity], list[LimitId]] = (
        accounts.limits_that_apply
    )
    limit_scope: Callable[[LimitId], Scope] = accounts.limit_scope
    limit_host: Callable[[str, str], str] = search.limit_host
    capacity: Callable[[Cluster, Account], int] = accounts.capacity
    # The ledger
    free: Callable[[int, int], int] = arithmetic.free
    fits: Callable[[int, int], bool] = arithmetic.fits
    host_used_seen: Callable[[int, int], int] = arithmetic.used_seen
    pool_used_seen: Callable[[int, int], int] = arithmetic.used_seen
    limit_used_seen: Callable[[int, int], int] = arithmetic.used_seen
    debit: Callable[[int, int], int] = arithmetic.debit
    reverse: Callable[[int, int, bool], tuple[int, bool]] = arithmetic.reverse
    # Compounds and alternatives
    rules_for_part: Callable[["Rules", bool], "Rules"] = attempt.rules_for_part
    is_whole: Callable[[int, int], bool] = arithmetic.is_whole
    alternatives_in_order: Callable[[int], Iterable[int]] = attempt.alternatives_in_order
    settle: Callable[[Ledger, Ledger, bool], Ledger] = arithmetic.settle
    # The cache
    cache_key: Callable[[Key], Key] = cache.cache_key
    may_fill: Callable[[int], bool] = arithmetic.may_fill
    hit_ends_attempt: Callable[[], bool] = cache.hit_ends_attempt
    category_of_hit: Callable[[Category], Category] = cache.category_of_hit
    emptied: Callable[[Cache], Cache] = cache.emptied
    # Sessions
    queue_order: Callable[[int, int], tuple[int, int]] = arithmetic.queue_order
    stays_queued: Callable[[], bool] = runs.stays_queued
    finish_takes_effect_at_once: Callable[[], bool] = scheduler.takes_effect_at_once
    change_takes_effect_at_once: Callable[[], bool] = scheduler.takes_effect_at_once
    credit: Callable[[int, int], int] = arithmetic.credit
    limit_use_at_begin: Callable[[int, int], int] = arithmetic.limit_use_at_begin
    # Answers
    is_placeable: Callable[[Key, Ledger, "Rules"], bool] = search.is_placeable
    part_of: Callable[[Placement], Part] = search.part_of
    category: Callable[[Key, Ledger, "Rules"], Category] = why.category
    is_never: Callable[[Keys, Cluster, "Rules"], bool] = why.is_never
    emptiest: Callable[[Cluster], Cluster] = why.emptiest
    is_cached: Callable[[bool], bool] = attempt.is_cached
    # Ingest
    tasks_of: Callable[[Primary, Job], Tasks] = ingest.tasks_of
    ignored_refusals: frozenset[Refusal] = frozenset()


SPEC = Rules()
"""The specification, for host order `listed`, a transparent cache and per-task defaults."""
