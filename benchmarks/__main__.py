"""All benchmarks, one after the other: ``python benchmarks --json FILE --docs docs``.

Every measurement runs in a process of its own, alone, so that none sees the memory of another; with
``--quick``, which measures nothing, all run in one.
Times are processor times wherever one process is measured, so that others on the machine disturb
them little; what can be relied on are the ratios, of which both sides were measured in this run.
"""

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
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
from mixes import MIXES

Job = tuple[str, Callable[..., Any], tuple[Any, ...]]
"""Under which name figures are kept, what makes them, and from what."""

LISTS = ("cells", "hosts", "tasks", "signatures")
"""Figures that are made more than once, for several sizes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How large and how many the measurements are; `apart`: each in a process of its own."""

    effort: measures.Effort
    sizes: tuple[int, ...]
    hosts: tuple[int, ...]
    tasks: tuple[int, ...]
    signatures: tuple[int, ...]
    session: int
    cached: int
    texts: tuple[int, int]
    cases: int
    apart: bool = True


FULL = Scale(
    effort=measures.Effort(decisions=8000, repeats=4, rival_s=1.5),
    sizes=(128, 1024, 10_000),
    hosts=(64, 256, 1024, 4096, 16_384, 65_536),
    tasks=(1, 4, 16, 64, 256, 1024, 4096),
    signatures=(1, 4, 16, 64, 256, 1000, 2000, 4000, 7000, 10_000),
    session=100_000,
    cached=50_000,
    texts=(2000, 3),
    cases=3000,
)
QUICK = Scale(
    effort=measures.Effort(decisions=50, repeats=1, rival_s=0.05),
    sizes=(128,),
    hosts=(64, 128),
    tasks=(1, 4),
    signatures=(1, 4),
    session=500,
    cached=1000,
    texts=(20, 1),
    cases=30,
    apart=False,
)


def jobs(program: Path, sample: Path, folder: Path, scale: Scale) -> Iterator[Job]:
    """Everything that is measured, in order."""
    effort, sizes = scale.effort, scale.sizes
    for mix in MIXES:
        for hosts in sizes:
            yield "cells", measures.cell, (mix.name, hosts, program, effort)
    for hosts in scale.hosts:
        yield "hosts", measures.growth_in_hosts, (hosts, program, effort)
    for tasks in scale.tasks:
        yield "tasks", measures.growth_in_tasks, (tasks, sizes[-1], program, effort)
    for hosts in sizes[-2:]:
        for count in scale.signatures:
            yield "signatures", measures.signatures, (count, hosts, effort)
    yield "session", measures.one_session, (scale.session, sizes[-1])
    yield "cache", measures.cache_hits, (scale.cached, sizes[0], effort.repeats)
    yield "profile", measures.profile, ("saturated", sizes[0], effort.decisions)
    for shape in request_texts.SHAPES:
        yield f"texts {shape}", request_texts.rates, (shape, *scale.texts)
    yield "in process", kit.in_process, (scale.cases,)
    yield "transport", kit.transport, (scale.cases, effort.repeats, sample, folder)
    # Few cases would be done before the second process of a check has started.
    yield "wire", kit.over_the_wire, (10 * scale.cases, sample)


def measure(scale: Scale) -> dict[str, Any]:
    """All figures by name, each made in a fresh process; progress goes to standard error."""
    figures: dict[str, Any] = {name: [] for name in LISTS}
    began = monotonic()
    with tempfile.TemporaryDirectory() as name, _process() as one:
        folder = Path(name)
        program, sample = c_program.build_driver(folder), c_program.build_sample(folder)
        todo = list(jobs(program, sample, folder, scale))
        for number, (key, make, told) in enumerate(todo, start=1):
            words = " ".join(str(one) for one in told if isinstance(one, str | int))
            clock = f"{monotonic() - began:4.0f} s"
            print(f"{clock}  {number}/{len(todo)}  {key} {words}", file=sys.stderr)
            with _process() if scale.apart else nullcontext(one) as process:
                found = process.submit(make, *told).result()
            if key in LISTS:
                figures[key].append(found)
            else:
                figures[key] = found
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return figures | {
        "machine": machine.facts(),
        "date": datetime.now(UTC).date().isoformat(),
        "minutes": (monotonic() - began) / 60,
        "processor_minutes": (used.ru_utime + used.ru_stime) / 60,
    }


def _process() -> ProcessPoolExecutor:
    """A process that begins with the first that it is given to do."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def main() -> int:
    """Measure, print the tables, and write what is asked for."""
    parser = argparse.ArgumentParser(description="Measure the allocator, its rivals and the kit.")
    parser.add_argument("--quick", action="store_true", help="Tiny clusters: does it all run?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="Where figures are written.")
    parser.add_argument("--from", dest="old", type=Path, metavar="FILE", help="Use these figures.")
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="Where the page and plots are.")
    chosen = parser.parse_args()
    try:
        figures = (
            json.loads(chosen.old.read_text())
            if chosen.old
            else measure(QUICK if chosen.quick else FULL)
        )
    except c_program.CannotBuild as reason:
        print(f"benchmarks: {reason}", file=sys.stderr)
        return 2
    if chosen.json:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(performance.tables(figures))
    if chosen.docs:
        performance.write(figures, chosen.docs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
