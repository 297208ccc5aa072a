"""Theorems about the cache, keys and counts (CACHE, TASKS-1, INGEST-1).

`fails(key, used)` is left open but for one thing: a primary that fails still fails where more is
in use, which follows from the theorem that less use never means less room. `used` stands for the
use of every account.
"""

from collections.abc import Iterator

import z3

from allotment_model.answers import Category, Refusal
from allotment_model.cache import Key, Need, normal_rusage
from allotment_model.cluster import LARGEST_AMOUNT, LARGEST_TASKS, Identity, Resources
from allotment_model.ingest import first_refusal, submission_checks
from allotment_model.request import Job, Per, Primary, RusageEntry, Span, Tasks
from allotment_proofs.statement import Case, Lifting, Term, Theorem

USED, DEBITS, AMOUNT, PARTS_BEFORE = z3.Ints("used debits amount parts_before")
FAILS = z3.Function("fails", z3.IntSort(), z3.BoolSort())
CATEGORY = z3.String("category")
SHOWN = {"used": USED, "debits": DEBITS, "amount": AMOUNT, "before": PARTS_BEFORE}


def _still_fails(less: Term, more: Term) -> Term:
    return z3.Implies(z3.And(FAILS(less), less <= more), FAILS(more))


def _filled_only_when_true(lifting: Lifting) -> Iterator[Case]:
    """Every cached key fails against the books: one case for each thing that may change that."""
    ledger = z3.If(PARTS_BEFORE == 0, USED, USED + DEBITS)
    yield Case(
        name="filled",
        assumptions=(PARTS_BEFORE >= 0, DEBITS > 0, FAILS(ledger)),
        claim=z3.Implies(lifting.may_fill(PARTS_BEFORE), FAILS(USED)),
        told="{used} in use, {before} parts before have taken {debits}: the key that failed in "
        "this ledger is filled in, and may be placed against the books",
        values=SHOWN,
    )
    after = lifting.debit(USED, AMOUNT)
    yield Case(
        name="dispatched",
        assumptions=(FAILS(USED), AMOUNT >= 0, _still_fails(USED, after)),
        claim=FAILS(after),
        told="{used} in use: a commit of {amount} lets a cached key be placed",
        values=SHOWN,
    )
    yield Case(
        name="failed attempt",
        assumptions=(FAILS(USED), USED >= 0, DEBITS > 0),
        claim=FAILS(lifting.settle(USED, USED + DEBITS, False)),
        told="{used} in use: a failed attempt that had taken {debits} changes the books",
        values=SHOWN,
    )
    at_once = lifting.finish_takes_effect_at_once(), lifting.change_takes_effect_at_once()
    yield Case(
        name="finish or change",
        claim=z3.BoolVal(not any(at_once)),
        told="books or capacities change within a session, while keys are cached",
    )
    yield Case(
        name="session begins",
        claim=z3.BoolVal(not lifting.emptied({"key": Category.CAPACITY})),
        told="a key of the last session is in the cache, while books and capacities change",
    )


def _filled_whenever_alone(lifting: Lifting) -> Iterator[Case]:
    yield Case(
        assumptions=(PARTS_BEFORE == 0,),
        claim=lifting.may_fill(PARTS_BEFORE),
        told="a first part fails and its key is not filled in",
    )


def _transparent(lifting: Lifting) -> Iterator[Case]:
    """A hit answers what the search would: the primary fails, and the ledger stays."""
    yield Case(
        name="hit in any ledger",
        assumptions=(FAILS(USED), DEBITS >= 0, _still_fails(USED, lifting.debit(USED, DEBITS))),
        claim=FAILS(lifting.debit(USED, DEBITS)),
        told="{used} in use, {debits} taken by parts before: a hit fails what would be placed",
        values=SHOWN,
    )
    yield Case(
        name="the attempt goes on",
        claim=z3.BoolVal(not lifting.hit_ends_attempt()),
        told="a hit ends the attempt, where a failure would not",
    )
    yield Case(
        name="category",
        claim=lifting.category_of_hit(CATEGORY) == CATEGORY,
        told="a hit on a key that failed for {category} reports {told}",
        values={"category": CATEGORY, "told": lifting.category_of_hit(CATEGORY)},
    )
    hit = z3.Bool("hit")
    yield Case(
        name="told",
        claim=lifting.is_cached(hit) == hit,
        told="the answer says the reverse of whether its category came from a hit",
    )


