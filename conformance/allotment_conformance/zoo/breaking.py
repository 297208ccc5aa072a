"""Every allocator that is wrong on purpose, with the clauses that it breaks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.faults import FAULTS
from allotment_conformance.zoo.mutants import BENCH_MUTANTS
from allotment_model.variants import VARIANTS


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongAllocator:
    """An allocator with one fault, and the clauses of SPEC.md that the fault breaks."""

    name: str
    breaks: tuple[str, ...]
    make: Callable[[], Adapter]


def wrong_rules() -> Iterator[WrongAllocator]:
    """The model's variants and the faults that no single rule has; directed cases find each."""
    for variant in VARIANTS:
        make = partial(ModelAdapter, variant.of())
        yield WrongAllocator(name=variant.name, breaks=variant.breaks, make=make)
    for fault in FAULTS:
        yield WrongAllocator(name=fault.name, breaks=fault.breaks, make=fault.make)


def wrong_allocators() -> Iterator[WrongAllocator]:
    """The wrong rules, and the mutants of the workbench, some of which only other engines find."""
    yield from wrong_rules()
    for mutant in BENCH_MUTANTS:
        breaks = tuple(mutant.breaks.split())
        yield WrongAllocator(name=mutant.name, breaks=breaks, make=mutant)
