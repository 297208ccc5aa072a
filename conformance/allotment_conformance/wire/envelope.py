"""The envelope of docs/protocol.md: what goes over the pipes around cases, answers and profile.

What the kit sends is strict; in what a program sends, fields that the kit does not know are left
out, and everything else must be as the protocol says.
"""

import json
import re
from collections import Counter
from typing import Any, Literal, NoReturn

import msgspec
from msgspec import UNSET, Struct, UnsetType

from allotment_conformance.wire.failure import Fault, ProtocolBroken
from allotment_conformance.wire.messages import (
    Answer,
    Case,
    Json,
    Message,
    NotAMessage,
    Profile,
    as_json,
    read_answers,
)
from allotment_conformance.wire.nesting import DEEPEST, TOO_DEEP, is_too_deep
from allotment_model.cluster import LARGEST_AMOUNT

VERSION = 1
"""The version of the protocol that this kit speaks."""

LONG_NUMBER = re.compile(rb"\d{16}")
"""A message without such digits has no number beyond 2^53 − 1."""

SHOWN = 120
"""Characters of a bad line that are shown."""


class Start(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="start"):
    """The kit asks who is there, once, first."""

    version: Literal[1]


class Run(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="run"):
    """The kit asks for the answers to a case."""

    id: str
    case: Case


class Stop(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="stop"):
    """The kit has no more questions."""


class Started(Struct, frozen=True):
    """A program says what it declares."""

    version: Literal[1]
    profile: Profile


class Unsupported(Struct, frozen=True):
    """A program does not speak this version, and ends."""

    version: int
    unsupported: str


class Answered(Struct, frozen=True):
    """The answers to a case, one for each event."""

    id: str
    answers: tuple[Answer, ...]


class NotTreated(Struct, frozen=True):
    """A program could not treat a case."""

    id: str
    error: str


class Reply(Struct, frozen=True):
    """Either of the two, as it is read: exactly one of `answers` and `error` is there."""

    id: str
    answers: list[Any] | UnsetType = UNSET
    error: str | UnsetType = UNSET


class _Greeting(Struct, frozen=True):
    """What comes in answer to `start`, as it is read."""

    version: int
    profile: dict[str, Any] | UnsetType = UNSET
    unsupported: str | UnsetType = UNSET


START_LINE = as_json({"cmd": "start", "version": VERSION}).encode() + b"\n"
STOP_LINE = as_json({"cmd": "stop"}).encode() + b"\n"


def run_line(name: str, case: Json) -> bytes:
    """The line that asks for the answers to a case."""
    message = {"cmd": "run", "id": name, "case": case}
    try:
        return msgspec.json.encode(message) + b"\n"
    except (OverflowError, UnicodeEncodeError):
        # Integers beyond 64 bits, and halves of surrogate pairs, which travel as escapes.
        return json.dumps(message).encode() + b"\n"


def read_greeting(line: bytes) -> Json | str:
    """The profile as it was sent, or why the program does not speak this version."""
    greeting = _converted(_decoded(line), _Greeting)
    if isinstance(greeting.unsupported, str):
        return greeting.unsupported
    if greeting.version != VERSION or not isinstance(greeting.profile, dict):
        words = f"not an answer to `start` of version {VERSION}: {_shown(line)}"
        raise ProtocolBroken(Fault.SHAPE, words)
    return _known(greeting.profile, PROFILE_FIELDS, {"largest": LARGEST_FIELDS})


def read_reply(line: bytes) -> Reply:
    """What was answered to a `run`; the answers themselves are checked by `checked_answers`."""
    reply = _converted(_decoded(line), Reply)
    if (reply.answers is UNSET) == (reply.error is UNSET):
        words = f"a reply has either `answers` or `error`: {_shown(line)}"
        raise ProtocolBroken(Fault.SHAPE, words)
    if isinstance(reply.answers, list) and LONG_NUMBER.search(line):
        _refuse_large_numbers(reply.answers)
    return reply


def checked_answers(answers: list[Any], events: int) -> list[Json]:
    """The answers without unknown fields. Raises `ProtocolBroken` for what are none."""
    if len(answers) != events:
        raise ProtocolBroken(Fault.COUNT, f"{len(answers)} answers to {events} events")
    try:
        read_answers(answers)
    except NotAMessage:
        answers = [_known_answer(answer) for answer in answers]
        try:
            read_answers(answers)
        except NotAMessage as wrong:
            raise ProtocolBroken(Fault.SHAPE, str(wrong)) from wrong
    return answers