def _key(number: int) -> Key:
    """A key whose every field is a term."""
    least, most = z3.Ints(f"least_{number} most_{number}")
    select, rusage, span = (
        z3.Const(f"{name}_{number}", z3.DeclareSort(name)) for name in ("Select", "Rusage", "Span")
    )
    user, queue, project = (z3.String(f"{name}_{number}") for name in ("user", "queue", "project"))
    return Key(
        tasks_min=least,
        tasks_max=most,
        select=select,
        rusage=rusage,
        span=span,
        identity=Identity(user=user, queue=queue, project=project),
    )


def _fields(key: Key) -> tuple[Term, ...]:
    """All that the search reads of a key; tests hold this against its source."""
    who = key.identity
    return (key.tasks_max, key.select, key.rusage, key.span, who.user, who.queue, who.project)


def _equal_keys(one: Key, other: Key) -> Term:
    fields = zip((one.tasks_min, *_fields(one)), (other.tasks_min, *_fields(other)), strict=True)
    return z3.And(*(first == second for first, second in fields))


def _verdicts(lifting: Lifting) -> Iterator[Case]:
    one, other = _key(1), _key(2)
    sorts = [field.sort() for field in _fields(one)]
    verdict = z3.Function("verdict", *sorts, z3.BoolSort())
    yield Case(
        assumptions=(_equal_keys(lifting.cache_key(one), lifting.cache_key(other)),),
        claim=verdict(*_fields(one)) == verdict(*_fields(other)),
        told="requests of {most_1} and {most_2} tasks have one key and two verdicts",
        values={"most_1": one.tasks_max, "most_2": other.tasks_max},
    )


def _content(lifting: Lifting) -> Iterator[Case]:
    one, other = _key(1), _key(2)
    names = ("tasks_min", "tasks_max", "select", "rusage", "span", "user", "queue", "project")
    equal = _equal_keys(lifting.cache_key(one), lifting.cache_key(other))
    firsts, seconds = (one.tasks_min, *_fields(one)), (other.tasks_min, *_fields(other))
    for name, first, second in zip(names, firsts, seconds, strict=True):
        yield Case(
            name=name,
            assumptions=(equal,),
            claim=first == second,
            told=f"requests that differ in {name} have one key",
        )


def _counts(lifting: Lifting) -> Iterator[Case]:
    own_least, own_most, least, most = z3.Ints("own_least own_most least most")
    own, of_job = Tasks(min=own_least, max=own_most), Tasks(min=least, max=most)
    who = Identity(user="u", queue="q", project="p")
    told = "a primary of {own_most} tasks, of a job of {most}, is taken for one of {taken}"
    for name, primary, expected in (
        ("of the primary", Primary(tasks=own), own_most),
        ("of the job", Primary(), most),
    ):
        job = Job(name="j", identity=who, request=((primary,),), tasks=of_job)
        taken = lifting.tasks_of(primary, job)
        yield Case(
            name=name,
            assumptions=(own_least >= 1, own_least <= own_most, least >= 1, least <= most),
            claim=taken.max == expected,
            told=told,
            values={"own_most": own_most, "most": most, "taken": taken.max},
        )


ENTRIES = z3.Ints("per_task more_per_task per_host by_default in_pool")
RESOURCES = Resources(host=frozenset({"memory"}), shared=frozenset({"licence"}), attributes={})


def _normal_form(lifting: Lifting) -> Iterator[Case]:
    """Four entries of memory and one of licences, two of them without `per`."""
    per_task, more, per_host, by_default, in_pool = ENTRIES
    entries = [
        RusageEntry(resource="memory", amount=per_task, per=Per.TASK),
        RusageEntry(resource="licence", amount=in_pool),
        RusageEntry(resource="memory", amount=per_host, per=Per.HOST),
        RusageEntry(resource="memory", amount=more, per=Per.TASK),
        RusageEntry(resource="memory", amount=by_default),
    ]
    lifting.rule("rusage_default")
    expected = (
        Need(resource="licence", per_job=in_pool),
        Need(resource="memory", per_task=per_task + more + by_default, per_host=per_host),
    )
    found = lifting.paths(normal_rusage, entries, RESOURCES, lifting.rules)
    shown = {str(one): one for one in ENTRIES}
    yield Case(
        assumptions=tuple(amount >= 0 for amount in ENTRIES),
        claim=z3.And(
            *(z3.Implies(here, _are_needs(needs, expected)) for here, needs in found),
        ),
        told=", ".join(f"{name} {{{name}}}" for name in shown) + ": the sums are others",
        values=shown,
    )


