"""Theorems about the search (PAR-1, PAR-4, PAR-5, HOST-3, HOST-7).

`fits(host, slots)` is left open but for one thing: a host with room for a bucket has room for a
smaller one, which is a theorem of its own. Room on an account of the cluster is the same whatever
the host (a theorem too), so `fits` speaks of host amounts and per-host limits.

The hypotheses speak about all buckets of an assignment. They are used at the buckets named here
only, so what is proved is no less than the theorem.
"""

from collections.abc import Iterator
from itertools import permutations, product

import z3

from allotment_model.cluster import Host
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems import plans
from allotment_proofs.theorems.plans import HOSTS, INDEX, OTHER, TASKS

HOST = z3.DeclareSort("Host")
FITS = z3.Function("fits", HOST, z3.IntSort(), z3.BoolSort())
TAKEN, ANOTHER, CLAIMED = z3.Consts("taken another claimed", HOST)
FIRST, HERE, THERE = z3.Consts("first here there", HOST)


def _nested(*hosts: Term, larger: Term, smaller: tuple[Term, ...]) -> Iterator[Term]:
    """The instances that are used of: room for a bucket is room for a smaller one."""
    for host, slots in product(hosts, smaller):
        yield z3.Implies(z3.And(FITS(host, larger), slots <= larger), FITS(host, slots))


def _buckets(lifting: Lifting) -> tuple[Term, Term, Term, tuple[Term, ...]]:
    """The first bucket placed, two others, and that they are of one plan."""
    plan, given = plans.balanced_plan(lifting)
    placed = lifting.buckets_to_place(plan)
    there = [placed.present(index) for index in (z3.IntVal(0), INDEX, OTHER)]
    given = (*given, *there, INDEX >= 1, OTHER >= 1, INDEX != OTHER)
    return placed.at(z3.IntVal(0)), placed.at(INDEX), placed.at(OTHER), given


def _shown(first: Term, here: Term) -> dict[str, Term]:
    return {"tasks": TASKS, "hosts": HOSTS, "index": INDEX + 1, "first": first, "slots": here}


def _is_unclaimed(lifting: Lifting, host: Term, *claimed: Term) -> Term:
    return z3.Not(lifting.is_passed_over(host, claimed))


def _step(lifting: Lifting) -> Iterator[Case]:
    """If the buckets have hosts, and any candidate takes the first, the others have hosts."""
    first, here, there, given = _buckets(lifting)

    def instead(host: Term) -> Term:
        return z3.If(host == TAKEN, FIRST, host)

    yield Case(
        name="step",
        assumptions=(
            *given,
            *(z3.Distinct(FIRST, HERE, THERE), FITS(FIRST, first)),
            *(FITS(HERE, here), FITS(THERE, there), FITS(TAKEN, first)),
            *(_is_unclaimed(lifting, host, CLAIMED) for host in (FIRST, HERE, THERE, TAKEN)),
            *_nested(FIRST, larger=first, smaller=(here, there)),
        ),
        claim=z3.And(
            FITS(instead(HERE), here),
            instead(HERE) != instead(THERE),
            _is_unclaimed(lifting, instead(HERE), CLAIMED, TAKEN),
        ),
        told="{tasks} tasks on {hosts} hosts: once a candidate has taken the first bucket, of "
        "{first} slots, bucket {index}, of {slots} slots, may be left without a host",
        values=_shown(first, here),
    )


def _complete(lifting: Lifting) -> Iterator[Case]:
    yield from _progress(lifting)
    yield from _step(lifting)


def _progress(lifting: Lifting) -> Iterator[Case]:
    """The host that an assignment gives to a bucket is searched and not passed over."""
    hosts = [Host(name=name, capacity={}, attributes={}) for name in "BAC"]
    seen = [(), ("A",), ("A", "B"), ("B", "C"), ("A", "B", "C")]
    yield Case(
        name="every host is searched",
        claim=z3.BoolVal(all(list(lifting.hosts_to_search(hosts, one)) == hosts for one in seen)),
        told="of three hosts some are not searched for a later bucket",
    )
    yield Case(
        name="only claimed hosts are passed over",
        assumptions=(TAKEN != CLAIMED, TAKEN != ANOTHER),
        claim=_is_unclaimed(lifting, TAKEN, CLAIMED, ANOTHER),
        told="a host is passed over that is not claimed",
    )
    plan, given = plans.balanced_plan(lifting)
    yield Case(
        name="every bucket is placed",
        assumptions=(*given, plan.present(INDEX)),
        claim=lifting.buckets_to_place(plan).present(INDEX),
        told="{tasks} tasks on {hosts} hosts: bucket {index} is not placed",
        values={"tasks": TASKS, "hosts": HOSTS, "index": INDEX + 1},
    )


