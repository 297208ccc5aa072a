"""Serve the specification itself over the protocol, to be asked or to be checked."""

from typing import Annotated

import typer

from allotment_conformance.commands.profile_options import (
    Cache,
    Order,
    Per,
    RusageDefault,
    model_profile,
)
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.explanation import result_of
from allotment_conformance.verdict.why import Explainer
from allotment_conformance.wire.legality import with_features
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.serve import serve_here
from allotment_model.oracle.profile import CacheKind, HostOrder

Features = Annotated[
    str | None,
    typer.Option(metavar="NAME,…", help="Declare these only (SPEC.md 2.4). Default: all it has."),
]
Explain = Annotated[bool, typer.Option("--explain", help="Say beside the answers why jobs wait.")]


def command(
    host_order: Order = HostOrder.LISTED,
    cache: Cache = CacheKind.TRANSPARENT,
    rusage_default: Per = RusageDefault.TASK,
    features: Features = None,
    explain: Explain = False,
) -> int:
    """Serve the specification itself over the protocol, to be asked or to be checked.

    Requests come on standard input, answers go to standard output: docs/protocol.md. With
    --explain each message has `jobs` beside `answers`: what became of each job that the case
    submits or tries, as `allotment explain --json` tells it. `split: any` is not served: many
    answers are right there, and the specification chooses none (PLAN-11).

    Example: allotment check -- allotment oracle --cache none
    """
    profile = with_features(model_profile(host_order, cache, rusage_default), features)
    adapter = ModelAdapter(profile=profile)
    explainer = Explainer(adapter.rules)

    def jobs(case: Json) -> Json:
        return {"jobs": [result_of(one) for one in explainer.take(case)]}

    serve_here(adapter, jobs if explain else None)
    return Exit.HOLDS
