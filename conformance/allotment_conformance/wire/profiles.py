"""What a profile means for the model: the rules that answer as such an implementation must."""

from dataclasses import replace

from allotment_conformance.wire.messages import Largest, Profile
from allotment_model.cluster import LARGEST_AMOUNT, LARGEST_TASKS
from allotment_model.request import Per
from allotment_model.rules import SPEC, Rules
from allotment_model.search import most_free

MODEL_PROFILE = Profile(
    name="allotment-model",
    version="1",
    features=(
        "compound",
        "alter",
        "select",
        "rusage",
        "span",
        "ptile",
        "shared",
        "limits",
        "priorities",
        "host-changes",
        "cancel",
        "events",
        "books",
    ),
    host_order="listed",
    split="balanced",
    cache="transparent",
    rusage_default="task",
    declares=("reason", "never", "cached"),
    largest=Largest(tasks=LARGEST_TASKS, hosts=10_000, amount=LARGEST_AMOUNT),
)
"""All that the model can do, with the choices of `SPEC`. It answers any number of hosts; ten
thousand is what a person would wait for."""


def rules_for(profile: Profile, rules: Rules = SPEC) -> Rules:
    """SPEC.md 2.4: the same rules with the profile's choices in place of those of `SPEC`.

    What the profile chooses as `SPEC` does is left alone, so that a wrong rule stays wrong.
    """
    if profile.host_order == "most_free":
        rules = replace(rules, host_order=most_free)
    if profile.rusage_default == "host":
        rules = replace(rules, rusage_default=Per.HOST)
    if profile.cache == "none":
        rules = replace(rules, may_fill=_never_fills)
    if profile.cache == "literal":
        rules = replace(rules, may_fill=_always_fills, hit_ends_attempt=_hit_ends_attempt)
    return rules


def _never_fills(parts_before: int) -> bool:
    """Profile `cache: none`: nothing is remembered."""
    return False


def _always_fills(parts_before: int) -> bool:
    """Profile `cache: literal`, E1: a failure is remembered whatever was debited before it."""
    return True


def _hit_ends_attempt() -> bool:
    """Profile `cache: literal`, E10: after a hit no alternative is tried further."""
    return True
