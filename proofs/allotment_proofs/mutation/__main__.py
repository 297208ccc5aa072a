"""Change the functions that theorems run one by one, and write what the proofs noticed."""

import argparse
import sys
from pathlib import Path

from allotment_proofs.mutation.changes import changes_of
from allotment_proofs.mutation.page import page
from allotment_proofs.mutation.session import Mutant, functions_by_module, judged


def main() -> None:
    """Run the sessions and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, default=Path("docs", "mutation.md"))
    parser.add_argument("modules", nargs="*", help="modules of the model; default: all")
    given = parser.parse_args()
    functions = functions_by_module()
    unknown = set(given.modules) - set(functions)
    if unknown:
        parser.error(f"no theorem runs a function of {', '.join(sorted(unknown))}")
    for module in given.modules or functions:
        found: list[Mutant] = []
        for function in functions[module]:
            mutants = list(judged(function, changes_of(function)))
            print(f"{module}.{function.__name__}: {len(mutants)} mutants", file=sys.stderr)
            found += mutants
        before = given.page.read_text(encoding="utf-8") if given.page.exists() else ""
        given.page.write_text(page({module: found}, functions, before), encoding="utf-8")


if __name__ == "__main__":
    main()
