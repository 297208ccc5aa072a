"""The variants: each replaces one rule, and answers differently from the spec somewhere."""

from collections.abc import Iterable
from dataclasses import fields, replace
from functools import cache

import pytest

from allotment_model.answers import Answer
from allotment_model.clauses import CLAUSES, Evidence
from allotment_model.cluster import IdentityKind
from allotment_model.events import BeginSession, Event, Finish, LimitSet, RunSession, Submit
from allotment_model.request import (
    Attribute,
    Defined,
    Expression,
    Job,
    Number,
    Operation,
    Per,
    Primary,
    Span,
    Tasks,
    Text,
)
from allotment_model.rules import SPEC, Rules
from allotment_model.variants import VARIANTS, Variant
from model.worlds import (
    Session,
    change,
    cluster,
    host,
    job,
    limit,
    moments,
    primary,
    random_session,
    submitted,
    use,
)

SESSIONS = 160
NEVER_DIFFER = {
    "zero want blocked": "CACHE-1 drops zero amounts, so no want of zero is ever compared",
    "free goes negative": "every want is positive, and exceeds zero as it exceeds less",
}
"""Variants that are of use to proofs about one function, and cannot be told by answers."""

WITHOUT_VARIANT = {"PLAN-11": "it allows answers and demands none: no wrong rule is its absence"}
ROOMY = cluster(host("A", 9, mem=9000), pools={"lic": 9000})
BOUNDS = ("hosts_min", "hosts_max", "tasks_per_host", "ptile")
ZERO = Number(thousandths=0)


def deep() -> Expression:
    """A select of 101 levels."""
    select: Expression = ZERO
    for _ in range(100):
        select = Operation(operator="!", operands=(select,))
    return select


def two_jobs(one: Job, other: Job) -> Session:
    """Two jobs on one slot."""
    return cluster(host("A", 1)), submitted(one, other)


def refused(part: Primary) -> Session:
    """A job that is refused for its primary."""
    return ROOMY, submitted(job("j", (part,)))


def late_limit() -> Session:
    """A limit that is set while a job of its holder runs."""
    one = limit(IdentityKind.USER, "ann")
    events: list[Event] = [*submitted(job("a", (primary(2),))), LimitSet(limit=one, cap=3)]
    return cluster(host("A", 9)), (*events, BeginSession(), *submitted(job("b", (primary(2),))))


def by_hand() -> dict[str, Session]:
    """A session for each variant that random sessions are slow to tell from the spec."""
    each, named = limit(IdentityKind.USER, None), limit(IdentityKind.USER, "ann")
    short = Operation(operator="||", operands=(Number(thousandths=1), Attribute(name="age")))
    memory = primary(1, use("mem", 1000))
    cut: list[Event] = [*submitted(job("a", (memory,))), change("A", mem=0), BeginSession()]
    return {
        "named limit hides each": (
            cluster(host("A", 9), limits={each: 1, named: 9}),
            submitted(job("j", (primary(2),))),
        ),
        "key without tasks min": two_jobs(job("a", (primary((1, 2)),)), job("b", (primary(2),))),
        "key without tasks max": two_jobs(job("a", (primary((1, 2)),)), job("b", (primary(1),))),
        "key without queue": two_jobs(
            job("a", (primary(2),)), job("b", (primary(2),), queue="short")
        ),
        "key without project": two_jobs(
            job("a", (primary(2),)), job("b", (primary(2),), project="sea")
        ),
        "new limit counts from zero": late_limit(),
        "no short circuit": (
            cluster(host("A", 1)),
            submitted(job("j", (primary(1, select=short),))),
        ),
        "zero amount asks for something": (
            cluster(host("A", 9, mem=1000)),
            (*cut, *submitted(job("b", (primary(1, use("mem", 0)),)))),
        ),
    }


