"""Change the lifted functions of the model one by one, and write what the proofs noticed."""

import argparse
from pathlib import Path

from allotment_proofs.mutation.page import page
from allotment_proofs.mutation.session import lifted_functions, run_session


def main() -> None:
    """Run the sessions and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("build", "mutation"))
    parser.add_argument("--page", type=Path, default=Path("docs", "mutation.md"))
    parser.add_argument("modules", nargs="*", help="modules of the model; default: all lifted")
    given = parser.parse_args()
    functions = lifted_functions()
    unknown = set(given.modules) - set(functions)
    if unknown:
        parser.error(f"no theorem lifts a function of {', '.join(sorted(unknown))}")
    found = {}
    for module in given.modules or sorted(functions):
        found[module] = run_session(given.folder, module, functions[module])
        print(f"{module}: {len(found[module])} mutants", flush=True)
    given.page.write_text(page(found, functions), encoding="utf-8")


if __name__ == "__main__":
    main()
