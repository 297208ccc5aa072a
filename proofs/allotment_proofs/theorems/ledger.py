"""Theorems about debits, reversals and books (UNDO, PAR-1, SESSION-3, SESSION-4, AMOUNT-1).

Each speaks about one account. A charge, a reversal and a credit treat the accounts of a wants'
mapping one by one, which tests show on thousands of ledgers.
"""

from collections.abc import Iterator

import z3

from allotment_model import accounts, state
from allotment_model.accounts import Account, Ledger, Wants
from allotment_model.cluster import Cluster, Resources
from allotment_model.rules import Rules
from allotment_proofs.statement import Case, Lifting, Theorem

USED, AMOUNT, OTHER, CAPACITY, REST = z3.Ints("used amount other capacity rest")
HELD, OTHER_HELD = z3.Bools("held other_held")
SHOWN = {"used": USED, "amount": AMOUNT, "other": OTHER, "capacity": CAPACITY, "rest": REST}
NOT_NEGATIVE = (USED >= 0, AMOUNT >= 0, OTHER >= 0, CAPACITY >= 0, REST >= 0)
PER_ACCOUNT = (
    "unbounded; one account, of `debit`, `reverse` and `credit` alone; that the ledger's loops do "
    "this account by account is tested on thousands of ledgers, of one claim each"
)


def _inverse(lifting: Lifting) -> Iterator[Case]:
    after, held = lifting.reverse(lifting.debit(USED, AMOUNT), AMOUNT, True)
    yield Case(
        assumptions=NOT_NEGATIVE,
        claim=z3.And(after == USED, z3.Not(held)),
        told="{used} in use, {amount} taken and given back: {after} in use",
        values=SHOWN | {"after": after},
    )


def _gives_back(ledger: Ledger, wants: Wants, rules: Rules) -> bool:
    charged = accounts.charge(ledger, wants, rules)
    sums = all(
        charged.used.get(account, 0) == ledger.used.get(account, 0) + wanted
        for account, wanted in wants.items()
    )
    return sums and accounts.give_back(charged, wants, rules) == ledger


def _restored(lifting: Lifting) -> Iterator[Case]:
    """Of four hosts: what is in use, and of that or else what is asked; two amounts are any."""
    in_use, asked, left_out = (Account(name, "A") for name in ("memory", "slots", "disk"))
    others = {Account(name, host): 5 for host in "BCD" for name in ("memory", "slots", "disk")}
    empty = Cluster(resources=Resources(attributes={}), hosts={}, pools={}, limits={})
    ledger = accounts.open_ledger(empty, {in_use: REST, **others, asked: USED})
    wants = {asked: AMOUNT, left_out: OTHER}
    yield Case(
        assumptions=(REST >= 1, USED >= 1, AMOUNT >= 0, OTHER >= 0),
        claim=lifting.of(_gives_back, ledger, others | wants, lifting.rules),
        told="{used} in use, {amount} taken there and {other} where nothing was in use: the sums "
        "are others, or the ledger is another one once all is given back",
        values=SHOWN,
    )


def _idempotent(lifting: Lifting) -> Iterator[Case]:
    once, held_once = lifting.reverse(USED, AMOUNT, HELD)
    twice, held_twice = lifting.reverse(once, AMOUNT, held_once)
    thrice, _held = lifting.reverse(twice, AMOUNT, held_twice)
    yield Case(
        name="not held any more",
        assumptions=NOT_NEGATIVE,
        claim=z3.Not(held_once),
        told="a claim of {amount} is still held after it was given back",
        values=SHOWN,
    )
    yield Case(
        name="again and again",
        assumptions=NOT_NEGATIVE,
        claim=z3.And(once == twice, twice == thrice, z3.Implies(z3.Not(HELD), once == USED)),
        told="{amount} given back once leaves {once} in use, twice {twice}, three times {thrice}",
        values=SHOWN | {"once": once, "twice": twice, "thrice": thrice},
    )


def _any_order(lifting: Lifting) -> Iterator[Case]:
    first, _ = lifting.reverse(USED, AMOUNT, HELD)
    there, _ = lifting.reverse(first, OTHER, OTHER_HELD)
    second, _ = lifting.reverse(USED, OTHER, OTHER_HELD)
    back, _ = lifting.reverse(second, AMOUNT, HELD)
    yield Case(
        assumptions=NOT_NEGATIVE,
        claim=there == back,
        told="claims of {amount} and {other} given back leave {there} or {back}, by the order",
        values=SHOWN | {"there": there, "back": back},
    )


def _failed_plan(lifting: Lifting) -> Iterator[Case]:
    """By induction over the claims of a plan that fails: what is given back is what was taken."""
    taken = lifting.debit(REST, AMOUNT)
    given_back, _held = lifting.reverse(taken, AMOUNT, True)
    yield Case(
        name="step",
        assumptions=(*NOT_NEGATIVE, REST == USED + OTHER),
        claim=z3.And(taken == REST + AMOUNT, given_back == USED + OTHER),
        told="{used} in use before the plan, {other} taken by its first claims, {amount} by the "
        "last: giving the last back leaves {given_back}",
        values=SHOWN | {"given_back": given_back},
    )


