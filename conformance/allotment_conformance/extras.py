"""Python modules that a plain install leaves out, and what brings them."""

EXTRA_OF_MODULE = {
    "crosshair": "proofs",
    "dask": "distributed",
    "distributed": "distributed",
    "lark": "impl",
    "numpy": "impl",
    "z3": "proofs",
}
"""For each such module the extra that brings it."""


def how_to_install(module: str) -> str:
    """The remedy for a module that is missing, whoever needs it."""
    if module in EXTRA_OF_MODULE:
        extra = EXTRA_OF_MODULE[module]
        return (
            f"Install Allotment with its extra '{extra}', as in: pip install './allotment[{extra}]'"
        )
    return f"Install the distribution that provides '{module}' into this environment."
