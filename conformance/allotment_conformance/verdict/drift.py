"""Profile drift: an allocator that is right, but not as it declares itself.

On a case where its answers are wrong for the declared profile, they may be those of another legal
profile: then what is wrong is the declaration, or the choice that it tells of.
"""

from collections.abc import Iterator
from itertools import product

import msgspec

from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.messages import Json, Profile

AXES: dict[str, tuple[str, ...]] = {
    "host_order": ("listed", "most_free"),
    "cache": ("none", "transparent", "literal"),
    "rusage_default": ("host", "task"),
}
"""The axes on which one answer is right. With `unspecified` or `any` declared, more are."""


def drift(case: Json, answers: object, profile: Profile) -> str | None:
    """How the answers differ from what is declared, if they are right for another profile.

    Of several such profiles, the one that differs least.
    """
    other = _right_under(case, answers, profile)
    if other is None:
        return None
    changes = [
        f"{axis}: declared {getattr(profile, axis)}, observed {value}"
        for axis, value in other.items()
    ]
    return "; ".join(changes)


def drift_words(case: Json, answers: object, profile: Profile) -> str | None:
    """The same as a sentence for a person who looks at this one case."""
    other = _right_under(case, answers, profile)
    if other is None:
        return None
    observed = " and ".join(f"`{axis}: {value}`" for axis, value in other.items())
    declared = " and ".join(f"`{getattr(profile, axis)}`" for axis in other)
    return f"Right under {observed}; the profile declares {declared}."


def _right_under(case: Json, answers: object, profile: Profile) -> dict[str, str] | None:
    """What to declare otherwise for the answers to be right."""
    for other in _others(profile):
        judged = Oracle(msgspec.structs.replace(profile, **other)).judge(case, answers)
        if judged.disagreement is None:
            return other
    return None


def _others(profile: Profile) -> Iterator[dict[str, str]]:
    """What other legal profiles have different, those with the fewest differences first."""
    axes = {axis: values for axis, values in AXES.items() if getattr(profile, axis) in values}
    combined = (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))
    differences = [
        {axis: value for axis, value in one.items() if getattr(profile, axis) != value}
        for one in combined
    ]
    yield from sorted(filter(None, differences), key=len)
