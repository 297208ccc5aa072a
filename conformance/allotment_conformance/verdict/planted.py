"""The planted allocator: the specification under any profile, with one fault or without.

It is an adapter like any other, and a program: python -m allotment_conformance.verdict.planted NAME
"""

import json
import sys
from urllib.parse import urlencode

from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.messages import Profile, as_json, plain, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import rules_for
from allotment_conformance.wire.serve import serve
from allotment_model.variants import VARIANTS

MODULE = "allotment_conformance.verdict.planted"

NO_FAULT = "none"


class Planted(ModelAdapter):
    """The specification under any profile, given as JSON, with the fault or without."""

    def __init__(self, profile: str, fault: str) -> None:
        """Take what stands in its name."""
        declared = read_profile(json.loads(profile))
        rules = rules_for(declared)
        for variant in VARIANTS:
            if variant.name == fault:
                rules = variant.of(rules)
        super().__init__(rules, declared)


def planted(profile: Profile, fault: str) -> str:
    """The name by which every engine can be given it."""
    options = urlencode({"profile": as_json(plain(profile)), "fault": fault})
    return f"{MODULE}:{Planted.__name__}?{options}"


def program(name: str) -> tuple[str, ...]:
    """The command that serves the one of that name."""
    return (sys.executable, "-m", MODULE, name)


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve(load_adapter(sys.argv[1]), sys.stdin.buffer, _say)
