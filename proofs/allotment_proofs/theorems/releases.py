"""Theorems about what is given back when jobs finish, run from the finish to the next session.

Three jobs are live: `j` holds slots of three hosts for one primary and of one of them for each of
two others, and two pools; `k` and `l` hold some of the same. What the others hold stays in use. Any
hosts are closed, and any are closed from the next session on.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import z3

from allotment_model.accounts import Account
from allotment_model.cluster import SLOTS, Cluster, Host, Identity, LimitId, Resources, Scope
from allotment_model.events import BeginSession, Finish
from allotment_model.rules import Rules
from allotment_model.scheduler import step
from allotment_model.search import Claim, Placement
from allotment_model.state import Allocation, State, initial
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.ledger import AMOUNT, NOT_NEGATIVE, REST, SHOWN
from allotment_proofs.theorems.words import first_of, words_of
from allotment_proofs.theorems.world import PROJECT, QUEUE, USER

AMOUNTS = z3.Ints("slots_j licences_j slots_l licences_l")
HOSTS = "ABC"
NOW, THEN = ({name: z3.Bool(f"{name}_{when}") for name in HOSTS} for when in ("now", "then"))
"""Which hosts are open, and which will be at the next session."""

LIMITS = (
    LimitId(USER, None, Scope.CLUSTER, SLOTS),
    LimitId(PROJECT, None, Scope.HOST, SLOTS),
    LimitId(USER, "u", Scope.HOST, "memory"),
    LimitId(PROJECT, None, Scope.CLUSTER, "token"),
    LimitId(QUEUE, "q", Scope.CLUSTER, "licence"),
)
HOLDERS = {USER: "user", QUEUE: "queue", PROJECT: "project"}
"""The field that a limit of each kind looks at: spelled out, so that the model is not asked."""

Books = Mapping[Account, Term]
"""What is in use, on each account of which something is."""
Live = Mapping[str, Allocation]
"""The live jobs, by name."""


def _claim(host: str, slots: Term, **amounts: Term) -> Claim:
    wants = {Account(SLOTS, host): slots}
    return Claim(
        host=host, slots=1, wants=wants | {Account(one, host): n for one, n in amounts.items()}
    )


def _placed(*claims: Claim, **pools: Term) -> Placement:
    return Placement(claims=claims, shared={Account(one): n for one, n in pools.items()})


def _held(user: str, queue: str, project: str, *placements: Placement) -> Allocation:
    identity = Identity(user=user, queue=queue, project=project)
    return Allocation(identity=identity, placements=placements)


def _live(slots_j: Term, licences_j: Term, slots_l: Term, licences_l: Term) -> Live:
    """The jobs that are live."""
    three = _claim("A", 2, memory=5), _claim("B", 2, memory=5), _claim("C", slots_j, memory=5)
    return {
        "j": _held(
            *("u", "q", "p"),
            _placed(*three, licence=licences_j, token=7),
            _placed(_claim("A", 1), licence=3),
            _placed(_claim("B", 1), token=1),
        ),
        "k": _held("u", "q", "other", _placed(_claim("B", 4), token=1)),
        "l": _held(
            *("other", "q", "p"),
            _placed(_claim("C", slots_l), _claim("A", 1), licence=licences_l, token=2),
        ),
    }


def in_use(live: Live, limits: Iterable[LimitId]) -> Books:
    """SPEC.md's words for the books: the sums over live jobs, on each account (ghost)."""
    sums: dict[Account, Term] = {}
    for held in live.values():
        for wants in (
            wants
            for one in held.placements
            for wants in (one.shared, *(claim.wants for claim in one.claims))
        ):
            for account, amount in wants.items():
                counted = (
                    Account(
                        account.resource,
                        account.host if limit.scope == Scope.HOST else None,
                        limit,
                        getattr(held.identity, HOLDERS[limit.kind]),
                    )
                    for limit in limits
                    if limit.resource == account.resource
                    and limit.name in (None, getattr(held.identity, HOLDERS[limit.kind]))
                )
                for one in (account, *counted):
                    sums[one] = sums.get(one, 0) + amount
    return sums


RESOURCES = Resources(
    host=frozenset({"memory"}), shared=frozenset({"licence", "token"}), attributes={}
)


def _state(live: Live) -> State:
    """These jobs are live, and one more has finished before; the last limit is a new one."""
    present, coming = (
        Cluster(
            resources=RESOURCES,
            hosts={
                name: Host(name=name, capacity={SLOTS: 9}, attributes={}, open=is_open)
                for name, is_open in opens.items()
            },
            pools={},
            limits=dict.fromkeys(limits, 9),
        )
        for limits, opens in ((LIMITS[:-1], NOW), (LIMITS, THEN))
    )
    return replace(
        initial(present),
        coming=coming,
        books=in_use(live, LIMITS[:-1]),
        live=live,
        finished=frozenset({"done"}),
        next_number=4,
    )


