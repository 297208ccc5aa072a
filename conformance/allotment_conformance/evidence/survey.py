"""The survey: what speaks for each clause, and where nothing does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from allotment_conformance.evidence import checkout as checkouts
from allotment_conformance.evidence.cases import case_links
from allotment_conformance.evidence.links import Kind, Link
from allotment_conformance.evidence.model import model_links
from allotment_conformance.evidence.not_applicable import NOT_APPLICABLE, SEEN_BY_NO_CASE
from allotment_conformance.evidence.theorems import installed_theorems, theorem_links
from allotment_model.clauses import CLAUSES, Clause


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that is missing, or a link that does not hold."""

    clause: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A clause with its evidence; `excused` has the kinds that are not applicable, and why."""

    clause: Clause
    links: tuple[Link, ...]
    excused: Mapping[Kind, str]
    gaps: tuple[Gap, ...]

    def of(self, kind: Kind) -> list[Link]:
        """Its links of one kind."""
        return [link for link in self.links if link.kind is kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A row for each clause; gaps that belong to none; and what could not be looked at."""

    rows: tuple[Row, ...]
    strays: tuple[Gap, ...]
    unread: Mapping[Kind, str]

    @property
    def gaps(self) -> list[Gap]:
        """All gaps."""
        return [*(gap for row in self.rows for gap in row.gaps), *self.strays]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All that is joined: links of every kind, and the ids of SPEC.md, None without a checkout.

    `unread` says of what kind links could not be read, and why.
    """

    links: Sequence[Link]
    specified: Sequence[str] | None = None
    unread: Mapping[Kind, str] = field(default_factory=dict)
    clauses: Sequence[Clause] = CLAUSES
    not_applicable: Mapping[tuple[str, Kind], str] = field(default_factory=lambda: NOT_APPLICABLE)


def read_sources(checkout: Path | None, *, with_tests: bool = True) -> Sources:
    """Resolve every link. Raises `TestsNotRun`."""
    unread: dict[Kind, str] = {}
    links = [*model_links(), *case_links()]
    theorems = installed_theorems()
    if theorems is None:
        unread[Kind.THEOREM] = "not installed"
    else:
        listed = None if checkout is None else checkouts.listed_theorems(checkout)
        links += theorem_links(theorems, listed)
    why = _why_no_tests(checkout, with_tests)
    if why or checkout is None:
        unread[Kind.SHOWN] = why
    else:
        links += checkouts.links_of_tests(checkouts.run_tests(checkout))
    specified = None if checkout is None else checkouts.specified(checkout)
    return Sources(links=_joined(links), specified=specified, unread=unread)


def _why_no_tests(checkout: Path | None, with_tests: bool) -> str:
    if checkout is None:
        return "no checkout"
    if not with_tests:
        return "tests not run"
    return "" if checkouts.has_pytest() else "pytest is not installed"


def _joined(links: Sequence[Link]) -> list[Link]:
    """The links, with those of one wrong rule that cases and tests both see made one."""
    joined: dict[tuple[str, Kind, str], Link] = {}
    for link in links:
        place = link.clause, link.kind, link.name
        if link.kind is Kind.WRONG and place in joined:
            seen = joined[place].seen_in + link.seen_in
            link = Link(clause=link.clause, kind=link.kind, name=link.name, seen_in=seen)
        joined[place] = link
    return list(joined.values())


def survey(sources: Sources) -> Survey:
    """Join all links, clause by clause, and find the gaps."""
    known = {clause.id for clause in sources.clauses}
    rows = tuple(_row(clause, sources) for clause in sources.clauses)
    strays = [
        Gap(
            clause=link.clause, told=f"the {link.kind} '{link.name}' names {link.clause}, no clause"
        )
        for link in sources.links
        if link.clause not in known
    ]
    strays += (
        Gap(clause=clause, told=f"{clause} has a mark 'not applicable' and is no clause")
        for clause, _kind in sources.not_applicable
        if clause not in known
    )
    if sources.specified is not None and list(sources.specified) != [*map(_id, sources.clauses)]:
        odd = sorted(known.symmetric_difference(sources.specified)) or ["their order"]
        told = f"SPEC.md and the model's list of clauses differ: {', '.join(odd)}"
        strays.append(Gap(clause=odd[0], told=told))
    return Survey(rows=rows, strays=tuple(strays), unread=sources.unread)


def _id(clause: Clause) -> str:
    return clause.id


def _row(clause: Clause, sources: Sources) -> Row:
    links = tuple(link for link in sources.links if link.clause == clause.id)
    excused = {
        kind: reason
        for (marked, kind), reason in sources.not_applicable.items()
        if marked == clause.id
    }
    found = [*_missing(links, excused, sources.unread), *_not_holding(links, sources.unread)]
    gaps = tuple(Gap(clause=clause.id, told=told) for told in found)
    return Row(clause=clause, links=links, excused=excused, gaps=gaps)


def _missing(
    links: Sequence[Link], excused: Mapping[Kind, str], unread: Mapping[Kind, str]
) -> Iterator[str]:
    """The kinds of evidence that a clause has not, and the marks that it does not need."""
    for kind in Kind:
        there = any(link.kind is kind and not link.broken for link in links)
        may_be_unread = kind in unread or (kind is Kind.WRONG and Kind.SHOWN in unread)
        if there and kind in excused:
            yield f"it has a {kind} and is marked 'not applicable'"
        if not there and kind not in excused and not may_be_unread:
            yield f"no {kind}"


def _not_holding(links: Sequence[Link], unread: Mapping[Kind, str]) -> Iterator[str]:
    """The links of a clause that do not hold."""
    for link in links:
        if link.broken:
            yield f"{link.kind} '{link.name}': {link.broken}"
        may_be_seen = link.seen_in or Kind.SHOWN in unread or link.name in SEEN_BY_NO_CASE
        if link.kind is Kind.WRONG and not may_be_seen:
            yield f"{link.kind} '{link.name}': no case or test of the clause fails under it"
