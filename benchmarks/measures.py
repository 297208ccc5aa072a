"""The measurements, each a function of plain values that is run in a process of its own."""

import cProfile
import gc
import pstats
import random
import resource
import statistics
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import built_in
import c_program
import numpy_pass
from mixes import MIXES, USERS, Mix, cluster, job, many_signatures, of_tasks, primary
from recording import Recording, Timed, is_dispatched, record

from allotment_impl import Scheduler
from allotment_impl.cache import Category, ExhaustedPrimaries
from allotment_impl.demand import CacheKey

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done: decisions of the indexed engine, its repeats, seconds for each rival."""

    decisions: int
    repeats: int
    rival_s: float


HAS_ACCASIM = find_spec("accasim") is not None
"""`make bench` installs it; without it its columns stay empty."""

DISPATCHED_LEAST = 0.3
"""A saturated cluster on which fewer jobs are placed would be one that mostly says no."""


def cell(name: str, hosts: int, program: Path, effort: Effort) -> Figures:
    """One mix on so many hosts: the indexed engine, and everybody else on the same rounds."""
    [mix] = [one for one in MIXES if one.name == name]
    recording = record(mix, hosts, effort.decisions)
    share = recording.dispatched_share
    assert share >= DISPATCHED_LEAST or name != "saturated", f"only {share:.0%} dispatched"
    runs = built_in.repeated(recording, effort.repeats)
    # A rival runs once, so it is compared with one run, and not with the best of several.
    own, once = built_in.least(runs), runs[-1]
    everything = sum(own.seconds) + own.submit_s + own.books_s
    found = {
        "mix": name,
        "hosts": hosts,
        "decisions": recording.decisions,
        "dispatched_share": share,
        "hosts_taken": _hosts_taken(recording),
        "per_s": own.rate(),
        "with_submission_and_books_per_s": recording.decisions / everything,
        "passes": numpy_pass.passes_per_second(hosts) / own.rate(),
        "c": _against(once, c_program.replay(recording, program, effort.rival_s)),
        "iterative": _against(once, built_in.replay(recording, "iterative", effort.rival_s)),
    }
    if mix.packable and HAS_ACCASIM:
        import accasim_first_fit

        for key, each in (("accasim_queue", False), ("accasim_job", True)):
            timed, placed = accasim_first_fit.replay(recording, effort.rival_s / 2, each=each)
            found[key] = {**_against(once, timed), "dispatched_share": placed}
    return found


def _against(own: Timed, other: Timed) -> Figures:
    """A rival's rate, and how many times faster the indexed engine was on the same rounds."""
    seconds = sum(other.seconds)
    return {
        "per_s": other.rate(),
        "seconds": seconds,
        "decisions": sum(other.decisions),
        "ratio": own.times_as_fast_as(other),
    }


def _hosts_taken(recording: Recording) -> float:
    placed = [one for step in recording.measured for one in step.answers if is_dispatched(one)]
    taken = [sum(len(part) for part in answer[1]) for answer in placed]
    return statistics.mean(taken) if taken else 0.0


