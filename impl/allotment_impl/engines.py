"""Engines: how primaries are placed, and how failures are explained, with the same answers."""

from enum import Enum
from typing import Protocol

from allotment_impl.allocators import Allocator, ParallelAllocator, SequentialAllocator
from allotment_impl.cache import Category
from allotment_impl.demand import Demand
from allotment_impl.diagnosis import Prospects, categorise
from allotment_impl.indexed import IndexedEngine
from allotment_impl.ledger import Ledger
from allotment_impl.requests import HostOrder


class EngineKind(Enum):
    """The engines that are built in: one that is fast, and one that walks over plans and hosts."""

    INDEXED = "indexed"
    ITERATIVE = "iterative"


class Engine(Protocol):
    """What a scheduler asks of an engine, besides its allocators."""

    allocators: tuple[Allocator, ...]

    def configuration_changed(self) -> None:
        """Hosts, pools or limits are no longer what they were (SESSION-2)."""
        ...

    def categorise(self, demand: Demand) -> Category:
        """Why a primary failed in the present ledger, all it took given back (WHY-1)."""
        ...

    def is_never_placeable(self, demand: Demand) -> bool:
        """Whether a primary fails on the empty cluster, by itself (WHY-2)."""
        ...


class IterativeEngine:
    """The walk over plans and hosts: lazy, and with an event for each step."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._prospects = Prospects(ledger)
        self.allocators: tuple[Allocator, ...] = (SequentialAllocator(), ParallelAllocator())

    def configuration_changed(self) -> None:
        """Forget all verdicts on the empty cluster."""
        self._prospects.forget()

    def categorise(self, demand: Demand) -> Category:
        """Why a primary failed (WHY-1)."""
        return categorise(demand, self._ledger)

    def is_never_placeable(self, demand: Demand) -> bool:
        """Whether a primary can never be placed (WHY-2)."""
        return self._prospects.are_none(demand)


def make_engine(kind: EngineKind, ledger: Ledger, host_order: HostOrder) -> Engine:
    """The engine of a kind for one ledger."""
    match kind:
        case EngineKind.INDEXED:
            return IndexedEngine(ledger, host_order)
        case EngineKind.ITERATIVE:
            return IterativeEngine(ledger)
