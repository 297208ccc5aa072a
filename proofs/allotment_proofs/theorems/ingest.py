"""Theorems about what is accepted, and what a request means then (INGEST, TASKS-1, AMOUNT)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import eq

import z3

from allotment_model.answers import Ok, Refusal
from allotment_model.cache import Key, Need, normal_rusage
from allotment_model.cluster import Cluster, Identity, Resources
from allotment_model.events import Submit
from allotment_model.ingest import first_refusal, keys_of, submission_checks
from allotment_model.request import (
    Job,
    Number,
    Per,
    Primary,
    RusageEntry,
    Span,
    Tasks,
)
from allotment_model.rules import Rules
from allotment_model.scheduler import step
from allotment_model.state import Queued, State, initial
from allotment_model.why import Keys
from allotment_proofs.statement import (
    LARGEST_AMOUNT,
    LARGEST_TASKS,
    Case,
    Lifting,
    Term,
    Theorem,
)
from allotment_proofs.theorems.words import Told, first_of, first_wrong, is_empty
from allotment_proofs.theorems.world import WHO


def _counts(lifting: Lifting) -> Iterator[Case]:
    yield from _of_one(lifting)
    yield from _of_each(lifting)


def _of_each(lifting: Lifting) -> Iterator[Case]:
    """In two alternatives, of two primaries and of one, each primary has its own counts."""
    counts = z3.Ints("first second other")
    first, second, other = (Primary(tasks=Tasks(min=1, max=most)) for most in counts)
    job = Job(name="j", identity=WHO, request=((first, second), (other,)))
    found = lifting.of(keys_of, job, RESOURCES, lifting.rules)
    asked = [key.tasks_max for keys in found for key in keys]
    has_shape = z3.BoolVal([2, 1] == [len(keys) for keys in found])
    shown = {f"of_{number}": most for number, most in enumerate(asked)}
    told = ", ".join(f"{{{name}}}" for name in shown)
    yield Case(
        name="of each primary",
        claim=z3.And(has_shape, *map(eq, asked, counts)),
        told=f"primaries of {{first}} and {{second}} tasks, or else of {{other}}, ask for {told}",
        values=shown | {str(one): one for one in counts},
    )


def _part(tasks: Tasks | None, number: int) -> Primary:
    """A primary that differs from the others in all that a run sees; number 4 has no rusage."""
    return Primary(
        tasks=tasks,
        select=Number(thousandths=1000 * number),
        rusage=(RusageEntry(resource="memory", amount=number, per=Per.TASK),) * (number < 4),
        span=Span(ptile=number),
    )


def _key(least: Term, most: Term, number: int) -> Key:
    """SPEC.md's words for the key of that primary (ghost)."""
    return Key(
        tasks_min=least,
        tasks_max=most,
        select=Number(thousandths=1000 * number),
        rusage=(Need(resource="memory", per_task=number),) * (number < 4),
        span=Span(ptile=number),
        identity=SENDER,
    )


SENDER = Identity(**{name: z3.String(name) for name in ("user", "queue", "project")})
"""Any user, queue and project."""


def _wrong_in_queue(state: State, job: Job, keys: Keys, rules: Rules) -> Told:
    """What is wrong first when the job is submitted and has to pend with these keys."""
    after, answer = step(state, Submit(job=job), rules)
    queued = Queued(job=job, keys=keys, number=state.next_number)
    return first_wrong(
        {
            "the answer": lambda: (answer, Ok()),
            "which jobs pend": lambda: ([*after.pending], [*state.pending, job.name]),
            "the job": lambda: (after.pending[job.name].job, job),
            "its keys": lambda: (after.pending[job.name].keys, keys),
            "its number": lambda: (after.pending[job.name], queued),
        }
    )