def _distinct(lifting: Lifting) -> Iterator[Case]:
    yield Case(
        assumptions=(_is_unclaimed(lifting, TAKEN, CLAIMED, ANOTHER),),
        claim=z3.And(TAKEN != CLAIMED, TAKEN != ANOTHER),
        told="a bucket takes a host that another bucket of its plan has claimed",
    )


def _any_candidate(lifting: Lifting) -> Iterator[Case]:
    """What is left for the other buckets does not depend on who took the first."""
    first, here, there, given = _buckets(lifting)

    def instead(host: Term) -> Term:
        return z3.If(host == ANOTHER, TAKEN, host)

    yield Case(
        assumptions=(
            *given,
            *(FITS(TAKEN, first), FITS(ANOTHER, first), TAKEN != ANOTHER),
            *(HERE != THERE, HERE != TAKEN, THERE != TAKEN),
            *(FITS(HERE, here), FITS(THERE, there)),
            *_nested(TAKEN, larger=first, smaller=(here, there)),
        ),
        claim=z3.And(
            FITS(instead(HERE), here), instead(HERE) != instead(THERE), instead(HERE) != ANOTHER
        ),
        told="{tasks} tasks on {hosts} hosts: whether bucket {index}, of {slots} slots, finds a "
        "host depends on which one took the first, of {first} slots",
        values=_shown(first, here),
    )


def _counting(lifting: Lifting) -> Iterator[Case]:
    """For up to three hosts: an assignment exists exactly if enough hosts fit each size."""
    per_task, per_host = z3.Ints("per_task per_host")
    left = z3.Ints("left_a left_b left_c")
    for hosts in (1, 2, 3):
        plan, given = plans.balanced_plan(lifting, z3.IntVal(hosts))
        sizes = [plan.at(z3.IntVal(index)) for index in range(hosts)]
        room = [
            [lifting.fits(lifting.want(per_task, per_host, size), free) for free in left]
            for size in sizes
        ]
        exists = z3.Or(
            *(
                z3.And(*(room[bucket][host] for bucket, host in enumerate(chosen)))
                for chosen in permutations(range(3), hosts)
            )
        )
        larger = z3.Sum([z3.If(size == sizes[0], 1, 0) for size in sizes])
        enough = z3.And(
            z3.Sum([z3.If(one, 1, 0) for one in room[0]]) >= larger,
            z3.Sum([z3.If(one, 1, 0) for one in room[-1]]) >= hosts,
        )
        yield Case(
            name=f"{hosts} buckets",
            assumptions=(*given, per_task >= 0, per_host >= 0),
            claim=exists == enough,
            told=f"{{tasks}} tasks in {hosts} buckets, {{left_a}}, {{left_b}} and {{left_c}} left "
            "on three hosts: counting says otherwise than trying",
            values={"tasks": TASKS} | {str(one): one for one in left},
        )


STAGE, PER_TASK, PER_HOST, USED, CAP = z3.Ints("stage per_task per_host used cap")
WITH_ROOM = z3.Function("with_room", z3.IntSort(), z3.IntSort())
"""How many hosts that this plan has not claimed have room for a bucket of that size (ghost)."""


def _counted(lifting: Lifting) -> Iterator[Case]:
    """By induction from the last bucket: enough hosts are counted exactly if each finds one.

    A claim takes one host away from those with room for its bucket and, as that host has room for
    every smaller one too, from those with room for any later bucket.
    """
    plan, given = plans.balanced_plan(lifting)
    placed = lifting.buckets_to_place(plan)
    here, after, last = (placed.at(one) for one in (STAGE, STAGE + 1, HOSTS - 1))
    larger = TASKS % HOSTS

    def like(stage: Term) -> Term:
        """Buckets of the size of that one, from that one on (ghost)."""
        return z3.If(stage < larger, larger - stage, HOSTS - stage)

    def enough(stage: Term, size: Term, claimed: int) -> Term:
        return z3.And(
            WITH_ROOM(size) - claimed >= like(stage), WITH_ROOM(last) - claimed >= HOSTS - stage
        )

    shown = {"tasks": TASKS, "hosts": HOSTS, "index": STAGE + 1, "slots": here}
    shown |= {"with_room": WITH_ROOM(here), "with_room_last": WITH_ROOM(last)}
    told = (
        "{tasks} tasks on {hosts} hosts, at bucket {index} {with_room} hosts have room for its "
        "{slots} slots, {with_room_last} for the last: counting says otherwise than trying"
    )
    sizes = (placed.present(STAGE), WITH_ROOM(here) <= WITH_ROOM(last), WITH_ROOM(here) >= 0)
    yield Case(
        name="base",
        assumptions=(*given, *sizes, STAGE == HOSTS - 1),
        claim=enough(STAGE, here, 0) == (WITH_ROOM(here) >= 1),
        told=told,
        values=shown,
    )
    yield Case(
        name="step",
        assumptions=(
            *(*given, *sizes, placed.present(STAGE + 1)),
            *(WITH_ROOM(here) <= WITH_ROOM(after), WITH_ROOM(after) <= WITH_ROOM(last)),
        ),
        claim=enough(STAGE, here, 0) == z3.And(WITH_ROOM(here) >= 1, enough(STAGE + 1, after, 1)),
        told=told,
        values=shown,
    )