def _within_capacity(lifting: Lifting) -> Iterator[Case]:
    left = lifting.free(CAPACITY, USED)
    after = lifting.debit(USED, AMOUNT)
    most = z3.If(USED > CAPACITY, USED, CAPACITY)
    yield Case(
        assumptions=(*NOT_NEGATIVE, lifting.fits(AMOUNT, left)),
        claim=z3.And(after <= most, after >= USED, after >= 0),
        told="capacity {capacity}, {used} in use: {amount} fits, and then {after} is in use",
        values=SHOWN | {"after": after},
    )


def _conserved(lifting: Lifting) -> Iterator[Case]:
    """`rest` (ghost) is what the other live jobs hold; in use is the sum of all."""
    committed, credited = lifting.debit(REST, AMOUNT), lifting.credit(REST + AMOUNT, AMOUNT)
    told = "other live jobs hold {rest}, this one {amount}: "
    empty = Cluster(resources=Resources(attributes={}), hosts={}, pools={}, limits={})
    yield Case(
        name="base",
        claim=z3.BoolVal(not state.initial(empty).books and not state.initial(empty).live),
        told="a scheduler begins with something in use",
    )
    yield Case(
        name="commit",
        assumptions=NOT_NEGATIVE,
        claim=committed == REST + AMOUNT,
        told=told + "after its commit {committed} is in use",
        values=SHOWN | {"committed": committed},
    )
    yield Case(
        name="finish",
        assumptions=NOT_NEGATIVE,
        claim=z3.And(credited == REST, credited >= 0),
        told=told + "after its finish {credited} is in use",
        values=SHOWN | {"credited": credited},
    )
    recounted = lifting.limit_use_at_begin(REST + AMOUNT, USED)
    yield Case(
        name="limit",
        assumptions=NOT_NEGATIVE,
        claim=recounted == REST + AMOUNT,
        told=told + "a limit counts {recounted} at the session's begin",
        values=SHOWN | {"recounted": recounted},
    )


def _settled(lifting: Lifting) -> Iterator[Case]:
    before, after = z3.Consts("before after", z3.DeclareSort("Ledger"))
    placed = z3.Bool("placed")
    kept = lifting.settle(before, after, placed)
    yield Case(
        name="failed",
        assumptions=(z3.Not(placed),),
        claim=kept == before,
        told="an alternative failed, and its ledger is not the one from before",
    )
    yield Case(
        name="placed",
        assumptions=(placed,),
        claim=kept == after,
        told="an alternative was placed, and its debits are lost",
    )


def _whole(lifting: Lifting) -> Iterator[Case]:
    placed, parts = z3.Ints("placed parts")
    whole = lifting.is_whole(placed, parts)
    yield Case(
        assumptions=(placed >= 0, placed <= parts, parts >= 1),
        claim=whole == z3.Not(placed < parts),
        told="{placed} of {parts} parts are placed, and the compound counts as placed: {whole}",
        values={"placed": placed, "parts": parts, "whole": whole},
    )


THEOREMS = (
    Theorem(
        name="A debit that is given back leaves the account as it was",
        clauses=("UNDO-1", "AMOUNT-1"),
        scope=PER_ACCOUNT,
        cases=_inverse,
    ),
    Theorem(
        name="A charge adds each want, and giving it back leaves the whole ledger as it was",
        clauses=("UNDO-1", "PAR-1", "AMOUNT-1"),
        scope="all amounts on three accounts, one of them with nothing in use, nine more known; "
        "charges run whole",
        cases=_restored,
    ),
    Theorem(
        name="Giving back again changes nothing",
        clauses=("UNDO-2",),
        scope="all amounts, of `reverse` alone; one claim",
        cases=_idempotent,
    ),
    Theorem(
        name="The order of reversals does not matter",
        clauses=("UNDO-3",),
        scope="all amounts, of `reverse` alone; any two neighbours, hence any order",
        cases=_any_order,
    ),
    Theorem(
        name="A plan that fails leaves the ledger as it was",
        clauses=("UNDO-1", "PAR-2"),
        scope=PER_ACCOUNT + ", by induction over claims; the sum so far is a ghost",
        cases=_failed_plan,
    ),
    Theorem(
        name="A debit that fits stays within the capacity, or adds nothing",
        clauses=("SESSION-3", "SESSION-5"),
        scope=PER_ACCOUNT,
        cases=_within_capacity,
    ),
    Theorem(
        name="In use is the sum over the live jobs",
        clauses=("SESSION-3",),
        scope=PER_ACCOUNT + ", by induction over events; what other jobs hold is a ghost",
        cases=_conserved,
    ),
    Theorem(
        name="A failed alternative leaves the ledger as it was, a placed one all its debits",
        clauses=("ALTER-2", "COMPOUND-3", "UNDO-4"),
        scope="any two ledgers, of `settle` alone",
        cases=_settled,
    ),
    Theorem(
        name="A compound is placed exactly if all its parts are",
        clauses=("COMPOUND-1",),
        scope="all counts, of `is_whole` alone",
        cases=_whole,
    ),
)
"""The theorems of this module."""
