"""Theorems about one attempt: compounds, alternatives and reasons, run from end to end.

No step is taken out and no loop is described: what is bounded is the number of hosts, parts,
alternatives and tasks.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

from allotment_model import search
from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.answers import Category
from allotment_model.attempt import Failed, Won, attempt
from allotment_model.cache import Key
from allotment_model.cluster import SLOTS
from allotment_model.rules import Rules
from allotment_model.search import outcome
from allotment_model.why import Keys
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.few_hosts import (
    LICENCE,
    ON_HOSTS,
    after_attempt,
    amounts_told,
    balanced,
    cluster_of,
    key_of,
    not_negative,
)


def _as_alternatives(alternatives: Keys, ledger: Ledger, rules: Rules) -> bool:
    """Whether an alter answers as the first of its alternatives that is placed when alone."""
    together = after_attempt(alternatives, ledger, rules)
    for number, alternative in enumerate(alternatives):
        alone = after_attempt((alternative,), ledger, rules)
        if isinstance(alone.result, Won):
            expected = replace(alone.result, alternative=number)
            return bool(together.result == expected and together.ledger.used == alone.ledger.used)
    return not isinstance(together.result, Won) and together.ledger.used == ledger.used


def _as_parts(alternatives: Keys, ledger: Ledger, rules: Rules) -> bool:
    """Whether a compound is placed as its parts are, one after the other, or takes nothing."""
    together, now, placements = after_attempt(alternatives, ledger, rules), ledger, []
    for key in alternatives[0]:
        (placement, after), _notes = outcome(search.place(key, now, rules))
        if placement is None:
            return not isinstance(together.result, Won) and together.ledger.used == ledger.used
        placements.append(placement)
        now = open_ledger(ledger.cluster, after.used)
    placed = isinstance(together.result, Won) and together.result.placements == (*placements,)
    return bool(placed and together.ledger.used == now.used)


def _holds_a_plan(tasks: int, free: list[Term]) -> bool:
    """SPEC.md's words for slots on one host, or on some as evenly as can be (ghost)."""
    return any(
        all(slots <= left for slots, left in zip(balanced(tasks, hosts), chosen, strict=True))
        for hosts in range(1, min(tasks, len(free)) + 1)
        for chosen in permutations(free, hosts)
    )


def _category(key: Key, ledger: Ledger) -> Category:
    """SPEC.md's words for why a primary of slots and licences fails in this ledger (ghost)."""
    cluster, used, tasks = ledger.cluster, ledger.used, key.tasks_max
    pool = Account("licence")
    if key.rusage and tasks + used.get(pool, 0) > cluster.pools["licence"]:
        return Category.SHARED
    free = [
        host.capacity[SLOTS] - used.get(Account(SLOTS, name), 0)
        for name, host in cluster.hosts.items()
    ]
    return Category.LIMIT if _holds_a_plan(tasks, free) else Category.CAPACITY


def _expected(keys: Keys, ledger: Ledger, rules: Rules) -> Category | None:
    """SPEC.md's words for why a request fails, None if it does not (ghost)."""
    reason = None
    for parts in keys:
        now, reason = ledger, None
        for key in parts:
            (placement, then), _notes = outcome(search.place(key, now, rules))
            if placement is None:
                reason = _category(key, now)
                break
            now = then
        if reason is None:
            return None
    return reason


def _right_reason(keys: Keys, ledger: Ledger, rules: Rules) -> bool:
    """Whether the reason is that of the first part that fails, of the last alternative."""
    expected, result = _expected(keys, ledger, rules), after_attempt(keys, ledger, rules).result
    return isinstance(result, Won) if expected is None else result == Failed(reason=expected)


def _tells_debits(keys: Keys, ledger: Ledger, rules: Rules) -> bool:
    """Whether what is told as claimed, and not as reversed, is what is in use afterwards."""
    after, notes = outcome(attempt(keys, ledger, {}, rules))
    slots = dict.fromkeys(ledger.cluster.hosts, 0)
    told: list[Any] = [note for note in notes if note[0] in SIGNS]
    for word, host, count in told:
        slots[host] += SIGNS[word] * count
    return all(
        after.ledger.used.get(Account(SLOTS, host), 0) == count for host, count in slots.items()
    )