After = tuple[Books, Books, tuple[str, ...], tuple[str, ...]]
"""The books before and at the next session; then the jobs that are live, and that have finished."""


def _after(state: State, ending: Sequence[str], rules: Rules) -> After:
    for name in ending:
        state, _answer = step(state, Finish(job=name), rules)
    then, _answer = step(state, BeginSession(), rules)
    return state.books, then.books, tuple(then.live), tuple(sorted(then.finished))


def _differing(found: After, ending: Sequence[str]) -> Iterator[tuple[Term, str, Term, Term]]:
    """All that may differ: whether it does, where, what is found and what should be."""
    before, then, live, finished = found
    of_all = _live(*AMOUNTS)
    left = {name: held for name, held in of_all.items() if name not in ending}
    for when, books, expected in (
        ("before the session begins", before, in_use(of_all, LIMITS[:-1])),
        ("then", then, in_use(left, LIMITS)),
    ):
        for one in dict.fromkeys((*books, *expected)):
            in_books, held = books.get(one, 0), expected.get(one, 0)
            is_known = one in books and one in expected
            differs = z3.IntVal(0) + in_books != held if is_known else z3.BoolVal(True)
            yield differs, f"{when}, in use of {words_of(one)}", in_books, held
    for what, names, right in (
        ("live", live, tuple(left)),
        ("finished", finished, tuple(sorted(("done", *ending)))),
    ):
        yield z3.BoolVal(names != right), f"then, jobs that are {what}", len(names), len(right)


def _released(lifting: Lifting) -> Iterator[Case]:
    state, opens = (
        _state(_live(*AMOUNTS)),
        {str(one): one for one in (*NOW.values(), *THEN.values())},
    )
    told_open = "; ".join(f"{name} {{{NOW[name]}}} and {{{THEN[name]}}}" for name in HOSTS)
    for ending in (*combinations("jkl", 2), *combinations("jkl", 1), (), tuple("jkl")):
        found = [
            (z3.And(there, differs), *told)
            for there, after in lifting.paths(_after, state, ending, lifting.rules)
            for differs, *told in _differing(after, ending)
            if not z3.is_false(z3.simplify(differs))
        ]
        shown = {str(one): one for one in AMOUNTS} | opens
        shown |= first_of(found, ("all is right", 0, 0), ("where", "found", "right"))
        yield Case(
            name=f"{' and '.join(ending) or 'none'} finish",
            assumptions=tuple(one >= 1 for one in AMOUNTS),
            claim=z3.Not(z3.Or(*(one[0] for one in found))),
            told="j holds {slots_j} slots of C and {licences_j} licences, l {slots_l} and "
            f"{{licences_l}}; which hosts are open, now and then: {told_open}: "
            "{where}: {found}, and it should be {right}",
            values=shown,
        )


def _drained(lifting: Lifting) -> Iterator[Case]:
    """By induction over the live jobs that finish: none is left, so nothing is in use."""
    after = lifting.credit(REST + AMOUNT, AMOUNT)
    last = lifting.credit(AMOUNT, AMOUNT)
    yield Case(
        name="last job",
        assumptions=NOT_NEGATIVE,
        claim=last == 0,
        told="the last job held {amount}; {last} is in use after its finish",
        values=SHOWN | {"last": last},
    )
    yield Case(
        name="step",
        assumptions=NOT_NEGATIVE,
        claim=after == REST,
        told="jobs hold {rest} and {amount}; {after} is in use after the finish of the latter",
        values=SHOWN | {"after": after},
    )


def _given_back(lifting: Lifting) -> Iterator[Case]:
    yield from _drained(lifting)
    yield from _released(lifting)


THEOREMS = (
    Theorem(
        name="Jobs that finish give back what they held, no more; when all have, nothing is in use",
        clauses=("SESSION-2", "SESSION-3", "SESSION-4"),
        scope="of `credit` alone, any number of jobs on any account, by induction over jobs; run "
        "whole, three live jobs of up to three primaries, all sets of them that finish, on three "
        "hosts, any of them closed, two pools and five limits; the last limit and which hosts are "
        "open are changes that wait; all amounts of `slots` and `licence`",
        cases=_given_back,
        is_whole=True,
    ),
)
"""The theorems of this module."""
