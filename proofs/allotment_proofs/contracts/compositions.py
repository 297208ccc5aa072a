"""Contracts on small compositions of the model: one search, one plan, one primary, one key."""

from allotment_model.accounts import Account, Ledger, charge, give_back, open_ledger
from allotment_model.cache import Key
from allotment_model.cluster import SLOTS, Cluster, Host, Identity, Resources
from allotment_model.plans import balanced_split, plans
from allotment_model.request import Span
from allotment_model.rules import SPEC
from allotment_model.search import Claim, outcome, place, place_plan, search_bucket

HOSTS = "ABC"
NAMES = ("ada", "bob")
NOBODY = Identity(user="", queue="", project="")
NO_SUCH_HOST = 3


def _ledger(*slots: int) -> Ledger:
    """The ledger of an empty cluster with so many slots on its hosts."""
    hosts = {
        name: Host(name=name, capacity={SLOTS: count}, attributes={})
        for name, count in zip(HOSTS, slots, strict=False)
    }
    resources = Resources(attributes={})
    return open_ledger(Cluster(resources=resources, hosts=hosts, pools={}, limits={}), {})


def _key(tasks: int, least: int = 1, who: Identity = NOBODY) -> Key:
    return Key(tasks_min=least, tasks_max=tasks, select=None, rusage=(), span=Span(), identity=who)


def _searched(slots: int, ledger: Ledger, claims: tuple[Claim, ...]) -> int:
    """The place of the host that one bucket's search takes."""
    hosts = list(ledger.cluster.hosts.values())
    (claim, _seen), _notes = outcome(search_bucket(slots, hosts, claims, _key(slots), ledger, SPEC))
    return NO_SUCH_HOST if claim is None else HOSTS.index(claim.host)


def buckets_of_a_split_sum_to_its_tasks(tasks: int, hosts: int) -> int:
    """The balanced split loses no task (PLAN-2).

    pre: 1 <= hosts <= tasks <= 8
    post: __return__ == tasks
    """
    return sum(balanced_split(tasks, hosts))


def plans_come_for_one_host_more_each(tasks: int) -> list[int]:
    """The plans are for 1, 2, … hosts, and each descends (PLAN-1, PLAN-3).

    pre: 1 <= tasks <= 8
    post: __return__ == list(range(1, tasks + 1))
    """
    made = list(plans(tasks, Span()))
    return [len(plan) for plan in made if list(plan) == sorted(plan, reverse=True)]


def first_host_with_room_is_taken(slots: int, on_a: int, on_b: int, on_c: int) -> int:
    """One bucket over three hosts takes the first that has room (HOST-1, SEQ-1).

    pre: 1 <= slots
    pre: 0 <= on_a and 0 <= on_b and 0 <= on_c
    post: __return__ == (0 if slots <= on_a else 1 if slots <= on_b else 2 if slots <= on_c else 3)
    """
    return _searched(slots, _ledger(on_a, on_b, on_c), ())


def claimed_host_is_passed_over(slots: int, on_a: int, on_b: int) -> int:
    """A host that this plan has claimed is not taken again, whatever room it has (HOST-7).

    pre: 1 <= slots
    pre: 0 <= on_a and 0 <= on_b
    post: __return__ == (1 if slots <= on_b else 3)
    """
    claim = Claim(host="A", slots=1, wants={})
    return _searched(slots, _ledger(on_a, on_b), (claim,))


def descending_search_is_complete_on_two_hosts(
    larger: int, smaller: int, on_a: int, on_b: int
) -> bool:
    """Two buckets find two hosts whenever they can be assigned (PAR-1, PAR-4).

    pre: 1 <= smaller <= larger
    pre: 0 <= on_a and 0 <= on_b
    post: __return__ == (min(on_a, on_b) >= smaller and max(on_a, on_b) >= larger)
    """
    key, ledger = _key(larger + smaller), _ledger(on_a, on_b)
    (claims, _after), _notes = outcome(place_plan((larger, smaller), key, ledger, SPEC))
    return claims is not None


def primary_that_fails_leaves_the_ledger(tasks: int, on_a: int, on_b: int) -> bool:
    """A primary is placed with all its tasks, or the ledger is as it was (PAR-2, UNDO-1).

    pre: 1 <= tasks <= 4
    pre: 0 <= on_a <= 4 and 0 <= on_b <= 4
    post: __return__
    """
    before = _ledger(on_a, on_b)
    (placement, after), _notes = outcome(place(_key(tasks), before, SPEC))
    if placement is None:
        return after == before
    return sum(claim.slots for claim in placement.claims) == sum(after.used.values()) == tasks


def two_amounts_given_back_are_as_they_were(used: int, in_use: int, one: int, other: int) -> bool:
    """Debits of two amounts that are given back leave the books exactly (UNDO-1, AMOUNT-1).

    pre: 1 <= used and 1 <= in_use
    pre: 0 <= one and 0 <= other
    post: __return__
    """
    slots, memory = Account(SLOTS, "A"), Account("memory", "A")
    books = {slots: used, memory: in_use}
    ledger = Ledger(cluster=_ledger(1).cluster, used=books, at_start=books)
    wants = {slots: one, memory: other}
    return give_back(charge(ledger, wants, SPEC), wants, SPEC).used == books


def keys_are_equal_field_by_field(
    tasks: int, others: int, least: int, other: int, who: int, whom: int
) -> bool:
    """Two keys are equal exactly if counts and interned identities are (CACHE-1).

    pre: 0 <= who <= 1 and 0 <= whom <= 1
    post: __return__ == (tasks == others and least == other and who == whom)
    """
    one, another = (
        _key(most, fewest, Identity(user=NAMES[name], queue="q", project="p"))
        for most, fewest, name in ((tasks, least, who), (others, other, whom))
    )
    return one == another
