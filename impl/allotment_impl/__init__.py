"""The production allocator that a scheduler embeds.

Owns sessions, allocators and the per-session cache. Imports nothing else of this project: it is
written from SPEC.md, and being checked against the model means something only because it shares
no code with it.
"""

from allotment_impl.adapter import Adapter
from allotment_impl.scheduler import Scheduler

__all__ = ["Adapter", "Scheduler"]
