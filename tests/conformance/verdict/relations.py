"""Metamorphic relations: two cases that must be answered alike, whatever the right answer is.

They need no model, so they hold the model to account as they do anybody else. All of them are for
a fixed host order and balanced splits: where the specification leaves a choice, another case may
be answered by another choice. Cases with a cancel are left out: where polls fall is not normative.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from allotment_conformance.engines.notation import BEGIN, defined, finish, operation, withdraw
from allotment_conformance.verdict import normal
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json

MARK, STRANGER = "of this cluster", "stranger"
"""An attribute that all hosts are given, and the host that is added without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """`changed` makes another case, and the change that the answers should show."""

    name: str
    clauses: tuple[str, ...]
    changed: Callable[[Json], tuple[Json, Callable[[Any], Any]]]


def hosts_renamed(case: Json) -> tuple[Json, Callable[[Any], Any]]:
    """HOST-9: hosts get names that sort the other way round; the answers name those."""
    changed = _copied(case)
    holders = list(_hosts_named(changed))
    names = sorted({one[field] for one, field in holders})
    new = {name: f"h{number:04}" for number, name in enumerate(reversed(names))}
    for one, field in holders:
        one[field] = new[one[field]]
    return changed, lambda answer: _renamed(answer, new)


def host_added_that_all_leave_out(case: Json) -> tuple[Json, Callable[[Any], Any]]:
    """HOST-1: every select also asks for what a large host that joins does not have."""
    changed = _copied(case)
    resources = changed["cluster"].setdefault("resources", {})
    resources["attributes"] = {**(resources.get("attributes") or {}), MARK: "number"}
    for one, field in _hosts_named(changed):
        if field == "name":
            one["attributes"] = {**one.get("attributes", {}), MARK: 1000}
    for primary in _primaries(changed):
        asked = primary.get("select")
        mark = defined(MARK)
        primary["select"] = mark if asked is None else operation("&&", mark, asked)
    changed["cluster"]["hosts"].insert(0, {"name": STRANGER, "capacity": {"slots": 1 << 20}})
    return changed, lambda answer: answer


RELATIONS = (
    Relation(name="hosts renamed", clauses=("HOST-9",), changed=hosts_renamed),
    Relation(
        name="host added that every select leaves out",
        clauses=("HOST-1",),
        changed=host_added_that_all_leave_out,
    ),
)


def applies(case: Json) -> bool:
    """Whether the relations hold for a case."""
    return "cluster" in case and not any(one.get("cancel_at") is not None for one in case["events"])


def broken(adapter: Adapter, case: Json, relation: Relation) -> str | None:
    """How the two cases are answered differently, in words; None if they are answered alike."""
    plain = {**case, "report": ["books"]}
    other, expected = relation.changed(plain)
    before, after = (_normal(adapter.run(one)) for one in (plain, other))
    for number, (one, two) in enumerate(zip(before, after, strict=True), start=1):
        wanted = _normal_answer(expected(one))
        if wanted != two:
            return f"{relation.name}: event {number} should be answered {wanted}, not {two}"
    return None


def undrained(adapter: Adapter, case: Json) -> str | None:
    """SESSION-4, SESSION-6: what is left in the books when all jobs of a case have ended.

    Every job that was accepted is finished or withdrawn, whichever is possible.
    """
    adapter.run({**case, "report": ["books"]})
    names = dict.fromkeys(one["job"]["name"] for one in case["events"] if one["event"] == "submit")
    ends = [make(name) for name in names for make in (finish, withdraw)]
    answers = adapter.run({"events": [*ends, BEGIN], "report": ["books"]})
    left = {part: used for part, used in answers[-1]["books"].items() if used}
    return f"when all jobs have ended, the books still hold {left}" if left else None


def _copied(value: Json) -> Json:
    """A copy in which nothing is held twice, as generated cases hold equal primaries."""
    copied: Json = json.loads(json.dumps(value))
    return copied


def _hosts_named(case: Json) -> Iterator[tuple[Json, str]]:
    """Every object of a case that names a host, with the field of the name."""
    for host in case["cluster"]["hosts"]:
        yield host, "name"
    for event in case["events"]:
        if event["event"] == "host_add":
            yield event["host"], "name"
        if event["event"] == "host_change":
            yield event, "host"


def _primaries(case: Json) -> Iterator[Json]:
    for event in case["events"]:
        if event["event"] == "submit":
            for compound in event["job"]["request"]:
                yield from compound


def _renamed(answer: Json, new: dict[str, str]) -> Json:
    changed = _copied(answer)
    for job in changed.get("jobs", []):
        for claim in (claim for part in job.get("parts", []) for claim in part):
            claim[0] = new[claim[0]]
    books = changed["books"]
    books["hosts"] = {new[name]: used for name, used in books["hosts"].items()}
    for use in books["limits"]:
        if use["host"] is not None:
            use["host"] = new[use["host"]]
    return changed


def _normal(answers: list[Json]) -> list[Json]:
    return [_normal_answer(one) for one in answers]


def _normal_answer(given: Json) -> Json:
    return normal.answer(given, declares=normal.PENDING_FIELDS, report=("books",), hosts=0)
