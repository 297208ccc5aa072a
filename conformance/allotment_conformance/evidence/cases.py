"""Which directed cases show a clause: those that one of its wrong allocators answers otherwise."""

from collections import defaultdict
from collections.abc import Sequence

from allotment_conformance.engines.directed import DIRECTED, Directed
from allotment_conformance.evidence.links import Kind, Link
from allotment_conformance.wire import to_model
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, read_case
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.breaking import WrongAllocator, wrong_allocators, wrong_rules
from allotment_model.oracle.accepts import Outcome, accepts
from allotment_model.oracle.profile import Profile, Split
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.state import initial

OTHER_PROFILES = {"PLAN-11": ("only balanced splits", Profile(split=Split.ANY))}
"""Clauses of a profile that is not the canonical one. What breaks such a clause is the canonical
answer: that profile must forbid it."""


def case_links(cases: Sequence[Directed] = DIRECTED) -> list[Link]:
    """A link for each clause of each case, and one for each clause of each wrong rule.

    A case may be told by any wrong allocator; that a case tells it is asked of the rules only,
    since some mutants of the workbench show in longer sessions than directed cases have.
    """
    rules = {one.name for one in wrong_rules()}
    breaking: dict[str, list[WrongAllocator]] = defaultdict(list)
    for wrong in wrong_allocators():
        for clause in wrong.breaks:
            breaking[clause].append(wrong)
    links: list[Link] = []
    seen: dict[tuple[str, str], list[str]] = defaultdict(list)
    for directed in cases:
        right = ModelAdapter().run(directed.case)
        for clause in directed.clauses:
            found = _telling(directed, clause, breaking[clause], right)
            for name in found:
                seen[clause, name].append(directed.name)
            links.append(_link(directed, clause, found))
    links += (
        Link(clause=clause, kind=Kind.WRONG, name=one.name, seen_in=tuple(seen[clause, one.name]))
        for clause, wrong_ones in breaking.items()
        for one in wrong_ones
        if one.name in rules
    )
    links += (
        Link(clause=clause, kind=Kind.WRONG, name=name, seen_in=tuple(seen[clause, name]))
        for clause, (name, _profile) in OTHER_PROFILES.items()
    )
    return links


def _link(directed: Directed, clause: str, found: tuple[str, ...]) -> Link:
    broken = "" if found else f"no wrong rule that breaks {clause} answers it otherwise"
    return Link(
        clause=clause, kind=Kind.SHOWN, name=directed.name, broken=broken, seen_in=tuple(found)
    )


def _telling(
    directed: Directed, clause: str, wrong: Sequence[WrongAllocator], right: list[Json]
) -> tuple[str, ...]:
    """The wrong allocators of a clause that answer a case otherwise than the model."""
    if clause in OTHER_PROFILES:
        name, profile = OTHER_PROFILES[clause]
        return (name,) if _is_forbidden(directed.case, profile) else ()
    return tuple(one.name for one in wrong if _answers(one.make(), directed.case) != right)


def _answers(adapter: Adapter, case: Json) -> list[Json] | str:
    """The answers, or the name of the error that stopped it."""
    try:
        return adapter.run(case)
    except Exception as stopped:
        return type(stopped).__name__


def _is_forbidden(case: Json, profile: Profile) -> bool:
    """Whether a profile forbids one of the canonical answers to a case."""
    sent = read_case(case)
    assert sent.cluster, "a directed case has a cluster"
    state = initial(to_model.cluster(sent.cluster))
    for event in map(to_model.event, sent.events):
        after, answer = step(state, event, SPEC)
        if accepts(state, event, answer, profile).outcome is Outcome.FORBIDDEN:
            return True
        state = after
    return False
