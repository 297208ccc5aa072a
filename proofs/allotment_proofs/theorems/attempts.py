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
from allotment_model.attempt import After, Failed, Won, attempt
from allotment_model.cache import Key
from allotment_model.cluster import SLOTS
from allotment_model.request import Attribute
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
from allotment_proofs.theorems.words import nothing_wrong, result_told


def _as_alternatives(alternatives: Keys, ledger: Ledger, rules: Rules) -> str:
    """What is wrong with an alter, if it is answered as its first alternative placed alone."""
    together = after_attempt(alternatives, ledger, rules)
    for number, alternative in enumerate(alternatives):
        alone = after_attempt((alternative,), ledger, rules)
        if isinstance(alone.result, Won):
            expected = replace(alone.result, alternative=number)
            return _difference(together, expected, alone.ledger)
    return _difference(together, None, ledger)


def _as_parts(alternatives: Keys, ledger: Ledger, rules: Rules) -> str:
    """What is wrong with a compound, if its parts are placed one after the other, or nothing is."""
    together, now, placements = after_attempt(alternatives, ledger, rules), ledger, []
    for key in alternatives[0]:
        (placement, after), _notes = outcome(search.place(key, now, rules))
        if placement is None:
            return _difference(together, None, ledger)
        placements.append(placement)
        now = open_ledger(ledger.cluster, after.used)
    return _difference(together, Won(alternative=0, placements=(*placements,)), now)


def _difference(found: After, expected: Won | None, ledger: Ledger) -> str:
    """How an attempt differs from one that is placed so, or not at all, and leaves this ledger."""
    if expected is None and isinstance(found.result, Won):
        return f"it is {result_told(found.result)}, and should not be placed"
    if expected is not None and found.result != expected:
        return f"it is {result_told(found.result)}, and should be {result_told(expected)}"
    is_same = found.ledger.used == ledger.used
    return "" if is_same else f"it is {result_told(found.result)}, and something else is in use"


def _holds_a_plan(tasks: int, free: list[Term]) -> bool:
    """SPEC.md's words for slots on one host, or on some as evenly as can be (ghost)."""
    return any(
        all(slots <= left for slots, left in zip(balanced(tasks, hosts), chosen, strict=True))
        for hosts in range(1, min(tasks, len(free)) + 1)
        for chosen in permutations(free, hosts)
    )


def _category(key: Key, ledger: Ledger) -> Category:
    """SPEC.md's words for why a primary of slots and licences fails in this ledger (ghost).

    No host has an attribute, so that none passes a select that reads one.
    """
    cluster, used, tasks = ledger.cluster, ledger.used, key.tasks_max
    if key.select is not None:
        return Category.SELECT
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


def _right_reason(keys: Keys, ledger: Ledger, rules: Rules) -> str:
    """What is wrong, if the reason is that of the first failed part of the last alternative."""
    expected, result = _expected(keys, ledger, rules), after_attempt(keys, ledger, rules).result
    if expected is None:
        right = "" if isinstance(result, Won) else "placed"
    else:
        right = "" if result == Failed(reason=expected) else f"pending, {expected}"
    return right and f"it is {result_told(result)}, and should be {right}"


def _tells_debits(keys: Keys, ledger: Ledger, rules: Rules) -> str:
    """Of which host something else is in use than is told as claimed, and not as reversed."""
    after, notes = outcome(attempt(keys, ledger, {}, rules))
    slots = dict.fromkeys(ledger.cluster.hosts, 0)
    told: list[Any] = [note for note in notes if note[0] in SIGNS]
    for word, host, count in told:
        slots[host] += SIGNS[word] * count
    wrong = (
        f"{count} slots of {host} are told as claimed, and others are in use"
        for host, count in slots.items()
        if after.ledger.used.get(Account(SLOTS, host), 0) != count
    )
    return next(wrong, "")


SIGNS: Mapping[object, int] = {"claimed": 1, "reversed": -1}

ONE, TWO, LICENSED = key_of(1), key_of(2), key_of(1, LICENCE)
SELECTING = replace(ONE, select=Attribute(name="x"))
"""It goes to no host, for none has the attribute."""

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
    "{1} or {1} where an attribute is": (2, ((ONE,), (SELECTING,))),
    "{1}+{1} or {1} with a licence": (2, ((ONE, ONE), (LICENSED,))),
    "{1}+{1}+{1} with a licence or {2} or {3}": (
        1,
        ((ONE, ONE, LICENSED), (TWO,), (key_of(3),)),
    ),
}


def _of_attempts(
    wrong_in: Callable[..., str], requests: Requests, lifting: Lifting
) -> Iterator[Case]:
    for name, (hosts, keys) in requests.items():
        cluster = cluster_of(hosts, has_pool=True)
        told, values = amounts_told(cluster)
        ledger = open_ledger(cluster, {})
        claim, wrong = nothing_wrong(lifting, wrong_in, keys, ledger, lifting.rules)
        yield Case(
            name=name,
            assumptions=not_negative(cluster),
            claim=claim,
            told=f"{told}: {{wrong}}",
            values=values,
            more=wrong,
        )


THEOREMS = (
    Theorem(
        name="A compound is placed as its parts are, one after the other, or takes nothing",
        clauses=("COMPOUND-1", "COMPOUND-2", "COMPOUND-3", "SHARED-2"),
        scope=ON_HOSTS
        + "four compounds of two or three parts on two hosts or four, any pool, one limit; nothing "
        "in use",
        cases=partial(_of_attempts, _as_parts, COMPOUNDS),
        is_whole=True,
    ),
    Theorem(
        name="An alter answers as the first of its alternatives that is placed alone",
        clauses=("ALTER-1", "ALTER-2", "ALTER-3"),
        scope=ON_HOSTS
        + "five alters of two or three alternatives on two hosts, any pool, one limit; nothing in "
        "use",
        cases=partial(_of_attempts, _as_alternatives, ALTERS),
        is_whole=True,
    ),
    Theorem(
        name="A request fails for the reason of its last alternative's first part that fails",
        clauses=("WHY-1",),
        scope=ON_HOSTS
        + "eight requests of two or three parts or alternatives on two hosts or one, any pool, one "
        "limit",
        cases=partial(_of_attempts, _right_reason, REQUESTS),
        is_whole=True,
    ),
    Theorem(
        name="What is told as claimed, and not as reversed, is what is in use then",
        clauses=("COMPOUND-3",),
        scope=ON_HOSTS
        + "eight requests of two or three parts or alternatives on two hosts or one, any pool, one "
        "limit",
        cases=partial(_of_attempts, _tells_debits, REQUESTS),
        is_whole=True,
    ),
)
"""The theorems of this module."""
