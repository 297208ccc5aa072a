"""The model, served with a profile that need not be its own, with a fault of the wire at a case.

The one argument is JSON: `declare` and `behave` replace axes of the profile that is declared and of
the one that is acted upon; `variant` names a fault of the specification; `fault` one of `fake.py`,
which happens at case `at` of each process, or at every case with the event `on`; the file
`mark` is made then. `end` is a way to stop of `fake.py`, of a process that was asked a case.
`killed` names the moment of a `kill -9`: at its `start`, within the `line` of the answers to case
`at`, `behind` them, or at its `stop`.
"""

import json
import os
import runpy
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec

from allotment_conformance.wire.messages import plain
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE, rules_for
from allotment_model.variants import VARIANTS


def main(told: dict[str, Any]) -> None:
    """Converse until `stop`."""
    profile = msgspec.structs.replace(MODEL_PROFILE, **told.get("behave", {}))
    rules = rules_for(profile)
    for variant in VARIANTS:
        if variant.name == told.get("variant"):
            rules = variant.of(rules)
    model = ModelAdapter(rules, profile)
    fake = runpy.run_path(str(Path(__file__).with_name("fake.py")))
    number, killed = 0, told.get("killed")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["cmd"] == killed:
            kill()
        elif message["cmd"] == "start":
            say({"version": 1, "profile": {**plain(profile), **told.get("declare", {})}})
        elif message["cmd"] == "stop":
            fake["stop"](told.get("end", "well") if number else "well")
        else:
            number += 1
            events = {event["event"] for event in message["case"]["events"]}
            is_meant = number == told.get("at")
            if "fault" in told and (is_meant or told.get("on") in events):
                Path(told.get("mark", os.devnull)).touch()
                fake["FAULTS"][told["fault"]](message)
            else:
                reply = {"id": message["id"], "answers": model.run(message["case"])}
                if is_meant and killed == "line":
                    write(json.dumps(reply)[:20])
                    kill()
                say(reply)
                if is_meant and killed == "behind":
                    kill()


def kill() -> None:
    """What `kill -9` does, at a moment that is known."""
    os.kill(os.getpid(), signal.SIGKILL)


def say(message: object) -> None:
    """One line of JSON."""
    write(json.dumps(message) + "\n")


def write(piece: str) -> None:
    """As much of a line, at once."""
    sys.stdout.write(piece)
    sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
