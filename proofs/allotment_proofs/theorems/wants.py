"""Theorems about wants and room (WANT, LIMIT, SHARED, RES-2, HOST-1)."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import z3

from allotment_model import accounts, search
from allotment_model.accounts import Account
from allotment_model.cluster import SLOTS as SLOTS_NAME
from allotment_proofs.statement import Case, Lifting, Theorem
from allotment_proofs.theorems import world
from allotment_proofs.theorems.words import words_of
from allotment_proofs.theorems.world import ROOM, World

PER_TASK, PER_HOST, SLOTS, FEWER, LEFT, USED, CAPACITY = z3.Ints(
    "per_task per_host slots fewer left used capacity"
)
AMOUNTS = (PER_TASK >= 0, PER_HOST >= 0, SLOTS >= 0)
SHOWN = {"per_task": PER_TASK, "per_host": PER_HOST, "slots": SLOTS, "fewer": FEWER, "left": LEFT}
ASKS = "{per_task} for each task and {per_host} for the host: "


def _monotone(lifting: Lifting) -> Iterator[Case]:
    more, less = (lifting.want(PER_TASK, PER_HOST, slots) for slots in (SLOTS, FEWER))
    yield Case(
        assumptions=(*AMOUNTS, FEWER >= 0, FEWER <= SLOTS),
        claim=less <= more,
        told=ASKS + "{fewer} tasks want {less}, {slots} tasks want {more}",
        values=SHOWN | {"more": more, "less": less},
    )


def _want(lifting: Lifting) -> Iterator[Case]:
    now, then = (lifting.want(PER_TASK, PER_HOST, slots) for slots in (SLOTS, SLOTS + 1))
    alone, as_slots = lifting.want(PER_TASK, PER_HOST, 1), lifting.want(1, 0, SLOTS)
    shown = SHOWN | {"now": now, "then": then, "alone": alone, "as_slots": as_slots}
    yield Case(
        name="one task",
        assumptions=AMOUNTS,
        claim=alone == PER_TASK + PER_HOST,
        told=ASKS + "one task wants {alone}",
        values=shown,
    )
    yield Case(
        name="one task more",
        assumptions=(*AMOUNTS, SLOTS >= 1),
        claim=then == now + PER_TASK,
        told=ASKS + "{slots} tasks want {now}, one more wants {then}",
        values=shown,
    )
    yield Case(
        name="slots",
        assumptions=(SLOTS >= 1,),
        claim=as_slots == SLOTS,
        told="a bucket of {slots} tasks wants {as_slots} slots",
        values=shown,
    )


def _how_many_fit(lifting: Lifting) -> Iterator[Case]:
    fits = lifting.fits(lifting.want(PER_TASK, 0, SLOTS), LEFT)
    yield Case(
        assumptions=(PER_TASK >= 0, SLOTS >= 0, LEFT >= 0),
        claim=fits == z3.Or(PER_TASK == 0, SLOTS <= LEFT / PER_TASK),
        told="{slots} tasks with {per_task} each, {left} left: fits is {fits}",
        values=SHOWN | {"fits": fits},
    )


def _exactly_enough(lifting: Lifting) -> Iterator[Case]:
    wanted = z3.Int("wanted")
    left, fits = lifting.free(CAPACITY, USED), lifting.fits(wanted, lifting.free(CAPACITY, USED))
    shown = {"wanted": wanted, "capacity": CAPACITY, "used": USED, "left": left, "fits": fits}
    told = "capacity {capacity}, in use {used}, {left} left: a want of {wanted} fits is {fits}"
    sizes = (wanted >= 0, USED >= 0, CAPACITY >= 0)
    yield Case(name="never negative", assumptions=sizes, claim=left >= 0, told=told, values=shown)
    yield Case(name="zero", assumptions=(*sizes, wanted == 0), claim=fits, told=told, values=shown)
    yield Case(
        name="more than zero",
        assumptions=(*sizes, wanted > 0),
        claim=fits == (USED + wanted <= CAPACITY),
        told=told,
        values=shown,
    )


def _entries(lifting: Lifting) -> Iterator[Case]:
    total, one, two = z3.Ints("total one two")
    first, second = lifting.add_entry(total, one), lifting.add_entry(total, two)
    shown = {"total": total, "one": one, "two": two, "first": first}
    told = "{total} and an entry of {one} are {first}"
    given = (total >= 0, one >= 0, two >= 0)
    yield Case(
        name="nothing is lost or made",
        assumptions=given,
        claim=first - one == total,
        told=told,
        values=shown,
    )
    yield Case(
        name="in any order",
        assumptions=given,
        claim=lifting.add_entry(first, two) == lifting.add_entry(second, one),
        told="entries of {one} and {two} have two sums, by their order",
        values=shown,
    )


def _positive(lifting: Lifting) -> Iterator[Case]:
    """What is asked comes from a need that is not zero: zeros are dropped from the key."""
    per_job, tasks = z3.Ints("per_job tasks")
    on_host, as_slots = lifting.want(PER_TASK, PER_HOST, SLOTS), lifting.want(1, 0, SLOTS)
    told = ASKS + "{slots} tasks want {wanted}"
    given = (*AMOUNTS, SLOTS >= 1)
    yield Case(
        name="host amount",
        assumptions=(*given, PER_TASK + PER_HOST > 0),
        claim=on_host > 0,
        told=told,
        values=SHOWN | {"wanted": on_host},
    )
    yield Case(
        name="slots",
        assumptions=given,
        claim=as_slots > 0,
        told="a bucket of {slots} tasks wants {wanted} slots",
        values=SHOWN | {"wanted": as_slots},
    )
    shared = lifting.shared_want(per_job, PER_TASK, tasks)
    yield Case(
        name="shared amount",
        assumptions=(per_job >= 0, PER_TASK >= 0, per_job + PER_TASK > 0, tasks >= 1),
        claim=shared > 0,
        told="{per_job} for the job and {per_task} for each of {tasks} tasks: it wants {wanted}",
        values={"per_job": per_job, "per_task": PER_TASK, "tasks": tasks, "wanted": shared},
    )


def _shared_want(lifting: Lifting) -> Iterator[Case]:
    per_job, tasks = z3.Ints("per_job tasks")
    now, then = (lifting.shared_want(per_job, PER_TASK, number) for number in (tasks, tasks + 1))
    alone = lifting.shared_want(per_job, PER_TASK, 1)
    shown = {"per_job": per_job, "per_task": PER_TASK, "tasks": tasks}
    shown |= {"now": now, "then": then, "alone": alone}
    told = "{per_job} for the job and {per_task} for each task: "
    given = (per_job >= 0, PER_TASK >= 0, tasks >= 1)
    yield Case(
        name="one task",
        assumptions=given,
        claim=alone == per_job + PER_TASK,
        told=told + "one task wants {alone}",
        values=shown,
    )
    yield Case(
        name="one task more",
        assumptions=given,
        claim=then == now + PER_TASK,
        told=told + "{tasks} tasks want {now}, one more wants {then}",
        values=shown,
    )


def _room(lifting: Lifting) -> Iterator[Case]:
    place, asked = World(), world.accounts_of("A")
    wants = place.wants(lifting, SLOTS)
    room = place.have_room(lifting, wants)
    yield Case(
        assumptions=(*place.assumptions, *world.ASKED, SLOTS >= 1),
        claim=room == z3.And(*(place.has_space(account, SLOTS) for account in asked)),
        told="a bucket of {slots} tasks on A, room is {room}" + ROOM,
        values={"slots": SLOTS, "room": room},
        more=lambda: place.shown(lifting, wants, asked, SLOTS),
    )


def _shared_room(lifting: Lifting) -> Iterator[Case]:
    place = World()
    wants = place.shared_wants(lifting)
    room = place.have_room(lifting, wants)
    yield Case(
        assumptions=(*place.assumptions, *world.ASKED, world.TASKS >= 1),
        claim=room == z3.And(*(place.has_space(account, SLOTS) for account in world.POOLS)),
        told="the pools, for {tasks} tasks, room is {room}" + ROOM,
        values={"tasks": world.TASKS, "room": room},
        more=lambda: place.shown(lifting, wants, world.POOLS, SLOTS),
    )


def _lacking(lifting: Lifting) -> Iterator[Case]:
    place = World(lacks="memory")
    room = place.have_room(lifting, place.wants(lifting, SLOTS))
    yield Case(
        assumptions=(*place.assumptions, *world.ASKED, SLOTS >= 1),
        claim=z3.Implies(room, z3.And(world.PER_TASK == 0, world.PER_HOST == 0)),
        told="{per_task} memory for each of {slots} tasks has room on a host without memory",
        values=SHOWN,
    )


def _left_out(lifting: Lifting) -> Iterator[Case]:
    """A ledger has no account with nothing in use, a host or the cluster no amount of zero."""
    place = World()
    cluster = replace(place.cluster(), pools={})
    nothing = accounts.open_ledger(cluster, {})
    for told, account, expected in (
        ("slots of which none is in use", Account(SLOTS_NAME, "A"), None),
        ("an amount that a host lacks", Account("disk", "A"), 0),
        ("a pool that is left out", Account("licence"), 0),
        ("a limit that counts nothing yet", world.accounts_of("A")[3], None),
    ):
        left = lifting.of(accounts.left, nothing, account, lifting.rules)
        capacity = place.capacity(account) if expected is None else expected
        yield Case(
            name=told,
            assumptions=place.assumptions,
            claim=left == capacity,
            told=f"of {told} {{left}} is left, and not {{capacity}}",
            values={"left": left, "capacity": capacity},
        )


def _counted_there(lifting: Lifting) -> Iterator[Case]:
    ledger = World().ledger()
    wants = {
        host: lifting.of(
            search.host_wants,
            *(world.key(), SLOTS, host, lifting.limit_host(host, "A"), ledger, lifting.rules),
        )
        for host in ("A", "B")
    }
    shared = [account for account in wants["A"] if account in wants["B"]]
    wrong = [
        f"a bucket on {host} {told} {words_of(one)}"
        for host in wants
        for told, accounts_of in (
            ("asks, wrongly, for", {*wants[host]} - {*world.accounts_of(host)}),
            ("does not ask for", {*world.accounts_of(host)} - {*wants[host]}),
        )
        for one in accounts_of
    ]
    yield Case(name="accounts", claim=z3.BoolVal(not wrong), told="; ".join(sorted(wrong)))
    yield Case(
        name="over the cluster",
        claim=z3.And(*(wants["A"][account] == wants["B"][account] for account in shared)),
        told="a bucket of {slots} tasks asks a limit for two amounts, by the host it is on",
        values=SHOWN,
    )


def _seen(lifting: Lifting) -> Iterator[Case]:
    before, first, second = z3.Ints("before first second")
    for name, account in (
        ("host", Account("memory", "A")),
        ("pool", Account("licence")),
        ("limit", world.accounts_of("A")[5]),
    ):
        start = World(used={account: before})
        now = World(used={account: lifting.debit(before, first)})
        ledger = now.ledger(at_start=start.used)
        capacity = now.capacity(account)
        left = lifting.of(accounts.left, ledger, account, lifting.rules)
        yield Case(
            name=name,
            assumptions=(before >= 0, first >= 0, second > 0, capacity >= 0),
            claim=lifting.fits(second, left) == (before + first + second <= capacity),
            told="of {capacity} on a " + name + " {before} were in use and the attempt has taken "
            "{first}: {second} more fit, or do not, as if it had not",
            values={"before": before, "first": first, "second": second, "capacity": capacity},
        )


def _nested(lifting: Lifting) -> Iterator[Case]:
    place = World()
    wants, fewer = (place.wants(lifting, slots) for slots in (SLOTS, FEWER))
    yield Case(
        assumptions=(
            *(*place.assumptions, *world.ASKED, FEWER >= 0, FEWER <= SLOTS),
            place.have_room(lifting, wants),
        ),
        claim=place.have_room(lifting, fewer),
        told="A has room for a bucket of {slots} tasks and not for one of {fewer}" + ROOM,
        values=SHOWN,
        more=lambda: place.shown(lifting, fewer, world.accounts_of("A"), FEWER),
    )


def _antitone(lifting: Lifting) -> Iterator[Case]:
    fuller, emptier = World(), World("less")
    pairs = [(fuller.used[account], emptier.used[account]) for account in world.EVERY]
    given = (
        *(*fuller.assumptions, *emptier.assumptions, *world.ASKED, SLOTS >= 0),
        *(less <= used for used, less in pairs),
    )
    on_host = [one.wants(lifting, SLOTS) for one in (fuller, emptier)]
    of_pools = [one.shared_wants(lifting) for one in (fuller, emptier)]
    for name, (before, after), asked in (
        ("host", on_host, world.accounts_of("A")),
        ("pools", of_pools, world.POOLS),
    ):
        yield Case(
            name=name,
            assumptions=(*given, fuller.have_room(lifting, before)),
            claim=emptier.have_room(lifting, after),
            told="{slots} tasks on A, or wants of {tasks} tasks on pools, have room, and none once "
            "less is in use" + ROOM,
            values=SHOWN | {"tasks": world.TASKS},
            more=partial(emptier.shown, lifting, after, asked, SLOTS),
        )
    more, less, amount = z3.Ints("more less amount")
    yield Case(
        name="after a debit",
        assumptions=(less <= more, amount >= 0),
        claim=lifting.debit(less, amount) <= lifting.debit(more, amount),
        told="{less} in use is less than {more}, and after a debit of {amount} it is not",
        values={"more": more, "less": less, "amount": amount},
    )


def _no_tasks_min(lifting: Lifting) -> Iterator[Case]:
    ledger, one, two = World().ledger(), world.key(tasks_min=FEWER), world.key(tasks_min=LEFT)
    on_host = [
        lifting.of(search.host_wants, key, SLOTS, "A", "A", ledger, lifting.rules)
        for key in (one, two)
    ]
    of_pools = [
        lifting.of(accounts.shared_wants, key, ledger.cluster, lifting.rules) for key in (one, two)
    ]
    same = [
        first[account] == second[account]
        for first, second in (on_host, of_pools)
        for account in first
    ]
    yield Case(
        claim=z3.And(*same),
        told="with at least {fewer} tasks it wants something else than with at least {left}",
        values=SHOWN,
    )


SHAPE = (
    "all amounts, capacities and uses; two hosts, two amounts on each, two pools; nineteen limits "
    "that apply, of each kind on slots, one amount and each pool, and three that do not"
)

THEOREMS = (
    Theorem(
        name="A want never shrinks as the bucket grows",
        clauses=("WANT-3",),
        scope="unbounded, of `want` alone",
        cases=_monotone,
    ),
    Theorem(
        name="A bucket wants each per-task amount for each task and each per-host amount once",
        clauses=("WANT-1",),
        scope="unbounded, of `want` alone, by induction over tasks",
        cases=_want,
    ),
    Theorem(
        name="Every want that is asked is positive",
        clauses=("WANT-1", "SHARED-1", "CACHE-1"),
        scope=(
            "unbounded, of `want` and `shared_want` alone; that a need "
            "of nothing is dropped is tested"
        ),
        cases=_positive,
    ),
    Theorem(
        name="As many tasks fit as the free amount holds, rounded down",
        clauses=("WANT-4",),
        scope="unbounded, of `want` and `fits` alone",
        cases=_how_many_fit,
    ),
    Theorem(
        name="Free is never negative, a zero want always fits, exactly enough is enough",
        clauses=("WANT-4", "LIMIT-3", "SESSION-5"),
        scope="unbounded, of `free` and `fits` alone",
        cases=_exactly_enough,
    ),
    Theorem(
        name="Entries of one resource add up, in any order",
        clauses=("WANT-2", "CACHE-1"),
        scope=(
            "unbounded, of `add_entry` alone; step lifted, fold = loop "
            "shown for thousands of rusages"
        ),
        cases=_entries,
    ),
    Theorem(
        name="A primary wants its per-job amount once and its per-task amount for each task",
        clauses=("SHARED-1",),
        scope="unbounded, of `shared_want` alone, by induction over tasks; a plan is no argument "
        "of the rule",
        cases=_shared_want,
    ),
    Theorem(
        name="A bucket has room exactly if every account it asks has what it wants",
        clauses=("HOST-1", "WANT-1", "WANT-4", "LIMIT-1", "LIMIT-2", "LIMIT-3", "RES-2"),
        scope=SHAPE,
        cases=_room,
    ),
    Theorem(
        name="Shared wants have room exactly if the pool and the limits on it have",
        clauses=("SHARED-1", "LIMIT-2"),
        scope=SHAPE,
        cases=_shared_room,
    ),
    Theorem(
        name="A host without an amount has room for none of it",
        clauses=("RES-2",),
        scope=SHAPE,
        cases=_lacking,
    ),
    Theorem(
        name="Where nothing is said, nothing is in use and no capacity is there",
        clauses=("RES-2", "LIMIT-3"),
        scope="all capacities, of `left` alone; one account of each kind",
        cases=_left_out,
    ),
    Theorem(
        name="A per-host limit counts on the candidate, others alike on every host",
        clauses=("WANT-5", "LIMIT-2"),
        scope=SHAPE,
        cases=_counted_there,
    ),
    Theorem(
        name="Every check sees the debits of the attempt so far",
        clauses=("PAR-1", "COMPOUND-2", "SHARED-2"),
        scope="unbounded, of `left`, `debit` and `fits` alone; one account of each kind",
        cases=_seen,
    ),
    Theorem(
        name="A host with room for a bucket has room for a smaller one",
        clauses=("HOST-6", "PAR-4"),
        scope=SHAPE,
        cases=_nested,
    ),
    Theorem(
        name="Where less is in use there is no less room",
        clauses=("CACHE-9", "WHY-2"),
        scope=SHAPE + "; step lifted, so for every bucket in turn",
        cases=_antitone,
    ),
    Theorem(
        name="The fewest tasks of a primary change nothing that it wants",
        clauses=("TASKS-1",),
        scope=SHAPE,
        cases=_no_tasks_min,
    ),
)
"""The theorems of this module."""
