"""Allocators whose numbers are narrow, or that change names, are found by directed cases."""

import struct
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from allotment_conformance.engines.directed.words_and_numbers import CASES
from allotment_conformance.wire.adapter import Adapter, load_adapter
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.workbench import Workbench
from allotment_conformance.zoo.workbench.things import Job

Number = Callable[[int], int]
Word = Callable[[str], str]


def wraps(bits: int) -> Number:
    """What a signed integer of so many bits keeps of a number."""
    half = 2 ** (bits - 1)
    return lambda whole: (whole + half) % 2**bits - half


def stops(bits: int) -> Number:
    """The nearest signed integer of so many bits."""
    half = 2 ** (bits - 1)
    return lambda whole: max(-half, min(whole, half - 1))


def as_float32(whole: int) -> int:
    """The nearest float of 32 bits."""
    [single] = struct.unpack("f", struct.pack("f", whole))
    return int(single)


NUMBERS: dict[str, Number] = {
    "int8": wraps(8),
    "int16": wraps(16),
    "int32": wraps(32),
    "stops at int8": stops(8),
    "stops at int16": stops(16),
    "stops at int32": stops(32),
    "uint8": lambda whole: whole % 2**8,
    "uint32": lambda whole: whole % 2**32,
    "uint64": lambda whole: whole % 2**64,
    "float32": as_float32,
}

WORDS: dict[str, Word] = {
    "lower case": str.lower,
    "case folded": str.casefold,
    "stripped": str.strip,
    "stripped at the end": str.rstrip,
    "cut to 8": lambda word: word[:8],
    "cut to 32": lambda word: word[:32],
    "NFC": lambda word: unicodedata.normalize("NFC", word),
    "NFD": lambda word: unicodedata.normalize("NFD", word),
    "NFKC": lambda word: unicodedata.normalize("NFKC", word),
    "ASCII": lambda word: word.encode("ascii", "replace").decode(),
    "Latin-1": lambda word: word.encode("latin-1", "replace").decode("latin-1"),
    "first 2^16": lambda word: "".join(letter if letter < "\U00010000" else "?" for letter in word),
}


class Ranked(Workbench):
    """Its queue has the priorities as such numbers."""

    def __init__(self, number: Number) -> None:
        """A right allocator with this fault."""
        super().__init__()
        self.number = number

    def rank(self, job: Job) -> tuple[int, int]:
        """The place of a job in the queue."""
        return -self.number(job.priority), job.number


class Known(Workbench):
    """Knows things by such words; what it tells has the names that were sent."""

    def __init__(self, word: Word) -> None:
        """A right allocator with this fault."""
        super().__init__()
        self.word = word

    def is_taken(self, name: str, names: Iterable[str]) -> bool:
        """Whether one of the names becomes the same word."""
        return self.word(name) in map(self.word, names)


class JobsKnown(Known):
    """Jobs are known by words."""

    def submit(self, sent: Json) -> str | None:
        """A job joins the queue, or is refused."""
        return "duplicate-name" if self.is_taken(sent["name"], self.jobs) else super().submit(sent)


class HostsKnown(Known):
    """Hosts are known by words."""

    def answer(self, event: Json) -> Json:
        """The answer to an event, which is treated."""
        added = event["event"] == "host_add"
        if added and self.is_taken(event["host"]["name"], self.now.hosts):
            return self.answered("duplicate-name")
        return super().answer(event)


class SentKnown(Known):
    """What stands in these fields is known by words."""

    fields: frozenset[str]

    def run(self, case: Json) -> list[Json]:
        """The answer to each event of a case."""
        return super().run(self.changed(case))

    def changed(self, sent: Any, field: str = "") -> Any:
        """The same with words in the fields."""
        if isinstance(sent, dict):
            return {name: self.changed(value, name) for name, value in sent.items()}
        if isinstance(sent, list):
            return [self.changed(value) for value in sent]
        return self.word(sent) if field in self.fields and isinstance(sent, str) else sent


class HoldersKnown(SentKnown):
    """Holders are known by words, in jobs and in limits."""

    fields = frozenset({"user", "queue", "project"})

    def changed(self, sent: Any, field: str = "") -> Any:
        """Also the name in a limit."""
        made = super().changed(sent, field)
        is_limit = isinstance(made, dict) and "scope" in made and "name" in made
        return made | {"name": self.word(made["name"])} if is_limit else made


class TextsKnown(SentKnown):
    """Texts in selects and attributes are known by words."""

    fields = frozenset({"text", "kind"})

    def changed(self, sent: Any, field: str = "") -> Any:
        """All but the kind of a limit and the type of an attribute."""
        return sent if field in ("limits", "resources") else super().changed(sent, field)


def differing(adapter: Adapter) -> list[str]:
    """The cases that the allocator answers otherwise than the model."""
    return [one.name for one in CASES if adapter.run(one.case) != ModelAdapter().run(one.case)]


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_narrow_priorities_are_found(number: Number) -> None:
    found = differing(Ranked(number))
    assert found
    assert all(name.startswith("priorit") for name in found)


@pytest.mark.parametrize("known", [JobsKnown, HostsKnown, HoldersKnown, TextsKnown])
@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
def test_changed_names_are_found(word: Word, known: type[Known]) -> None:
    assert differing(known(word))


@pytest.mark.parametrize("known", [JobsKnown, HostsKnown, HoldersKnown, TextsKnown])
def test_unchanged_names_are_right(known: type[Known]) -> None:
    assert [] == differing(known(lambda word: word))


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
def test_built_in_allocator_is_right(engine: str) -> None:
    assert [] == differing(load_adapter(f"allotment_impl.adapter:Adapter?engine={engine}"))
