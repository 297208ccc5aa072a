"""Show what speaks for each clause: code, theorem, case or test, wrong rule."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import check_writable, write_result
from allotment_conformance.errors import KitError
from allotment_conformance.evidence import checkout as checkouts
from allotment_conformance.evidence.survey import Survey, read_sources, survey
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.evidence import print_clause, print_survey, result_of
from allotment_model.clauses import CLAUSES


class UnknownClause(KitError):
    """There is no clause of that id."""

    code = "unknown-clause"


Ids = Annotated[
    list[str] | None, typer.Argument(metavar="[CLAUSE]...", help="Show all links of these only.")
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write all links there, too.")
]
GapsOnly = Annotated[bool, typer.Option("--gaps-only", help="Show only clauses with a gap.")]
Tests = Annotated[bool, typer.Option(help="Run the tests that are listed for clauses.")]
Checkout = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Where SPEC.md and tests/ are; default: found."),
]


def command(
    clauses: Ids = None,
    json_file: JsonFile = None,
    gaps_only: GapsOnly = False,
    tests: Tests = True,
    checkout: Checkout = None,
) -> int:
    """Show what speaks for each clause of the specification, and what is missing.

    Every link is resolved: model functions and theorems are imported; a directed case must be
    answered otherwise, and a listed test must fail, under a wrong rule that breaks the clause.

    Example: allotment clauses --gaps-only

    Example: allotment clauses PLAN-3 --no-tests

    Exit status: 0 no gap, 1 a gap that is not marked as not applicable, 2 bad input,
    3 no gap, but tests or theorems could not be looked at, 130 interrupted.
    """
    wanted = clauses or []
    _refuse_unknown(wanted)
    root = checkouts.own_checkout() if checkout is None else checkouts.checked(checkout)
    check_writable(json_file)
    found = survey(read_sources(root, with_tests=tests))
    if wanted:
        rows = tuple(row for row in found.rows if row.clause.id in wanted)
        found = replace(found, rows=rows, strays=())
        for row in rows:
            print_clause(row, found)
    else:
        print_survey(found, gaps_only=gaps_only)
    status = exit_status(found)
    write_result(json_file, result_of(found, status))
    return status


def exit_status(found: Survey) -> int:
    """What the process says to the one that started it."""
    if found.gaps:
        return Exit.DISAGREEMENT
    return Exit.INCOMPLETE if found.unread else Exit.HOLDS


def _refuse_unknown(wanted: list[str]) -> None:
    known = [clause.id for clause in CLAUSES]
    for one in wanted:
        if one not in known:
            raise UnknownClause(
                f"there is no clause '{one}'", remedy=f"Known clauses: {', '.join(known)}"
            )
