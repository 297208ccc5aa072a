"""Which theorems speak about a clause: asked of whatever package offers theorems.

A package that proves something registers an entry point of the group `allotment.theorems`. It
names a function without arguments that gives each theorem's sentence, the clauses it is about and
its scope.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points

from allotment_conformance.evidence.links import Kind, Link
from allotment_conformance.extras import EXTRA_OF_MODULE

GROUP = "allotment.theorems"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The clauses that a theorem is about, and how far it reaches, in words."""

    clauses: tuple[str, ...]
    scope: str


Theorems = Mapping[str, About]
"""What each theorem is about, by its sentence."""


def installed_theorems() -> Theorems | None:
    """Every theorem that is offered; None if no package that is installed offers any."""
    found: dict[str, About] = {}
    offers = list(entry_points(group=GROUP))
    for offer in offers:
        try:
            offered: Callable[[], Iterable[tuple[str, tuple[str, ...], str]]] = offer.load()
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] not in EXTRA_OF_MODULE:
                raise
            return None
        for name, clauses, scope in offered():
            found[name] = About(clauses=clauses, scope=scope)
    return found if offers else None


def theorem_links(theorems: Theorems, listed: Theorems | None) -> list[Link]:
    """A link for each clause of each theorem that is there or listed.

    `listed` is what the page of theorems says; None where there is no such page.
    """
    links: list[Link] = []
    for name, about in {**(listed or {}), **theorems}.items():
        broken = "" if listed is None else _difference(theorems.get(name), listed.get(name))
        links += (
            Link(clause=clause, kind=Kind.THEOREM, name=name, broken=broken)
            for clause in about.clauses
        )
    return links


def _difference(there: About | None, on_page: About | None) -> str:
    """How the page tells a theorem otherwise than it is; empty if it does not."""
    if there is None:
        return "it is listed and is not there"
    if on_page is None:
        return "it is not listed"
    if on_page.clauses != there.clauses:
        return "its clauses are listed otherwise"
    return "" if on_page.scope == there.scope else "its scope is listed otherwise"