SIGNS: Mapping[object, int] = {"claimed": 1, "reversed": -1}

ONE, TWO, LICENSED = key_of(1), key_of(2), key_of(1, LICENCE)

Requests = Mapping[str, tuple[int, Keys]]
"""On how many hosts, and the parts of each alternative."""

ALTERS: Requests = {
    "{1} or {2}": (2, ((ONE,), (TWO,))),
    "{2} or {1}+{1}": (2, ((TWO,), (ONE, ONE))),
    "{1}+{1} or {2}": (2, ((ONE, ONE), (TWO,))),
    "{1} with a licence or {1}": (2, ((LICENSED,), (ONE,))),
    "{2} or {1} with a licence or {1}+{1}": (2, ((TWO,), (LICENSED,), (ONE, ONE))),
}
COMPOUNDS: Requests = {
    "{1}+{1}": (2, ((ONE, ONE),)),
    "{2}+{1}": (2, ((TWO, ONE),)),
    "{1}+{1}, licences": (4, ((LICENSED, LICENSED),)),
    "{1}+{2}+{1}": (2, ((ONE, TWO, ONE),)),
}
REQUESTS: Requests = {
    "{1}+{2}": (2, ((ONE, TWO),)),
    "{1} with a licence+{2}": (2, ((LICENSED, TWO),)),
    "{1}+{1}, both with a licence": (2, ((LICENSED, LICENSED),)),
    "{2}+{1} with a licence": (2, ((TWO, LICENSED),)),
    "{1} with a licence or {1}": (2, ((LICENSED,), (ONE,))),
    "{1}+{1} or {1} with a licence": (2, ((ONE, ONE), (LICENSED,))),
    "{1}+{1}+{1} with a licence or {2} or {3}": (
        1,
        ((ONE, ONE, LICENSED), (TWO,), (key_of(3),)),
    ),
}


def _of_attempts(
    holds: Callable[..., bool], requests: Requests, told: str, lifting: Lifting
) -> Iterator[Case]:
    for name, (hosts, keys) in requests.items():
        cluster = cluster_of(hosts, has_pool=True)
        beginning, values = amounts_told(cluster)
        yield Case(
            name=name,
            assumptions=not_negative(cluster),
            claim=lifting.of(holds, keys, open_ledger(cluster, {}), lifting.rules),
            told=beginning + told,
            values=values,
        )


THEOREMS = (
    Theorem(
        name="A compound is placed as its parts are, one after the other, or takes nothing",
        clauses=("COMPOUND-1", "COMPOUND-2", "COMPOUND-3", "SHARED-2"),
        scope=ON_HOSTS
        + "four compounds of two or three parts on two hosts or four, any pool, one limit; nothing "
        "in use",
        cases=partial(
            _of_attempts,
            _as_parts,
            COMPOUNDS,
            "the compound is not placed as its parts are, one after the other",
        ),
        is_whole=True,
    ),
    Theorem(
        name="An alter answers as the first of its alternatives that is placed alone",
        clauses=("ALTER-1", "ALTER-2", "ALTER-3"),
        scope=ON_HOSTS
        + "five alters of two or three alternatives on two hosts, any pool, one limit; nothing in "
        "use",
        cases=partial(
            _of_attempts,
            _as_alternatives,
            ALTERS,
            "the alter is not answered as its first alternative that is placed alone",
        ),
        is_whole=True,
    ),
    Theorem(
        name="A request fails for the reason of its last alternative's first part that fails",
        clauses=("WHY-1",),
        scope=ON_HOSTS
        + "seven requests of two or three parts or alternatives on two hosts or one, any pool, one "
        "limit",
        cases=partial(
            _of_attempts, _right_reason, REQUESTS, "the reason is not that of the first failure"
        ),
        is_whole=True,
    ),
    Theorem(
        name="What is told as claimed, and not as reversed, is what is in use then",
        clauses=("COMPOUND-3",),
        scope=ON_HOSTS
        + "seven requests of two or three parts or alternatives on two hosts or one, any pool, one "
        "limit",
        cases=partial(
            _of_attempts, _tells_debits, REQUESTS, "what is told as claimed is not what is in use"
        ),
        is_whole=True,
    ),
)
"""The theorems of this module."""
