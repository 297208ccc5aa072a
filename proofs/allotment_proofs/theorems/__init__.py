"""All theorems, each a sentence about the model's own source."""

from allotment_proofs.theorems import answers, caching, ledger, plans, search, wants, whole

THEOREMS = (
    *plans.THEOREMS,
    *wants.THEOREMS,
    *search.THEOREMS,
    *ledger.THEOREMS,
    *caching.THEOREMS,
    *answers.THEOREMS,
    *whole.THEOREMS,
)
"""In the order of the clauses; those about whole runs come last."""
