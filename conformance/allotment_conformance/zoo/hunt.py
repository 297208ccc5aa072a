"""Hunts an allocator with each engine of the kit: which finds it, and after how many cases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hypothesis import HealthCheck, Phase, given, settings

from allotment_conformance.counterexample.find import disagreement_on
from allotment_conformance.counterexample.shrink import MOST_TRIES, shrink
from allotment_conformance.engines import strategies
from allotment_conformance.engines.bulk import case_of
from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.engines.parts import PARTS
from allotment_conformance.engines.sizes import SIZES
from allotment_conformance.runs.canary import CASES
from allotment_conformance.runs.work import questions
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.verdict.received import ask
from allotment_conformance.wire.adapter import Adapter, load_adapter
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import Specimen
from allotment_conformance.zoo.smallest import Smallest

BULK_CASES = 5_000
"""A quarter of what `allotment verify` runs, so that the whole zoo is hunted in some minutes."""

HYPOTHESIS_CASES = 500
"""Some seconds of drawing; more finds little that these do not."""

SEED = 1
BOTH_REPORTS = ["books", "events"]


def _directed() -> Iterator[Json]:
    return ({**one.case, "report": BOTH_REPORTS} for one in DIRECTED + PARTS)


def _sizes() -> Iterator[Json]:
    return ({**one.case, "report": BOTH_REPORTS} for one in SIZES)


def _bulk() -> Iterator[Json]:
    return (case_of(SEED, number, MODEL_PROFILE) for number in range(BULK_CASES))


def _hypothesis() -> Iterator[Json]:
    """The same cases in every run."""
    drawn: list[Json] = []

    @settings(
        max_examples=HYPOTHESIS_CASES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategies.cases(MODEL_PROFILE))
    def draw(case: Json) -> None:
        drawn.append(case)

    draw()
    return iter(drawn)


ENGINES = {
    "directed": _directed,
    "bulk": _bulk,
    "hypothesis": _hypothesis,
    "sizes": _sizes,
}
"""The engines, in the order in which they are asked for a case to shrink."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A case, and the model's answers to it."""

    case: Json
    right: list[Json]


@cache
def asked(engine: str) -> Sequence[Asked]:
    """The cases of an engine: for the whole zoo they are made and answered once."""
    model = ModelAdapter()
    return [Asked(case=case, right=model.run(case)) for case in ENGINES[engine]()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """After how many cases each engine found an allocator; None where it did not."""

    found_after: Mapping[str, int | None]
    smallest: Smallest | None

    @property
    def engines(self) -> list[str]:
        """Those that found it."""
        return [engine for engine, number in self.found_after.items() if number is not None]


def wrong(adapter: Adapter, cases: Sequence[Asked]) -> Iterator[tuple[int, Kind]]:
    """The numbers of the cases, from 1, on which the allocator is wrong, and in what.

    Answers that are not the model's may still be permitted, so the judge has the last word.
    """
    for number, one in enumerate(cases, start=1):
        answers = ask(adapter, one.case)
        if answers != one.right:
            found = Oracle(MODEL_PROFILE).judge(one.case, answers).disagreement
            if found is not None:
                yield number, found.kind


def first_wrong(adapter: Adapter, cases: Sequence[Asked]) -> int | None:
    """The number of the first case, from 1, on which the allocator is wrong."""
    return next((number for number, _kind in wrong(adapter, cases)), None)


def flags(adapter: str, profile: Profile) -> bool:
    """Whether hunting finds something wrong with an allocator in some bulk cases."""
    model, bulk = ModelAdapter(profile=profile), questions(CASES, profile)
    cases = [Asked(case=one.case, right=model.run(one.case)) for one in bulk]
    return first_wrong(load_adapter(adapter), cases) is not None


def hunt(specimen: Specimen, engines: Sequence[str] = tuple(ENGINES)) -> Trail:
    """Ask every engine, and make the first case that was found small."""
    found_after = {engine: first_wrong(specimen.make(), asked(engine)) for engine in engines}
    finding = [engine for engine, number in found_after.items() if number is not None]
    return Trail(found_after=found_after, smallest=_smallest(specimen, finding))


def _smallest(specimen: Specimen, finding: Sequence[str]) -> Smallest | None:
    """From the first case with a wrong answer; from one with wrong protocol events if none has."""
    inside: tuple[str, int] | None = None
    for engine in finding:
        for number, kind in wrong(specimen.make(), asked(engine)):
            if kind is not Kind.EVENTS:
                return _made_small(specimen, engine, number)
            inside = inside or (engine, number)
    return None if inside is None else _made_small(specimen, *inside)


def _made_small(specimen: Specimen, engine: str, number: int) -> Smallest:
    return made_small(specimen, asked(engine)[number - 1].case, f"{engine} case {number}")


def made_small(specimen: Specimen, case: Json, origin: str) -> Smallest:
    """What shrinking leaves of a case on which the allocator is wrong."""
    adapter = specimen.make()
    small = shrink(case, lambda one: disagreement_on(adapter, MODEL_PROFILE, one), MOST_TRIES)
    found = disagreement_on(adapter, MODEL_PROFILE, small)
    assert found is not None, "shrinking keeps what disagrees"
    return Smallest(case=small, kind=found.kind.value, found_in=origin)
