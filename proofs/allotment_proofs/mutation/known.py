"""Survivors outside the leaves: which compute the same, and which no theorem notices yet."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A survivor, told by a part of its changed line; whether it is the same, and why."""

    function: str
    change: str
    is_same: bool
    why: str


def _same(why: str, function: str, *changes: str) -> list[Known]:
    return [Known(function=function, change=one, is_same=True, why=why) for one in changes]


def _open(why: str, function: str, *changes: str) -> list[Known]:
    return [Known(function=function, change=one, is_same=False, why=why) for one in changes]


KNOWN = (
    *_same(
        "a capacity below zero leaves nothing free, as zero does: no answer differs",
        "accounts.capacity",
        "cluster.hosts[account.host].capacity.get(account.resource, -1)",
        "cluster.pools.get(account.resource, -1)",
    ),
    *_open(
        "no theorem speaks of a pool whose capacity is left out",
        "accounts.capacity",
        "cluster.pools.get(account.resource, 1)",
    ),
    *_open(
        "no theorem speaks of an account with nothing in use, which the ledger leaves out",
        "accounts.left",
        "ledger.used.get(account, -1)",
        "ledger.used.get(account, 1)",
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
        "a job without any counts is refused with `counts` before its keys are made",
        "ingest.tasks_of",
        "Tasks(min= 0, max=1)",
        "Tasks(min= 2, max=1)",
        "Tasks(min=1, max= 0)",
        "Tasks(min=1, max= 2)",
    ),
)
"""By hand; the facts that the reasons name are tested. A survivor that is not here is not shown."""


def known(module: str, function: str, after: str) -> Known | None:
    """What is known of a survivor."""
    name = f"{module}.{function}"
    found = [one for one in KNOWN if one.function == name and one.change in after]
    return found[0] if found else None