def _total(lifting: Lifting) -> Iterator[Case]:
    """By induction over buckets; `tasks` (ghost) are in the `stage` buckets before this one."""
    slots, more = z3.Ints("slots more")
    before = lifting.want(PER_TASK, STAGE * PER_HOST, TASKS)
    asked = lifting.want(PER_TASK, PER_HOST, slots)
    through = lifting.want(PER_TASK, (STAGE + 1) * PER_HOST, TASKS + slots)
    given = (PER_TASK >= 0, PER_HOST >= 0, STAGE >= 0, TASKS >= 0, slots >= 1, USED >= 0)
    shown = {"per_task": PER_TASK, "per_host": PER_HOST, "stage": STAGE, "tasks": TASKS}
    shown |= {"slots": slots, "before": before, "asked": asked, "through": through}
    shown |= {"used": USED, "cap": CAP, "more": more}
    told = "{per_task} for each task and {per_host} for each host: "
    yield Case(
        name="sum",
        assumptions=given,
        claim=before + asked == through,
        told=told + "{stage} buckets of {tasks} tasks want {before}, one of {slots} {asked}, and "
        "all together {through}",
        values=shown,
    )
    ledger = lifting.debit(USED, before)
    fits = lifting.fits(asked, lifting.free(CAP, ledger))
    yield Case(
        name="a total within what is left lets each bucket fit",
        assumptions=(*given, CAP >= 0, more >= 0, USED + through + more <= CAP),
        claim=fits,
        told=told + "{used} of {cap} in use, {before} taken by buckets before: a bucket that "
        "wants {asked} does not fit, though all together do",
        values=shown,
    )
    yield Case(
        name="buckets that fit have a total within what is left",
        assumptions=(*given, CAP >= 0, asked > 0, fits),
        claim=USED + through <= CAP,
        told=told + "{used} of {cap} in use, {before} taken by buckets before: a bucket that "
        "wants {asked} fits, though all together do not",
        values=shown,
    )


FOLD = "step lifted, search = fold of the steps shown for all small worlds"

THEOREMS = (
    Theorem(
        name="The search finds hosts for the buckets of a plan whenever there are any",
        clauses=("PAR-4", "PAR-1", "HOST-3", "HOST-6"),
        scope=f"unbounded, by induction over buckets; {FOLD}",
        cases=_complete,
    ),
    Theorem(
        name="The buckets of a plan take distinct hosts",
        clauses=("HOST-7",),
        scope="unbounded, of `is_passed_over` alone; two claimed hosts, each for any other",
        cases=_distinct,
    ),
    Theorem(
        name="Whether a plan holds does not depend on the order of hosts",
        clauses=("PAR-5", "SEQ-1"),
        scope=f"unbounded, by induction over buckets; {FOLD}",
        cases=_any_candidate,
    ),
    Theorem(
        name="A plan holds exactly if enough hosts fit the larger bucket and enough the smaller",
        clauses=("PAR-1", "PAR-4"),
        scope="three hosts, up to three buckets, all amounts, of plans, `want` and `fits` alone; "
        "more hosts by the next theorem",
        cases=_counting,
    ),
    Theorem(
        name="Counting hosts with room tells at every bucket whether the plan holds",
        clauses=("PAR-1", "PAR-4"),
        scope=f"unbounded, by induction over buckets; {FOLD}; the number of hosts with room is a "
        "ghost",
        cases=_counted,
    ),
    Theorem(
        name="A cluster-wide account has room for each bucket exactly if it has for the total",
        clauses=("PAR-1", "LIMIT-2"),
        scope="unbounded, of `want`, `debit`, `free` and `fits` alone, by induction over buckets; "
        "the tasks placed so far are a ghost",
        cases=_total,
    ),
)
"""The theorems of this module."""
