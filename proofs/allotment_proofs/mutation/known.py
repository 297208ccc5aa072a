"""Survivors outside the leaves that compute the same on all small cases, and why they should."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A survivor, told by a part of its changed line, and why it computes the same."""

    function: str
    change: str
    why: str


def _same(why: str, function: str, *changes: str) -> list[Known]:
    return [Known(function=function, change=one, why=why) for one in changes]


KNOWN = (
    *_same(
        "a capacity below zero leaves nothing free, as zero does: no answer differs",
        "accounts.capacity",
        "cluster.hosts[account.host].capacity.get(account.resource, -1)",
        "cluster.pools.get(account.resource, -1)",
    ),
    *_same(
        "in the specification `used_seen` looks at the present use only",
        "accounts.left",
        "ledger.at_start.get(account, -1)",
        "ledger.at_start.get(account, 1)",
    ),
    *_same(
        "in the specification the three rules are one function",
        "accounts.left",
        "if not account.limit is not None:",
        "if account.limit is None:",
        "elif account.host is None:",
        "elif not account.host is not None:",
    ),
    *_same(
        "members of an enumeration are equal exactly if they are the same",
        "accounts.limit_account",
        "rules.limit_scope(limit) == Scope.HOST",
    ),
    *_same(
        "of the two members only `HOST` is not below `HOST`",
        "accounts.limit_account",
        "rules.limit_scope(limit) >= Scope.HOST",
    ),
    *_same(
        "what is written is a sum of debits, and never negative",
        "accounts._write",
        "if amount <= 0:",
    ),
    *_same(
        "a job without any counts is refused with `counts` before its keys are made",
        "ingest.tasks_of",
        "Tasks(min= 0, max=1)",
        "Tasks(min= 2, max=1)",
        "Tasks(min=1, max= 0)",
        "Tasks(min=1, max= 2)",
    ),
    *_same(
        "members of an enumeration are equal exactly if they are the same",
        "ingest.has_per",
        "entry.per == per",
    ),
    *_same(
        "a rusage that names `slots` is refused before, so it never names all that it may",
        "ingest.names_unknown",
        "return not asked < {",
    ),
    *_same(
        "an operation has an operand, and so there is a type",
        "select.type_of",
        'operand_types <= {"text"}',
        'operand_types <= {"number"}',
    ),
    *_same(
        "an alternative without primaries is refused before its counts are looked at",
        "ingest._total",
        "if len(compound) <= 1:",
    ),
    *_same(
        "the first of one is the last of one",
        "ingest._total",
        "compound[ -1].tasks",
    ),
    *_same(
        "those that are given are some of all, and never more",
        "ingest._total",
        "if len(given) != len(counts):",
    ),
    *_same(
        "of what a live job holds there is as much in the books (SESSION-3, a theorem)",
        "books.end_jobs",
        "books.get(account, 1)",
        "books.get(account, -1)",
    ),
    *_same(
        "of a limit that is no more live jobs hold nothing, and what is nothing is left out",
        "books.with_limits_recounted",
        "account.limit is not None or account.limit in state.cluster.limits",
    ),
    *_same(
        "finished jobs are credited: what the books have of a limit, live jobs hold (SESSION-3)",
        "books.with_limits_recounted",
        "recounted.get(account, 1)",
        "recounted.get(account, -1)",
    ),
    *_same(
        "in the specification `limit_use_at_begin` looks at the recount only",
        "books.with_limits_recounted",
        "state.books.get(account, 1)",
        "state.books.get(account, -1)",
    ),
    *_same(
        "nothing in the books is negative (SESSION-3, a theorem)",
        "books.without_zeros",
        "if used > 0}",
    ),
    *_same(
        "members of an enumeration are equal exactly if they are the same",
        "changes._limit_checks",
        "limit.scope == Scope.HOST",
    ),
    *_same(
        "of the two members only `HOST` is not below `HOST`",
        "changes._limit_checks",
        "limit.scope >= Scope.HOST",
    ),
    *_same(
        "in the specification a hit ends no attempt: `hit_ends_attempt` is False",
        "attempt.attempt",
        "if not failed.cached and rules.hit_ends_attempt():",
        "continue",
    ),
    *_same(
        "in the specification `rules_for_part` does not look at it",
        "attempt.place_compound",
        "nested =",
    ),
    *_same(
        "if no part failed all are placed, and then `is_whole` holds",
        "attempt.place_compound",
        "if failed is None and rules.is_whole(",
    ),
    *_same(
        "members of an enumeration are equal exactly if they are the same",
        "runs.try_job",
        "reason != Category.ERROR and",
    ),
    *_same(
        "what a run leaves is one cache (a theorem on runs), and so it is at the beginning",
        "runs.run_session",
        "state.caches[ -1]",
    ),
    *_same(
        "no later plan has fewer buckets (PLAN-1, a theorem), so none of them may hold",
        "search.place",
        "continue",
    ),
    *_same(
        "in the specification `limit_host` looks at the candidate only",
        "search.candidates",
        "rules.limit_host(host.name, looked_at[ -1])",
    ),
    *_same(
        "what a session begins with does not depend on the cache before it",
        "scheduler.begin_session",
        "rules.emptied(state.caches[ -1])",
    ),
)
"""By hand; the facts that the reasons name are tested. A survivor that is not here is not shown."""


def known(module: str, function: str, after: str) -> Known | None:
    """What is known of a survivor."""
    name = f"{module}.{function}"
    found = [one for one in KNOWN if one.function == name and one.change in after]
    return found[0] if found else None
