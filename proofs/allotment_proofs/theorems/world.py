"""A small cluster whose names are known and whose amounts are terms, to lift composed rules in.

Host A and host B have slots, memory and scratch space, and no disk. There are pools of licences and
of tokens. Of the limits, some apply to the job's user `u`, queue `q` and project `p`, by name or as
*each*, and some do not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import z3

from allotment_model import accounts, search
from allotment_model.accounts import Account, Ledger
from allotment_model.cache import Key, Need
from allotment_model.cluster import (
    SLOTS,
    Cluster,
    Host,
    Identity,
    IdentityKind,
    LimitId,
    Resources,
    Scope,
)
from allotment_model.request import Span
from allotment_proofs.statement import Lifting, Term
from allotment_proofs.theorems.words import first_of, words_of

WHO = Identity(user="u", queue="q", project="p")
USER, QUEUE, PROJECT = IdentityKind.USER, IdentityKind.QUEUE, IdentityKind.PROJECT
HOLDERS = {USER: "u", QUEUE: "q", PROJECT: "p"}
"""Whom of `WHO` a limit of each kind counts: spelled out, so that the model is not asked."""

ACCOUNTS = (
    (Scope.HOST, SLOTS),
    (Scope.HOST, "memory"),
    (Scope.CLUSTER, "memory"),
    (Scope.CLUSTER, SLOTS),
    (Scope.CLUSTER, "licence"),
    (Scope.CLUSTER, "token"),
)
"""What a limit may count of this primary, and where: in an order that pairs each scope, each host
amount and each kind both with names and with *each*.
"""

SHARED = "licence", "token"
APPLYING = (
    LimitId(USER, WHO.user, Scope.HOST, SLOTS),
    *(
        LimitId(kind, (None, HOLDERS[kind])[(turn + place) % 2], scope, resource)
        for turn, (scope, resource) in enumerate(ACCOUNTS)
        for place, kind in enumerate((USER, QUEUE, PROJECT))
    ),
)
"""A limit of each kind on each of them, by name and as *each* in turn, and once as both."""

OTHERS = (
    LimitId(USER, "v", Scope.HOST, SLOTS),
    LimitId(PROJECT, "q", Scope.CLUSTER, SLOTS),
    LimitId(QUEUE, "q", Scope.CLUSTER, "disk"),
)
PER_TASK, PER_HOST, PER_JOB = z3.Ints("per_task per_host per_job")
POOL_PER_TASK, SCRATCH, TOKENS = z3.Ints("pool_per_task scratch tokens")
TASKS = z3.Int("tasks")


def key(tasks_max: Term = TASKS, tasks_min: Term = TASKS) -> Key:
    """A primary that wants memory for each task and host, scratch space for each host, licences
    for each task and for the job, and tokens for the job.
    """
    memory = Need(resource="memory", per_task=PER_TASK, per_host=PER_HOST)
    licences = Need(resource="licence", per_task=POOL_PER_TASK, per_job=PER_JOB)
    return Key(
        tasks_min=tasks_min,
        tasks_max=tasks_max,
        select=None,
        rusage=(
            *(licences, memory, Need(resource="scratch", per_host=SCRATCH)),
            Need(resource="token", per_job=TOKENS),
        ),
        span=Span(),
        identity=WHO,
    )


ASKED = tuple(
    amount >= 0 for amount in (PER_TASK, PER_HOST, SCRATCH, PER_JOB, POOL_PER_TASK, TOKENS, TASKS)
)


def _counted(limit: LimitId, host: str | None) -> Account:
    """The account on which a limit counts the job, on a host or over the cluster (ghost)."""
    where = host if limit.scope is Scope.HOST else None
    return Account(limit.resource, where, limit, HOLDERS[limit.kind])


def accounts_of(host: str) -> tuple[Account, ...]:
    """The accounts of the host amounts and limits that a bucket on that host asks."""
    of_limits = (_counted(limit, host) for limit in APPLYING if limit.resource not in SHARED)
    return (*(Account(one, host) for one in (SLOTS, "memory", "scratch")), *of_limits)


POOLS = (
    *(Account("licence"), Account("token")),
    *(_counted(limit, None) for limit in APPLYING if limit.resource in SHARED),
)
"""The accounts that the shared wants of the primary ask."""

EVERY = tuple(dict.fromkeys((*accounts_of("A"), *accounts_of("B"), *POOLS)))


OF_JOB_AND_HOST = {"scratch": SCRATCH, "token": TOKENS}
"""What is wanted once, on a host or of a pool."""


def wanted(account: Account, slots: Term) -> Term:
    """What SPEC.md says that a bucket, or for pools the primary, asks of an account (ghost)."""
    if account.resource == SLOTS:
        return slots
    if account.resource == "memory":
        return slots * PER_TASK + PER_HOST
    if account.resource in OF_JOB_AND_HOST:
        return OF_JOB_AND_HOST[account.resource]
    return PER_JOB + TASKS * POOL_PER_TASK


@dataclass(frozen=True, slots=True)
class World:
    """A cluster with any capacities, and what is in use on each account.

    `prefix` tells the terms of two worlds apart; capacities and caps are shared by all.
    """

    prefix: str = "used"
    is_open: Term = True
    lacks: str = "disk"
    used: dict[Account, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, account in enumerate(EVERY):
            self.used.setdefault(account, z3.Int(f"{self.prefix}_{number}"))

    def capacity(self, account: Account) -> Term:
        """The capacity or cap of an account."""
        return z3.Int(f"capacity_{account.limit or account.host or 'pool'}_{account.resource}")

    @property
    def assumptions(self) -> tuple[Term, ...]:
        """Capacities and use are not negative."""
        amounts = (*self.used.values(), *map(self.capacity, EVERY))
        return tuple(amount >= 0 for amount in amounts if isinstance(amount, z3.ExprRef))

    def cluster(self) -> Cluster:
        """The configuration."""
        hosts = {
            host: Host(
                name=host,
                capacity={
                    resource: self.capacity(Account(resource, host))
                    for resource in (SLOTS, "memory", "scratch")
                    if resource != self.lacks
                },
                attributes={},
                open=self.is_open,
            )
            for host in ("A", "B")
        }
        limits = {
            limit: self.capacity(Account(limit.resource, None, limit))
            for limit in (*APPLYING, *OTHERS)
        }
        resources = Resources(
            host=frozenset({"memory", "scratch", "disk"}),
            shared=frozenset({"licence", "token"}),
            attributes={},
        )
        pools = {name: self.capacity(Account(name)) for name in ("licence", "token")}
        return Cluster(resources=resources, hosts=hosts, pools=pools, limits=limits)

    def ledger(self, at_start: dict[Account, Term] | None = None) -> Ledger:
        """The ledger of an attempt; what was in use at its start is, by default, what is now."""
        start = self.used if at_start is None else at_start
        return Ledger(cluster=self.cluster(), used=self.used, at_start=start)

    def wants(self, lifting: Lifting, slots: Term, host: str = "A") -> dict[Account, Term]:
        """What a bucket of that many slots asks for on the host, by the lifted rules."""
        given = key(), slots, host, host, self.ledger(), lifting.rules
        found: dict[Account, Term] = lifting.of(search.host_wants, *given)
        return found

    def shared_wants(self, lifting: Lifting) -> dict[Account, Term]:
        """What the primary asks of pools, and of the limits on them, by the lifted rules."""
        given = key(), self.cluster(), lifting.rules
        found: dict[Account, Term] = lifting.of(accounts.shared_wants, *given)
        return found

    def have_room(self, lifting: Lifting, wants: dict[Account, Term]) -> Term:
        """Whether all these wants fit, by the lifted rules."""
        return lifting.of(accounts.all_fit, wants, self.ledger(), lifting.rules)

    def has_space(self, account: Account, slots: Term) -> Term:
        """SPEC.md's words for room on one account (ghost)."""
        asked = wanted(account, slots)
        return z3.Or(asked == 0, self.used[account] + asked <= self.capacity(account))

    def shown(
        self,
        lifting: Lifting,
        wants: dict[Account, Term],
        asked: Sequence[Account],
        slots: Term,
    ) -> dict[str, Term]:
        """What `ROOM` tells: the first account without room, by SPEC.md and by the lifted rules."""
        by_spec, by_model = list[tuple[Term, ...]](), list[tuple[Term, ...]]()
        for one in asked:
            numbers = wanted(one, slots), self.used[one], self.capacity(one)
            by_spec.append((self.has_space(one, slots), one, *numbers))
        for one, amount in wants.items():
            left = lifting.of(accounts.left, self.ledger(), one, lifting.rules)
            by_model.append((lifting.fits(amount, left), one, amount, left))
        return {
            **first_short(by_spec, ("by_spec", "wanted", "used", "capacity")),
            **first_short(by_model, ("by_model", "asked", "left")),
        }


ROOM = (
    "; by SPEC.md {by_spec}: {wanted} wanted, {used} of {capacity} in use; by the model "
    "{by_model}: {asked} asked for, {left} left"
)


def first_short(found: Sequence[tuple[Term, ...]], names: tuple[str, ...]) -> dict[str, Term]:
    """Of the first account on which something does not fit, or else of the first, the numbers.

    An item tells whether it fits, on what account, and the numbers, which these names stand for.
    """
    if not found:
        return dict(zip(names, ("nothing is asked for", 0, 0, 0), strict=False))
    short = [
        (z3.Not(fits), f"too little is left of {words_of(one)}", *numbers)
        for fits, one, *numbers in found
    ]
    _fits, one, *numbers = found[0]
    told = f"there is room on each account, as on that for {words_of(one)}"
    return first_of(short, (told, *numbers), names)