def _as_submitted(lifting: Lifting) -> Iterator[Case]:
    """Of two parts, of the same counts in one, and of those of the job; beside a job that pends."""
    first, second, least, priority, number = z3.Ints("first second least priority number")
    total = Tasks(min=least + 1, max=first + second)
    parts = Tasks(min=least, max=first), Tasks(min=1, max=second)
    job = Job(
        name="j",
        identity=SENDER,
        request=(
            tuple(_part(one, place) for place, one in enumerate(parts, start=1)),
            (_part(total, 3),),
            (_part(None, 4),),
        ),
        tasks=total,
        priority=priority,
    )
    keys = (
        (_key(least, first, 1), _key(1, second, 2)),
        *((_key(least + 1, first + second, place),) for place in (3, 4)),
    )
    before = Queued(job=replace(job, name="before"), keys=keys, number=0)
    cluster = Cluster(resources=RESOURCES, hosts={}, pools={}, limits={})
    state = replace(initial(cluster), pending={"before": before}, next_number=number)
    claim, wrong = is_empty(lifting.paths(_wrong_in_queue, state, job, keys, lifting.rules))
    shown = {str(one): one for one in (first, second, least, priority, number)}
    yield Case(
        assumptions=(
            *(1 <= least, least <= first, 1 <= second, first + second <= LARGEST_TASKS),
            *(name != "" for name in (SENDER.user, SENDER.queue, SENDER.project)),
        ),
        claim=claim,
        told="job {number} of priority {priority}, of {least} to {first} tasks and one to "
        "{second}, or else their sum: wrong is {wrong}",
        values=shown | wrong,
    )


def _of_one(lifting: Lifting) -> Iterator[Case]:
    own_least, own_most, least, most = z3.Ints("own_least own_most least most")
    own, of_job = Tasks(min=own_least, max=own_most), Tasks(min=least, max=most)
    told = "a primary of {own_most} tasks, of a job of {most}, is taken for one of {taken}"
    for name, primary, expected in (
        ("of the primary", Primary(tasks=own), own_most),
        ("of the job", Primary(), most),
    ):
        job = Job(name="j", identity=WHO, request=((primary,),), tasks=of_job)
        taken = lifting.tasks_of(primary, job)
        yield Case(
            name=name,
            assumptions=(own_least >= 1, own_least <= own_most, least >= 1, least <= most),
            claim=taken.max == expected,
            told=told,
            values={"own_most": own_most, "most": most, "taken": taken.max},
        )


ENTRIES = z3.Ints("per_task more_per_task per_host by_default in_pool")
KNOWN = "tmp", "scratch", "swap", "disk"
"""What a rusage asks a known amount of: with the others more than four resources."""
RESOURCES = Resources(
    host=frozenset({"memory", *KNOWN}), shared=frozenset({"licence"}), attributes={}
)


def _normal_form(lifting: Lifting) -> Iterator[Case]:
    """Four entries of memory and one of licences, two of them without `per`, and the known ones."""
    per_task, more, per_host, by_default, in_pool = ENTRIES
    entries = [
        RusageEntry(resource="memory", amount=per_task, per=Per.TASK),
        RusageEntry(resource="licence", amount=in_pool),
        RusageEntry(resource="memory", amount=per_host, per=Per.HOST),
        RusageEntry(resource="memory", amount=more, per=Per.TASK),
        RusageEntry(resource="memory", amount=by_default),
        *(RusageEntry(resource=one, amount=5, per=Per.TASK) for one in KNOWN),
    ]
    lifting.rule("rusage_default")
    expected = (
        Need(resource="disk", per_task=5),
        Need(resource="licence", per_job=in_pool),
        Need(resource="memory", per_task=per_task + more + by_default, per_host=per_host),
        *(Need(resource=one, per_task=5) for one in ("scratch", "swap", "tmp")),
    )
    found = lifting.paths(normal_rusage, entries, RESOURCES, lifting.rules)
    shown = {str(one): one for one in ENTRIES}
    told = ", ".join(f"{name} {{{name}}}" for name in shown) + ": "
    yield Case(
        assumptions=tuple(amount >= 0 for amount in ENTRIES),
        claim=z3.And(
            *(z3.Implies(here, _are_needs(needs, expected)) for here, needs in found),
        ),
        name="sums",
        told=told + "{which} {sum}, and should be {right}",
        values=shown,
        more=lambda: _told_of_sums(found, expected),
    )
    yield Case(
        name="idempotent",
        assumptions=tuple(amount >= 0 for amount in ENTRIES),
        claim=lifting.of(_stays_normal, entries, lifting.rules),
        told=told + "the normal form of the normal form is another one",
        values=shown,
    )


def _told_of_sums(
    found: list[tuple[Term, tuple[Need, ...]]], expected: tuple[Need, ...]
) -> dict[str, Term]:
    """The first sum that is another one than expected, or else that their order is."""
    rows = []
    for here, needs in found:
        by_name = {need.resource: need for need in needs}
        for one in expected:
            other = by_name.get(one.resource, Need(resource=one.resource))
            for per in ("per_task", "per_host", "per_job"):
                total, right = (z3.IntVal(0) + getattr(need, per) for need in (other, one))
                told = f"the sum of {one.resource}, {per}, is"
                rows.append((z3.And(here, total != right), told, total, right))
    names = ("which", "sum", "right")
    return first_of(
        rows, ("the count of resources that are zero, unknown or out of order is", 1, 0), names
    )


