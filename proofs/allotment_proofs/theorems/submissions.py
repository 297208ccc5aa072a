"""Submissions, right and wrong, by what SPEC.md says of each code (INGEST-2).

A request has two alternatives, of two primaries and of one. What is wrong stands in the second
primary, or in the second alternative, or is said of the job.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import combinations
from typing import Any

import z3

from allotment_model import scheduler
from allotment_model.answers import Ok, Refusal, Refused
from allotment_model.cluster import SLOTS, AttributeType, Identity
from allotment_model.events import Event, Submit
from allotment_model.request import (
    Attribute,
    Defined,
    Expression,
    Job,
    Number,
    Operation,
    Per,
    Primary,
    RusageEntry,
    Span,
    Tasks,
    Text,
)
from allotment_model.rules import Rules
from allotment_model.state import State
from allotment_proofs.statement import (
    DEEPEST_SELECT,
    LARGEST_AMOUNT,
    LARGEST_TASKS,
    Case,
    Lifting,
    Term,
)
from allotment_proofs.theorems.events import (
    DONE,
    GONE,
    RUNNING,
    WAITING,
    small_cluster,
    small_state,
    with_cached_key,
)
from allotment_proofs.theorems.words import first_of
from allotment_proofs.theorems.world import WHO

MOST = LARGEST_AMOUNT
ONE, TWO = Tasks(min=1, max=1), Tasks(min=2, max=2)
NUMBER = Number(thousandths=1000)
PART, WHOLE = (Primary(tasks=one, select=NUMBER) for one in (ONE, TWO))
REQUEST = ((PART, PART), (WHOLE,))

Change = Callable[[Job], Job]


def _job_with(flaws: Mapping[int, Change | Mapping[str, Any]]) -> Job:
    """The job with what is said of primaries, each in its alternative from 0, and of the job."""
    request = list(REQUEST)
    for place, flaw in flaws.items():
        if isinstance(flaw, Mapping):
            *before, last = request[place]
            request[place] = (*before, replace(last, **flaw))
    job = Job(name="new", identity=WHO, request=tuple(request))
    for flaw in flaws.values():
        job = job if isinstance(flaw, Mapping) else flaw(job)
    return job


def _asks(resource: str, amount: int = 1, per: Per | None = None) -> Mapping[str, Any]:
    """A rusage that asks for memory and licences first."""
    entry = RusageEntry(resource=resource, amount=amount, per=per)
    before = (RusageEntry(resource=one, amount=0) for one in ("memory", "licence"))
    return {"rusage": (*before, entry)}


def _memory(*amounts: int) -> tuple[RusageEntry, ...]:
    return tuple(RusageEntry(resource="memory", amount=amount) for amount in amounts)


def _of(operator: str, *operands: Expression) -> Expression:
    return Operation(operator=operator, operands=operands)


def _selects(operator: str, *operands: Expression) -> Mapping[str, Any]:
    return {"select": _of(operator, *operands)}


def _in_select(expression: Expression) -> Mapping[str, Any]:
    """A select that has the expression on its right side."""
    return _selects("&&", NUMBER, expression)


def _nested(levels: int, before: int, after: int) -> Expression:
    """A select of so many levels, each with so many numbers before and after the next one."""
    number: Expression = NUMBER
    inner, operator = number, "+" if before or after else "!"
    for _ in range(levels - 1):
        inner = Operation(
            operator=operator, operands=(*(number,) * before, inner, *(number,) * after)
        )
    return inner


def _first_alternative(part: Primary) -> Change:
    """The first alternative has another last part."""
    return lambda job: replace(job, request=((Primary(tasks=ONE), part), *job.request[1:]))


def _named(name: str) -> Change:
    return lambda job: replace(job, name=name)


def _for(**parts: str) -> Change:
    return lambda job: replace(job, identity=replace(job.identity, **parts))


TEXT = Text(text="a")
X, T, NAMED_Y = Attribute(name="x"), Attribute(name="t"), Attribute(name="y")
TYPES = {"x": AttributeType.NUMBER, "t": AttributeType.TEXT, "z": AttributeType.NUMBER}
DECLARED = replace(small_cluster().resources, attributes=TYPES)
NAMES: list[Expression] = [
    Defined(name=one) for one in (SLOTS, *sorted(DECLARED.host | DECLARED.shared), *TYPES)
]
ALL_NAMES = reduce(partial(_of, "+"), NAMES)
TOO_MANY = LARGEST_TASKS + 1
ON_POOL = (Per.TASK, Per.JOB)

Flaws = Mapping[str, Change | Mapping[str, Any]]
"""What is said of a job, or else the fields of a primary: in words, and as it is."""

SPANS = ("hosts_min", "hosts_max", "tasks_per_host", "ptile")

WRONG: Mapping[Refusal, Flaws] = {
    Refusal.DUPLICATE_NAME: {
        f"the name of a job that is {name}": _named(name) for name in (WAITING, RUNNING, DONE, GONE)
    },
    Refusal.IDENTITY_MISSING: {
        f"the {name} is the empty text": _for(**{name: ""}) for name in ("user", "queue", "project")
    },
    Refusal.EMPTY_COMPOUND: {
        "an empty alternative": lambda job: replace(job, request=(*job.request, ())),
        "no alternative": lambda job: replace(job, request=()),
    },
    Refusal.TASKS_RANGE: {
        "no task": {"tasks": Tasks(min=0, max=1)},
        "min over max": {"tasks": Tasks(min=2, max=1)},
        "more than 2^20 tasks": {"tasks": Tasks(min=1, max=TOO_MANY)},
    },
    Refusal.COUNTS: {
        "other counts of the job": lambda job: replace(job, tasks=ONE),
        "an alternative of another count": {"tasks": Tasks(min=1, max=2)},
        "a part without counts": _first_alternative(Primary()),
    },
    Refusal.SPAN_RANGE: {
        f"{name} of {bound}": {"span": Span(**{name: bound})}
        for name in SPANS
        for bound in (0, TOO_MANY)
    },
    Refusal.SLOTS_IN_RUSAGE: {"slots in a rusage": _asks(SLOTS)},
    Refusal.UNKNOWN_RESOURCE: {
        "an amount that is not declared": _asks("disk"),
        "an attribute as an amount": _asks("x"),
        "a name in a select that is not declared": _in_select(NAMED_Y),
        "such a name inside `defined`": _in_select(Defined(name="y")),
    },
    Refusal.NOT_AN_ATTRIBUTE: {
        f"{name} in a select": _in_select(Attribute(name=name))
        for name in (SLOTS, "memory", "licence")
    }
    | {
        "memory inside `defined`": _in_select(Defined(name="memory")),
        "every name that is declared": _in_select(ALL_NAMES),
    },
    Refusal.TYPE: {
        "a select that is a text": {"select": T},
        "a text beside a number": _selects("==", X, TEXT),
        "texts that are compared by size": _selects("<", T, TEXT),
        "a negative text": _in_select(_of("neg", T)),
        "a text on the right of `&&`": _in_select(TEXT),
    },
    Refusal.PER_HOST_ON_POOL: {"licences for each host": _asks("licence", per=Per.HOST)},
    Refusal.PER_JOB_ON_HOST: {"memory for the job": _asks("memory", per=Per.JOB)},
    Refusal.AMOUNT_RANGE: {
        "a negative amount": _asks("memory", -1),
        "an amount above the largest": _asks("licence", MOST + 1),
        "amounts above the largest together": {"rusage": _memory(MOST, 1)},
        "a number above the largest": _in_select(Number(thousandths=MOST + 1)),
        "a number below the least": _in_select(Number(thousandths=-MOST - 1)),
    },
    Refusal.SYNTAX: {"a select of 101 levels": {"select": _nested(DEEPEST_SELECT + 1, 0, 0)}},
}
"""What is wrong, by code, in the order of SPEC.md's table."""

