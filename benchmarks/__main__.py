"""All benchmarks, one after the other: ``python benchmarks --json FILE --docs docs``.

Every measurement runs in a process of its own, alone, so that none sees the memory of another.
Times are processor times wherever one process is measured, so that others on the machine disturb
them little; what can be relied on are the ratios, of which both sides were measured in this run.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any

import c_program
import kit
import machine
import measures
import performance
import request_texts
from measures import FULL, QUICK
from mixes import MIXES

Job = tuple[str, Callable[[], Any]]
"""Under which name a figure is kept, in a list if it comes more than once, and how it is made."""

SIZES = (128, 1024, 10_000)
GROWING_HOSTS = (64, 256, 1024, 4096, 16_384, 65_536)
GROWING_TASKS = (1, 4, 16, 64, 256, 1024, 4096)
SIGNATURES = (1, 4, 16, 64, 256, 1000, 2000, 4000, 7000, 10_000)
LISTS = ("cells", "hosts", "tasks", "signatures")


def jobs(program: Path, sample: Path, folder: Path, quick: bool) -> Iterator[Job]:
    """Everything that is measured, in order."""
    effort = QUICK if quick else FULL
    few = slice(2) if quick else slice(None)
    sizes = (128, 256) if quick else SIZES
    for mix in MIXES:
        for hosts in sizes:
            yield "cells", partial(measures.cell, mix.name, hosts, program, effort)
    for hosts in GROWING_HOSTS[few]:
        yield "hosts", partial(measures.growth_in_hosts, hosts, program, effort)
    for tasks in GROWING_TASKS[few]:
        yield "tasks", partial(measures.growth_in_tasks, tasks, sizes[-1], program, effort)
    for hosts in sizes[1:]:
        for count in SIGNATURES[few]:
            yield "signatures", partial(measures.signatures, count, hosts, effort)
    yield "session", partial(measures.one_session, 500 if quick else 100_000, sizes[-1])
    yield "cache", partial(measures.cache_hits, 1000 if quick else 50_000, sizes[0], effort.repeats)
    yield "profile", partial(measures.profile, "saturated", sizes[0], effort.decisions)
    texts = (20, 1) if quick else (2000, 3)
    for shape in request_texts.SHAPES:
        yield f"texts {shape}", partial(request_texts.rates, shape, *texts)
    cases = 30 if quick else 3000
    yield "in process", partial(kit.in_process, cases)
    yield "transport", partial(kit.transport, cases, sample, folder)
    # A few cases would be done before the second process of a check has started.
    yield "wire", partial(kit.over_the_wire, 10 * cases, sample)


def measure(quick: bool) -> dict[str, Any]:
    """All figures by name, each made in a fresh process; progress goes to standard error."""
    figures: dict[str, Any] = {name: [] for name in LISTS}
    began = monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, sample = c_program.build_driver(folder), c_program.build_sample(folder)
        todo = list(jobs(program, sample, folder, quick))
        for number, (key, job) in enumerate(todo, start=1):
            words = " ".join(str(one) for one in job.args if isinstance(one, str | int))  # type: ignore[attr-defined]
            print(
                f"{monotonic() - began:4.0f} s  {number}/{len(todo)}  {key} {words}",
                file=sys.stderr,
            )
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
                found = alone.submit(job).result()
            if key in LISTS:
                figures[key].append(found)
            else:
                figures[key] = found
    figures["machine"] = machine.facts()
    figures["date"] = datetime.now(UTC).date().isoformat()
    figures["minutes"] = (monotonic() - began) / 60
    return figures


def main() -> int:
    """Measure, print the tables, and write what is asked for."""
    parser = argparse.ArgumentParser(description="Measure the allocator, its rivals and the kit.")
    parser.add_argument("--quick", action="store_true", help="Tiny clusters: does it all run?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="Where figures are written.")
    parser.add_argument("--from", dest="old", type=Path, metavar="FILE", help="Use these figures.")
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="Where the page and plots are.")
    chosen = parser.parse_args()
    try:
        figures = json.loads(chosen.old.read_text()) if chosen.old else measure(chosen.quick)
    except c_program.CannotBuild as reason:
        print(f"benchmarks: {reason}", file=sys.stderr)
        return 2
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(performance.tables(figures))
    if chosen.docs:
        performance.write(figures, chosen.docs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
