"""Missed: the sentences without which an answer would be right that no choices of a profile allow.

Nobody of the zoo makes the choices that somebody else has made. But a job's answer can be followed
through all choices by rules that have missed a sentence, from the state in which it was tried.
"""

from collections.abc import Iterator
from dataclasses import replace

from allotment_conformance.counterexample.clause import answer_to, verdict_under
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.zoo.catalogue import SAME_AS_THE_SPEC
from allotment_model.answers import Dispatched, JobAnswer
from allotment_model.ingest import keys_of
from allotment_model.oracle.accepts import MOST_CHOICES, rules_of_choices
from allotment_model.oracle.choices import Budget, TooManyChoicesError
from allotment_model.oracle.following import Following
from allotment_model.oracle.profile import Profile
from allotment_model.rules import Rules
from allotment_model.state import State
from allotment_model.variants import VARIANTS, Variant


def missed(found: Disagreement, choices: Profile) -> Iterator[Variant]:
    """The variants that allow the dispatch of the job that was found to be wrong.

    A job that waits without need may do so for want of any sentence that lets it go.
    """
    if found.job is None:
        return
    verdict, answer = verdict_under(choices, found)
    if verdict.before is None or verdict.job != found.job:
        return
    given, rules = answer_to(answer, found.job), rules_of_choices(choices)
    if not isinstance(given, Dispatched):
        return
    for variant in VARIANTS:
        wrong = variant.of(rules)
        if variant.name not in SAME_AS_THE_SPEC and _allows(
            Following(profile=choices, rules=wrong, budget=Budget(MOST_CHOICES)),
            _asked_again(verdict.before, found.job, wrong),
            found.job,
            given,
        ):
            yield variant


def _asked_again(state: State, name: str, rules: Rules) -> State:
    """The state as if the job had come under these rules: its keys are made when it comes."""
    queued = state.pending[name]
    keys = keys_of(queued.job, state.cluster.resources, rules)
    return replace(state, pending={**state.pending, name: replace(queued, keys=keys)})


def _allows(follow: Following, state: State, name: str, answer: JobAnswer) -> bool:
    try:
        return any(
            follow.states(replace(state, caches=(cache,)), name, answer) for cache in state.caches
        )
    except TooManyChoicesError:
        return False