RIGHT: Flaws = {
    "nothing of note": _named("new"),
    "the name of a host": _named("A"),
    "the job's own counts": lambda job: replace(job, tasks=TWO),
    **{
        f"{name} of {bound}": {"span": Span(**{name: bound})}
        for name in SPANS
        for bound in (1, LARGEST_TASKS)
    },
    **{
        f"{amount} of {name} per {per}": _asks(name, amount, per)
        for name, pers in (("memory", (None, Per.TASK, Per.HOST)), ("licence", (None, *ON_POOL)))
        for per in pers
        for amount in (0, MOST)
    },
    "amounts that are the largest together": {"rusage": _memory(MOST - 1, 1)},
    "texts that are compared": _selects("&&", _of("==", T, TEXT), _of("!=", TEXT, T)),
    "a text inside `defined`": _in_select(Defined(name="t")),
    "operators on numbers": _in_select(_of("==", _of("neg", X), NUMBER)),
    "the largest numbers": _selects("<", Number(thousandths=-MOST), Number(thousandths=MOST)),
}
"""What is nearly wrong, and accepted; of a primary that has one task."""


def state_of_all() -> State:
    """Jobs in each place, a key in the cache, a text attribute `t`, numeric ones `x` and `z`."""
    cluster = replace(small_cluster(), resources=DECLARED)
    return with_cached_key(replace(small_state(), cluster=cluster, coming=cluster))


ACCEPTED, CHANGED = "accepted", "refused, and yet the state is another"


def answer_to(state: State, events: Sequence[Event], rules: Rules) -> str:
    """The code with which the last of some events is refused, or that it is accepted."""
    for event in events[:-1]:
        state, _answer = scheduler.step(state, event, rules)
    after, answer = scheduler.step(state, events[-1], rules)
    if isinstance(answer, Refused):
        return answer.code.value if after == state else CHANGED
    return ACCEPTED if answer == Ok() else "not answered"


