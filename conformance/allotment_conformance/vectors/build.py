"""Makes the vectors from the model: of directed cases, worked examples, sizes, the zoo, and of
counterexamples that were promoted.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.engines.directed.case import Directed
from allotment_conformance.engines.edges import ALL_HOSTS
from allotment_conformance.engines.features import features_of, is_within, largest_of
from allotment_conformance.engines.parts import PARTS
from allotment_conformance.engines.sizes import SIZES
from allotment_conformance.vectors.form import CHOICES, NAMES, as_text, kept
from allotment_conformance.vectors.permitted import MOST_LISTS, TooManyAnswers, in_order, permitted
from allotment_conformance.verdict.claims import why_not_claimed
from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.wire.messages import Json, Profile, plain
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.parts import in_parts, joined, starts_of
from allotment_conformance.wire.profiles import MODEL_PROFILE, leaves_choices
from allotment_conformance.zoo.catalogue import MUTANTS
from allotment_conformance.zoo.smallest import smallest
from allotment_model.clauses import CLAUSES

BLOCK = re.compile(r"^```json example\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGE = re.compile(r"^### (E\d+) (.*)$", re.MULTILINE)
CLAUSE = re.compile(r"^\*\*([A-Z]+-\d+)\*\* \*\(", re.MULTILINE)
CLAUSE_NAMED = re.compile(r"\b[A-Z]{3,}-\d+\b")
RESOLUTION = re.compile(r"^\*Resolution\.\*(.*?)\n\n", re.MULTILINE | re.DOTALL)
FOLDER = Path(__file__).parent / "data"
CLAUSE_OF = {clause.id: clause for clause in CLAUSES}
MOST_OF_CHOICES = 8
"""Lists of answers that a vector of choices has at most: with more, nobody sees what it shows."""

AXES = ("host_order", "split", "cache", "rusage_default")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What becomes a vector when the model has answered it."""

    id: str
    clauses: tuple[str, ...]
    why: str
    provenance: str
    case: Json


@dataclass(slots=True, kw_only=True)
class NotMade:
    """How many cases are no vectors: `left_out` by the profile, with `too_many` right answers."""

    left_out: int = 0
    too_many: int = 0


def vector(draft: Draft, profile: Profile, most: int = MOST_LISTS) -> Json:
    """The vector, with the answers that this profile permits. Raises `TooManyAnswers`."""
    starts = starts_of(draft.case)
    made = {
        "id": draft.id,
        "clauses": list(draft.clauses),
        "why": draft.why,
        "provenance": draft.provenance,
        "features": sorted(features_needed(draft.case)),
        "largest": plain(largest_of(draft.case)),
        "case": joined(draft.case),
        "permitted": permitted(draft.case, profile, most),
    }
    return made | ({"parts": starts} if starts else {})


def files(
    profile: Profile = MODEL_PROFILE,
    *,
    specification: str | None = None,
    not_made: NotMade | None = None,
) -> dict[str, str]:
    """The text of each file, by its name.

    The worked examples are read from the specification's text, without it from the package.
    The cases of promoted ones stand in the package alone; their answers are made anew. Where the
    profile leaves choices, cases with too many answers are left out. `not_made` counts the others.
    """
    counts = not_made or NotMade()
    drafts = {
        "examples": drafts_kept("examples") if specification is None else examples(specification),
        "directed": directed(DIRECTED + (ALL_HOSTS if leaves_choices(profile) else ())),
        "parts": directed(PARTS),
        "sizes": sizes(),
        "zoo": zoo(),
        "promoted": drafts_kept("promoted"),
    }
    axes = axes_of(profile)
    return {
        name: as_text(axes, list(_made(drafts[name], profile, MOST_LISTS, counts)))
        for name in NAMES
    }


def _made(
    drafts: Iterable[Draft], profile: Profile, most: int, not_made: NotMade
) -> Iterator[Json]:
    """The vectors of those that the profile can be asked, and that have few enough answers."""
    for one in drafts:
        clauses = _claimed(one.clauses, profile)
        if not (clauses and is_askable(one.case, profile)):
            not_made.left_out += 1
            continue
        try:
            yield vector(replace(one, clauses=clauses), profile, most)
        except TooManyAnswers:
            assert leaves_choices(profile), f"{one.id} has too many answers"
            not_made.too_many += 1


def _claimed(clauses: Iterable[str], profile: Profile) -> tuple[str, ...]:
    """Each once, without the one that only `split: any` claims.

    Where the profile leaves choices, those that it leaves open are left out, and if these are all,
    it is the choice that shows.
    """
    if not leaves_choices(profile):
        return tuple(clause for clause in dict.fromkeys(clauses) if clause != "PLAN-11")
    claimed = [one for one in clauses if why_not_claimed(CLAUSE_OF[one], profile) is None]
    choice = "PLAN-11" if profile.split == "any" else "HOST-9"
    return tuple(dict.fromkeys(claimed or [choice]))


