"""The workbench: a small allocator whose every step can be made wrong.

Written from SPEC.md alone, as a third opinion beside the model and the built-in allocator. It
keeps one mutable scheduler and debits in place, as allocators in the field do, so that faults of
state and of numbers have a place to live. In health it is *exact*.
"""

from allotment_conformance.zoo.workbench.bench import Workbench

__all__ = ["Workbench"]
