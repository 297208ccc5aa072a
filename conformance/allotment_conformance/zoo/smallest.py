"""The smallest case found on which each allocator of the zoo is wrong."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from allotment_conformance.wire.messages import Json

FILE = "smallest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Smallest:
    """A case as shrinking left it, in what the answers to its last event differ, and its origin."""

    case: Json
    kind: str
    found_in: str


def smallest() -> Mapping[str, Smallest]:
    """For each allocator of the zoo, by its id, the case that is kept in the package."""
    text = (files(__package__) / "data" / FILE).read_text(encoding="utf-8")
    return {name: Smallest(**one) for name, one in json.loads(text).items()}


def as_text(found: Mapping[str, Smallest]) -> str:
    """The file, with one line for each allocator."""
    lines = [
        json.dumps(name)
        + ": "
        + json.dumps({"kind": one.kind, "found_in": one.found_in, "case": one.case})
        for name, one in found.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"
