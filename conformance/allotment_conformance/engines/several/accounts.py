"""Several accounts: claims, pools, amounts, limits and entries of one job."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    finish,
    host,
    host_change,
    limit,
    pool_change,
    primary,
    submit,
    uses,
)
from allotment_conformance.engines.several.numbers import MANY, MOST
from allotment_conformance.wire.messages import Json

IDENTITY = {"user": "u", "queue": "q", "project": "p"}

AMOUNTS = tuple(f"m{each}" for each in range(9))
POOLS = tuple(f"p{each}" for each in range(9))
"""Nine of each, beside `mem` and `lic` where a case has these."""


def _all_caps() -> list[Json]:
    """A limit of every kind, by name and for each, of every scope and resource; all hold 18."""
    return [
        limit(kind, name, scope, resource, 18)
        for kind, holder in IDENTITY.items()
        for name in (holder, None)
        for scope, resource in (
            ("host", "slots"),
            ("cluster", "slots"),
            ("host", "mem"),
            ("cluster", "mem"),
            ("cluster", "lic"),
        )
    ]


def _set(one: Json) -> Json:
    """A limit is set, or its cap is."""
    return {"event": "limit_set", "limit": one}


def _all_credited() -> Json:
    """All is taken, and given back when the job ends; so a second one takes it."""
    used = (uses("mem", 1, "task"), uses("disk", 1, "host"), uses("lic", 1), uses("net", 1))
    everything: list[int | Json] = [*[primary(1, *used)] * 18, primary(9, ptile=1)]
    return case(
        cluster(
            host("A", 18, mem=18, disk=18),
            *(host(f"h{each}", 1) for each in range(9)),
            amounts=["mem", "disk"],
            shared=["lic", "net"],
            pools={"lic": 18, "net": 18},
            limits=[
                limit("user", "u", "cluster", "slots", 18 + 9),
                limit("queue", None, "host", "slots", 18),
                limit("project", "p", "cluster", "lic", 18),
            ],
        ),
        submit("i", everything),
        RUN,
        finish("i"),
        BEGIN,
        submit("j", everything),
        RUN,
        finish("j"),
        BEGIN,
    )


def _new_limits() -> Json:
    """Limits that are set while jobs run count every claim of theirs, and one more is too much."""
    part = primary(1, uses("mem", 1, "task"), uses("lic", 1))
    spread = primary(9, uses("mem", 1, "task"), ptile=1)
    return case(
        cluster(
            host("A", 18, mem=18),
            *(host(f"h{each}", 1, mem=1) for each in range(9)),
            amounts=["mem"],
            shared=["lic"],
            pools={"lic": 18},
        ),
        *(submit(f"j{many}", [part] * many) for many in (1, 2, 3, 9)),
        submit("wide", spread),
        RUN,
        # One of four: each kind, named and for each, each scope and resource.
        *(_set({**one, "cap": 15 + 9}) for one in _all_caps()[::4]),
        BEGIN,
        submit("k", part),
        submit("other", part, user="v", queue="r", project="s"),
        RUN,
        *(finish(f"j{many}") for many in (1, 2, 3, 9)),
        BEGIN,
        RUN,
        finish("wide"),
        finish("k"),
        BEGIN,
    )


def _short_in_turn(
    shorten: list[Json],
    restore: list[Json],
    limits: list[Json],
    amounts: tuple[str, ...],
    pools: tuple[str, ...],
) -> Json:
    """In each session another account lacks the last thousandth or slot of what the job takes.

    In the last one nothing does; and all of it comes back, for another job takes it again.
    """
    everything = primary(
        18,
        *(uses(amount, 1, "task") for amount in amounts),
        *(uses(pool, 1, "task") for pool in pools),
    )
    turns = (
        event
        for before, now in zip([BEGIN, *restore], [*shorten, BEGIN], strict=True)
        for event in (before, now, BEGIN, RUN)
    )
    return case(
        cluster(
            {"name": "A", "capacity": {"slots": 18, **dict.fromkeys(amounts, 18)}},
            amounts=amounts,
            shared=pools,
            pools=dict.fromkeys(pools, 18),
            limits=limits,
        ),
        submit("j", everything),
        *turns,
        finish("j"),
        BEGIN,
        submit("k", everything),
        RUN,
    )


def _caps_in_turn() -> Json:
    caps = _all_caps()
    shorten = [_set({**one, "cap": 17}) for one in caps]
    restore = [_set(one) for one in caps]
    return _short_in_turn(shorten, restore, caps, ("mem",), ("lic",))


def _amounts_in_turn() -> Json:
    def all_of(have: int) -> list[Json]:
        return [
            *(pool_change(pool, have) for pool in POOLS),
            *(host_change("A", capacity={amount: have}) for amount in AMOUNTS),
        ]

    return _short_in_turn(all_of(17), all_of(18), [], AMOUNTS, POOLS)


BY_TURNS = (("mem", ("task", "host")), ("lic", ("task", "job")))
"""A resource, and what its entries are counted for, the one after the other."""

ALL_THE_SAME = (
    ("mem", ("task", "task")),
    ("mem", ("host", "host")),
    ("lic", ("task", "task")),
    ("lic", ("job", "job")),
)
"""The same, where all entries are counted for the same."""


def _entries(resource: str, many: int, pers: tuple[str, str]) -> list[Json]:
    """Entries of one resource, by turns per the one and per the other."""
    return [uses(resource, 1 + at, pers[(many + at) % 2]) for at in range(many)]


def _many_entries() -> Json:
    """Entries of one resource, one by one too much, or together all there is."""
    jobs = []
    for many in MANY:
        for resource, pers in (*BY_TURNS, ALL_THE_SAME[many % len(ALL_THE_SAME)]):
            asked = _entries(resource, many, pers)
            total = sum(one["amount"] * (2 if one["per"] == "task" else 1) for one in asked)
            rest = "host" if resource == "mem" else "job"
            for more in (0, 1):
                filler = uses(resource, 1000 + more - total, rest)
                # What fills it up stands behind the others, or before them, by turns.
                entries = [*asked, filler] if more == many // 2 % 2 else [filler, *asked]
                name = f"{resource}-{'-'.join(pers)}-{many}-{more}"
                jobs.append(submit(name, primary(2, *entries)))
    return case(
        cluster(host("A", 2, mem=1000), amounts=["mem"], shared=["lic"], pools={"lic": 1000}),
        *jobs,
        RUN,
    )


def _many_holders() -> Json:
    """A new limit counts each of many live jobs, and one for each user counts each of many."""
    users = [f"u{each}" for each in range(MOST)]
    return case(
        cluster(host("A", 4 * MOST), limits=[limit("user", None, "cluster", "slots", 2)]),
        *(submit(f"{user}-{turn}", 1, user=user) for turn in range(3) for user in users),
        submit("at-once", 3, user="late"),
        RUN,
        _set(limit("queue", "q", "cluster", "slots", 2 * MOST)),
        BEGIN,
        submit("one-more", 1, user="v"),
        RUN,
    )


CASES: tuple[Directed, ...] = (
    directed(
        "all-of-many-accounts-credited",
        "SESSION-4",
        "Of all claims, pools, amounts and limits everything comes back: the next job takes it.",
        _all_credited(),
    ),
    directed(
        "new-limits-count-every-claim",
        "SESSION-3",
        "A limit that is new counts all that runs, of each job and each of its claims.",
        _new_limits(),
    ),
    directed(
        "each-cap-short-in-turn",
        "LIMIT-1 SESSION-2",
        "Of thirty limits that hold at once any one alone holds the job back.",
        _caps_in_turn(),
    ),
    directed(
        "each-amount-short-in-turn",
        "WANT-4 SHARED-1",
        "Of nine pools and nine amounts any one alone holds the job back.",
        _amounts_in_turn(),
    ),
    directed(
        "several-entries-of-one-resource",
        "WANT-2 RES-3",
        "Each of several entries of a resource counts, whatever it is counted for.",
        _many_entries(),
    ),
    directed(
        "many-live-jobs-of-many-holders",
        "LIMIT-1 SESSION-3",
        "A limit for each user counts every one of them, and a new limit every live job.",
        _many_holders(),
    ),
)
