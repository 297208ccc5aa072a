"""The conformance kit that checks any allocator against the specification.

Owns the wire protocol, adapters, engines, verdicts, counterexamples, workloads, reports and the
`allotment` command. Stands on the model, and reaches an allocator only through the adapter that
the user names.

`assert_conforms` is what a test of one's own imports from here. It is fetched when it is asked
for: the command line and the pytest plug-in start without it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from allotment_conformance.assertion import assert_conforms

__all__ = ["assert_conforms"]


def __getattr__(name: str) -> Any:
    """The public name, imported on first use."""
    if name == "assert_conforms":
        from allotment_conformance.assertion import assert_conforms

        return assert_conforms
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
