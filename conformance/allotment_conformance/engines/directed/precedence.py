"""What is answered when two codes of SPEC.md 2.3 apply: the one that stands first in the table.

The pairs are neighbours among the codes that an event may have. So whoever looks for them in
another order, whatever that is, has at least one pair the wrong way round.
"""

from allotment_conformance.engines.directed.case import Directed, directed, not_probed
from allotment_conformance.engines.notation import (
    RUN,
    attribute,
    case,
    cluster,
    counts,
    host,
    host_add,
    host_change,
    limit_set,
    number,
    operation,
    pool_change,
    primary,
    submit,
    text,
    uses,
)
from allotment_conformance.wire.messages import Json

TOO_MUCH = 2**53
MADE = cluster(
    host("A", 1),
    amounts=["mem"],
    shared=["lic"],
    attributes={"width": "number"},
)


def _too_deep(leaf: Json) -> Json:
    """A select with this leaf, 101 levels deep."""
    for _ in range(100):
        leaf = operation("!", leaf)
    return leaf


TEXT = operation("!", text("x"))
JOBS = {
    "duplicate-name before identity-missing": submit("i", 1, user=""),
    "identity-missing before empty-compound": submit("j", 1, [], queue=""),
    "empty-compound before tasks-range": submit("j", 0, []),
    "tasks-range before counts": submit("j", 0, 1),
    "counts before span-range": submit("j", 2, primary(1, hosts_max=0)),
    "span-range before slots-in-rusage": submit("j", primary(1, uses("slots", 1), ptile=0)),
    "slots-in-rusage before unknown-resource": submit(
        "j", primary(1, uses("disk", 1), uses("slots", 1))
    ),
    "unknown-resource before not-an-attribute": submit(
        "j", primary(1, uses("disk", 1), select=attribute("mem"))
    ),
    "not-an-attribute before type": submit(
        "j", primary(1, select=operation("&&", TEXT, attribute("slots")))
    ),
    "type before per-host-on-pool": submit("j", primary(1, uses("lic", 1, "host"), select=TEXT)),
    "per-host-on-pool before per-job-on-host": submit(
        "j", primary(1, uses("mem", 1, "job"), uses("lic", 1, "host"))
    ),
    "per-job-on-host before amount-range": submit("j", primary(1, uses("mem", -1, "job"))),
    "amount-range before syntax": submit("j", primary(1, select=_too_deep(number(TOO_MUCH)))),
}

CHANGES = {
    "duplicate-name before unknown-resource": host_add(host("A", 1, disk=1)),
    "unknown-resource before type": host_add(host("B", 1, disk=1, attributes={"width": "x"})),
    "type before amount-range": host_add(host("B", -1, attributes={"width": "x"})),
    "unknown-name before unknown-resource": host_change("B", capacity={"disk": 1}),
    "unknown-resource before amount-range": pool_change("net", -1),
    "identity-missing before unknown-resource": limit_set("user", "", "host", "disk", 0),
    "identity-missing before per-host-on-pool": limit_set("user", "", "host", "lic", 0),
    "per-host-on-pool before amount-range": limit_set("user", "u", "host", "lic", -1),
}


def _both(event: Json, codes: str) -> Directed:
    """An event to which two codes apply, behind a job that was accepted."""
    name = f"{event['event'].replace('_', '-')}-{codes.replace(' ', '-')}"
    earlier, _before, later = codes.partition(" before ")
    why = f"Both `{earlier}` and `{later}` apply; the first of them in the table is answered."
    return directed(name, "INGEST-2", why, case(MADE, submit("i", 1), event))


LAST_PARTS = {
    "tasks-range": primary(counts(2, 1)),
    "span-range": primary(1, hosts_min=0),
    "slots-in-rusage": primary(1, uses("slots", 1)),
    "unknown-resource": primary(1, uses("disk", 1)),
    "not-an-attribute": primary(1, select=attribute("mem")),
    "type": primary(1, select=TEXT),
    "per-host-on-pool": primary(1, uses("lic", 1, "host")),
    "per-job-on-host": primary(1, uses("mem", 1, "job")),
    "amount-range": primary(1, uses("mem", TOO_MUCH)),
    "syntax": primary(1, select=_too_deep(number(0))),
}


def _in_the_last_part(code: str, wrong: Json) -> Directed:
    """A code that applies to the last primary of all, and to no other."""
    why = "The last part of the last alternative is refused like any other primary, before a run."
    asked = submit("j", [1, 1], [primary(1, uses("mem", 0), hosts_max=1), wrong])
    return directed(f"{code}-in-the-last-part", "INGEST-2", why, case(MADE, asked, RUN))


PARTS = (
    directed(
        "code-of-a-later-part",
        "INGEST-2",
        "The second part has the code that stands first, the first part two that stand behind it.",
        case(
            MADE,
            submit(
                "j",
                [
                    primary(1, uses("mem", -1, "job"), select=TEXT),
                    primary(counts(1, 1), hosts_min=0),
                ],
            ),
        ),
    ),
)

CASES: tuple[Directed, ...] = not_probed(
    (
        *(_both(event, codes) for codes, event in JOBS.items()),
        *(_both(event, codes) for codes, event in CHANGES.items()),
        *PARTS,
        *(_in_the_last_part(code, wrong) for code, wrong in LAST_PARTS.items()),
    )
)