def _are_needs(found: tuple[Need, ...], expected: tuple[Need, ...]) -> Term:
    """Whether these are the needs that are not zero, in order."""
    names = [need.resource for need in found]
    ordered = z3.BoolVal(names == sorted({*names}))
    by_name = {need.resource: need for need in found}
    return z3.And(
        ordered,
        *(
            _is_need(by_name.get(one.resource, Need(resource=one.resource)), one)
            for one in expected
        ),
        *(need.per_task + need.per_host + need.per_job > 0 for need in found),
    )


def _is_need(found: Need, expected: Need) -> Term:
    return z3.And(
        z3.BoolVal(True),
        found.per_task == expected.per_task,
        found.per_host == expected.per_host,
        found.per_job == expected.per_job,
    )


HOSTS_MAX = z3.Int("hosts_max")


def _in_range(lifting: Lifting) -> Iterator[Case]:
    """A primary of three tasks with one amount for each task and one for each host."""
    per_task, _more, per_host, *_others = ENTRIES
    entries = (
        RusageEntry(resource="memory", amount=per_task, per=Per.TASK),
        RusageEntry(resource="memory", amount=per_host, per=Per.HOST),
    )
    primary = Primary(tasks=Tasks(min=1, max=3), rusage=entries, span=Span(hosts_max=HOSTS_MAX))
    who = Identity(user="u", queue="q", project="p")
    job = Job(name="j", identity=who, request=((primary,),))
    ignored = lifting.rule("ignored_refusals")
    found = lifting.paths(
        lambda job: first_refusal(submission_checks(job, RESOURCES, False), ignored), job
    )
    is_span = z3.And(HOSTS_MAX >= 1, HOSTS_MAX <= LARGEST_TASKS)
    is_amount = z3.And(per_task >= 0, per_host >= 0, 3 * (per_task + per_host) <= LARGEST_AMOUNT)
    expected = {
        Refusal.SPAN_RANGE: z3.Not(is_span),
        Refusal.AMOUNT_RANGE: z3.And(is_span, z3.Not(is_amount)),
        None: z3.And(is_span, is_amount),
    }
    shown = {"per_task": per_task, "per_host": per_host, "hosts_max": HOSTS_MAX}
    yield Case(
        claim=z3.And(*(z3.Implies(here, expected.get(code, False)) for here, code in found)),
        told="three tasks with {per_task} each and {per_host} a host, on at most {hosts_max} "
        "hosts, are accepted or refused, and should not be",
        values=shown,
    )


THEOREMS = (
    Theorem(
        name="Every cached key fails against the present books",
        clauses=("CACHE-9", "CACHE-2", "CACHE-3", "SESSION-2"),
        scope="unbounded, by induction over events; that a failure lasts is a theorem of its own",
        cases=_filled_only_when_true,
    ),
    Theorem(
        name="A primary that fails with no part before it is filled in",
        clauses=("CACHE-8", "CACHE-3"),
        scope="unbounded",
        cases=_filled_whenever_alone,
    ),
    Theorem(
        name="A hit answers what the search would, also inside a compound",
        clauses=("CACHE-6", "CACHE-4", "CACHE-5", "WHY-3"),
        scope="unbounded; for keys that fail against the books, as all cached keys do",
        cases=_transparent,
    ),
    Theorem(
        name="Equal keys have equal verdicts, whatever the ledger",
        clauses=("CACHE-1", "TASKS-1"),
        scope="unbounded; that the search reads nothing else of a job is tested on its source",
        cases=_verdicts,
    ),
    Theorem(
        name="Requests that differ in a field have different keys",
        clauses=("CACHE-1",),
        scope="unbounded; one case a field",
        cases=_content,
    ),
    Theorem(
        name="A primary asks for the most tasks that it or else its job names",
        clauses=("INGEST-1", "TASKS-1"),
        scope="unbounded",
        cases=_counts,
    ),
    Theorem(
        name="A rusage is summed by resource and per, defaults filled in, nothing asked dropped",
        clauses=("WANT-2", "CACHE-1", "RES-3", "SHARED-1"),
        scope="all amounts; one rusage of five entries, run whole",
        cases=_normal_form,
    ),
    Theorem(
        name="Amounts are accepted exactly if no product of tasks and sums is beyond 2^53 - 1",
        clauses=("AMOUNT-1", "AMOUNT-2"),
        scope="all amounts and bounds; one primary of three tasks, every check of ingest run",
        cases=_in_range,
        is_whole=True,
    ),
)
"""The theorems of this module."""
