"""Decisions per second of the built-in engines: ``python benchmarks/engine.py --json FILE``.

All mixes are seeded, the cache is off unless its name says otherwise, and every pending answer
has its reason and its ``never``. Times are processor times of this one process, so that others on
the machine disturb them little; ratios between lines of one run are what can be relied on.
"""

import argparse
import json
import random
import resource
from collections.abc import Callable
from pathlib import Path
from time import process_time

from workloads import (
    Busy,
    Measured,
    busy,
    cluster,
    compound,
    job,
    primary,
    saturated,
    trivial,
    wide,
)

from allotment_impl import Scheduler

Figures = dict[str, object]


def saturated_mix(hosts: int, engine: str) -> Figures:
    """Four signatures, jobs of 1 to 64 tasks."""
    return busy(hosts, saturated(), seed=1, engine=engine).report()


def slots_mix(hosts: int, engine: str) -> Figures:
    """One signature: slots and nothing else."""
    return busy(hosts, saturated(1), seed=2, engine=engine).report()


def trivial_mix(hosts: int, engine: str) -> Figures:
    """One task each."""
    return busy(hosts, trivial, seed=3, engine=engine).report()


def wide_mix(hosts: int, engine: str) -> Figures:
    """256 to 2,048 tasks, some of which fit."""
    return busy(hosts, wide, seed=4, engine=engine, share=0.5).report()


def compound_mix(hosts: int, engine: str) -> Figures:
    """Compounds and alternatives."""
    return busy(hosts, compound, seed=5, engine=engine).report()


def signatures_mix(signatures: int) -> Callable[[int, str], Figures]:
    """The saturated mix with so many signatures."""

    def measure(hosts: int, engine: str) -> Figures:
        return busy(hosts, saturated(signatures), seed=6, engine=engine).report()

    return measure


def hopeless_mix(hosts: int, engine: str, count: int = 2000) -> Figures:
    """1,000 tasks or more on a full cluster: no plan of up to a thousand hosts holds."""
    world = Busy(hosts, saturated(1), 7, engine, 2.6)
    world.fill()
    rng, measured = random.Random(8), Measured()
    for number in range(count if engine == "indexed" else 20):
        world.scheduler.submit(job(rng, f"w{number}", (primary(rng.randint(1000, 4000)),)))
    began = process_time()
    decisions = world.scheduler.run_session()
    measured.run_s = process_time() - began
    measured.decisions, measured.submit_s = len(decisions), 1.0
    measured.dispatched = sum(1 for one in decisions if not hasattr(one, "reason"))
    return {
        key: value
        for key, value in measured.report().items()
        if key in ("decisions", "decisions_per_s", "dispatched_share")
    }


def cached_mix(hosts: int, engine: str) -> Figures:
    """Equal jobs that fail: all but the first are hits of the cache."""
    scheduler = Scheduler(cluster(hosts), engine=engine)
    rng, count = random.Random(9), 50_000
    hopeless = primary(hosts * 17)
    for number in range(count):
        scheduler.submit(job(rng, f"j{number}", (hopeless,)))
    began = process_time()
    decisions = scheduler.run_session()
    seconds = process_time() - began
    hits = sum(1 for one in decisions if getattr(one, "cached", False))
    return {"decisions": count, "decisions_per_s": round(count / seconds), "hits": hits}


def day_mix(hosts: int, engine: str, count: int = 100_000) -> Figures:
    """One session of many jobs, from their submission on, with the memory that it takes."""
    scheduler = Scheduler(cluster(hosts), cache="none", engine=engine)
    rng, make = random.Random(10), saturated()
    jobs = [make(rng, f"j{number}") for number in range(count)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = process_time()
    for one in jobs:
        scheduler.submit(one)
    submitted = process_time()
    decisions = scheduler.run_session()
    ended = process_time()
    dispatched = sum(1 for one in decisions if not hasattr(one, "reason"))
    return {
        "decisions": count,
        "submit_s": round(submitted - began, 2),
        "run_s": round(ended - submitted, 2),
        "dispatched_share": round(dispatched / count, 3),
        "grown_by_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


MIXES: dict[str, tuple[Callable[[int, str], Figures], tuple[int, ...]]] = {
    "saturated": (saturated_mix, (128, 1024, 10_000)),
    "slots-only": (slots_mix, (128, 1024, 10_000)),
    "trivial": (trivial_mix, (128, 1024, 10_000)),
    "wide": (wide_mix, (1024, 10_000)),
    "compound": (compound_mix, (128, 1024, 10_000)),
    "hopeless": (hopeless_mix, (10_000,)),
    "signatures-16": (signatures_mix(16), (128, 1024, 10_000)),
    "signatures-128": (signatures_mix(128), (128, 1024, 10_000)),
    "signatures-1000": (signatures_mix(1000), (128, 1024, 10_000)),
    "signatures-4000": (signatures_mix(4000), (128, 1024, 10_000)),
    "cached": (cached_mix, (128, 10_000)),
    "one-session": (day_mix, (10_000,)),
}


def main() -> None:
    """Run the mixes that are asked for, print a line for each, and write all as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--mix", action="append", choices=sorted(MIXES), help="only these")
    parser.add_argument("--hosts", action="append", type=int, help="only so many hosts")
    parser.add_argument("--engine", default="indexed", choices=["indexed", "iterative"])
    chosen = parser.parse_args()
    results = []
    for name in chosen.mix or MIXES:
        measure, sizes = MIXES[name]
        for hosts in sizes:
            if chosen.hosts and hosts not in chosen.hosts:
                continue
            figures = measure(hosts, chosen.engine)
            results.append({"mix": name, "hosts": hosts, "engine": chosen.engine, **figures})
            print(json.dumps(results[-1]), flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