def refused_by_hand() -> dict[str, Session]:
    """A session for each code that random sessions never meet."""
    nobody = replace(job("j", (primary(),)), identity=replace(job("j").identity, user=""))
    return {
        "identity-missing is not refused": (ROOMY, submitted(nobody)),
        "empty-compound is not refused": (ROOMY, submitted(job("j", ()))),
        "tasks-range is not refused": refused(primary(2**20 + 1)),
        "counts is not refused": (ROOMY, submitted(job("j", (primary(2),), (primary(1),)))),
        "span-range is not refused": refused(primary(1, span=Span(hosts_max=2**20 + 1))),
        "slots-in-rusage is not refused": refused(primary(1, use("slots", 1))),
        "unknown-resource is not refused": refused(primary(1, use("gpu", 1))),
        "not-an-attribute is not refused": refused(primary(1, select=Defined(name="slots"))),
        "type is not refused": refused(primary(1, select=Text(text="x"))),
        "per-host-on-pool is not refused": refused(primary(1, use("lic", 1, Per.HOST))),
        "per-job-on-host is not refused": refused(primary(1, use("mem", 1, Per.JOB))),
        "amount-range is not refused": refused(primary(2, use("mem", 2**53 - 1))),
        "syntax is not refused": refused(primary(1, select=deep())),
    }


@cache
def random_sessions() -> tuple[Session, ...]:
    """The sessions in which a variant is looked for."""
    return tuple(random_session(seed) for seed in range(SESSIONS))


def answers(session: Session, rules: Rules) -> list[Answer]:
    """The answers of a session, protocol events included."""
    return [moment.answer for moment in moments(session, rules)]


@cache
def expected(index: int) -> list[object]:
    """The answers of the spec to one of the random sessions."""
    return told(answers(random_sessions()[index], SPEC))


def told(all_answers: Iterable[Answer]) -> list[object]:
    """What answers tell, protocol events apart."""
    return [
        [(one.job, one.answer) for one in answer.jobs] if hasattr(answer, "jobs") else answer
        for answer in all_answers
    ]


def differs(variant: Variant) -> bool:
    """Whether the variant answers differently from the spec in one of the sessions."""
    rules, own = variant.of(), (by_hand() | refused_by_hand()).get(variant.name)
    if own is not None:
        return told(answers(own, rules)) != told(answers(own, SPEC))
    return any(
        told(answers(session, rules)) != expected(index)
        for index, session in enumerate(random_sessions())
    )


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_variant_differs_from_the_spec(variant: Variant) -> None:
    assert differs(variant) == (variant.name not in NEVER_DIFFER)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_variant_replaces_one_rule(variant: Variant) -> None:
    changed = [
        field.name
        for field in fields(Rules)
        if getattr(variant.of(), field.name) != getattr(SPEC, field.name)
    ]
    assert [*variant.replaced] == changed
    assert 1 == len(changed)
    assert variant.breaks


def test_variants_have_names_of_their_own() -> None:
    assert len(VARIANTS) == len({variant.name for variant in VARIANTS})


def test_variants_break_clauses_that_exist() -> None:
    ids = {clause.id for clause in CLAUSES}
    assert set() == {broken for variant in VARIANTS for broken in variant.breaks} - ids


def test_answer_clauses_have_a_variant_that_differs() -> None:
    useful = [variant for variant in VARIANTS if variant.name not in NEVER_DIFFER]
    required = {clause.id for clause in CLAUSES if clause.evidence is Evidence.ANSWER}
    assert set(WITHOUT_VARIANT) == required - {one for v in useful for one in v.breaks}


def test_variant_can_be_made_of_other_rules() -> None:
    (leak,) = [variant for variant in VARIANTS if variant.name == "leak at finish"]
    per_host = replace(SPEC, rusage_default=Per.HOST)
    assert Per.HOST is leak.of(per_host).rusage_default


LETS_ZERO_THROUGH = ("tasks-range is not refused", "span-range is not refused")
"""Allocators that refuse no count or bound of zero come to divide by it, or to an empty plan."""


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_variant_answers_what_the_spec_refuses(variant: Variant) -> None:
    jobs = [
        job("a"),
        job("b", ()),
        job("c", (Primary(),)),
        job("d", (primary(0),)),
        *(job(f"z{name}", (primary(1, span=Span(**{name: 0})),)) for name in BOUNDS),
        job("n", (primary(0, span=Span(ptile=1)),)),
        job("e", (primary(1), Primary()), tasks=Tasks(min=1, max=1)),
    ]
    submissions = (Submit(job=one) for one in jobs)
    events: list[Event] = [*submissions, RunSession(), Finish(job="b"), BeginSession()]
    if variant.name in LETS_ZERO_THROUGH:
        with pytest.raises((ZeroDivisionError, IndexError)):
            answers((ROOMY, tuple(events)), variant.of())
    else:
        assert len(events) == len(answers((ROOMY, tuple(events)), variant.of()))
