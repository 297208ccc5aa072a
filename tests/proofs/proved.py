"""The proofs of the theorems, for all tests that look at them: a process makes each once.

Tests that ask for those of many theorems are of the group `theorems`.
"""

from functools import cache

from allotment_proofs.prover import Proof, prove
from allotment_proofs.statement import Theorem

SEEDS = 3


@cache
def proof_of(theorem: Theorem) -> Proof:
    """A proof under so many seeds of the solver, challenged by wrong rules."""
    return prove(theorem, seeds=SEEDS)
