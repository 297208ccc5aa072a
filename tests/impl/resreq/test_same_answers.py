"""A request as text is answered like the same request as a tree."""

from collections import Counter
from typing import Any

from hypothesis import given, seed, settings

from allotment_impl import Adapter, Per
from allotment_impl.expressions import read_expression
from allotment_impl.resreq import Tree, print_tree
from allotment_impl.resreq.tree import (
    Alternative,
    Rusage,
    Simple,
    SpanKind,
    SpanSection,
    Term,
    Usage,
    UsageItem,
)
from impl.building import Raw
from impl.workloads import cases


def in_text(case: Raw) -> tuple[Raw, int]:
    """The case with every request as text that a text can say, and how many those are."""
    events, count = [], 0
    for event in case["events"]:
        if event["event"] == "submit" and all(
            map(has_text, [part for parts in event["job"]["request"] for part in parts])
        ):
            text = print_tree(Tree(tuple(map(alternative, event["job"]["request"]))))
            event = {**event, "job": {**event["job"], "request": text}}
            count += 1
        events.append(event)
    return {**case, "events": events}, count


def has_text(part: Raw) -> bool:
    """Whether a text can say the span of a primary."""
    span = part.get("span", {})
    return len(span) == 0 or span == {"hosts_max": 1} or [*span] in (["ptile"], ["tasks_per_host"])


def alternative(parts: list[Raw]) -> Alternative:
    """The tree of a compound."""
    return Alternative(tuple(Term(simple(part), part["tasks"]["max"]) for part in parts))


def simple(part: Raw) -> Simple:
    """The tree of a primary."""
    entries = part["rusage"]
    items = tuple(
        UsageItem(one["resource"], (one["amount"],), Per(one["per"]) if "per" in one else None)
        for one in entries
    )
    return Simple(
        select=read_expression(part["select"]) if "select" in part else None,
        rusage=Rusage(((Usage(items),),)) if items else None,
        span=span(part.get("span", {})),
    )


def span(raw: dict[str, Any]) -> SpanSection | None:
    """The tree of a span."""
    kinds = {
        "hosts_max": SpanKind.HOSTS,
        "ptile": SpanKind.PTILE,
        "tasks_per_host": SpanKind.STRIPE,
    }
    return next((SpanSection(kinds[bound], number) for bound, number in raw.items()), None)


def test_text_and_tree_are_answered_alike() -> None:
    seen: Counter[str] = Counter()

    @seed(1)
    @settings(max_examples=150, deadline=None, database=None)
    @given(cases())
    def compare(case: Raw) -> None:
        as_text, count = in_text(case)
        answers = Adapter().run(case)
        assert answers == Adapter().run(as_text)
        seen["texts"] += count
        seen["ran"] += sum(len(answer.get("jobs", [])) for answer in answers)

    compare()
    assert min(seen["texts"], seen["ran"]) > 300