def answers_to(state: State, jobs: Sequence[Job], rules: Rules) -> list[str]:
    """The same of each job, when it is submitted in this state."""
    return [answer_to(state, (Submit(job=job),), rules) for job in jobs]


PLACES = "", " in the second alternative"
"""Where what is wrong with a primary stands; in the first alternative it is the second part."""

Told = Mapping[str, tuple[Job, str]]
"""Jobs by what is to be said of them, each with its code, or that it is accepted."""


def _one_flaw(code: Refusal) -> Told:
    return {
        f"{told}{where}": (_job_with({place: flaw}), code.value)
        for told, flaw in WRONG[code].items()
        for place, where in enumerate(PLACES if isinstance(flaw, Mapping) else PLACES[:1])
    }


def _two_flaws() -> Told:
    """The first flaw of each code, with that of each later one."""
    firsts = [(code, *next(iter(flaws.items()))) for code, flaws in WRONG.items()]
    return {
        f"{told}{PLACES[place]}, and {other}": (
            _job_with({place: flaw, 1 - place: another}),
            code.value,
        )
        for (code, told, flaw), (_later, other, another) in combinations(firsts, 2)
        for place in (0, 1)
    }


def _right() -> Told:
    return {told: (_job_with({0: one}), ACCEPTED) for told, one in RIGHT.items()}


def submissions() -> dict[str, Told]:
    """All that are judged: those with one flaw by its code, and then the others."""
    by_code = {code.value: _one_flaw(code) for code in WRONG}
    return by_code | {"two at once": _two_flaws(), "nearly wrong": _right()}


def cases(lifting: Lifting) -> Iterator[Case]:
    """Each code by itself, then two at once, and then what is accepted."""
    lifting.rule("ignored_refusals")
    for name, jobs in submissions().items():
        submitted = [job for job, _right in jobs.values()]
        found = lifting.paths(answers_to, state_of_all(), submitted, lifting.rules)
        wrong = [
            (here, told, answer, right)
            for here, answers in found
            for answer, (told, (_job, right)) in zip(answers, jobs.items(), strict=True)
            if answer != right
        ]
        yield Case(
            name=f"a submission, {name}",
            claim=z3.Not(z3.Or(*(here for here, *_told in wrong))),
            told="{what}: the answer is {found}, and should be {right}",
            values=first_of(wrong, ("all", "as it should be", ""), ("what", "found", "right")),
        )
    yield from _identities(lifting)
    yield from _selects_of_any_number(lifting)


def _identities(lifting: Lifting) -> Iterator[Case]:
    """A user, a queue and a project of any text."""
    texts = z3.Strings("user queue project")
    user, queue, project = texts
    who = Identity(user=user, queue=queue, project=project)
    event = Submit(job=Job(name="new", identity=who, request=REQUEST))
    is_named = z3.And(*(one != "" for one in texts))
    expected = {ACCEPTED: is_named, Refusal.IDENTITY_MISSING.value: z3.Not(is_named)}
    found = lifting.paths(answer_to, state_of_all(), (event,), lifting.rules)
    nothing = z3.BoolVal(False)
    yield Case(
        name="a submission of any user, queue and project",
        claim=z3.And(*(z3.Implies(here, expected.get(one, nothing)) for here, one in found)),
        told="user '{user}', queue '{queue}', project '{project}': the answer is {found}",
        values={str(one): one for one in texts} | first_of(found, ("",), ("found",)),
    )


NESTINGS = {"on the left": (0, 1), "on the right": (1, 0), "of `not`": (0, 0)}


def _selects_of_any_number(lifting: Lifting) -> Iterator[Case]:
    """A select of one number, and deep ones whose every level has an operator of that shape."""
    number, most = z3.Int("number"), z3.IntVal(MOST)
    is_within = z3.And(-most <= number, number <= most)
    requests: dict[str, tuple[Expression, Refusal, Term]] = {
        "a number": (Number(thousandths=number), Refusal.AMOUNT_RANGE, is_within)
    }
    requests |= {
        f"{levels} levels {where}": (
            _nested(levels, *numbers),
            Refusal.SYNTAX,
            z3.BoolVal(levels <= DEEPEST_SELECT),
        )
        for levels in (DEEPEST_SELECT - 1, DEEPEST_SELECT, DEEPEST_SELECT + 1)
        for where, numbers in NESTINGS.items()
    }
    for name, (select, code, accepted) in requests.items():
        event = Submit(job=_job_with({1: {"select": select}}))
        found = lifting.paths(answer_to, state_of_all(), (event,), lifting.rules)
        expected = {ACCEPTED: accepted, code.value: z3.Not(accepted)}
        yield Case(
            name=f"a submission with a select, {name}",
            claim=z3.And(
                *(z3.Implies(here, expected.get(one, z3.BoolVal(False))) for here, one in found)
            ),
            told="the number of the select being {number}: the answer is {found}",
            values={"number": number} | first_of(found, ("",), ("found",)),
        )