def _stays_normal(entries: list[RusageEntry], rules: Rules) -> bool:
    """Whether the normal form, given as a rusage, is its own normal form."""
    needs = normal_rusage(entries, RESOURCES, rules)
    again = [
        RusageEntry(resource=need.resource, amount=amount, per=per)
        for need in needs
        for per, amount in (
            (Per.HOST, need.per_host),
            (Per.TASK, need.per_task),
            (Per.JOB, need.per_job),
        )
    ]
    return normal_rusage(again, RESOURCES, rules) == needs


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


BOUNDS = z3.Ints("hosts_min hosts_max tasks_per_host ptile")


def _in_range(lifting: Lifting) -> Iterator[Case]:
    """A primary of three tasks with two amounts of memory, two of licences, and all bounds."""
    per_task, more, per_host, by_default, _in_pool = ENTRIES
    entries = (
        RusageEntry(resource="memory", amount=per_task, per=Per.TASK),
        RusageEntry(resource="licence", amount=more, per=Per.TASK),
        RusageEntry(resource="memory", amount=per_host, per=Per.HOST),
        RusageEntry(resource="licence", amount=by_default, per=Per.JOB),
    )
    span = Span(**{str(bound): bound for bound in BOUNDS})
    primary = Primary(tasks=Tasks(min=1, max=3), rusage=entries, span=span)
    job = Job(name="j", identity=WHO, request=((primary,),))
    ignored = lifting.rule("ignored_refusals")
    found = lifting.paths(
        lambda job: first_refusal(submission_checks(job, RESOURCES, False), ignored), job
    )
    is_span = z3.And(*(z3.And(1 <= bound, bound <= LARGEST_TASKS) for bound in BOUNDS))
    sums = per_task + per_host, more + by_default
    is_amount = z3.And(
        *(amount >= 0 for amount in (per_task, more, per_host, by_default)),
        *(3 * total <= LARGEST_AMOUNT for total in sums),
    )
    expected = {
        Refusal.SPAN_RANGE: z3.Not(is_span),
        Refusal.AMOUNT_RANGE: z3.And(is_span, z3.Not(is_amount)),
        None: z3.And(is_span, is_amount),
    }
    shown = {str(one): one for one in (per_task, more, per_host, by_default, *BOUNDS)}
    yield Case(
        claim=z3.And(*(z3.Implies(here, expected.get(code, False)) for here, code in found)),
        told="three tasks with {per_task} memory each and {per_host} a host, with {more_per_task} "
        "licences each and {by_default} for all, on {hosts_min} to {hosts_max} hosts, at most "
        "{tasks_per_host} tasks on each, {ptile} on each: the answer is {found}, and should be "
        "{right}",
        values=shown | _found_and_right(found, expected),
    )


Codes = Sequence[tuple[Term, Refusal | None]]
"""Answers, each with the condition under which it is given; None is that of a job accepted."""


def _found_and_right(found: Codes, expected: Mapping[Refusal | None, Term]) -> dict[str, Term]:
    """The answer that is given and the one that is right, in words."""
    right = [(there, code) for code, there in expected.items()]
    return _in_words("found", found) | _in_words("right", right)


def _in_words(name: str, codes: Codes) -> dict[str, Term]:
    told = [(there, code.value if code else "accepted") for there, code in codes]
    return first_of(told, ("",), (name,))


def _tasks(name: str, is_given: bool) -> Tasks | None:
    least, most = z3.Ints(f"min_{name} max_{name}")
    return Tasks(min=least, max=most) if is_given else None


def _total(own: list[Tasks | None], of_job: Tasks | None) -> tuple[Term, Term] | None:
    """SPEC.md's words for the counts of an alternative (ghost)."""
    counts = [own[0] or of_job] if len(own) == 1 else own
    given = [one for one in counts if one is not None]
    if len(given) < len(counts):
        return None
    return sum(one.min for one in given), sum(one.max for one in given)


