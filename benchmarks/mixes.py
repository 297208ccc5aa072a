"""Seeded clusters and jobs: what the benchmarks ask of every allocator alike."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from allotment_impl import Cluster, Counts, Host, Job, Per, Primary, Resources, RusageEntry

SLOTS = 16
"""Slots of a host."""

MEMORY = 64_000_000
"""Memory of a host, in thousandths of a megabyte."""

USERS = 8

GAPS = 10
"""Jobs that end, once, before a mix that ends none: the cluster has gaps, as real ones have."""

Make = Callable[[random.Random, str], Job]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Jobs of one kind on a cluster that is kept busy, round by round.

    A round ends a tenth of the live jobs, at most ``ending`` of them, begins a session, submits
    ``excess`` times the tasks that became free, runs, and withdraws what still waits. With
    ``ending`` 0 nothing ends in a round, but ``GAPS`` jobs have ended before the first, and each
    submits ``jobs`` jobs. The cluster is filled, unmeasured, with jobs of ``filling``.
    ``packable``: an allocator that takes neither compounds nor alternatives can be asked, too.
    """

    name: str
    words: str
    make: Make
    filling: Make
    ending: int = 20
    excess: float = 2.6
    jobs: int = 0
    packable: bool = True


def cluster(hosts: int) -> Cluster:
    """Equal hosts with slots and memory."""
    capacity = {"slots": SLOTS, "mem": MEMORY}
    return Cluster(
        hosts=tuple(Host(name=f"h{number}", capacity=capacity) for number in range(hosts)),
        resources=Resources(host=("mem",)),
    )


def primary(tasks: int, memory: int = 0) -> Primary:
    """A primary with so much memory for each task, in thousandths."""
    rusage = (RusageEntry(resource="mem", amount=memory, per=Per.TASK),) if memory else ()
    return Primary(tasks=Counts(min=1, max=tasks), rusage=rusage)


def job(rng: random.Random, name: str, *alternatives: tuple[Primary, ...]) -> Job:
    """A job of one of a few users."""
    user = f"u{rng.randrange(USERS)}"
    return Job(name=name, user=user, queue="normal", project="p", request=alternatives)


def tasks_of(job: Job) -> int:
    """The tasks of a job, by its first alternative."""
    assert not isinstance(job.request, str), "the mixes make trees"
    return sum(part.tasks.max for part in job.request[0] if part.tasks)


def up_to(tasks: int, signatures: int = 4, fewest: int = 1) -> Make:
    """Jobs of ``fewest`` to so many tasks, with one of so many amounts of memory, one of them 0."""

    def make(rng: random.Random, name: str) -> Job:
        memory = rng.randrange(signatures) * 4_000_000 // max(1, signatures - 1)
        return job(rng, name, (primary(rng.randint(fewest, tasks), memory),))

    return make


def trivial(rng: random.Random, name: str) -> Job:
    """Jobs of one task."""
    return job(rng, name, (primary(1, rng.choice([0, 1_000_000])),))


def compound(rng: random.Random, name: str) -> Job:
    """Compounds of two or three parts, half of them with an alternative."""
    parts = [rng.randint(1, 24) for _ in range(rng.choice([2, 2, 3]))]
    first = tuple(primary(tasks, rng.choice([0, 2_000_000, 4_000_000])) for tasks in parts)
    if rng.random() < 0.5:
        return job(rng, name, first)
    return job(rng, name, first, (Primary(tasks=Counts(min=len(parts), max=sum(parts))),))


SATURATED, SLOTS_ALONE = up_to(64), up_to(64, signatures=1)


def many_signatures(signatures: int) -> Mix:
    """The saturated mix with so many amounts of memory."""
    make = up_to(64, signatures)
    words = f"as saturated, {signatures:,} signatures"
    return Mix(name="many signatures", words=words, make=make, filling=make)


def of_tasks(tasks: int) -> Mix:
    """Jobs of exactly so many tasks."""
    make = up_to(tasks, signatures=1, fewest=tasks)
    return Mix(name="tasks", words=f"{tasks} tasks each", make=make, filling=SLOTS_ALONE)


MIXES = (
    Mix(
        name="saturated",
        words="1 to 64 tasks, 4 signatures",
        make=SATURATED,
        filling=SATURATED,
    ),
    Mix(
        name="hopeless",
        words="1,000 to 4,000 tasks, a few hundred slots free",
        make=up_to(4000, signatures=1, fewest=1000),
        filling=SLOTS_ALONE,
        ending=0,
        jobs=20,
    ),
    Mix(name="trivial", words="one task", make=trivial, filling=SLOTS_ALONE, ending=3),
    Mix(
        name="wide",
        words="256 to 2,048 tasks",
        make=up_to(2048, signatures=1, fewest=256),
        filling=SLOTS_ALONE,
        ending=60,
    ),
    many_signatures(1000),
    Mix(
        name="compound",
        words="two or three parts, half with an alternative",
        make=compound,
        filling=compound,
        packable=False,
    ),
)
