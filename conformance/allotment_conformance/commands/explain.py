"""Say why a job of a case waits: plans tried, what hosts lacked, the nearest remedy."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import read_case_file, text_of
from allotment_conformance.commands.profile_options import (
    Cache,
    Order,
    Per,
    RusageDefault,
    model_profile,
)
from allotment_conformance.errors import KitError
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.explanation import lines, result_of
from allotment_conformance.report.visible import visible
from allotment_conformance.verdict.why import explain_case
from allotment_conformance.wire.profiles import rules_for
from allotment_model.oracle.profile import CacheKind, HostOrder

CaseFile = Annotated[
    Path,
    typer.Argument(
        metavar="CASE",
        allow_dash=True,
        help="A file with a case, the directory of a counterexample, or -",
    ),
]
Job = Annotated[str | None, typer.Option(metavar="NAME", help="Only this job.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


class NoOneAnswer(KitError):
    """The profile leaves it open what becomes of a job."""

    code = "no-one-answer"


def command(
    case: CaseFile,
    job: Job = None,
    as_json: AsJson = False,
    host_order: Order = HostOrder.LISTED,
    cache: Cache = CacheKind.TRANSPARENT,
    rusage_default: Per = RusageDefault.TASK,
) -> int:
    """Say why a job of a case waits: plans tried, what hosts lacked, the nearest remedy.

    Each job is explained at its last try; a `cancel_at` is not followed.

    Example: allotment explain case.json --job j

    Exit status: 0, or 2 if the case is none.
    """
    if host_order is HostOrder.UNSPECIFIED:
        raise NoOneAnswer(
            "in an unspecified order any host that fits is right, so there is no one explanation",
            remedy="Give the order in which your scheduler tried them: listed or most_free.",
        )
    rules = rules_for(model_profile(host_order, cache, rusage_default))
    explained = explain_case(read_case_file(case), job, rules)
    if as_json:
        print(text_of({"jobs": [result_of(one) for one in explained]}), end="")
    else:
        told = [line for one in explained for line in lines(one)]
        print(visible("\n".join(told or ["The case submits no job."])))
    return Exit.HOLDS
