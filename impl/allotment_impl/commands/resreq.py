"""Show what the text of a request means, and what of it allocation uses."""

import json as json_format
import sys
from collections.abc import Iterator
from pathlib import Path

from allotment_impl.cluster_files import ClusterFileError, load_cluster
from allotment_impl.ingest import refusal_of
from allotment_impl.refusals import Refused
from allotment_impl.resreq.description import describe, outline
from allotment_impl.resreq.errors import ResreqError
from allotment_impl.resreq.lowering import lower
from allotment_impl.resreq.parser import parse

EXIT_OK = 0
EXIT_REFUSED = 2


def command(text: str, cluster: Path | None = None, json: bool = False) -> int:
    """Show what the text of a request means, and what of it allocation uses.

    With --cluster FILE, a scheduler of the cluster file's resources is asked whether it would
    accept the request; a text without counts is asked for as a job of one task.

    Example: allotment resreq '2*{select[speed > 4] rusage[mem=1.5]}'

    Exit status: 0, or 2 if the text, the cluster file or, under it, the request is refused.
    """
    try:
        resources = None if cluster is None else load_cluster(cluster).resources
        tree = parse(text)
        lowered = lower(tree, resources)
    except (ClusterFileError, ResreqError) as error:
        if json and isinstance(error, ResreqError):
            print(json_format.dumps({"error": _error_fields(error)}, ensure_ascii=False))
        else:
            print("\n".join(_error_lines(text, error)), file=sys.stderr)
        return EXIT_REFUSED
    refused = None if resources is None else refusal_of(lowered.request, resources)
    description = describe(tree, lowered)
    if json:
        refusal = None if refused is None else _refusal_fields(refused)
        print(json_format.dumps({**description, "refusal": refusal}, ensure_ascii=False, indent=2))
    else:
        print("\n".join(outline(description)))
    if refused is not None:
        words = f"{cluster}: a scheduler refuses the request: {refused} ({refused.hint})"
        print(f"allotment resreq: {words}", file=sys.stderr)
        return EXIT_REFUSED
    return EXIT_OK


def _refusal_fields(refused: Refused) -> dict[str, str]:
    return {"code": refused.code.value, "detail": refused.detail, "hint": refused.hint}


def _error_fields(error: ResreqError) -> dict[str, object]:
    return {
        "reason": type(error).__name__,
        "code": error.code.value,
        "line": error.line,
        "column": error.column,
        "problem": error.problem,
        "expected": error.expected,
        "remedy": error.remedy,
    }


def _error_lines(text: str, error: ClusterFileError | ResreqError) -> Iterator[str]:
    """The message and, for a text of ordinary width, the line with a mark below the place."""
    yield f"allotment resreq: {error}"
    if isinstance(error, ResreqError):
        lines = text[:10_000].split("\n")
        line = lines[error.line - 1] if error.line <= len(lines) else ""
        if 0 < len(line) <= 200 and line.isprintable():
            yield f"  {line}"
            yield f"  {' ' * (error.column - 1)}^"
