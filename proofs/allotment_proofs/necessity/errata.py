"""Witnesses of errata that are no variant of the rules: E2, and the accepted gaps E5 and E6.

E1 and E10 are the witnesses of the variants "cache filled inside a compound" and "hit pends the
job". All are found by bounded search, smallest hosts first, and run on the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product

from allotment_model.answers import Dispatched, Ran
from allotment_model.cluster import SLOTS, Cluster, Host, Identity, Resources
from allotment_model.events import Event, RunSession, Submit
from allotment_model.plans import plans
from allotment_model.request import Alter, Job, Per, Primary, RusageEntry, Span, Tasks
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


def _cluster(*slots: int, memory: int | None = None) -> Cluster:
    """Hosts A, B, … with these slots; memory on A alone."""
    hosts = {}
    for name, count in zip("ABCD", slots, strict=False):
        capacity = {SLOTS: count} | ({"memory": memory} if memory and name == "A" else {})
        hosts[name] = Host(name=name, capacity=capacity, attributes={})
    declared = frozenset({"memory"} if memory else ())
    resources = Resources(host=declared, attributes={})
    return Cluster(resources=resources, hosts=hosts, pools={}, limits={})


def _primary(tasks: int, memory: int = 0) -> Primary:
    entry = RusageEntry(resource="memory", amount=memory, per=Per.TASK)
    return Primary(tasks=Tasks(min=tasks, max=tasks), rusage=(entry,) if memory else ())


def _submitted(*requests: Alter) -> tuple[Event, ...]:
    jobs = [
        Job(name=name, identity=WHO, request=one)
        for name, one in zip("jklm", requests, strict=False)
    ]
    return (*(Submit(job=job) for job in jobs), RunSession())


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
        cluster = _cluster(2, 1, memory=memory)
        job = (_primary(2, tried),), (_primary(1, left), _primary(1))
        events = _submitted(((_primary(1, held),),), job)
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


def greedy_compound() -> Erratum:
    """E5: the smallest compound that pends though its parts can be placed together."""
    for hosts in (1, 2):
        slots = sorted(product(range(6), repeat=hosts), key=sum)
        sizes = sorted(product(range(1, 5), repeat=2), key=sum)
        for capacities, parts in sorted(product(slots, sizes), key=lambda one: sum(map(sum, one))):
            cluster = _cluster(*capacities)
            events = _submitted((tuple(map(_primary, parts)),))
            answers = answers_of(cluster, events, SPEC)
            if not _is_placed(answers) and fit_together(parts, capacities):
                return Erratum(
                    name="E5",
                    told="the parts can be placed together, but not one after the other",
                    cluster=cluster,
                    events=events,
                    answers=answers,
                )
    raise AssertionError("parts that go in order miss joint placements")


def unbalanced_split() -> Erratum:
    """E6: the smallest primary that pends though the hosts have slots for all its tasks."""
    for hosts in (1, 2):
        slots = product(range(5), repeat=hosts)
        worlds = product(slots, range(1, 6))
        for capacities, tasks in sorted(worlds, key=lambda one: sum(one[0]) + one[1]):
            cluster = _cluster(*capacities)
            events = _submitted(((_primary(tasks),),))
            answers = answers_of(cluster, events, SPEC)
            if not _is_placed(answers) and sum(capacities) >= tasks:
                return Erratum(
                    name="E6",
                    told="an unbalanced split would fit",
                    cluster=cluster,
                    events=events,
                    answers=answers,
                )
    raise AssertionError("balanced splits are not all splits")


def _is_placed(answers: Answers) -> bool:
    ran = answers[-1]
    return isinstance(ran, Ran) and isinstance(ran.jobs[-1].answer, Dispatched)


def fit_together(parts: tuple[int, ...], free: tuple[int, ...]) -> bool:
    """Whether some choice of plans and hosts places all parts."""
    return not parts or any(fit_together(parts[1:], left) for left in _after(parts[0], free))


def _after(tasks: int, free: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """What may be left on the hosts after a primary of that many tasks."""
    for plan in plans(tasks, Span()):
        for hosts in permutations(range(len(free)), len(plan)):
            left = list(free)
            for host, slots in zip(hosts, plan, strict=True):
                left[host] -= slots
            if min(left) >= 0:
                yield tuple(left)


ERRATA = (inexact_reversal, greedy_compound, unbalanced_split)
"""Each finds its witness anew."""
