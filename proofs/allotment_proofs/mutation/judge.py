"""What the proofs say of a changed model: run by Cosmic Ray on each change.

Only *refuted* is a change that the proofs noticed. That a theorem could not be lifted any more, or
that the solver gave up, is told apart from it.
"""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from allotment_proofs.commands.prove import proofs_of
from allotment_proofs.prover import Proof
from allotment_proofs.report import explained
from allotment_proofs.theorems import THEOREMS

SURVIVED, REFUTED = "survived", "refuted"
WORDS = (REFUTED, "unknown", "vacuous", "unsupported", SURVIVED)
"""What may be said of a change, in the order in which it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The outcome of a change, and the theorem and words that say so."""

    outcome: str
    theorem: str = ""
    told: str = ""


def judge(file: Path) -> Judgement:
    """What the theorems that lift a function of a file say: the first one that is refuted."""
    found = Judgement(outcome=SURVIVED)
    for proof in proofs_of(THEOREMS, file, with_variants=False):
        said = _said(proof)
        if WORDS.index(said.outcome) < WORDS.index(found.outcome):
            found = said
        if said.outcome == REFUTED:
            break
    return found


def _said(proof: Proof) -> Judgement:
    word = proof.outcome.word
    if word == "proved":
        return Judgement(outcome=SURVIVED)
    told = " ".join(explained(proof))
    return Judgement(outcome=word, theorem=proof.theorem.name, told=told)


def read(output: str) -> Judgement:
    """What was printed as the last line of a run; what it says of a run that crashed."""
    last = output.strip().rpartition("\n")[2]
    try:
        return Judgement(**json.loads(last))
    except (ValueError, TypeError):
        return Judgement(outcome="crashed", told=last)


if __name__ == "__main__":
    judgement = judge(Path(sys.argv[1]))
    print(json.dumps(asdict(judgement)))
    raise SystemExit(judgement.outcome != SURVIVED)
