"""The search for the smallest case on which a variant answers otherwise than the specification."""

from collections.abc import Sequence
from dataclasses import dataclass

from allotment_model.answers import Answer
from allotment_model.cluster import Cluster
from allotment_model.events import Event
from allotment_model.rules import SPEC, Rules
from allotment_model.scheduler import step
from allotment_model.state import initial
from allotment_model.variants import VARIANTS, Variant
from allotment_proofs.necessity.least import least_amounts, sum_of_amounts, without_notes
from allotment_proofs.necessity.slices import SLICE_OF, Slice, World

Answers = tuple[Answer | str, ...]
"""One answer an event; the name of the error, as the last, where the rules crash."""

EQUIVALENT = {
    "zero want blocked": "Every want that is asked is positive",
    "free goes negative": "Every want that is asked is positive",
}
"""Variants that answer as the specification does on every case, and the theorem that says why.

A positive want fits neither into zero nor into less than zero.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A case, and what the specification and the variant answer on it.

    `tried` is how many smaller cases of its slice agree. `is_least` tells that its amounts are the
    least of all for these hosts, jobs and events, as Z3 finds.
    """

    variant: str
    breaks: tuple[str, ...]
    found_in: str
    tried: int
    is_least: bool
    cluster: Cluster
    events: tuple[Event, ...]
    expected: Answers
    actual: Answers


def smallest_witness(variant: Variant) -> Witness | None:
    """The first case of the variant's slice that tells it from the specification.

    The slice is gone through from the fewest hosts, jobs and events; then Z3 finds the amounts.
    """
    piece = SLICE_OF[variant.name]
    rules = variant.of()
    for tried, world in enumerate(piece.worlds()):
        if spec_answers(piece, tried, world) != answers_of(world.cluster, world.events, rules):
            least = least_amounts(world.cluster, world.events, rules)
            is_less = least and sum_of_amounts(least) < sum_of_amounts(world.cluster)
            cluster = least if least and is_less else world.cluster
            return Witness(
                variant=variant.name,
                breaks=variant.breaks,
                found_in=piece.name,
                tried=tried,
                is_least=least is not None,
                cluster=cluster,
                events=world.events,
                expected=answers_of(cluster, world.events, SPEC),
                actual=answers_of(cluster, world.events, rules),
            )
    return None


def all_witnesses() -> tuple[list[Witness], list[str]]:
    """A witness for each variant; and what is amiss, in words.

    A variant needs a witness unless it is listed as equivalent, and then must have none.
    """
    found = {variant.name: smallest_witness(variant) for variant in VARIANTS}
    witnesses = [one for one in found.values() if one is not None]
    odd = [
        f"the variant '{name}' is listed as equivalent, and a case of the slice "
        f"'{one.found_in}' tells it from the specification"
        if one is not None
        else f"no case of the slice '{SLICE_OF[name].name}' tells the variant '{name}' from the "
        "specification, which answers on all of them as this wrong rule does: if a theorem is "
        "refuted too, mend the specification; if not, name another slice for it in "
        "necessity/slices.py, add such a case to one, or name in EQUIVALENT the theorem that says "
        "why there is none"
        for name, one in found.items()
        if (one is None) is not (name in EQUIVALENT)
    ]
    return witnesses, odd


_SPEC_ANSWERS: dict[tuple[str, int], Answers] = {}


def spec_answers(piece: Slice, number: int, world: World) -> Answers:
    """What the specification answers on a case of a slice; each is run once."""
    place = piece.name, number
    if place not in _SPEC_ANSWERS:
        _SPEC_ANSWERS[place] = answers_of(world.cluster, world.events, SPEC)
    return _SPEC_ANSWERS[place]


def answers_of(cluster: Cluster, events: Sequence[Event], rules: Rules) -> Answers:
    """Run a case on the model under these rules."""
    state, answers = initial(cluster), list[Answer | str]()
    for event in events:
        try:
            state, answer = step(state, event, rules)
        except Exception as error:
            return (*answers, type(error).__name__)
        answers.append(without_notes(answer))
    return tuple(answers)
