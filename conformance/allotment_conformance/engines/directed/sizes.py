"""Sizes and histories: counts beyond a power of two, and limits that come and go."""

from allotment_conformance.engines.directed.case import directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    host,
    limit,
    limit_remove,
    limit_set,
    primary,
    submit,
    uses,
)

U_MEMORY = ("user", "u", "cluster", "mem")
MEM = uses("mem", 1000, "task")

COUNTS = (
    directed(
        "one-more-than-a-power-of-two",
        "PLAN-2",
        "4,097 tasks on one host: none is lost at the edge of a chunk.",
        case(cluster(host("A", 4097), host("B", 2049)), submit("j", 4097), RUN, report=["books"]),
    ),
    directed(
        "uneven-at-a-power-of-two",
        "PLAN-2 PLAN-3",
        "4,097 tasks on two hosts: the first takes 2,049 and the second 2,048.",
        case(cluster(host("A", 2048), host("B", 2049)), submit("j", 4097), RUN),
    ),
)

LIMITS = (
    directed(
        "limit-of-a-longer-name",
        "LIMIT-1",
        "The limit of user u says nothing of user ux: names are compared whole.",
        case(
            cluster(host("A", 1), limits=[limit("user", "u", "cluster", "slots", 0)]),
            submit("j", 1, user="ux"),
            RUN,
        ),
    ),
    directed(
        "new-limit-counts-every-claim",
        "SESSION-3",
        "A limit that is set while a job runs on two hosts counts what it holds on both.",
        case(
            cluster(host("A", 2, mem=2000), host("B", 1, mem=1000), amounts=["mem"]),
            submit("r", primary(2, MEM, hosts_min=2)),
            RUN,
            limit_set(*U_MEMORY, 2000),
            BEGIN,
            submit("j", primary(1, MEM)),
            RUN,
        ),
    ),
    directed(
        "limit-removed-and-set-again",
        "SESSION-3",
        "A limit that is removed, and set again a session later, counts what has run meanwhile.",
        case(
            cluster(host("A", 2), limits=[limit("user", "u", "cluster", "slots", 1)]),
            submit("r", 1),
            RUN,
            limit_remove("user", "u", "cluster", "slots"),
            BEGIN,
            limit_set("user", "u", "cluster", "slots", 1),
            BEGIN,
            submit("j", 1),
            RUN,
        ),
    ),
)

CASES = COUNTS + LIMITS
