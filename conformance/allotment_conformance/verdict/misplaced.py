"""Misplaced: which clause a placement breaks that no allowed choices lead to."""

from dataclasses import replace

from allotment_model import accounts
from allotment_model.accounts import Account, Ledger, Wants, open_ledger
from allotment_model.answers import Dispatched, Part
from allotment_model.cache import Key
from allotment_model.oracle import choices
from allotment_model.oracle.following import Following
from allotment_model.plans import balanced_split
from allotment_model.rules import Rules
from allotment_model.search import host_wants
from allotment_model.state import State


def misplaced(state: State, name: str, answer: Dispatched, follow: Following) -> str | None:
    """The first clause that the hosts named break, part by part; None if they break none.

    Then an earlier alternative was passed over, or a primary is placed that the cache knows to
    fail.
    """
    keys, ledger = state.pending[name].keys, open_ledger(state.cluster, state.books)
    if not 0 <= answer.alternative < len(keys):
        return "ALTER-1"
    parts = keys[answer.alternative]
    if len(parts) != len(answer.parts):
        return "COMPOUND-1"
    for key, part in zip(parts, answer.parts, strict=True):
        clause = _of_names(part, ledger) or _of_buckets(key, part, follow)
        clause = clause or _of_hosts(key, part, ledger, follow.rules)
        if clause is not None:
            return clause
        if not follow.is_allowed(key, part, ledger):
            return _of_choice(key, part, ledger, follow)
        placed = choices.placed_as(key, part, ledger, follow.rules)
        assert placed is not None, "what breaks no clause fits"
        ledger = placed[1]
    return None


def _of_names(part: Part, ledger: Ledger) -> str | None:
    """HOST-1: a host that is not there. What else the part says of it can be held against nothing.

    It goes first: names that were cut short may well be equal.
    """
    is_there = all(name in ledger.cluster.hosts for name, _slots in part)
    return None if is_there else "HOST-1"


def _of_buckets(key: Key, part: Part, follow: Following) -> str | None:
    """HOST-7, PLAN-2, PLAN-9, PLAN-10, PLAN-11: what can be told from the request alone."""
    if len(dict(part)) < len(part):
        return "HOST-7"
    slots, span = tuple(slots for _host, slots in part), key.span
    is_free = follow.enumerate_for(key) is choices.splits
    if not slots or sum(slots) != key.tasks_max or min(slots) < 1:
        return "PLAN-11" if is_free else "PLAN-2"
    bounded = span.hosts_min <= len(slots) <= span.hosts_max
    if not bounded or max(slots) > span.tasks_per_host:
        return "PLAN-9"
    if span.ptile is not None:
        return None if slots in follow.rules.plans(key.tasks_max, span) else "PLAN-10"
    return None if is_free or slots == balanced_split(key.tasks_max, len(slots)) else "PLAN-2"


def _of_hosts(key: Key, part: Part, ledger: Ledger, rules: Rules) -> str | None:
    """SHARED-1, HOST-1, SELECT-5, WANT-4, LIMIT-1 … 3: what is closed, or full."""
    shared = accounts.shared_wants(key, ledger.cluster, rules)
    lacking = _lacking(shared, ledger, rules, otherwise="SHARED-1")
    if lacking is not None:
        return lacking
    ledger = accounts.charge(ledger, shared, rules)
    for name, slots in part:
        host = ledger.cluster.hosts[name]
        if not rules.is_open(host):
            return "HOST-1"
        if not rules.passes(key.select, host.attributes):
            return "SELECT-5"
        wants = host_wants(key, slots, name, name, ledger, rules)
        lacking = _lacking(wants, ledger, rules, otherwise="WANT-4")
        if lacking is not None:
            return lacking
        ledger = accounts.charge(ledger, wants, rules)
    return None


def _lacking(wants: Wants, ledger: Ledger, rules: Rules, otherwise: str) -> str | None:
    for account, wanted in wants.items():
        if not rules.fits(wanted, accounts.left(ledger, account, rules)):
            return otherwise if account.limit is None else _of_limit(account, wanted, ledger, rules)
    return None


def _of_limit(account: Account, wanted: int, ledger: Ledger, rules: Rules) -> str:
    """LIMIT-2: what the attempt itself holds is counted; LIMIT-3: no more than is left.

    LIMIT-1: a limit of each holds also beside the one of a name, which does not replace it.
    """
    at_start = replace(ledger, used=ledger.at_start)
    if rules.fits(wanted, accounts.left(at_start, account, rules)):
        return "LIMIT-2"
    assert account.limit is not None, "it is the account of a limit"
    by_name = account.limit._replace(name=account.holder)
    is_beside = account.limit.name is None and by_name in ledger.cluster.limits
    return "LIMIT-1" if is_beside else "LIMIT-3"


def _of_choice(key: Key, part: Part, ledger: Ledger, follow: Following) -> str:
    """PAR-1, HOST-9: another plan than the first that holds, or other hosts than the first."""
    plan = choices.first_plan_that_holds(key, ledger, follow.rules)
    return "HOST-9" if plan == tuple(slots for _host, slots in part) else "PAR-1"
