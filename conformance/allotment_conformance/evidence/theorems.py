"""Which theorems speak about a clause: asked of whatever package offers theorems.

A package that proves something registers an entry point of the group `allotment.theorems`. It
names a function without arguments that gives each theorem's sentence and the clauses it is about.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import entry_points

from allotment_conformance.command_registry import EXTRA_OF_MODULE
from allotment_conformance.evidence.links import Kind, Link

GROUP = "allotment.theorems"

Theorems = Mapping[str, tuple[str, ...]]
"""The clauses of each theorem, by its sentence."""


def installed_theorems() -> Theorems | None:
    """Every theorem that is offered; None if no package that is installed offers any."""
    found: dict[str, tuple[str, ...]] = {}
    offers = list(entry_points(group=GROUP))
    for offer in offers:
        try:
            offered: Callable[[], Iterable[tuple[str, tuple[str, ...]]]] = offer.load()
            found.update(offered())
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] not in EXTRA_OF_MODULE:
                raise
            return None
    return found if offers else None


def theorem_links(theorems: Theorems, listed: Theorems | None) -> list[Link]:
    """A link for each clause of each theorem that is there or listed.

    `listed` is what the page of theorems says; None where there is no such page.
    """
    links: list[Link] = []
    for name in [*theorems, *(set(listed or ()) - set(theorems))]:
        there, on_page = theorems.get(name), None if listed is None else listed.get(name, ())
        broken = ""
        if there is None:
            broken = "it is listed and is not there"
        elif on_page is not None and on_page != there:
            broken = "its clauses are listed otherwise" if on_page else "it is not listed"
        links += (
            Link(clause=clause, kind=Kind.THEOREM, name=name, broken=broken)
            for clause in there or on_page or ()
        )
    return links