def axes_of(profile: Profile) -> Json:
    """The choices of a profile under which vectors hold."""
    return {axis: getattr(profile, axis) for axis in AXES}


def choices(profile: Profile = MODEL_PROFILE) -> dict[str, str]:
    """The text of each file of choices, by its name: its cases are those in which one shows."""
    return {
        name: _of_choice(msgspec.structs.replace(profile, **left)) for name, left in CHOICES.items()
    }


def _of_choice(profile: Profile) -> str:
    """Directed cases with several answers, or with another one than the model's own."""
    model = ModelAdapter(profile=profile)
    vectors = []
    for one in _made(directed(DIRECTED + PARTS), profile, MOST_OF_CHOICES, NotMade()):
        own = [in_order(answer) for answer in model.run(one["case"])]
        if one["permitted"] != [own]:
            vectors.append(one)
    return as_text(axes_of(profile), vectors)


def features_needed(case: Json) -> frozenset[str]:
    """What an implementation must have; who tells no books can leave the books out."""
    return features_of(case) - {"books"}


def is_askable(case: Json, profile: Profile) -> bool:
    """Whether an implementation has the features that a case needs, and takes the sizes."""
    known = features_needed(case) <= set(profile.features)
    return known and is_within(case, profile.largest)


def directed(cases: Iterable[Directed]) -> Iterator[Draft]:
    """Directed cases, with the books of each event."""
    for one in cases:
        yield Draft(
            id=f"directed/{one.name}",
            clauses=one.clauses,
            why=one.why,
            provenance="directed case",
            case={**one.case, "report": ["books"]},
        )


def sizes() -> Iterator[Draft]:
    """Cases that are too large to be read, by numbers."""
    for one in SIZES:
        yield Draft(
            id=f"sizes/{one.name}",
            clauses=one.clauses,
            why=one.why,
            provenance="case of sizes",
            case={**one.case, "report": ["books"]},
        )


def examples(specification: str) -> Iterator[Draft]:
    """The worked examples, by the page of errata or the clause at which they stand."""
    seen: dict[str, int] = {}
    for block in BLOCK.finditer(specification):
        given = json.loads(block[1])
        case = {field: value for field, value in given.items() if field != "answers"}
        name, clauses, why = _place(specification, block.start())
        seen[name] = seen.get(name, 0) + 1
        number = f"-{seen[name]}" if seen[name] > 1 else ""
        yield Draft(
            id=f"examples/{name}{number}",
            clauses=clauses,
            why=why,
            provenance="worked example of SPEC.md",
            case={**case, "report": ["books"]},
        )


def _place(specification: str, at: int) -> tuple[str, tuple[str, ...], str]:
    """The name of the place of an example, the clauses that it shows, and what it is about."""
    before = specification[:at]
    clause = list(CLAUSE.finditer(before))[-1]
    pages = list(PAGE.finditer(before))
    if not pages:
        return clause[1], (clause[1],), f"The example of {clause[1]}."
    page = pages[-1]
    resolution = RESOLUTION.search(specification, page.start())
    assert resolution is not None, "each page of errata has a resolution"
    return page[1], tuple(CLAUSE_NAMED.findall(resolution[1])), f"{page[2]}."


def drafts_kept(name: str) -> Iterator[Draft]:
    """What the vectors of a file of the package are made of."""
    for one in kept(name):
        yield Draft(
            id=one["id"],
            clauses=tuple(one["clauses"]),
            why=one["why"],
            provenance=one["provenance"],
            case=in_parts(one["case"], one.get("parts", ())),
        )


def zoo() -> Iterator[Draft]:
    """The smallest cases on which the zoo's allocators are wrong, each case once."""
    known = {one.id: one for one in MUTANTS}
    groups: dict[str, list[str]] = {}
    for name, found in smallest().items():
        case = {**found.case, "report": _reports(found.case, found.kind)}
        groups.setdefault(json.dumps(case, sort_keys=True), []).append(name)
    for text, names in groups.items():
        clauses = dict.fromkeys(clause for name in names for clause in known[name].clauses)
        yield Draft(
            id=f"zoo/{names[0]}",
            clauses=tuple(clauses),
            why=known[names[0]].what,
            provenance=f"smallest case found for {', '.join(names)}",
            case=json.loads(text),
        )


def _reports(case: Json, kind: str) -> list[str]:
    """The books always; protocol events where nothing else shows the fault."""
    return ["books", "events"] if kind == Kind.EVENTS else ["books"]


def update(specification: str) -> None:
    """Make the files of the package anew."""
    for name, text in (files(specification=specification) | choices()).items():
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
