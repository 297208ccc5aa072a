"""Submissions: what is refused, with which code, and how counts are reconciled."""

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from allotment_model.answers import Answer, Dispatched, Ok, Ran, Refusal, Refused
from allotment_model.cluster import LARGEST_AMOUNT, Identity
from allotment_model.events import Submit
from allotment_model.ingest import counts_disagree, keys_of
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
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.state import initial
from model.sceptic_ingest import CODES, code_of_job, counts_agree
from model.worlds import RESOURCES, cluster, host, job, primary, replay, tried, use

HOSTS = cluster(host("A", 9, mem=9000))
NEGATED = Operation(operator="!", operands=(Number(thousandths=0),))


def answer_to(one: Job) -> Answer:
    """The answer to a submission."""
    return step(initial(HOSTS), Submit(job=one), SPEC)[1]


def test_codes_stand_in_the_order_of_the_table() -> None:
    assert CODES == [code.value for code in Refusal]


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("identity-missing", job("j", (primary(),), user="")),
        ("identity-missing", job("j", (primary(),), queue="")),
        ("identity-missing", job("j", (primary(),), project="")),
        ("empty-compound", job("j")),
        ("empty-compound", job("j", (primary(),), ())),
        ("tasks-range", job("j", (primary(0),))),
        ("tasks-range", job("j", (primary(2**20 + 1),))),
        ("tasks-range", job("j", (primary((2, 1)),))),
        ("tasks-range", job("j", (primary(),), tasks=Tasks(min=0, max=1))),
        ("span-range", job("j", (primary(span=Span(hosts_min=0)),))),
        ("span-range", job("j", (primary(span=Span(ptile=2**20 + 1)),))),
        ("slots-in-rusage", job("j", (primary(1, use("slots", 1)),))),
        ("unknown-resource", job("j", (primary(1, use("memory", 1)),))),
        ("unknown-resource", job("j", (primary(1, use("arch", 1)),))),
        ("unknown-resource", job("j", (primary(select=Attribute(name="os")),))),
        ("unknown-resource", job("j", (primary(select=Defined(name="os")),))),
        ("not-an-attribute", job("j", (primary(select=Attribute(name="mem")),))),
        ("not-an-attribute", job("j", (primary(select=Defined(name="slots")),))),
        ("not-an-attribute", job("j", (primary(select=Defined(name="lic")),))),
        ("type", job("j", (primary(select=Text(text="x86")),))),
        ("type", job("j", (primary(select=Attribute(name="arch")),))),
        ("per-host-on-pool", job("j", (primary(1, use("lic", 1, Per.HOST)),))),
        ("per-job-on-host", job("j", (primary(1, use("mem", 1, Per.JOB)),))),
        ("amount-range", job("j", (primary(1, use("mem", -1)),))),
        ("amount-range", job("j", (primary(1, use("mem", LARGEST_AMOUNT + 1)),))),
        ("amount-range", job("j", (primary(select=Number(thousandths=-(2**53))),))),
    ],
)
def test_each_fault_has_its_code(code: str, wrong: Job) -> None:
    assert Refused(code=Refusal(code)) == answer_to(wrong)


def test_largest_figures_are_accepted() -> None:
    entry = use("mem", LARGEST_AMOUNT)
    span = Span(hosts_min=2**20, hosts_max=2**20, tasks_per_host=2**20, ptile=2**20)
    assert Ok() == answer_to(job("a", (primary(2**20),)))
    assert Ok() == answer_to(job("b", (primary(1, entry, span=span),)))


def test_product_counts_entries_whatever_their_per() -> None:
    half = (LARGEST_AMOUNT - 1) // 2
    within = (primary(2, use("mem", half - 1), use("mem", 1, Per.HOST)),)
    beyond = (primary(2, use("mem", half), use("mem", 1, Per.HOST)),)
    assert Ok() == answer_to(job("j", within))
    assert Refused(code=Refusal.AMOUNT_RANGE) == answer_to(job("j", beyond))


def test_hundred_levels_are_accepted_and_no_more() -> None:
    select: Expression = NEGATED
    for _ in range(98):
        select = Operation(operator="!", operands=(select,))
    deeper = Operation(operator="!", operands=(select,))
    assert Ok() == answer_to(job("j", (primary(select=select),)))
    assert Refused(code=Refusal.SYNTAX) == answer_to(job("j", (primary(select=deeper),)))


def test_lone_primary_takes_counts_of_job() -> None:
    one = job("j", (Primary(),), tasks=Tasks(min=2, max=3))
    ((key,),) = keys_of(one, RESOURCES, SPEC)
    assert (2, 3) == (key.tasks_min, key.tasks_max)


