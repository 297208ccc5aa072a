"""Serve the specification itself over the protocol, to be asked or to be checked.

It reads requests from standard input and answers on standard output, as docs/protocol.md says.
"""

import sys
from enum import StrEnum
from typing import Annotated

import msgspec
import typer

from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.wire.serve import serve
from allotment_model.oracle.profile import CacheKind, HostOrder


class RusageDefault(StrEnum):
    """What `per` means when it is left out for a host amount."""

    HOST = "host"
    TASK = "task"


Order = Annotated[HostOrder, typer.Option(help="In which order hosts are searched.")]
Cache = Annotated[CacheKind, typer.Option(help="How hopeless requests are remembered.")]
Per = Annotated[RusageDefault, typer.Option(help="What an amount without `per` is meant for.")]


def command(
    host_order: Order = HostOrder.LISTED,
    cache: Cache = CacheKind.TRANSPARENT,
    rusage_default: Per = RusageDefault.TASK,
) -> int:
    """Serve the specification itself over the protocol, to be asked or to be checked.

    Requests come on standard input, answers go to standard output: docs/protocol.md.
    """
    profile = msgspec.structs.replace(
        MODEL_PROFILE,
        host_order=str(host_order),
        cache=str(cache),
        rusage_default=str(rusage_default),
    )
    serve(ModelAdapter(profile=profile), sys.stdin.buffer, _say)
    return 0


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
