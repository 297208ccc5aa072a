"""Allocators that change names, or keep them among other things, are found by cases of names."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, reduce
from typing import Any

import pytest

from allotment_conformance.engines.directed.names import CASES, FAMILIES
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.adapter import Adapter, load_adapter
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.workbench import Workbench

Word = Callable[[str], str]


def as_number(word: str) -> str:
    """The number that it reads as, if it does."""
    try:
        return str(int(float(word))) if word.isascii() else word
    except (ValueError, OverflowError):
        return word


def hashed(factor: int) -> Word:
    """A hash of 32 bits."""
    return lambda word: str(
        reduce(lambda sum_, letter: (sum_ * factor + ord(letter)) % 2**32, word, 0)
    )


WORDS: dict[str, Word] = {
    "lower case": str.lower,
    "case folded": str.casefold,
    "stripped": str.strip,
    "stripped at the end": str.rstrip,
    "blanks as one": lambda word: re.sub(r"\s+", " ", word),
    "first line": lambda word: word.partition("\n")[0],
    "cut to 8": lambda word: word[:8],
    "cut to 32": lambda word: word[:32],
    "cut to 63": lambda word: word[:63],
    "cut to 256": lambda word: word[:256],
    "cut to 255 bytes": lambda word: word.encode()[:255].decode(errors="replace"),
    "cut at NUL": lambda word: word.partition("\0")[0],
    "without NUL": lambda word: word.replace("\0", ""),
    "printable": lambda word: "".join(filter(str.isprintable, word)),
    "number": as_number,
    "cut at a dot": lambda word: word.partition(".")[0],
    "behind the slash": lambda word: word.rpartition("/")[2],
    "letters and digits": lambda word: re.sub(r"[^\w.]", "_", word),
    "without quotes": lambda word: word.strip("\"'"),
    "without backslashes": lambda word: word.replace("\\", ""),
    "NFC": lambda word: unicodedata.normalize("NFC", word),
    "NFD": lambda word: unicodedata.normalize("NFD", word),
    "NFKC": lambda word: unicodedata.normalize("NFKC", word),
    "ASCII": lambda word: word.encode("ascii", "replace").decode(),
    "Latin-1": lambda word: word.encode("latin-1", "replace").decode("latin-1"),
    "first 2^16": lambda word: "".join(letter if letter < "\U00010000" else "?" for letter in word),
    "16 bits": lambda word: "".join(chr(ord(letter) % 2**16) for letter in word),
    "8 bits": lambda word: "".join(chr(ord(letter) % 2**8) for letter in word),
    "sum of letters": hashed(1),
    "hash of 31": hashed(31),
    "hash of 33": hashed(33),
}


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
    """What stands in these fields is known by words, and the names in these maps and lists."""

    fields: frozenset[str]
    keys: frozenset[str] = frozenset()

    def run(self, case: Json) -> list[Json]:
        """The answer to each event of a case."""
        return super().run(self.changed(case))

    def changed(self, sent: Any, field: str = "") -> Any:
        """The same with words in the fields."""
        if isinstance(sent, dict):
            named = {
                self.word(name) if field in self.keys and name != "slots" else name: value
                for name, value in sent.items()
            }
            return {name: self.changed(value, name) for name, value in named.items()}
        if isinstance(sent, list):
            return [self.changed(value, field) for value in sent]
        return self.word(sent) if field in self.fields and isinstance(sent, str) else sent


class HoldersKnown(SentKnown):
    """Holders are known by words, in jobs and in limits."""

    fields = frozenset({"user", "queue", "project"})

    def changed(self, sent: Any, field: str = "") -> Any:
        """Also the name in a limit."""
        made = super().changed(sent, field)
        is_limit = isinstance(made, dict) and "scope" in made and "name" in made
        return made | {"name": self.word(made["name"])} if is_limit else made


class AmountsKnown(SentKnown):
    """Amounts, of hosts or shared, are known by words."""

    fields = frozenset({"resource", "pool", "host", "shared"})
    keys = frozenset({"capacity", "pools"})

    def changed(self, sent: Any, field: str = "") -> Any:
        """All but the name of a host that changes."""
        made = super().changed(sent, field)
        is_change = isinstance(sent, dict) and sent.get("event") == "host_change"
        return made | {"host": sent["host"]} if is_change else made


class AttributesKnown(SentKnown):
    """Attributes are known by words."""

    fields = frozenset({"attribute", "defined"})
    keys = frozenset({"attributes"})


class TextsKnown(SentKnown):
    """Texts in selects and attributes are known by words."""

    fields = frozenset({"text", "one", "two", "three"})

    def changed(self, sent: Any, field: str = "") -> Any:
        """All but the type of an attribute."""
        return sent if field == "resources" else super().changed(sent, field)


@cache
def asked() -> list[tuple[Json, list[Json]]]:
    """The cases, without reports, and the model's answers."""
    cases = [{**one.case, "report": []} for one in CASES]
    return [(case, ModelAdapter().run(case)) for case in cases]


def is_found(adapter: Adapter) -> bool:
    """Whether a case is answered otherwise than by the model; a crash is no answer."""
    return any(adapter.run(case) != right for case, right in asked())


NO_NUL_IN_KEYS = {"cut at NUL", "without NUL"}
"""Resources are not asked about with such names: not every reader of JSON takes them as keys."""

ALL_KNOWN = [JobsKnown, HostsKnown, HoldersKnown, AmountsKnown, AttributesKnown, TextsKnown]


@pytest.mark.parametrize("known", ALL_KNOWN)
@pytest.mark.parametrize("name", WORDS)
def test_changed_names_are_found(name: str, known: type[Known]) -> None:
    is_asked = known not in (AmountsKnown, AttributesKnown) or name not in NO_NUL_IN_KEYS
    assert is_asked == is_found(known(WORDS[name]))


@pytest.mark.parametrize("known", ALL_KNOWN)
def test_unchanged_names_are_right(known: type[Known]) -> None:
    assert not is_found(known(lambda word: word))


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
def test_built_in_allocator_is_right(engine: str) -> None:
    adapter = load_adapter(f"allotment_impl.adapter:Adapter?engine={engine}")
    for one in CASES:
        judged = Oracle(MODEL_PROFILE).judge(one.case, adapter.run(one.case))
        assert judged.disagreement is None, one.name


def test_names_of_a_family_are_different() -> None:
    for pairs in FAMILIES.values():
        names = [name for pair in pairs for name in pair]
        assert sorted(set(names)) == sorted(names)
