"""The variants: the spec with one function replaced, each breaking the clauses that it names.

A variant is what an allocator does whose author missed a sentence of SPEC.md. The catalogue
shows that each sentence matters, measures whether a case exercises a clause, and names the fault
of an allocator that answers alike. The spec never imports it.
"""

from dataclasses import dataclass, replace

from allotment_model.answers import Refusal
from allotment_model.cluster import IdentityKind
from allotment_model.request import Per, Span
from allotment_model.rules import SPEC, Rules
from allotment_model.search import most_free
from allotment_model.variants import attempts, hosts, plans, sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A wrong rule: its name, the clauses that it breaks, and the one function that it replaces.

    `replaced` maps the field of `Rules` to its wrong value, so that the variant can be made of
    any profile's rules.
    """

    name: str
    breaks: tuple[str, ...]
    replaced: dict[str, object]

    def of(self, rules: Rules = SPEC) -> Rules:
        """These rules with the one function replaced."""
        return replace(rules, **self.replaced)  # type: ignore[arg-type]


def _variant(name: str, *breaks: str, **replaced: object) -> Variant:
    return Variant(name=name, breaks=breaks, replaced=replaced)


def _ignoring(code: Refusal, *breaks: str) -> Variant:
    return _variant(f"{code} is not refused", *breaks, ignored_refusals=frozenset({code}))


VARIANTS = (
    _variant("second plan first", "PLAN-1", plans=plans.second_plan_first),
    _variant("only the first plan", "PLAN-1", "PAR-2", plans=plans.only_first_plan),
    _variant("filled split", "PLAN-2", plans=plans.filled_plans),
    _variant("ascending buckets", "PLAN-3", "PAR-4", "PAR-5", plans=plans.ascending_plans),
    _variant("span bounds ignored", "PLAN-9", plans=plans.plans_without_bounds),
    _variant("ptile ignored", "PLAN-10", plans=plans.plans_without_ptile),
    _variant("ptile balanced", "PLAN-10", plans=plans.ptile_balanced),
    _variant("first bucket only", "PAR-1", "PAR-3", buckets_to_place=plans.first_bucket),
    _variant("one plan too few", "PAR-2", may_hold=plans.may_hold_strictly),
    _variant("select ignored", "HOST-1", "SELECT-5", passes=hosts.passes_all),
    _variant(
        "shared host cursor", "HOST-3", "HOST-6", "PAR-4", hosts_to_search=hosts.shared_cursor
    ),
    _variant("claimed host not passed over", "HOST-7", is_passed_over=hosts.never_passed_over),
    _variant("last host first", "SEQ-1", "HOST-9", host_order=hosts.last_first),
    _variant("most free host first", "HOST-9", host_order=most_free),
    _variant("least free host first", "HOST-9", host_order=hosts.least_free),
    _variant("closed hosts used", "SESSION-5", "HOST-1", is_open=hosts.always_open),
    _variant("per-host amount for each task", "WANT-1", want=hosts.per_host_for_each_task),
    _variant("per-task amount once", "WANT-1", want=hosts.per_task_once),
    _variant("last rusage entry wins", "WANT-2", add_entry=hosts.last_entry),
    _variant("rusage entry counted twice", "WANT-2", add_entry=hosts.entry_twice),
    _variant("exactly enough is not enough", "WANT-4", fits=hosts.fits_strictly),
    _variant("zero want blocked", "LIMIT-3", "SESSION-5", fits=hosts.fits_if_something_is_left),
    _variant(
        "zero amount asks for something", "LIMIT-3", "SESSION-5", add_entry=hosts.smallest_entry
    ),
    _variant("one short of the cap", "LIMIT-3", limit_used_seen=hosts.one_more_in_use),
    _variant("limit want of the first host", "WANT-5", limit_host=hosts.first_host),
    _variant(
        "user limits ignored", "LIMIT-1", limits_that_apply=hosts.limits_but_of(IdentityKind.USER)
    ),
    _variant(
        "queue limits ignored", "LIMIT-1", limits_that_apply=hosts.limits_but_of(IdentityKind.QUEUE)
    ),
    _variant(
        "project limits ignored",
        "LIMIT-1",
        limits_that_apply=hosts.limits_but_of(IdentityKind.PROJECT),
    ),
    _variant("named limit hides each", "LIMIT-1", limits_that_apply=hosts.named_hides_each),
    _variant("per-host limit over the cluster", "LIMIT-2", limit_scope=hosts.over_the_cluster),
    _variant("lacking amount is unlimited", "RES-2", capacity=hosts.unlimited_where_lacking),
    _variant("free goes negative", "SESSION-5", free=hosts.negative_free),
    _variant(
        "host debits of the attempt not seen", "COMPOUND-2", host_used_seen=hosts.used_at_start
    ),
    _variant("pool debits of the attempt not seen", "SHARED-2", pool_used_seen=hosts.used_at_start),
    _variant(
        "limit debits of the attempt not seen",
        "PAR-1",
        "LIMIT-2",
        "COMPOUND-2",
        limit_used_seen=hosts.used_at_start,
    ),
    _variant("no rollback", "UNDO-1", reverse=hosts.not_reversed),
    _variant(
        "failed work keeps its debits", "ALTER-2", "COMPOUND-3", "UNDO-4", settle=hosts.settle_all
    ),
    _variant(
        "per-job amount for each task", "SHARED-1", shared_want=hosts.job_amount_for_each_task
    ),
    _variant("per-task pool amount once", "SHARED-1", shared_want=hosts.task_amount_once),
    _variant("compound keeps parts", "COMPOUND-1", is_whole=attempts.whole_with_any_part),
    _variant("nested primaries unchecked", "ALTER-3", rules_for_part=attempts.nested_unchecked),
    _variant(
        "last alternative first", "ALTER-1", alternatives_in_order=attempts.last_alternative_first
    ),
    _variant(
        "first alternative only", "ALTER-1", alternatives_in_order=attempts.first_alternative_only
    ),
    _variant("key without tasks min", "CACHE-1", cache_key=attempts.key_without(tasks_min=0)),
    _variant("key without tasks max", "CACHE-1", cache_key=attempts.key_without(tasks_max=0)),
    _variant("key without select", "CACHE-1", cache_key=attempts.key_without(select=None)),
    _variant("key without rusage", "CACHE-1", cache_key=attempts.key_without(rusage=())),
    _variant("key without span", "CACHE-1", cache_key=attempts.key_without(span=Span())),
    _variant("key without user", "CACHE-1", cache_key=attempts.key_without_identity_part("user")),
    _variant("key without queue", "CACHE-1", cache_key=attempts.key_without_identity_part("queue")),
    _variant(
        "key without project", "CACHE-1", cache_key=attempts.key_without_identity_part("project")
    ),
    _variant("cache outlives the session", "CACHE-2", emptied=attempts.never_emptied),
    _variant("cache filled inside a compound", "CACHE-3", may_fill=attempts.fill_always),
    _variant("hit pends the job", "CACHE-4", hit_ends_attempt=attempts.hit_pends_the_job),
    _variant("hit loses its category", "CACHE-5", category_of_hit=attempts.always_capacity),
    _variant("cache never filled", "CACHE-8", may_fill=attempts.fill_never),
    _variant("priorities ignored", "SESSION-1", queue_order=sessions.submission_order),
    _variant("lowest priority first", "SESSION-1", queue_order=sessions.lowest_priority_first),
    _variant("latest submission first", "SESSION-1", queue_order=sessions.latest_first),
    _variant("pending job forgotten", "SESSION-6", stays_queued=sessions.lost_when_pending),
    _variant("finish credits at once", "SESSION-2", finish_takes_effect_at_once=sessions.at_once),
    _variant(
        "change takes effect at once", "SESSION-2", change_takes_effect_at_once=sessions.at_once
    ),
    _variant("leak at finish", "SESSION-4", "SESSION-3", credit=sessions.leak),
    _variant("credit twice", "SESSION-3", credit=sessions.credit_twice),
    _variant(
        "new limit counts from zero", "SESSION-3", limit_use_at_begin=sessions.new_limit_from_zero
    ),
    _variant("parts reported backwards", "PAR-3", part_of=sessions.parts_backwards),
    _variant("limit blamed before pool", "WHY-1", category=sessions.limit_before_shared),
    _variant("capacity always blamed", "WHY-1", category=sessions.always_blames_capacity),
    _variant("never if any alternative is", "WHY-2", is_never=sessions.never_of_any_alternative),
    _variant("never only if all parts are", "WHY-2", is_never=sessions.never_of_all_parts),
    _variant("never is never said", "WHY-2", is_never=sessions.never_says_never),
    _variant("closed hosts count as gone", "WHY-2", emptiest=sessions.emptiest_as_it_is),
    _variant("hit not told", "WHY-3", "CACHE-8", is_cached=sessions.hit_not_told),
    _variant("counts never arrive", "INGEST-1", tasks_of=sessions.one_task),
    _variant("fewest tasks placed", "TASKS-1", tasks_of=sessions.fewest_tasks),
    _variant("undefined attribute is zero", "SELECT-4", passes=sessions.undefined_is_zero),
    _variant("attributes cut to whole numbers", "SELECT-1", passes=sessions.whole_numbers),
    _variant("no short circuit", "SELECT-3", passes=sessions.no_short_circuit),
    _variant("per left out means per host", "RES-3", rusage_default=Per.HOST),
    _ignoring(Refusal.DUPLICATE_NAME, "SESSION-7", "INGEST-2"),
    _ignoring(Refusal.IDENTITY_MISSING, "INGEST-3", "INGEST-2"),
    _ignoring(Refusal.EMPTY_COMPOUND, "INGEST-2"),
    _ignoring(Refusal.TASKS_RANGE, "INGEST-2"),
    _ignoring(Refusal.COUNTS, "INGEST-1", "INGEST-2"),
    _ignoring(Refusal.SPAN_RANGE, "INGEST-2"),
    _ignoring(Refusal.SLOTS_IN_RUSAGE, "INGEST-2"),
    _ignoring(Refusal.UNKNOWN_RESOURCE, "RES-1", "INGEST-2"),
    _ignoring(Refusal.NOT_AN_ATTRIBUTE, "SELECT-1", "INGEST-2"),
    _ignoring(Refusal.TYPE, "SELECT-2", "INGEST-2"),
    _ignoring(Refusal.PER_HOST_ON_POOL, "RES-3", "LIMIT-2", "INGEST-2"),
    _ignoring(Refusal.PER_JOB_ON_HOST, "RES-3", "INGEST-2"),
    _ignoring(Refusal.AMOUNT_RANGE, "AMOUNT-2", "INGEST-2"),
    _ignoring(Refusal.SYNTAX, "INGEST-2"),
)
"""All variants, in the order of the clauses that they break first."""