def growth(mix: Mix, hosts: int, program: Path, effort: Effort) -> Figures:
    """Microseconds a decision: the indexed engine and, on clusters that they can fill, rivals."""
    recording = record(mix, hosts, max(100, effort.decisions // 4))
    runs = built_in.repeated(recording, min(2, effort.repeats))
    micro = {"indexed": 1e6 / built_in.least(runs).rate()}
    if hosts <= RIVALS_HOSTS_MOST:
        found = c_program.replay(recording, program, effort.rival_s)
        if found.rate():
            micro["C"] = 1e6 / found.rate()
    return {"hosts": hosts, "us": micro}


RIVALS_HOSTS_MOST = 20_000
"""On larger clusters the C program takes a minute only to fill them."""


def growth_in_hosts(hosts: int, program: Path, effort: Effort) -> Figures:
    """The saturated mix on so many hosts."""
    return growth(MIXES[0], hosts, program, effort)


def growth_in_tasks(tasks: int, hosts: int, program: Path, effort: Effort) -> Figures:
    """Jobs of so many tasks each on a busy cluster."""
    return {"tasks": tasks, **growth(of_tasks(tasks), hosts, program, effort)}


def signatures(count: int, hosts: int, effort: Effort) -> Figures:
    """The saturated mix with so many signatures: rate, evictions, and the memory of the process."""
    recording = record(many_signatures(count), hosts, effort.decisions)
    own = built_in.least(built_in.repeated(recording, min(2, effort.repeats)))
    return {
        "signatures": count,
        "hosts": hosts,
        "per_s": own.rate(),
        "evictions": own.evictions,
        "peak_mb": _peak_mb(),
    }


def one_session(jobs: int, hosts: int) -> Figures:
    """Many jobs submitted and tried in one session, from an empty cluster on."""
    rng, make = random.Random(10), MIXES[0].make
    asked = [make(rng, f"j{number}") for number in range(jobs)]
    scheduler = Scheduler(cluster(hosts), cache="none")
    before, began = _peak_mb(), process_time()
    for one in asked:
        scheduler.submit(one)
    submitted = process_time()
    outcomes = scheduler.run_session()
    ended = process_time()
    placed = sum(not hasattr(one, "reason") for one in outcomes)
    return {
        "jobs": jobs,
        "hosts": hosts,
        "submit_s": submitted - began,
        "run_s": ended - submitted,
        "dispatched_share": placed / jobs,
        "before_mb": before,
        "peak_mb": _peak_mb(),
    }


def cache_hits(jobs: int, hosts: int, repeats: int) -> Figures:
    """Equal jobs that fail: all but the first of each user are answered by the cache."""
    seconds = min(_run_equal_jobs(jobs, hosts, nullcontext()) for _ in range(repeats))
    profiler = cProfile.Profile()
    _run_equal_jobs(jobs, hosts, profiler)
    return {
        "decisions": jobs,
        "per_s": jobs / seconds,
        "lookups_per_s": _lookups_per_s(),
        "profile": _busiest(profiler, jobs),
    }


def _run_equal_jobs(jobs: int, hosts: int, watched: AbstractContextManager[Any]) -> float:
    """Seconds of the run."""
    scheduler, rng = Scheduler(cluster(hosts)), random.Random(9)
    hopeless = primary(hosts * 17)
    for number in range(jobs):
        scheduler.submit(job(rng, f"j{number}", (hopeless,)))
    gc.collect()
    gc.freeze()
    began = process_time()
    with watched:
        outcomes = scheduler.run_session()
    seconds = process_time() - began
    gc.unfreeze()
    hits = sum(bool(getattr(one, "cached", False)) for one in outcomes)
    assert jobs - hits <= USERS, "all but the first of each user"
    return seconds


def _lookups_per_s() -> float:
    """The cache alone: a key that was interned at submission is looked up and found."""
    cache, key = ExhaustedPrimaries(), CacheKey(("a", 1))
    cache.fill(key, Category.CAPACITY)
    lookup, count = cache.lookup, 200_000
    began = process_time()
    for _ in range(count):
        lookup(key)
    return count / (process_time() - began)


def profile(name: str, hosts: int, decisions: int) -> list[Figures]:
    """Where the time of a mix goes: the functions that take most of it themselves."""
    [mix] = [one for one in MIXES if one.name == name]
    recording = record(mix, hosts, decisions)
    profiler = cProfile.Profile()
    built_in.replay(recording, "indexed", float("inf"), profiler)
    return _busiest(profiler, recording.decisions)


BUSIEST = 10
"""Functions of a profile that are told; the others take a few hundredths of the time each."""


def _busiest(profiler: cProfile.Profile, decisions: int) -> list[Figures]:
    rows: Any = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = sum(row[2] for row in rows.values())
    by_own = sorted(rows.items(), key=lambda item: -item[1][2])[:BUSIEST]
    return [
        {
            "function": where[2],
            "module": Path(where[0]).stem,
            "calls": row[1] / decisions,
            "share": row[2] / total,
        }
        for where, row in by_own
    ]


def _peak_mb() -> float:
    """What the process held resident at most. Linux tells kibibytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
