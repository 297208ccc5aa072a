"""The witnesses that are found by bounded search, smallest first.

E2: binary fractions are no values of Z3's. E5, the second: on four hosts a run meets more branches
than can be told apart in a useful time. The witnesses of the other errata are found in `pages`.
"""

from dataclasses import dataclass, replace
from itertools import product

from allotment_model.answers import Dispatched, Ran
from allotment_model.cluster import SLOTS, Cluster, Host, Identity, Resources
from allotment_model.events import BeginSession, Event, RunSession, Submit
from allotment_model.request import Alter, Job, Per, Primary, RusageEntry, Tasks
from allotment_model.rules import SPEC
from allotment_model.variants import Variant
from allotment_proofs.necessity.witnesses import Answers, answers_of

WHO = Identity(user="u", queue="q", project="p")


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """A case, what the specification answers, and what one might have expected."""

    name: str
    told: str
    cluster: Cluster
    events: tuple[Event, ...]
    answers: Answers


def _units(thousandths: int) -> float:
    """Amounts as decimals; below a tenth of a unit a number counts slots here."""
    return thousandths / 1000 if thousandths >= 100 else thousandths


def _binary_fractions(name: str, **room: object) -> Variant:
    """A ledger of binary fractions that takes back by subtracting, and a test for room."""
    replaced: dict[str, object] = {
        "debit": lambda used, amount: used + _units(amount),
        "reverse": lambda used, amount, held: (used - _units(amount) if held else used, False),
        "credit": lambda used, amount: used - _units(amount),
        "settle": lambda before, after, placed: after,
    }
    return Variant(name=name, breaks=("AMOUNT-1", "UNDO-1"), replaced=replaced | room)


FLOAT_LEDGERS = (
    _binary_fractions(
        "binary fractions, capacity - used",
        free=lambda capacity, used: max(0, _units(capacity) - used),
        fits=lambda wanted, left: _units(wanted) <= left,
    ),
    _binary_fractions(
        "binary fractions, used + want",
        free=lambda capacity, used: (_units(capacity), used),
        fits=lambda wanted, left: left[1] + _units(wanted) <= left[0],
    ),
)
"""E2: the ledger that the seeds keep, with either test for room.

An alternative of one part that fails keeps what its own reversals have left in the ledger.
"""


def restoring(ledger: Variant) -> Variant:
    """The same ledger, but what fails is restored: its comparisons err, its reversals do not."""
    kept = {name: rule for name, rule in ledger.replaced.items() if name != "settle"}
    return replace(ledger, replaced=kept)


def _cluster(memory: int) -> Cluster:
    """Host A with two slots and the memory, host B with one slot."""
    capacities = {"A": {SLOTS: 2, "mem": memory}, "B": {SLOTS: 1}}
    return Cluster(
        resources=Resources(host=frozenset({"mem"}), attributes={}),
        hosts={
            name: Host(name=name, capacity=capacity, attributes={})
            for name, capacity in capacities.items()
        },
        pools={},
        limits={},
    )


def _primary(tasks: int, memory: int = 0) -> Primary:
    entry = RusageEntry(resource="mem", amount=memory, per=Per.TASK)
    return Primary(tasks=Tasks(min=tasks, max=tasks), rusage=(entry,) if memory else ())


def _submitted(names: str, *requests: Alter) -> tuple[Event, ...]:
    jobs = (
        Job(name=name, identity=WHO, request=one) for name, one in zip(names, requests, strict=True)
    )
    return tuple(Submit(job=job) for job in jobs)


def inexact_reversal() -> Erratum:
    """E2: the smallest capacity in tenths at which the reversal errs, whatever the test for room.

    One job holds some memory of A. The first alternative of the next takes some more there, finds
    none on B, and gives it back; the second needs exactly what is left.
    """
    tenths = range(100, 1000, 100)
    for memory, held, tried in product(tenths, repeat=3):
        left = memory - held
        if left <= 0:
            continue
        cluster = _cluster(memory)
        job = (_primary(2, tried),), (_primary(1, left), _primary(1))
        events = (*_submitted("ab", ((_primary(1, held),),), job), RunSession())
        answers = answers_of(cluster, events, SPEC)
        found = [answers_of(cluster, events, one.of()) for one in FLOAT_LEDGERS]
        restored = [answers_of(cluster, events, restoring(one).of()) for one in FLOAT_LEDGERS]
        if answers not in found and [answers] * len(restored) == restored:
            return Erratum(
                name="E2",
                told="a reversal in binary fractions does not give back what it took",
                cluster=cluster,
                events=events,
                answers=answers,
            )
    raise AssertionError("some sum of tenths is inexact")


def room_that_hurts() -> Erratum:
    """E5: the fewest hosts, slots and tasks at which a compound is placed only once a task runs.

    Each host has a slot, and all together at most eight. Of several orders of the hosts it is that
    in which the first has most, and the next have least.
    """
    sizes = ((hosts, slots) for hosts in range(1, 5) for slots in range(hosts, 9))
    for hosts, slots in sizes:
        parts = [one for one in product(range(1, slots), repeat=2) if sum(one) <= slots]
        for (first, second), cluster in product(sorted(parts, key=sum), _clusters(hosts, slots)):
            request = ((_primary(first), _primary(second)),)
            jobs = _submitted("jk", request, ((_primary(1),),))
            events = (*jobs, RunSession(), BeginSession(), RunSession())
            if [False, True] != _dispatched(answers_of(cluster, events[:3], SPEC)):
                continue
            answers = answers_of(cluster, events, SPEC)
            if [False, True, True] == _dispatched(answers):
                told = "the compound is placed only once a task is in its way"
                return Erratum(
                    name="E5, example 2", told=told, cluster=cluster, events=events, answers=answers
                )
    raise AssertionError("room hurts on four hosts with eight slots")


def _clusters(hosts: int, slots: int) -> list[Cluster]:
    """All ways to have so many slots, at least one a host."""
    every = [one for one in product(range(1, slots + 1), repeat=hosts) if sum(one) == slots]
    every.sort(key=lambda one: (-one[0], *one[1:]))
    declared = Resources(attributes={})
    return [
        Cluster(
            resources=declared,
            hosts={
                name: Host(name=name, capacity={SLOTS: count}, attributes={})
                for name, count in zip("ABCD", one, strict=False)
            },
            pools={},
            limits={},
        )
        for one in every
    ]


def _dispatched(answers: Answers) -> list[bool]:
    """Whether each job that was tried was placed."""
    runs = [one for one in answers if isinstance(one, Ran)]
    return [isinstance(tried.answer, Dispatched) for run in runs for tried in run.jobs]
