"""The page that tells how the mutants fared: docs/mutation.md."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType

from allotment_proofs.mutation.equivalence import (
    box_size,
    changed,
    courses,
    difference,
    difference_in_cases,
)
from allotment_proofs.mutation.for_all import same_for_all
from allotment_proofs.mutation.judge import REFUTED, SURVIVED, UNSUPPORTED
from allotment_proofs.mutation.known import known
from allotment_proofs.mutation.session import Mutant
from allotment_proofs.mutation.wrong_rules import SECTION

APART = (UNSUPPORTED, "unknown", "vacuous", "crashed")
"""Outcomes that do not count as noticed: the lifter or the solver did not get as far as that."""

HEAD = """# Mutants of the model against the proofs alone

`make mutate-model` writes this page. [Cosmic Ray](https://cosmic-ray.readthedocs.io/) changes the
functions of the model that theorems run, one operator or number at a time; beside these, one field
is read for another of its class, as the queue for the user, and one member of an enumeration for
another (`FIELDS` in the source). Then the theorems that run the function are proved again, from the
changed source. No test is run. Only *refuted* means that a theorem noticed the change. With
`MODULES=...` the rows of other modules stay as they are.

*Unsupported* (a symbol has no such operator, as `/`, `**`, shifts and bits), *unknown* (the solver
gave up), *vacuous* (the assumptions of a theorem contradict each other under the change) and
*crashed* (no statement can be made of it, or it does not end) are told apart and count as nothing.
What has no term in one theorem may have one in others: *unsupported* is a change that none of all
these theorems refutes, whole runs included.

The operators `|` and `**`, which the model uses for types and to join dictionaries only, are left
as they are, and nothing is changed to `is`. Of every function that a theorem runs changes are
sought, but for three that evaluate a select (`OF_FRACTIONS` in the source): a fraction has no term,
so theorems give them a few known values, and cases test them. Cosmic Ray leaves `in` and `not in`
as they are too. A function with nothing of all this to change has no row: it calls others or hands
on what it is given, and compares by these two or with `None` at most, as `is_passed_over`,
`limits_that_apply`, `queue` and `is_known` do. Whether a theorem would notice a change of it this
page does not tell.

What is said of a survivor is said twice. *By Z3*: the function, or one that calls it, is run on
symbols as it is and as it was changed, and no numbers make a difference (`mutation/for_all.py`).
That is a proof for all numbers within the scope that is told, which bounds how many hosts, jobs and
parts there are. *On all cases*: a leaf is run on every argument of a box; any other is put into the
model, and all small cases in which witnesses are sought (`necessity/slices.py`) are run: neither an
answer nor a state on the way differs. Neither is a proof for clusters and requests of any size; for
those stands beside it, in words, why it should be so.

"""
SURVIVORS, BY_FUNCTION = "## Survivors", "## By function"
ROW = re.compile(r"^\| `(\w+)\.\w+` \|.*\|$", re.MULTILINE)

BY_Z3 = "| yes, by Z3: "

Rows = list[tuple[str, str]]
"""Rows of a table, each with the module that it is about."""


def page(
    found: Mapping[str, Sequence[Mutant]],
    functions: Mapping[str, Sequence[FunctionType]],
    before: str = "",
    of_wrong_rules: str = "",
) -> str:
    """The whole page; what is not found anew now is that of the page before."""
    before, _, kept = before.partition(SECTION)
    summary, _, rest = before.partition(SURVIVORS)
    survived, _, by_function = rest.partition(BY_FUNCTION)
    modules = [(f"`{name}.py`", mutants) for name, mutants in found.items()]
    rows = _together([(name[1:-4], _row(name, own)) for name, own in modules], summary, found)
    of_survivors = _together(_survivors(found, functions), survived, found)
    sums = [sum(map(int, column)) for column in zip(*map(_numbers, rows), strict=True)]
    return HEAD + "\n".join(
        [
            *_heading("module"),
            *rows,
            f"| all | {' | '.join(map(str, sums))} |",
            *("", SURVIVORS, "", _sum_of(of_survivors), ""),
            *("| module | before | after | is it the same? |", "|---|---|---|---|"),
            *of_survivors,
            *("", BY_FUNCTION, ""),
            *_heading("function"),
            *_together(_by_function(found), by_function, found),
            "",
            of_wrong_rules or SECTION + kept,
        ]
    )


def _together(rows: Rows, before: str, found: Mapping[str, object]) -> list[str]:
    """Rows of now, and those of before about other modules, by module."""
    kept = [(one[1], one[0]) for one in ROW.finditer(before) if one[1] not in found]
    return [row for _module, row in sorted([*rows, *kept], key=lambda one: one[0])]


def _sum_of(rows: Sequence[str]) -> str:
    by_z3 = sum(BY_Z3 in row for row in rows)
    return f"{by_z3} of {len(rows)} are the same by Z3 within their scope."


def _numbers(row: str) -> list[str]:
    return re.findall(r"(?<=\| )\d+(?= \|)", row)


def _row(name: str, mutants: Sequence[Mutant]) -> str:
    counts = Counter(mutant.judgement.outcome for mutant in mutants)
    cells = [len(mutants), counts[REFUTED], counts[SURVIVED], *(counts[one] for one in APART)]
    return f"| {name} | {' | '.join(map(str, cells))} |"


def _heading(first: str) -> list[str]:
    names = [first, "mutants", REFUTED, SURVIVED, *APART]
    return [f"| {' | '.join(names)} |", f"|---{'|---:' * (len(names) - 1)}|"]


def _by_function(found: Mapping[str, Sequence[Mutant]]) -> Rows:
    return [
        (module, _row(f"`{module}.{name}`", [one for one in mutants if one.function == name]))
        for module, mutants in found.items()
        for name in dict.fromkeys(mutant.function for mutant in mutants)
    ]


def survivors(found: Mapping[str, Sequence[Mutant]]) -> Iterator[tuple[str, Mutant]]:
    """The mutants that have a term and that no theorem refutes, each with its module."""
    for module, mutants in found.items():
        for mutant in mutants:
            if mutant.judgement.outcome not in (REFUTED, UNSUPPORTED):
                yield module, mutant


def _survivors(
    found: Mapping[str, Sequence[Mutant]], functions: Mapping[str, Sequence[FunctionType]]
) -> Rows:
    return [
        (
            module,
            f"| `{module}.py` | `{mutant.before}` | `{mutant.after}` | {told} |",
        )
        for module, mutant in survivors(found)
        for told in (verdict(module, mutant, functions),)
    ]


def verdict(module: str, mutant: Mutant, functions: Mapping[str, Sequence[FunctionType]]) -> str:
    """Whether a survivor computes the same, how far that was found, and how."""
    if mutant.judgement.outcome != SURVIVED:
        return f"**not shown**, {mutant.judgement.outcome}: {mutant.judgement.theorem}"
    own = next(one for one in functions[module] if one.__name__ == mutant.function)
    is_leaf, told = module == "arithmetic", known(module, mutant.function, mutant.after)
    if not is_leaf and told is None:
        return "**not shown**"
    compare = difference if is_leaf else difference_in_cases
    if differs := compare(own, changed(own, mutant.source)):
        return f"**no**: {differs}"
    scope = same_for_all(own, mutant.source)
    by_z3 = f"by Z3: {scope}; " if scope else ""
    if told is None:
        return f"yes, {by_z3}on all {box_size(own)} arguments of its box"
    return f"yes, {by_z3}on all {len(courses()):,} cases; {told.why}"