SHAPES = (
    (True, ((False,),)),
    (True, ((True,),)),
    (False, ((True,),)),
    (False, ((False,),)),
    (True, ((True, True),)),
    (False, ((True, True),)),
    (True, ((True, False),)),
    (False, ((True, False),)),
    (True, ((False,), (True, True))),
    (False, ((True,), (True, True))),
    (False, ((True,), (False,))),
    (False, ((True,), (True,), (True,))),
    (True, ((True, True, True),)),
)
"""Whether the job has counts, and for each alternative which of its primaries have."""


WORDS = "no counts", "counts"
"""Without them, and with them."""


def _counts_told(counts: Tasks | None) -> str:
    return f"{{{counts.min}}} to {{{counts.max}}} tasks" if counts else WORDS[False]


def _reconciled(lifting: Lifting) -> Iterator[Case]:
    ignored = lifting.rule("ignored_refusals")
    for has_counts, alternatives in SHAPES:
        of_job = _tasks("job", has_counts)
        own = [
            [_tasks(f"{number}_{part}", given) for part, given in enumerate(parts, start=1)]
            for number, parts in enumerate(alternatives, start=1)
        ]
        request = tuple(tuple(Primary(tasks=one) for one in parts) for parts in own)
        job = Job(name="j", identity=WHO, request=request, tasks=of_job)
        found = lifting.paths(
            lambda job: first_refusal(submission_checks(job, RESOURCES, False), ignored), job
        )
        given = [one for one in (of_job, *(one for parts in own for one in parts)) if one]
        in_range = z3.And(
            *(z3.And(1 <= one.min, one.min <= one.max, one.max <= LARGEST_TASKS) for one in given)
        )
        totals = [_total(parts, of_job) for parts in own]
        least, most = (of_job.min, of_job.max) if of_job else totals[0] or (0, 0)
        agree = z3.And(
            *(z3.And(one[0] == least, one[1] == most) if one else False for one in totals)
        )
        expected = {
            Refusal.TASKS_RANGE: z3.Not(in_range),
            Refusal.COUNTS: z3.And(in_range, z3.Not(agree)),
            None: z3.And(in_range, agree),
        }
        shown = {str(term): term for one in given for term in (one.min, one.max)}
        told = " or ".join(" + ".join(map(_counts_told, parts)) for parts in own)
        parts_told = " or ".join(" + ".join(WORDS[one] for one in parts) for parts in alternatives)
        yield Case(
            name=f"{WORDS[has_counts]} of the job, and of its parts {parts_told}",
            claim=z3.And(*(z3.Implies(here, expected.get(code, False)) for here, code in found)),
            told=f"the job has {_counts_told(of_job)}, its alternatives {told}: the answer is "
            "{found}, and should be {right}",
            values=shown | _found_and_right(found, expected),
        )


THEOREMS = (
    Theorem(
        name="A primary asks for the most tasks that it or else its job names",
        clauses=("INGEST-1", "TASKS-1"),
        scope="all counts, of `tasks_of` alone; and `keys_of` run whole, two alternatives of two "
        "primaries and of one",
        cases=_counts,
    ),
    Theorem(
        name="A job pends as it was submitted, with the key of each primary in the job's order",
        clauses=("INGEST-1", "CACHE-1", "ALTER-1"),
        scope="all counts, priorities, numbers and identities; one job of three alternatives, of "
        "two primaries and of one with the job's counts and without, of which no two are alike; "
        "the scheduler's step run whole",
        cases=_as_submitted,
        is_whole=True,
    ),
    Theorem(
        name="Counts are accepted exactly if they are in range and each alternative has the job's",
        clauses=("INGEST-1",),
        scope=(
            "all counts; a job with or without, up to two alternatives and parts with or without, "
            "or three with"
        ),
        cases=_reconciled,
        is_whole=True,
    ),
    Theorem(
        name="A rusage is summed by resource and per, and its normal form stays as it is",
        clauses=("WANT-2", "CACHE-1", "RES-3", "SHARED-1"),
        scope="all amounts of two resources, known ones of four more; one rusage of nine entries, "
        "run whole",
        cases=_normal_form,
    ),
    Theorem(
        name="Amounts are accepted exactly if no product of tasks and sums is beyond 2^53 - 1",
        clauses=("AMOUNT-1", "AMOUNT-2"),
        scope=(
            "all amounts and bounds; one primary of three tasks, its entries per task, per host "
            "and per job; all checks run"
        ),
        cases=_in_range,
        is_whole=True,
    ),
)
"""The theorems of this module."""
