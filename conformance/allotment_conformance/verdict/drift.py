"""Profile drift: an allocator that is right, but not as it declares itself.

On cases where its answers are wrong for the declared profile, they may be those of another legal
profile: then what is wrong is the declaration, or the choice that it tells of. One case may agree
with another profile by chance, so a run tells of drift only if one profile explains all failures,
and the directed cases that pass as well.
"""

from collections.abc import Iterable, Iterator
from itertools import product

import msgspec

from allotment_conformance.verdict.compare import Exchange, Oracle, exchange_of
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import rules_for

AXES: dict[str, tuple[str, ...]] = {
    "host_order": ("listed", "most_free"),
    "cache": ("none", "transparent", "literal"),
    "rusage_default": ("host", "task"),
}
"""The axes on which one answer is right. With `unspecified` or `any` declared, more are."""


def drifts(asked: Exchange, profile: Profile) -> list[str]:
    """How each profile for which the answers are right differs from what is declared.

    The one that differs least comes first.
    """
    return [_told(other, profile) for other in _others(profile) if _is_right(asked, profile, other)]


def explains_too(drift: str, profile: Profile, exact: Iterable[Json]) -> bool:
    """Whether one of these drifts is right on cases, too, that were answered just as declared.

    Their answers are those of the specification for the declared profile, and are made anew.
    """
    [other] = [one for one in _others(profile) if _told(one, profile) == drift]
    model = ModelAdapter(rules_for(profile))
    return all(_is_right(exchange_of(one, model.run(one)), profile, other) for one in exact)


def _told(other: dict[str, str], profile: Profile) -> str:
    """How a profile with these axes differs from what is declared."""
    return "; ".join(
        f"{axis}: declared {getattr(profile, axis)}, observed {value}"
        for axis, value in other.items()
    )


def drift_words(case: Json, answers: object, profile: Profile) -> str | None:
    """The same as a sentence for a person who looks at this one case, where it may be chance."""
    asked = exchange_of(case, answers)
    other = next((one for one in _others(profile) if _is_right(asked, profile, one)), None)
    if other is None:
        return None
    observed = " and ".join(f"`{axis}: {value}`" for axis, value in other.items())
    declared = " and ".join(f"`{getattr(profile, axis)}`" for axis in other)
    return f"In this case, perhaps by chance, right under {observed}; declared is {declared}."


def _is_right(asked: Exchange, profile: Profile, other: dict[str, str]) -> bool:
    """Whether the answers are right for the profile with these axes changed."""
    judged = Oracle(msgspec.structs.replace(profile, **other)).judge_exchange(asked)
    return judged.disagreement is None


def _others(profile: Profile) -> Iterator[dict[str, str]]:
    """What other legal profiles have different, those with the fewest differences first."""
    axes = {axis: values for axis, values in AXES.items() if getattr(profile, axis) in values}
    combined = (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))
    differences = [
        {axis: value for axis, value in one.items() if getattr(profile, axis) != value}
        for one in combined
    ]
    yield from sorted(filter(None, differences), key=len)
