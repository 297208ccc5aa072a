"""The planted allocator: the specification under any profile, with one fault or without.

It is an adapter like any other, and a program: python -m allotment_conformance.runs.planted NAME
"""

import json
import sys
from typing import Any
from urllib.parse import urlencode

from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.messages import Json, Profile, as_json, plain, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.serve import serve_here
from allotment_model.events import Event
from allotment_model.state import State

MODULE = "allotment_conformance.runs.planted"

FAULT = "what does not fit is dispatched"
"""Safety forbids it, so no choice that may be declared excuses it; it needs no feature."""

NO_FAULT = "none"


class Planted(ModelAdapter):
    """The specification under any profile, given as JSON, with the fault or without."""

    def __init__(self, profile: str, fault: str) -> None:
        """Take what stands in its name."""
        super().__init__(profile=read_profile(json.loads(profile)))
        self.is_wrong = fault == FAULT

    def answer(self, event: Event, report: tuple[str, ...]) -> Json:
        """As the specification answers; with the fault, each job that waits is dispatched."""
        before, sent = self.state, super().answer(event, report)
        assert before is not None, "a case came first"
        if self.is_wrong and "jobs" in sent:
            sent["jobs"] = [_dispatched(one, before) for one in sent["jobs"]]
        return sent


def _dispatched(one: Json, before: State) -> Json:
    """A pending job on the first host, each primary whole; other answers as they are."""
    hosts = list(before.cluster.hosts)
    if one["answer"] != "pending" or not hosts:
        return one
    keys = before.pending[one["job"]].keys[0]
    parts: list[Any] = [[[hosts[0], key.tasks_max]] for key in keys]
    return {"job": one["job"], "answer": "dispatched", "alternative": 0, "parts": parts}


def planted(profile: Profile, fault: str) -> str:
    """The name by which every engine can be given it."""
    options = urlencode({"profile": as_json(plain(profile)), "fault": fault})
    return f"{MODULE}:{Planted.__name__}?{options}"


def program(name: str) -> tuple[str, ...]:
    """The command that serves the one of that name."""
    return (sys.executable, "-m", MODULE, name)


if __name__ == "__main__":
    serve_here(load_adapter(sys.argv[1]))
