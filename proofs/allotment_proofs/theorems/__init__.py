"""All theorems, each a sentence about the model's own source."""

from allotment_proofs.theorems import (
    answers,
    attempts,
    caching,
    events,
    ingest,
    ledger,
    plans,
    refusals,
    releases,
    search,
    selects,
    sessions,
    wants,
    whole,
)

GROUPS = {
    "Plans": plans.THEOREMS,
    "Wants and room": wants.THEOREMS,
    "The search, step by step": search.THEOREMS,
    "Debits, reversals and books": (*ledger.THEOREMS, *releases.THEOREMS),
    "Keys and cache": caching.THEOREMS,
    "Events": events.THEOREMS,
    "What is accepted": (*ingest.THEOREMS, *selects.THEOREMS, *refusals.THEOREMS),
    "Order and answers": answers.THEOREMS,
    "Whole runs": (*whole.THEOREMS, *attempts.THEOREMS, *sessions.THEOREMS),
}
"""By what they are about."""

THEOREMS = tuple(theorem for group in GROUPS.values() for theorem in group)
"""In the order of the clauses; those about whole runs come last."""
