"""What theorems rest on beside lifted steps: loops of the model are folds of those steps.

Also each composite statement, tried by brute force on small worlds before and after it is proved.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, permutations, product
from random import Random

from allotment_model import accounts, arithmetic, search
from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.answers import Dispatched, Ran
from allotment_model.books import end_jobs
from allotment_model.cache import Key, Need, normal_rusage
from allotment_model.cluster import (
    SLOTS,
    Cluster,
    Host,
    Identity,
    IdentityKind,
    LimitId,
    Resources,
    Scope,
)
from allotment_model.events import BeginSession, Event, Finish, RunSession, Submit
from allotment_model.oracle.invariants import check_invariants
from allotment_model.plans import balanced_split
from allotment_model.request import Job, Per, Primary, RusageEntry, Span, Tasks
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.search import Claim, Placement, outcome, place, place_plan
from allotment_model.state import Allocation, initial
from allotment_model.variants import VARIANTS
from allotment_model.why import is_never
from house.sources import PACKAGES

RESOURCES = Resources(host=frozenset({"memory"}), shared=frozenset({"licence"}), attributes={})
WHO = Identity(user="u", queue="q", project="p")
LIMIT = LimitId(IdentityKind.USER, None, Scope.CLUSTER, SLOTS)


def cluster_of(
    slots: tuple[int, ...], memory: tuple[int, ...] = (), limits: Mapping[LimitId, int] = {}
) -> Cluster:
    amounts = memory or (0,) * len(slots)
    hosts = {
        name: Host(name=name, capacity={SLOTS: count, "memory": held}, attributes={})
        for name, count, held in zip("ABCDE", slots, amounts, strict=False)
    }
    return Cluster(resources=RESOURCES, hosts=hosts, pools={"licence": 3}, limits=limits)


def key_of(tasks: int, *rusage: Need, span: Span | None = None) -> Key:
    return Key(
        tasks_min=tasks,
        tasks_max=tasks,
        select=None,
        rusage=rusage,
        span=span or Span(),
        identity=WHO,
    )


def ledger_of(cluster: Cluster, used: Mapping[Account, int] | None = None) -> Ledger:
    return open_ledger(cluster, used or {})


def random_ledgers(rounds: int) -> Iterator[tuple[Random, dict[Account, int], dict[Account, int]]]:
    """Books, and wants on some of their accounts."""
    random = Random(3)
    known = [
        Account(SLOTS, "A"),
        Account("memory", "A"),
        Account(SLOTS, "B"),
        Account("licence"),
        Account(SLOTS, None, LIMIT, "u"),
    ]
    for _ in range(rounds):
        used = {one: random.randint(1, 9) for one in known if random.random() < 0.6}
        wants = {one: random.randint(0, 9) for one in known if random.random() < 0.6}
        yield random, used, wants


def test_charge_is_a_debit_of_each_account() -> None:
    for _random, used, wants in random_ledgers(2000):
        after = accounts.charge(ledger_of(cluster_of((9, 9)), used), wants, SPEC).used
        for account in used.keys() | wants.keys():
            before, amount = used.get(account, 0), wants.get(account, 0)
            assert arithmetic.debit(before, amount) == after.get(account, 0)


def test_giving_back_is_a_reversal_of_each_account() -> None:
    for _random, used, wants in random_ledgers(2000):
        ledger = accounts.charge(ledger_of(cluster_of((9, 9)), used), wants, SPEC)
        after = accounts.give_back(ledger, wants, SPEC)
        assert used == after.used
        for account, amount in wants.items():
            now, _held = arithmetic.reverse(ledger.used.get(account, 0), amount, True)
            assert now == after.used.get(account, 0)


def test_finish_is_a_credit_of_each_account() -> None:
    for random, used, held in random_ledgers(500):
        wants = {account: amount for account, amount in held.items() if account.limit is None}
        books = {one: used.get(one, 0) + wants.get(one, 0) for one in used.keys() | wants.keys()}
        on_hosts = {one: amount for one, amount in wants.items() if one.host == "A"}
        of_pools = {one: amount for one, amount in wants.items() if one.host is None}
        claim = Claim(host="A", slots=1, wants=on_hosts)
        placement = Placement(claims=(claim,), shared=of_pools)
        state = replace(
            initial(cluster_of((9, 9))),
            books=books,
            live={"j": Allocation(identity=WHO, placements=(placement,))},
            finishing=frozenset({"j"}),
        )
        after = end_jobs(state, SPEC).books
        for account in on_hosts.keys() | of_pools.keys():
            expected = arithmetic.credit(books.get(account, 0), wants[account])
            assert expected == after.get(account, 0), random


def test_normal_rusage_is_a_fold_of_entries() -> None:
    random = Random(4)
    for _ in range(2000):
        entries = [
            RusageEntry(
                resource=random.choice(["memory", "licence"]),
                amount=random.randint(0, 3),
                per=random.choice([Per.TASK, None]),
            )
            for _ in range(random.randint(0, 5))
        ]
        sums: dict[tuple[str, Per], int] = {}
        for entry in entries:
            per = entry.per or (Per.JOB if entry.resource == "licence" else Per.TASK)
            place_of = entry.resource, per
            sums[place_of] = arithmetic.add_entry(sums.get(place_of, 0), entry.amount)
        needs = normal_rusage(entries, RESOURCES, SPEC)
        found = {
            (need.resource, per): amount
            for need in needs
            for per, amount in ((Per.TASK, need.per_task), (Per.JOB, need.per_job))
        }
        assert {one: total for one, total in sums.items() if total} == {
            one: amount for one, amount in found.items() if amount
        }
        assert all(need.per_task or need.per_host or need.per_job for need in needs)
        assert needs == normal_rusage(entries_of(needs), RESOURCES, SPEC)


def entries_of(needs: tuple[Need, ...]) -> list[RusageEntry]:
    return [
        RusageEntry(resource=need.resource, amount=amount, per=per)
        for need in needs
        for per, amount in (
            (Per.TASK, need.per_task),
            (Per.HOST, need.per_host),
            (Per.JOB, need.per_job),
        )
        if amount
    ]


MEMORY = Need(resource="memory", per_task=1, per_host=1)


def has_assignment(plan: tuple[int, ...], slots: tuple[int, ...], memory: tuple[int, ...]) -> bool:
    """Whether the buckets of a plan go to distinct hosts that fit, for `MEMORY`."""
    return any(
        all(
            size <= slots[host] and size + 1 <= memory[host]
            for size, host in zip(plan, chosen, strict=True)
        )
        for chosen in permutations(range(len(slots)), len(plan))
    )


def test_search_finds_an_assignment_whenever_there_is_one() -> None:
    worlds = product(product(range(4), repeat=3), product((1, 3, 5), repeat=3))
    for slots, memory in worlds:
        ledger = ledger_of(cluster_of(slots, memory))
        for tasks in (2, 3, 4, 5):
            key = key_of(tasks, MEMORY)
            for hosts in range(1, min(tasks, 3) + 1):
                plan = balanced_split(tasks, hosts)
                (claims, _after), _notes = outcome(place_plan(plan, key, ledger, SPEC))
                assert (claims is not None) == has_assignment(plan, slots, memory)
                if claims is not None:
                    assert len(plan) == len({claim.host for claim in claims})


def test_counting_tells_whether_a_plan_holds() -> None:
    for slots in product(range(4), repeat=5):
        ledger = None
        for tasks, hosts in ((5, 2), (7, 3), (6, 4), (7, 5)):
            plan = balanced_split(tasks, hosts)
            larger = plan.count(plan[0])
            counted = (
                sum(plan[0] <= free for free in slots) >= larger
                and sum(plan[-1] <= free for free in slots) >= hosts
            )
            if ledger is None:
                ledger = ledger_of(cluster_of(slots))
            (claims, _after), _notes = outcome(place_plan(plan, key_of(tasks), ledger, SPEC))
            assert counted == (claims is not None)


def test_verdict_and_hosts_do_not_depend_on_their_order() -> None:
    limits = {LIMIT: 4}
    for slots in combinations((0, 1, 1, 2, 3, 3), 3):
        for tasks in (1, 2, 3, 4, 5):
            verdicts = set()
            for order in permutations(slots):
                ledger = ledger_of(cluster_of(order, limits=limits))
                (placement, _after), _notes = outcome(place(key_of(tasks), ledger, SPEC))
                verdicts.add(placement and tuple(claim.slots for claim in placement.claims))
            assert 1 == len(verdicts)


def test_primary_that_fails_fails_where_more_is_in_use() -> None:
    random = Random(5)
    seen = 0
    for _ in range(1500):
        slots = tuple(random.randint(0, 4) for _ in range(3))
        cluster = cluster_of(slots, tuple(random.randint(0, 6) for _ in range(3)), {LIMIT: 5})
        key = key_of(random.randint(1, 6), MEMORY, span=Span(hosts_max=random.randint(1, 3)))
        less = {
            Account(resource, host): random.randint(0, 2)
            for resource in (SLOTS, "memory")
            for host in "ABC"
        } | {Account(SLOTS, None, LIMIT, "u"): random.randint(0, 3)}
        more = {account: used + random.randint(0, 1) for account, used in less.items()}
        if not search.is_placeable(key, ledger_of(cluster, less), SPEC):
            seen += 1
            assert not search.is_placeable(key, ledger_of(cluster, more), SPEC)
            if is_never(((key,),), cluster, SPEC):
                assert not search.is_placeable(key, ledger_of(cluster), SPEC)
        else:
            assert not is_never(((key,),), cluster, SPEC)
    assert seen > 300


def random_session(random: Random) -> tuple[Cluster, list[Event]]:
    """A cluster and events of jobs with compounds and alters of equal tasks."""
    slots = tuple(random.randint(0, 3) for _ in range(3))
    cluster = cluster_of(slots, tuple(random.randint(0, 4) for _ in range(3)), {LIMIT: 4})
    events: list[Event] = []
    for number in range(random.randint(2, 6)):
        one, two = random_primary(random, 1), random_primary(random, 2)
        request = random.choice(
            [
                ((one,),),
                ((two,),),
                ((one, one),),
                ((one,), (random_primary(random, 1),)),
                ((two,), (one, one)),
            ]
        )
        events.append(Submit(job=Job(name=f"j{number}", identity=WHO, request=request)))
        if random.random() < 0.5:
            events.append(RunSession())
    finishes = [Finish(job=f"j{number}") for number in range(3)]
    return cluster, [*events, RunSession(), *finishes, BeginSession(), RunSession()]


def random_primary(random: Random, tasks: int) -> Primary:
    amount = random.randint(0, 2)
    entries = (RusageEntry(resource="memory", amount=amount, per=Per.TASK),) if amount else ()
    return Primary(tasks=Tasks(min=tasks, max=tasks), rusage=entries)


def test_cache_changes_neither_dispatch_nor_never() -> None:
    random = Random(6)
    uncached = next(one for one in VARIANTS if one.name == "cache never filled").of()
    hits = 0
    for _ in range(400):
        cluster, events = random_session(random)
        with_cache, without = initial(cluster), initial(cluster)
        for event in events:
            with_cache, answer = step(with_cache, event, SPEC)
            without, other = step(without, event, uncached)
            assert [] == check_invariants(with_cache)
            if isinstance(answer, Ran) and isinstance(other, Ran):
                hits += sum(note[0] == "hit" for one in answer.jobs for note in one.notes)
                for one, two in zip(answer.jobs, other.jobs, strict=True):
                    if isinstance(one.answer, Dispatched):
                        assert one.answer == two.answer
                    else:
                        assert not isinstance(two.answer, Dispatched)
                        assert getattr(one.answer, "never", None) == getattr(
                            two.answer, "never", None
                        )
        assert with_cache.books == without.books
    assert hits > 50


def test_search_reads_of_a_key_what_the_theorem_names() -> None:
    read = set()
    for name in ("search.py", "accounts.py", "why.py"):
        tree = ast.parse((PACKAGES["allotment_model"] / name).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(value=ast.Name(id="key"), attr=attribute):
                    read.add(attribute)
                case _:
                    pass
    assert {"tasks_max", "select", "rusage", "span", "identity"} == read


def test_never_of_any_shape_is_that_of_its_alternatives() -> None:
    cluster = cluster_of((1, 2))
    hopeless, possible = key_of(9), key_of(2)
    for shape in product(((1, 2, 3)), repeat=2):
        parts = [product((hopeless, possible), repeat=count) for count in shape]
        for keys in product(*(list(one) for one in parts)):
            expected = all(any(key is hopeless for key in compound) for compound in keys)
            assert expected == is_never(keys, cluster, SPEC)
