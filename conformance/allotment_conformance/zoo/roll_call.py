"""The roll call: everybody of the zoo is judged again, on little; a test of the kit in seconds."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from allotment_conformance.counterexample.find import disagreement_on
from allotment_conformance.runs import work
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.received import ask
from allotment_conformance.wire import envelope
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.failure import ProtocolBroken
from allotment_conformance.wire.messages import Json, NotACase, read_profile
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.calibration import CALIBRATION, odd
from allotment_conformance.zoo.catalogue import MUTANTS
from allotment_conformance.zoo.smallest import smallest

CASES_OF_ODD = 40
"""Of each odd allocator: with them the whole roll call takes some seconds."""


Watch = Callable[[str, bool], None]
"""Is told of everybody who was judged, and whether the kit was right."""


def missed(watch: Watch = lambda name, right: None) -> list[str]:
    """The wrong allocators that the kit takes for right on the case that is kept for them."""
    kept, names = smallest(), []
    for one in MUTANTS:
        is_found = disagreement_on(one.make(), MODEL_PROFILE, kept[one.id].case) is not None
        watch(one.id, is_found)
        names += [] if is_found else [one.id]
    return names


def flagged(watch: Watch = lambda name, right: None) -> list[str]:
    """The odd allocators that the kit takes for wrong in some bulk cases."""
    names = []
    for one in CALIBRATION:
        is_flagged = any(islice(flags(one.id), CASES_OF_ODD))
        watch(one.id, not is_flagged)
        names += [one.id] if is_flagged else []
    return names


def flags(name: str, cases: int = CASES_OF_ODD, seed: int = 5) -> Iterator[str]:
    """What is said of an odd allocator case by case; an empty text where nothing is wrong.

    Bulk cases come first, then the directed ones.
    """
    adapter = odd(name).make()
    profile = read_profile(adapter.start())
    for share in reversed(work.shares(cases, seed)):
        for question in work.questions(share, profile):
            try:
                found = Oracle(profile).judge(question.case, told(adapter, question.case))
            except (NotACase, ProtocolBroken) as wrong:
                yield f"{question.origin}: {wrong}"
            else:
                yield f"{question.origin}: {found.disagreement.kind}" if found.disagreement else ""


def told(adapter: Adapter, case: Json) -> Any:
    """The answers as they come over the protocol, where fields that nobody knows are dropped."""
    answers = ask(adapter, case)
    if not isinstance(answers, list):
        return answers
    return envelope.checked_answers(answers, len(case["events"]))
