"""The page that tells how the mutants fared: docs/mutation.md."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType

from allotment_proofs.mutation.equivalence import box_size, changed, difference
from allotment_proofs.mutation.judge import REFUTED, SURVIVED
from allotment_proofs.mutation.known import known
from allotment_proofs.mutation.session import Mutant

APART = ("unsupported", "unknown", "vacuous", "crashed")
"""Outcomes that do not count as noticed: the lifter or the solver did not get as far as that."""

HEAD = """# Mutants of the model against the proofs alone

`make mutate-model` writes this page. [Cosmic Ray](https://cosmic-ray.readthedocs.io/) changes a
copy of the model, one operator or number at a time, in the lines of functions that some theorem
lifts; then the theorems that lift a function of the changed file are proved again, from its source.
No test is run. Only *refuted* means that a theorem noticed the change.

*Unsupported* (the lifter knows no such construct, as `/`, `**`, shifts and bits), *unknown* (the
solver gave up), *vacuous* (the assumptions of a theorem contradict each other under the change) and
*crashed* (Python itself refuses the changed model) are told apart and count as nothing. The
operator `|`, which the model uses for types and to join dictionaries only, is left as it is.

"""


def page(
    found: Mapping[str, Sequence[Mutant]], functions: Mapping[str, Sequence[FunctionType]]
) -> str:
    """The whole page."""
    return HEAD + "\n".join(
        [
            *_summary(found),
            "",
            *_survivors(found, functions),
            "",
            *_by_function(found),
            "",
        ]
    )


def _counts(mutants: Sequence[Mutant]) -> Counter[str]:
    return Counter(mutant.judgement.outcome for mutant in mutants)


def _row(name: str, mutants: Sequence[Mutant]) -> str:
    counts = _counts(mutants)
    cells = [len(mutants), counts[REFUTED], counts[SURVIVED], *(counts[one] for one in APART)]
    return f"| {name} | {' | '.join(map(str, cells))} |"


def _heading(first: str) -> list[str]:
    names = [first, "mutants", REFUTED, SURVIVED, *APART]
    return [f"| {' | '.join(names)} |", f"|---{'|---:' * (len(names) - 1)}|"]


def _summary(found: Mapping[str, Sequence[Mutant]]) -> Iterator[str]:
    yield from _heading("module")
    for module, mutants in found.items():
        yield _row(f"`{module}.py`", mutants)
    yield _row("all", [one for mutants in found.values() for one in mutants])


def _by_function(found: Mapping[str, Sequence[Mutant]]) -> Iterator[str]:
    yield "## By function"
    yield ""
    yield from _heading("function")
    for module, mutants in found.items():
        for function in dict.fromkeys(mutant.function for mutant in mutants):
            own = [mutant for mutant in mutants if mutant.function == function]
            yield _row(f"`{module}.{function}`", own)


def survivors(found: Mapping[str, Sequence[Mutant]]) -> Iterator[tuple[str, Mutant]]:
    """The mutants that every theorem let pass, each with its module."""
    for module, mutants in found.items():
        for mutant in mutants:
            if mutant.judgement.outcome == SURVIVED:
                yield module, mutant


def _survivors(
    found: Mapping[str, Sequence[Mutant]], functions: Mapping[str, Sequence[FunctionType]]
) -> Iterator[str]:
    yield "## Survivors"
    yield ""
    yield "| module | before | after | is it the same? |"
    yield "|---|---|---|---|"
    for module, mutant in survivors(found):
        words = verdict(module, mutant, functions)
        yield f"| `{module}.py` | `{mutant.before}` | `{mutant.after}` | {words} |"


def verdict(module: str, mutant: Mutant, functions: Mapping[str, Sequence[FunctionType]]) -> str:
    """Whether a survivor is equivalent, and how that was found."""
    own = [one for one in functions[module] if one.__name__ == mutant.function]
    told = known(module, mutant.function, mutant.after)
    if told is not None:
        return f"yes: {told.why}" if told.is_same else f"**no**: {told.why}"
    if module != "arithmetic" or not own:
        return "**not shown**"
    differs = difference(own[0], changed(own[0], mutant.before, mutant.after))
    if differs:
        return f"**no**: {differs}"
    return f"yes, on all {box_size(own[0])} arguments of its box"
