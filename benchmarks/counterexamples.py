"""From a failing case to a certified one: ``python benchmarks/counterexamples.py --every 10``.

Takes of every so many allocators of the zoo the case in which it was first found, makes it small
and certifies it, in this process or, with ``--wire``, as a program. Its diagnosis is held against
the directed cases on which the allocator agrees, as in a run; asking these is not measured. Prints
a line for each, and the medians. Wall time is what a person waits; processor time is that of the
kit.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from statistics import median
from time import monotonic, process_time

from allotment_conformance.counterexample.asking import Asking, InProcess, OverWire, asked_one
from allotment_conformance.counterexample.find import counterexample
from allotment_conformance.engines.all_directed import ALL_DIRECTED, as_asked
from allotment_conformance.runs.tally import Seen, failure_of
from allotment_conformance.wire.messages import Json, read_profile
from allotment_conformance.wire.process import ProcessAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import MUTANTS, Specimen
from allotment_conformance.zoo.hunt import ENGINES
from allotment_conformance.zoo.smallest import smallest

MAIN = "import sys; from allotment_conformance.cli import main; sys.exit(main())"


@cache
def cases(engine: str) -> list[Json]:
    """The cases of an engine, in the order in which they are asked."""
    return list(ENGINES[engine]())


def found_in(name: str) -> Json:
    """The case in which an allocator was found, before it was made small."""
    engine, _case, number = smallest()[name].found_in.split()
    return cases(engine)[int(number) - 1]


@contextmanager
def asking(one: Specimen, *, wire: bool) -> Iterator[Asking]:
    """The allocator, in this process or as a program."""
    if not wire:
        yield InProcess(one.make(), MODEL_PROFILE)
        return
    program = ProcessAdapter([sys.executable, "-c", MAIN, "zoo", "--serve", one.id])
    try:
        yield OverWire(program, read_profile(program.start()))
    finally:
        program.close()


def agreed(allocator: Asking) -> frozenset[int]:
    """The numbers of the directed cases on which an allocator agrees."""
    cases = (as_asked(one, allocator.profile) for one in ALL_DIRECTED)
    findings = enumerate(allocator.findings(cases))
    return frozenset(number for number, one in findings if one.signature is None)


def main() -> None:
    """Measure, and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--every", type=int, default=10)
    options.add_argument("--wire", action="store_true")
    told = options.parse_args()
    walls, processors, claims = [], [], Counter[str]()
    for one in MUTANTS[:: told.every]:
        with asking(one, wire=told.wire) as allocator:
            first = asked_one(allocator, found_in(one.id))
            assert first.disagreement is not None, "a case in which it was found"
            failure = failure_of(one.id, first.case, first.answers, first.disagreement)
            seen = Seen(failures=(failure,), agreed=agreed(allocator))
            wall, processor = monotonic(), process_time()
            shown = counterexample(allocator, failure, seen)
            walls.append(monotonic() - wall)
            processors.append(process_time() - processor)
        claims[shown.certificate.claim] += 1
        count = shown.certificate.smaller
        print(f"{walls[-1]:7.2f} s  {one.id}: {shown.certificate.claim}, {count} smaller cases")
    print(f"median {median(walls):.2f} s, of the kit {median(processors):.2f} s: {dict(claims)}")


if __name__ == "__main__":
    main()
