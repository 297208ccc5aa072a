"""Ingest: whether a job can be meant, and its counts and keys, once, at submission."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from allotment_model.answers import Refusal
from allotment_model.cache import key_of
from allotment_model.cluster import (
    LARGEST_AMOUNT,
    LARGEST_TASKS,
    SLOTS,
    AttributeType,
    Identity,
    Resources,
)
from allotment_model.request import (
    Attribute,
    Compound,
    Defined,
    Expression,
    Job,
    Number,
    Per,
    Primary,
    Tasks,
)
from allotment_model.select import depth, parts_of, type_of
from allotment_model.why import Keys

if TYPE_CHECKING:
    from allotment_model.rules import Rules

DEEPEST_SELECT = 100
"""INGEST-2, `syntax`: more levels than this are not a filter that somebody wrote."""


def keys_of(job: Job, resources: Resources, rules: "Rules") -> Keys:
    """CACHE-1: the keys of all primaries, with the counts of INGEST-1."""
    return tuple(
        tuple(
            key_of(primary, rules.tasks_of(primary, job), job, resources, rules)
            for primary in compound
        )
        for compound in job.request
    )


def tasks_of(primary: Primary, job: Job) -> Tasks:
    """INGEST-1: the primary's own counts, or else the job's."""
    # With neither, only a variant that ignores the code `counts` comes here.
    return primary.tasks or job.tasks or Tasks(min=1, max=1)


def primaries(job: Job) -> Iterator[Primary]:
    """All primaries of a request."""
    return (primary for compound in job.request for primary in compound)


def selects(job: Job) -> Iterator[Expression]:
    """All select expressions of a request."""
    return (primary.select for primary in primaries(job) if primary.select is not None)


def expressions(job: Job) -> Iterator[Expression]:
    """All nodes of all select expressions of a request."""
    return (part for select in selects(job) for part in parts_of(select))


def lacks_identity(identity: Identity) -> bool:
    """INGEST-3: whether user, queue or project is empty."""
    return "" in (identity.user, identity.queue, identity.project)


def has_empty_compound(job: Job) -> bool:
    """INGEST-2: whether there is nothing to place in an alternative, or no alternative."""
    return not job.request or not all(job.request)


def counts_out_of_range(job: Job) -> bool:
    """INGEST-2: whether a count that is given is outside 1 … 2^20, or min > max."""
    given = [job.tasks, *(primary.tasks for primary in primaries(job))]
    return any(
        not 1 <= tasks.min <= tasks.max <= LARGEST_TASKS for tasks in given if tasks is not None
    )


def counts_disagree(job: Job) -> bool:
    """INGEST-1: whether the counts of job, alternatives and parts contradict or lack."""
    totals = [_total(compound, job.tasks) for compound in job.request]
    expected = job.tasks or next(iter(totals), None)
    return expected is None or any(total != expected for total in totals)


def _total(compound: Compound, of_job: Tasks | None) -> Tasks | None:
    """The summed counts of an alternative; None if a count is lacking."""
    if len(compound) == 1:
        return compound[0].tasks or of_job
    counts = [primary.tasks for primary in compound]
    given = [tasks for tasks in counts if tasks is not None]
    if len(given) < len(counts):
        return None
    return Tasks(min=sum(tasks.min for tasks in given), max=sum(tasks.max for tasks in given))


def span_out_of_range(job: Job) -> bool:
    """INGEST-2: whether a bound of a span is outside 1 … 2^20."""
    bounds = (
        bound
        for span in (primary.span for primary in primaries(job))
        for bound in (span.hosts_min, span.hosts_max, span.tasks_per_host, span.ptile)
    )
    return any(bound is not None and not 1 <= bound <= LARGEST_TASKS for bound in bounds)


def names_slots(job: Job) -> bool:
    """INGEST-2: whether a rusage asks for `slots`, which the tasks already do."""
    return any(entry.resource == SLOTS for primary in primaries(job) for entry in primary.rusage)


def names_unknown(job: Job, resources: Resources) -> bool:
    """RES-1: whether a rusage or a select uses a name that is not declared for that."""
    asked = {entry.resource for primary in primaries(job) for entry in primary.rusage}
    known = {SLOTS, *resources.host, *resources.shared, *resources.attributes}
    return not asked <= {SLOTS, *resources.host, *resources.shared} or not read_by(job) <= known


def read_by(job: Job) -> set[str]:
    """The names that the selects of a job read."""
    return {part.name for part in expressions(job) if isinstance(part, Attribute | Defined)}


def reads_amount(job: Job, resources: Resources) -> bool:
    """SELECT-1: whether a select reads `slots` or an amount."""
    return not read_by(job).isdisjoint({SLOTS, *resources.host, *resources.shared})


def mixes_types(job: Job, resources: Resources) -> bool:
    """SELECT-2: whether a select mixes numbers and texts, or is a text."""
    return any(type_of(select, resources.attributes) != "number" for select in selects(job))


def has_per(job: Job, per: Per, resources: Iterable[str]) -> bool:
    """RES-3: whether a rusage has this `per` on one of these resources."""
    return any(
        entry.per is per and entry.resource in resources
        for primary in primaries(job)
        for entry in primary.rusage
    )


def amounts_out_of_range(job: Job) -> bool:
    """AMOUNT-1, AMOUNT-2: whether an amount, a product or a number of a select is too large."""
    numbers = (part.thousandths for part in expressions(job) if isinstance(part, Number))
    return any(abs(number) > LARGEST_AMOUNT for number in numbers) or any(
        not _amounts_in_range(primary, tasks_of(primary, job)) for primary in primaries(job)
    )


def _amounts_in_range(primary: Primary, tasks: Tasks) -> bool:
    sums: dict[str, int] = {}
    for entry in primary.rusage:
        if not is_amount(entry.amount):
            return False
        sums[entry.resource] = sums.get(entry.resource, 0) + entry.amount
    return all(is_amount(tasks.max * total) for total in sums.values())


def is_amount(amount: int) -> bool:
    """AMOUNT-1: whether an integer is an amount."""
    return 0 <= amount <= LARGEST_AMOUNT


def attributes_of_wrong_type(
    attributes: Mapping[str, int | str | None], types: Mapping[str, AttributeType]
) -> bool:
    """INGEST-2: whether a declared attribute is given a value of the other type."""
    python_types = {AttributeType.NUMBER: int, AttributeType.TEXT: str}
    return any(
        name in types and value is not None and not isinstance(value, python_types[types[name]])
        for name, value in attributes.items()
    )


def submission_checks(
    job: Job, resources: Resources, name_is_taken: bool
) -> Iterator[tuple[Refusal, Callable[[], bool]]]:
    """INGEST-2, SESSION-7: all that may be wrong with a job, in the order of the codes."""
    yield Refusal.DUPLICATE_NAME, lambda: name_is_taken
    yield Refusal.IDENTITY_MISSING, lambda: lacks_identity(job.identity)
    yield Refusal.EMPTY_COMPOUND, lambda: has_empty_compound(job)
    yield Refusal.TASKS_RANGE, lambda: counts_out_of_range(job)
    yield Refusal.COUNTS, lambda: counts_disagree(job)
    yield Refusal.SPAN_RANGE, lambda: span_out_of_range(job)
    yield Refusal.SLOTS_IN_RUSAGE, lambda: names_slots(job)
    yield Refusal.UNKNOWN_RESOURCE, lambda: names_unknown(job, resources)
    yield Refusal.NOT_AN_ATTRIBUTE, lambda: reads_amount(job, resources)
    yield Refusal.TYPE, lambda: mixes_types(job, resources)
    yield Refusal.PER_HOST_ON_POOL, lambda: has_per(job, Per.HOST, resources.shared)
    yield Refusal.PER_JOB_ON_HOST, lambda: has_per(job, Per.JOB, resources.host)
    yield Refusal.AMOUNT_RANGE, lambda: amounts_out_of_range(job)
    yield Refusal.SYNTAX, lambda: any(depth(select) > DEEPEST_SELECT for select in selects(job))


def first_refusal(
    checks: Iterable[tuple[Refusal, Callable[[], bool]]], ignored: frozenset[Refusal]
) -> Refusal | None:
    """INGEST-2: the first code that applies. The spec ignores none."""
    return next((code for code, applies in checks if code not in ignored and applies()), None)
