"""What the proofs say of a changed function of the model.

Only *refuted* is a change that the proofs noticed. That a theorem could not be lifted any more, or
that the solver gave up, is told apart from it.
"""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from allotment_proofs.mutants import node_of
from allotment_proofs.prover import Unlifted, outcome_under
from allotment_proofs.report import explained
from allotment_proofs.statement import Lifting, Theorem

SURVIVED, REFUTED, CRASHED, UNSUPPORTED = "survived", "refuted", "crashed", Unlifted.word
WORDS = (REFUTED, "unknown", "vacuous", UNSUPPORTED, CRASHED, SURVIVED)
"""What may be said of a change, in the order in which it counts."""

SECONDS = 30.0
"""Of processor time, after which a theorem is given up under a change: about twenty times what the
longest takes, however busy the machine is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The outcome of a change, and the theorem and words that say so."""

    outcome: str
    theorem: str = ""
    told: str = ""


class TooLong(BaseException):
    """A change makes the model run on; no handler of the prover may take it for a refutation."""


def judge(function: FunctionType, source: str, theorems: Sequence[Theorem]) -> Judgement:
    """What these theorems say of a function with another source: the first that is refuted.

    Whole runs, which take longest, come last, and not for what crashed or was left open before.
    What has no term in one theorem may have one there, or may not be asked: *unsupported* is a
    change only if none is refuted.
    """
    found = Judgement(outcome=SURVIVED)
    try:
        node = node_of(function, source)
    except SyntaxError as wrong:
        return Judgement(outcome=CRASHED, told=str(wrong))
    for theorem in sorted(theorems, key=lambda one: one.is_whole):
        if theorem.is_whole and found.outcome not in (SURVIVED, UNSUPPORTED):
            break
        said = _said(theorem, function, node)
        if WORDS.index(said.outcome) < WORDS.index(found.outcome):
            found = said
        if said.outcome == REFUTED:
            break
    return found


def _said(theorem: Theorem, function: FunctionType, node: Any) -> Judgement:
    try:
        with _within(SECONDS):
            outcome = outcome_under(theorem, Lifting(), changed={function: node}, hasty=True)
    except (Exception, TooLong) as stopped:
        told = f"{type(stopped).__name__}: {stopped}"
        return Judgement(outcome=CRASHED, theorem=theorem.name, told=told)
    if outcome.word == "proved":
        return Judgement(outcome=SURVIVED)
    told = " ".join(explained(outcome))
    return Judgement(outcome=outcome.word, theorem=theorem.name, told=told)


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Stop what takes more processor time. Raises `TooLong`."""

    def stop(_number: int, _frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
