"""What an allocator sent back for a case: an answer to each event, or the reason why not."""

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, NotAMessage, read_answers, with_lists
from allotment_conformance.wire.nesting import TOO_DEEP, is_too_deep
from allotment_conformance.wire.parts import parts_of

SHOWN = 300
"""Characters of an answer that is none that are shown: the place of what is wrong is told too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """Something came that answers nothing: `words` say what."""

    kind: Kind
    words: str


def ask(adapter: Adapter, case: Json) -> Any:
    """What the allocator says to a case; an exception of its own is something it says, too.

    Of a case in parts it is all that it says, up to a part that it does not answer event by event.
    A tuple of answers is a list, as in JSON.
    """
    told: list[Any] = []
    try:
        parts = parts_of(case)
        for number, part in enumerate(parts, start=1):
            answers: Any = adapter.run(part)
            if isinstance(answers, tuple):
                answers = list(answers)
            due = len(part["events"])
            if len(parts) == 1 or not isinstance(answers, list):
                return answers
            if len(answers) != due:
                words = f"{len(answers)} answers to the {due} events of part {number}"
                return NoAnswer(kind=Kind.COUNT, words=words)
            told += answers
    except Exception as raised:
        return NoAnswer(kind=Kind.CRASH, words=f"{type(raised).__name__}: {raised}")
    return told


def kept(answers: object) -> object:
    """A copy of answers that were wrong, which nobody can change; what is no JSON is malformed."""
    if isinstance(answers, NoAnswer):
        return answers
    if is_too_deep(answers):
        return NoAnswer(kind=Kind.MALFORMED, words=f"answers {TOO_DEEP}")
    try:
        copy, told = _through_json(answers), with_lists(answers)
    except (TypeError, ValueError, RecursionError) as wrong:
        return NoAnswer(kind=Kind.MALFORMED, words=f"answers that JSON cannot hold: {wrong}")
    if copy != told:
        return NoAnswer(kind=Kind.MALFORMED, words="answers that JSON would change")
    return copy


def received(answers: object, events: int) -> list[Json | NoAnswer]:
    """One for each event, in order. What comes too much is told at the last event, if any."""
    if isinstance(answers, NoAnswer):
        return [answers] * events
    if not isinstance(answers, list):
        words = f"{type(answers).__name__} instead of a list of answers"
        return [NoAnswer(kind=Kind.MALFORMED, words=words)] * events
    told = [*map(_answer, answers[:events])]
    words = f"{len(answers)} answers to {events} events"
    if len(answers) < events:
        told += [NoAnswer(kind=Kind.COUNT, words=words)] * (events - len(answers))
    elif events and len(answers) > events:
        told[-1:] = [NoAnswer(kind=Kind.COUNT, words=words)]
    return told


def _answer(sent: Any) -> Json | NoAnswer:
    """The answer as JSON gives it, if it is one of SPEC.md 2.2.

    An adapter in this process may say what no program can, as a set.
    """
    try:
        read_answers([sent])
        answer: Json = _as_json(sent)
    except (NotAMessage, RecursionError, TypeError, ValueError) as wrong:
        words = TOO_DEEP if is_too_deep(sent) else f"{wrong}: {_shown(sent)}"
        return NoAnswer(kind=Kind.MALFORMED, words=words)
    return answer


def _as_json(sent: Any) -> Any:
    """What JSON gives of an answer of the right shape: lists for tuples.

    Raises TypeError, ValueError for what JSON cannot hold.
    """
    try:
        copy = msgspec.json.decode(msgspec.json.encode(sent))
    except (TypeError, OverflowError, UnicodeEncodeError):
        # Numbers and texts of the adapter's own types, integers beyond 64 bits, and halves of
        # characters, which a name of the case may have.
        return _through_json(sent)
    # Quick, and right if nothing changes; among what changes are sets, which JSON does not have.
    return copy if copy == sent else _through_json(sent)


def _through_json(sent: Any) -> Any:
    """The same, written and read. Raises TypeError, ValueError for what JSON cannot hold."""
    return json.loads(json.dumps(sent))


def _shown(sent: Any) -> str:
    """The beginning of what was sent, as JSON has it; what JSON does not have by its type."""
    try:
        text = json.dumps(sent, ensure_ascii=False, default=lambda one: f"<{type(one).__name__}>")
    except (TypeError, ValueError):  # Names that are no texts, or numbers of very many digits.
        return "what JSON cannot hold"
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