def test_counts_of_erratum_seven_are_refused() -> None:
    two, one = primary(2), primary(1)
    assert [True, True, True, True, False] == [
        counts_disagree(job("j", (two,), tasks=Tasks(min=3, max=3))),
        counts_disagree(job("j", (Primary(),))),
        counts_disagree(job("j", (one, one), tasks=Tasks(min=3, max=3))),
        counts_disagree(job("j", (two,), (one,))),
        counts_disagree(job("j", (two,), (one, one))),
    ]


def test_counts_agree_with_second_reading_exhaustively() -> None:
    counts = [None, Tasks(min=1, max=1), Tasks(min=1, max=2), Tasks(min=2, max=2)]
    parts = [Primary(tasks=one) for one in counts]
    compounds = [(one,) for one in parts] + list(product(parts, parts))
    requests = [(one,) for one in compounds] + list(product(compounds, compounds))
    every = [
        job("j", *request, tasks=tasks)
        for request in requests
        for tasks in (*counts, Tasks(min=3, max=4))
    ]
    assert [] == [one for one in every if counts_disagree(one) == counts_agree(one)]


def test_refused_submission_changes_nothing() -> None:
    state = initial(HOSTS)
    after, _answer = step(state, Submit(job=job("j", (primary(0),))), SPEC)
    assert state == after


def test_name_stays_taken_for_ever() -> None:
    one = Submit(job=job("j", (primary(),)))
    _state, answers = replay(HOSTS, [one, one])
    assert [Ok(), Refused(code=Refusal.DUPLICATE_NAME)] == answers


def test_minimum_places_nothing() -> None:
    (answer,) = tried(HOSTS, job("j", (primary((1, 3)),)))
    assert Dispatched(alternative=0, parts=((("A", 3),),)) == answer


def faulty(random: Random, expression: Expression) -> Expression:
    """An expression with a leaf or a type that may be wrong."""
    leaves: list[Expression] = [
        Text(text="x86"),
        Attribute(name=random.choice(["arch", "cores", "mem", "os", "slots"])),
        Defined(name=random.choice(["arch", "lic", "os"])),
        Number(thousandths=random.choice([0, 2**53 - 1, 2**53, -(2**53)])),
    ]
    operator = random.choice(["==", "!=", "<", "&&", "||", "+"])
    return Operation(operator=operator, operands=(random.choice(leaves), random.choice(leaves)))


def random_fault(random: Random, one: Job) -> Job:
    """The job with one thing changed that may be wrong."""
    part = one.request[0][0] if one.request and one.request[0] else Primary()
    entry = RusageEntry(
        resource=random.choice(["slots", "mem", "lic", "os", "arch"]),
        amount=random.choice([-1, 0, 1, 2**52, 2**53 - 1, 2**53]),
        per=random.choice([None, *Per]),
    )
    bounds = {random.choice(["hosts_min", "hosts_max", "tasks_per_host", "ptile"]): 0}
    counts = random.choice([None, Tasks(min=0, max=1), Tasks(min=1, max=2), Tasks(min=2, max=1)])
    holder = random.choice(["user", "queue", "project"])
    parts = {
        "entry": replace(part, rusage=(*part.rusage, entry)),
        "span": replace(part, span=replace(part.span, **bounds)),
        "select": replace(part, select=faulty(random, NEGATED)),
        "tasks": replace(part, tasks=counts),
    }
    changed = parts[random.choice(["entry", "entry", "span", "select", "select", "tasks"])]
    return random.choice(
        [
            replace(one, request=((changed, *one.request[0][1:]), *one.request[1:])),
            replace(one, request=((changed, *one.request[0][1:]), *one.request[1:])),
            replace(one, request=((changed, *one.request[0][1:]), *one.request[1:])),
            replace(one, request=(*one.request, random.choice([(), (changed,)]))),
            replace(one, tasks=counts),
            replace(one, identity=replace(one.identity, **{holder: ""})),
        ]
    )


def test_first_code_that_applies_is_the_answer() -> None:
    random, seen = Random(7), set()
    for _ in range(6000):
        one = job("j", (primary(random.choice([1, 2])),))
        for _ in range(random.randint(1, 3)):
            one = random_fault(random, one)
        expected = code_of_job(one, RESOURCES, False)
        seen.add(expected)
        assert (Ok() if expected is None else Refused(code=Refusal(expected))) == answer_to(one), (
            one
        )
    unseen = {"duplicate-name", "unknown-name", "not-running", "not-pending", "syntax"}
    assert {None, *CODES} - unseen == seen


def test_every_alternative_asks_for_the_same_tasks() -> None:
    one = job("j", (primary(3),), (primary(2), primary(1)))
    assert [3, 3] == [
        sum(key.tasks_max for key in parts) for parts in keys_of(one, RESOURCES, SPEC)
    ]


def test_identity_of_each_kind_is_held() -> None:
    identity = Identity(user="u", queue="q", project="p")
    ran = replay(HOSTS, [Submit(job=replace(job("j", (primary(),)), identity=identity))])
    assert not isinstance(ran[1][0], Ran)
    assert identity == ran[0].pending["j"].keys[0][0].identity
