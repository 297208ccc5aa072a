"""The form of a vector, as it is kept in the package and exported."""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct

from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Answer, Case, Feature, Json, Sizes

FORMAT = 1
"""What a consumer must do: raised when a program that reads vectors has to be changed for it."""

NAMES = ("examples", "directed", "parts", "sizes", "zoo", "promoted")
"""The files, without their ending."""

CHOICES: Mapping[str, Mapping[str, str]] = {
    "any-host-order": {"host_order": "unspecified"},
    "any-split": {"host_order": "unspecified", "split": "any"},
}
"""The files of cases in which a choice shows that a profile leaves, and that choice."""


class Axes(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The choices of a profile under which the answers hold (SPEC.md 2.4)."""

    host_order: Literal["listed", "most_free", "unspecified"]
    split: Literal["balanced", "any"]
    cache: Literal["none", "transparent", "literal"]
    rusage_default: Literal["host", "task"]


class Vector(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A case, and all lists of answers to its events that are permitted; mostly there is one.

    `features` and `largest` are what an implementation must have to be asked it. `parts` are the
    numbers of the events, from 0, with which a case of its own begins, without `cluster`; the
    answers are the same without them.
    """

    id: str
    clauses: tuple[str, ...]
    why: str
    provenance: str
    features: tuple[Feature, ...]
    largest: Sizes
    case: Case
    permitted: tuple[tuple[Answer, ...], ...]
    parts: tuple[int, ...] = ()


class VectorFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of vectors."""

    format: Literal[1]
    axes: Axes
    vectors: tuple[Vector, ...]


def schema() -> Json:
    """The JSON Schema of a file of vectors."""
    return msgspec.json.schema(VectorFile)


def kept_text(name: str) -> str:
    """A file of the package, as it is."""
    return (files(__package__) / "data" / f"{name}.json").read_text(encoding="utf-8")


def vectors_in(text: str) -> list[Json]:
    """The vectors of a file."""
    vectors: list[Json] = json.loads(text)["vectors"]
    return vectors


def kept(name: str) -> list[Json]:
    """The vectors of a file of the package."""
    return vectors_in(kept_text(name))


def all_kept() -> Iterator[Json]:
    """All vectors of the package."""
    for name in NAMES:
        yield from kept(name)


def as_text(axes: Json, vectors: list[Json]) -> str:
    """A file of vectors, one on each line: a change shows as the vectors that it changes."""
    head = {"format": FORMAT, "axes": axes}
    opened = _line(head)[:-1] + ',"vectors":[\n'
    return opened + ",\n".join(map(_line, vectors)) + "\n]}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class NoVectors(KitError):
    """There can be no vectors for what an allocator declares."""

    code = "no-vectors"