def _decoded(line: bytes) -> Any:
    try:
        message = msgspec.json.decode(line)
    except RecursionError:
        raise _too_deep(line) from None
    except msgspec.ValidationError as wrong:
        raise ProtocolBroken(Fault.NUMBER, f"{wrong}: {_shown(line)}") from None
    except msgspec.DecodeError:
        _refuse_text(line)
    if line.count(b"[") + line.count(b"{") > DEEPEST and is_too_deep(message, DEEPEST + 1):
        raise _too_deep(line)
    if b"\\u003" in line or line.count(b":") != _colons(message):
        _refuse_names_given_twice(line)
    return message


def _colons(message: Any) -> int:
    """How many colons a message is written with, each name once; -1 if that cannot be said.

    Those that were written as escapes are among them, as if they had been colons.
    """
    try:
        return msgspec.json.encode(message).count(b":")
    except (OverflowError, UnicodeEncodeError):
        return -1


def _refuse_names_given_twice(line: bytes) -> None:
    """Read a line once more, with all names: that takes ten times as long, and is hardly needed."""

    def refuse(pairs: list[tuple[str, Any]]) -> None:
        twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
        if twice:
            words = f"the name {as_json(twice[:1])} stands twice in one object: {_shown(line)}"
            raise ProtocolBroken(Fault.SHAPE, words)

    json.loads(line, object_pairs_hook=refuse)


def _too_deep(line: bytes) -> ProtocolBroken:
    return ProtocolBroken(Fault.JSON, f"{TOO_DEEP}: {_shown(line)}")


def _refuse_text(line: bytes) -> NoReturn:
    """Say why a line is not JSON: a second reading tells the kinds apart."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as wrong:
        words = f"{wrong.reason} at byte {wrong.start}: {_shown(line)}"
        raise ProtocolBroken(Fault.UTF8, words) from None
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as wrong:
        raise ProtocolBroken(Fault.JSON, f"{wrong}: {_shown(line)}") from None
    raise ProtocolBroken(Fault.JSON, f"not strict JSON: {_shown(line)}")


def _refuse_constant(name: str) -> NoReturn:
    raise ProtocolBroken(Fault.NUMBER, f"{name} is no number of JSON")


def _converted(value: Any, shape: type[Message]) -> Message:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as wrong:
        raise ProtocolBroken(Fault.SHAPE, str(wrong)) from None


def _refuse_large_numbers(value: Any) -> None:
    """Numbers are within ±(2^53 − 1) everywhere but in books, where they may be sums."""
    if isinstance(value, dict):
        for field, item in value.items():
            if field != "books":
                _refuse_large_numbers(item)
    elif isinstance(value, list):
        for item in value:
            _refuse_large_numbers(item)
    elif isinstance(value, int) and abs(value) > LARGEST_AMOUNT:
        raise ProtocolBroken(Fault.NUMBER, f"{value} is beyond 2^53 − 1")


def _shown(line: bytes) -> str:
    text = line[:SHOWN].decode("utf-8", errors="replace")
    return text + ("…" if len(line) > SHOWN else "")


PROFILE_FIELDS = frozenset(Profile.__struct_fields__)
LARGEST_FIELDS = frozenset({"tasks", "hosts", "amount"})
LIMIT_FIELDS = frozenset({"kind", "name", "each", "scope", "resource", "holder", "host", "used"})
FIELDS_OF_ANSWER = {
    "ok": frozenset({"answer", "books"}),
    "refused": frozenset({"answer", "books", "code"}),
    "ran": frozenset({"answer", "books", "jobs"}),
    "dispatched": frozenset({"answer", "job", "events", "alternative", "parts"}),
    "pending": frozenset({"answer", "job", "events", "reason", "never", "cached"}),
    "cancelled": frozenset({"answer", "job", "events"}),
}
"""The fields of SPEC.md 2.2, by the value of `answer`."""


def _known(value: Json, fields: frozenset[str], inner: dict[str, frozenset[str]]) -> Json:
    """An object without the fields that the kit does not know."""
    return {
        field: _known(item, inner[field], {}) if field in inner and isinstance(item, dict) else item
        for field, item in value.items()
        if field in fields
    }


def _known_answer(answer: Any) -> Any:
    """An answer without the fields that the kit does not know, as far as it can be read."""
    fields = FIELDS_OF_ANSWER.get(str(answer.get("answer"))) if isinstance(answer, dict) else None
    if fields is None:
        return answer
    known = {field: item for field, item in answer.items() if field in fields}
    if isinstance(known.get("jobs"), list):
        known["jobs"] = [_known_answer(one) for one in known["jobs"]]
    books = known.get("books")
    if isinstance(books, dict):
        books = {field: books[field] for field in ("hosts", "pools", "limits") if field in books}
        if isinstance(books.get("limits"), list):
            books["limits"] = [
                _known(use, LIMIT_FIELDS, {}) if isinstance(use, dict) else use
                for use in books["limits"]
            ]
        known["books"] = books
    return known
