"""Serve the specification itself over the protocol, to be asked or to be checked."""

import sys

from allotment_conformance.commands.profile_options import (
    Cache,
    Order,
    Per,
    RusageDefault,
    model_profile,
)
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.serve import serve
from allotment_model.oracle.profile import CacheKind, HostOrder


def command(
    host_order: Order = HostOrder.LISTED,
    cache: Cache = CacheKind.TRANSPARENT,
    rusage_default: Per = RusageDefault.TASK,
) -> int:
    """Serve the specification itself over the protocol, to be asked or to be checked.

    Requests come on standard input, answers go to standard output: docs/protocol.md.

    Example: allotment check -- allotment oracle --cache none
    """
    profile = model_profile(host_order, cache, rusage_default)
    serve(ModelAdapter(profile=profile), sys.stdin.buffer, _say)
    return 0


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
