"""What a profile means for the model: the rules that answer as such an implementation must."""

from allotment_conformance.wire.messages import Largest, Profile
from allotment_model.cluster import LARGEST_AMOUNT, LARGEST_TASKS
from allotment_model.oracle import profile as oracle
from allotment_model.request import Per
from allotment_model.rules import Rules

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


def choices_of(profile: Profile) -> oracle.Profile:
    """The axes of a profile that decide which answers are allowed, as the model has them."""
    return oracle.Profile(
        host_order=oracle.HostOrder(profile.host_order),
        split=oracle.Split(profile.split),
        cache=oracle.CacheKind(profile.cache),
        rusage_default=Per(profile.rusage_default),
        declares=frozenset(profile.declares),
    )


def rules_for(profile: Profile) -> Rules:
    """SPEC.md 2.4: the rules by which such an implementation answers."""
    return oracle.rules_for(choices_of(profile))


def leaves_choices(profile: Profile) -> bool:
    """PLAN-11, HOST-9: whether several placements of a job may be right."""
    return profile.split == "any" or profile.host_order == "unspecified"
