"""Change the functions that theorems run one by one, and write what the proofs noticed.

Also try whole runs with all wrong rules: those are the module `variants`.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType

from allotment_proofs.mutation import wrong_rules
from allotment_proofs.mutation.changes import changes_of
from allotment_proofs.mutation.page import page
from allotment_proofs.mutation.session import Mutant, functions_by_module, judged

WRONG_RULES = "variants"

Functions = Mapping[str, Sequence[FunctionType]]


def main() -> int:
    """Run the sessions and write the page. Exit status 1: a wrong rule stays undecided."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, default=Path("docs", "mutation.md"))
    parser.add_argument("modules", nargs="*", help="modules of the model; default: all")
    given = parser.parse_args()
    functions = functions_by_module()
    chosen = given.modules or [*functions, WRONG_RULES]
    unknown = {*chosen} - {*functions, WRONG_RULES}
    if unknown:
        parser.error(f"no theorem runs a function of {', '.join(sorted(unknown))}")
    for module in chosen:
        if module != WRONG_RULES:
            _write(given.page, functions, {module: _mutants(module, functions[module])})
    return _try_wrong_rules(given.page, functions) if WRONG_RULES in chosen else 0


def _mutants(module: str, functions: Sequence[FunctionType]) -> list[Mutant]:
    """The mutants of a module, each with its judgement."""
    found: list[Mutant] = []
    for function in functions:
        mutants = list(judged(function, changes_of(function)))
        print(f"{module}.{function.__name__}: {len(mutants)} mutants", file=sys.stderr)
        found += mutants
    return found


def _try_wrong_rules(path: Path, functions: Functions) -> int:
    """Write the table of wrong rules; the exit status."""
    found: dict[str, wrong_rules.Outcomes] = {}
    for theorem in wrong_rules.WHOLE:
        found[theorem.name] = wrong_rules.outcomes_under_all(theorem)
        print(f"{theorem.name}: {len(found[theorem.name])} wrong rules", file=sys.stderr)
    _write(path, functions, {}, wrong_rules.section(found))
    left = list(wrong_rules.left_open(found))
    for told in left:
        print(told, file=sys.stderr)
    return 1 if left else 0


def _write(
    path: Path, functions: Functions, found: Mapping[str, Sequence[Mutant]], table: str = ""
) -> None:
    """Write the page with what was found now."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(page(found, functions, before, table), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
