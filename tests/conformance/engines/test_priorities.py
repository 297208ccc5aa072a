"""Allocators whose queue has narrow numbers are found by directed cases."""

import struct
from collections.abc import Callable

import pytest

from allotment_conformance.engines.directed.priorities import CASES
from allotment_conformance.wire.adapter import Adapter, load_adapter
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.workbench import Workbench
from allotment_conformance.zoo.workbench.things import Job

Number = Callable[[int], int]


def wraps(bits: int) -> Number:
    """What a signed integer of so many bits keeps of a number."""
    half = 2 ** (bits - 1)
    return lambda whole: (whole + half) % 2**bits - half


def stops(bits: int) -> Number:
    """The nearest signed integer of so many bits."""
    half = 2 ** (bits - 1)
    return lambda whole: max(-half, min(whole, half - 1))


def as_float32(whole: int) -> int:
    """The nearest float of 32 bits."""
    [single] = struct.unpack("f", struct.pack("f", whole))
    return int(single)


NUMBERS: dict[str, Number] = {
    "int8": wraps(8),
    "int16": wraps(16),
    "int32": wraps(32),
    "stops at int8": stops(8),
    "stops at int16": stops(16),
    "stops at int32": stops(32),
    "uint8": lambda whole: whole % 2**8,
    "uint32": lambda whole: whole % 2**32,
    "uint64": lambda whole: whole % 2**64,
    "float32": as_float32,
}


class Ranked(Workbench):
    """Its queue has the priorities as such numbers."""

    def __init__(self, number: Number) -> None:
        """A right allocator with this fault."""
        super().__init__()
        self.number = number

    def rank(self, job: Job) -> tuple[int, int]:
        """The place of a job in the queue."""
        return -self.number(job.priority), job.number


def differing(adapter: Adapter) -> list[str]:
    """The cases that the allocator answers otherwise than the model."""
    return [one.name for one in CASES if adapter.run(one.case) != ModelAdapter().run(one.case)]


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_narrow_priorities_are_found(number: Number) -> None:
    assert differing(Ranked(number))


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
def test_built_in_allocator_is_right(engine: str) -> None:
    assert [] == differing(load_adapter(f"allotment_impl.adapter:Adapter?engine={engine}"))
