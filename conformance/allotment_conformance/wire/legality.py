"""Whether what an implementation declares is a profile of SPEC.md 2.4, and fits together."""

from collections import Counter
from collections.abc import Iterator

from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Json, NotAMessage, Profile, plain, read_profile

NEEDED_BY = {"shared": "rusage"}
"""Features that can be asked for only with another one: a pool is asked for in a rusage."""


class IllegalProfile(KitError):
    """What is declared is not a profile of SPEC.md 2.4, or contradicts itself."""

    code = "illegal-profile"


def legal_profile(declared: Json) -> Profile:
    """The profile that was declared. Raises `IllegalProfile` with all that is wrong with it."""
    try:
        profile = read_profile(declared)
    except NotAMessage as wrong:
        raise IllegalProfile(str(wrong), remedy=wrong.remedy) from wrong
    wrong_with_it = list(complaints(profile))
    if wrong_with_it:
        raise IllegalProfile(
            f"not a legal profile: {'; '.join(wrong_with_it)}",
            remedy="SPEC.md 2.4 says what may be declared.",
        )
    return profile


def with_features(profile: Profile, names: str | None) -> Profile:
    """The same profile, but only those features that are named, separated by commas.

    None leaves all of them. Raises `IllegalProfile`.
    """
    if names is None:
        return profile
    named = [name for name in names.split(",") if name]
    return legal_profile({**plain(profile), "features": named})


def complaints(profile: Profile) -> Iterator[str]:
    """What contradicts itself, as a sentence each."""
    if not profile.name:
        yield "`name` is empty"
    for field, words in (("features", profile.features), ("declares", profile.declares)):
        for word, times in Counter(words).items():
            if times > 1:
                yield f"`{field}` has '{word}' {times} times"
    for feature, needed in NEEDED_BY.items():
        if feature in profile.features and needed not in profile.features:
            yield f"feature '{feature}' cannot be asked for without '{needed}'"
