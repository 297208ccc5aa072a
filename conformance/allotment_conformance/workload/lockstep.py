"""The model beside an allocator on the same cases, up to the first difference."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import IO, ClassVar

from msgspec.structs import replace

from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import (
    Answer,
    Json,
    Pending,
    Profile,
    Ran,
    as_json,
    read_answers,
)
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.workload.timing import Timed
from allotment_conformance.workload.words import AnyAnswer, answer_in_words, event_in_words
from allotment_model.state import State

Pair = tuple[AnyAnswer | None, AnyAnswer | None]
"""What the model and the allocator answered to one event, or of one job in a run."""


class ModelCannotFollow(KitError):
    """The allocator declares a freedom that no single run of the model has."""

    code: ClassVar[str] = "model-cannot-follow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where two lists of answers part, and both answers in words.

    `position` is the place in a run's order of trying, None if the event is no run.
    """

    event: int
    position: int | None
    expected: str
    actual: str


class Parted(Exception):
    """The two answered differently to an event of `case`; `before` is the model's state before."""

    def __init__(self, difference: Difference, case: Json, before: State) -> None:
        super().__init__(difference)
        self.difference = difference
        self.case = case
        self.before = before

    @property
    def event(self) -> str:
        """The event, in words."""
        return event_in_words(self.case["events"][self.difference.event])


class LockStep:
    """Runs each case through both and compares; raises `Parted` at the first difference.

    What was sent so far is kept in a file: it is the proof if nothing shorter is one.
    """

    def __init__(self, allocator: Timed, profile: Profile, sent: IO[str]) -> None:
        if profile.host_order == "unspecified" or profile.split == "any":
            raise ModelCannotFollow(
                f"'{profile.name}' may choose among hosts or splits, so the model cannot tell "
                "its next step",
                remedy="Leave out --against-model.",
            )
        self._model = ModelAdapter(profile=profile)
        self.allocator = allocator
        self.model = Timed(self._model)
        self._declares = profile.declares
        self._sent = sent

    def run(self, case: Json) -> list[Json]:
        """The answers that both gave."""
        if "cluster" in case:
            self._model.run({"cluster": case["cluster"], "events": []})
        before = self._model.state
        assert before is not None, "the first case has a cluster"
        self._sent.write(as_json(case) + "\n")
        difference, answers = self._compared(case)
        if difference is not None:
            raise Parted(difference, case, before)
        return answers

    def differs(self, case: Json) -> bool:
        """Whether the two part on a case that has its own cluster."""
        return self._compared(case)[0] is not None

    def whole_case(self) -> Json:
        """Everything that was run so far, as one case."""
        self._sent.seek(0)
        whole: Json = {"events": []}
        for line in self._sent:
            case = json.loads(line)
            whole["events"] += case.pop("events")
            whole |= case
        return whole

    def _compared(self, case: Json) -> tuple[Difference | None, list[Json]]:
        expected = self.model.run(case)
        actual = self.allocator.run(case)
        if expected == actual:
            return None, actual
        return first_difference(expected, actual, self._declares), actual


def first_difference(
    expected: list[Json], actual: list[Json], declares: tuple[str, ...]
) -> Difference | None:
    """Where two lists of answers part in what is declared; None if they do not."""
    pairs = zip_longest(read_answers(expected), read_answers(actual))
    for event, (ours, theirs) in enumerate(pairs):
        is_run = isinstance(ours, Ran) and isinstance(theirs, Ran)
        for position, (one, other) in enumerate(_in_pieces(ours, theirs)):
            if _declared(one, declares) != _declared(other, declares):
                return Difference(
                    event=event,
                    position=position if is_run else None,
                    expected=answer_in_words(one),
                    actual=answer_in_words(other),
                )
    return None


def _in_pieces(ours: Answer | None, theirs: Answer | None) -> Iterator[Pair]:
    """What is compared of two answers to one event: of two runs, job by job."""
    if isinstance(ours, Ran) and isinstance(theirs, Ran):
        yield from zip_longest(ours.jobs, theirs.jobs)
    else:
        yield ours, theirs


def _declared(answer: AnyAnswer | None, declares: tuple[str, ...]) -> AnyAnswer | None:
    """The answer with what is not declared made equal."""
    if not isinstance(answer, Pending):
        return answer
    return replace(
        answer,
        reason=answer.reason if "reason" in declares else "capacity",
        never=answer.never and "never" in declares,
        cached=answer.cached and "cached" in declares,
    )
