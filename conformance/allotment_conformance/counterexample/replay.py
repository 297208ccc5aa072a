"""Replaying counterexamples: what an allocator makes of a case on which one failed."""

from dataclasses import dataclass

from allotment_conformance.counterexample.asking import Asking
from allotment_conformance.counterexample.contradiction import contradiction
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.engines.features import features_of, is_within
from allotment_conformance.runs.tally import KeptCase, Replay, replay_of, replay_of_failure
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, Profile

UNSURE = (
    "the answers are right, as they were when the case was asked again at once: "
    "that proves nothing; it fails by chance, or only after other cases"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What became of a counterexample, and why, in words; nothing if it is fixed."""

    name: str
    outcome: Replay
    words: str = ""


def replay(asking: Asking, kept: KeptCase) -> Replayed:
    """Ask the case again, behind those that it needs before it.

    What the profile does not declare cannot be asked, and is an error.
    """
    cases = [*kept.before, kept.case]
    lacking = next(filter(None, (lacks(case, asking.profile) for case in cases)), "")
    if lacking:
        return Replayed(name=kept.name, outcome=Replay.ERROR, words=lacking)
    *_before, finding = asking.findings(cases)
    if finding.failure is not None:
        outcome = replay_of_failure(finding.failure)
        return Replayed(name=kept.name, outcome=outcome, words=str(finding.failure))
    outcome = replay_of(finding.disagreement, kept.reproduced)
    if finding.disagreement is not None:
        words = _what(finding.disagreement, kept.sentence)
        return Replayed(name=kept.name, outcome=outcome, words=words)
    words = UNSURE if outcome is Replay.UNSURE else ""
    return Replayed(name=kept.name, outcome=outcome, words=words)


def _what(found: Disagreement, before: str) -> str:
    """How an answer is wrong: of which kind, and in a sentence.

    If it is wrong as it was `before`, that sentence is told, which names the clauses.
    """
    told = legible(contradiction(found, ""))
    is_as_before = before.startswith(f"{told}; ")
    return f"{found.kind}: {before if is_as_before else told}"


def lacks(case: Json, profile: Profile) -> str:
    """What keeps an implementation from being asked a case; empty if nothing does."""
    missing = sorted(features_of(case) - set(profile.features))
    if missing:
        return f"the allocator does not declare {', '.join(missing)}"
    return "" if is_within(case, profile.largest) else "the case is larger than the allocator takes"
