"""The model, served with a profile that need not be its own, with a fault of the wire at a case.

The one argument is JSON: `declare` and `behave` replace axes of the profile that is declared and of
the one that is acted upon; `variant` names a fault of the specification; `fault` one of `fake.py`,
which happens at case `at` of each process, or at every case with the event `on`; the file
`mark` is made then.
"""

import json
import os
import runpy
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
    faults = runpy.run_path(str(Path(__file__).with_name("fake.py")))["FAULTS"]
    number = 0
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["cmd"] == "start":
            say({"version": 1, "profile": {**plain(profile), **told.get("declare", {})}})
        elif message["cmd"] == "stop":
            return
        else:
            number += 1
            events = {event["event"] for event in message["case"]["events"]}
            if number == told.get("at") or told.get("on") in events:
                Path(told.get("mark", os.devnull)).touch()
                faults[told["fault"]](message)
            else:
                say({"id": message["id"], "answers": model.run(message["case"])})


def say(message: object) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
