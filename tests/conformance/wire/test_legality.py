"""A profile is legal if each value is one of SPEC.md 2.4 and all of them fit together."""

import msgspec
import pytest

from allotment_conformance.wire.legality import IllegalProfile, legal_profile, with_features
from allotment_conformance.wire.messages import Json, plain
from allotment_conformance.wire.profiles import MODEL_PROFILE

LEGAL = plain(MODEL_PROFILE)
LARGEST: Json = LEGAL["largest"]


def test_profile_of_the_model_is_legal() -> None:
    assert MODEL_PROFILE == legal_profile(LEGAL)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"host_order": "random"}, r"Invalid enum value 'random' - at `\$\.host_order`"),
        ({"features": ["wings"]}, "wings"),
        ({"declares": ["reason", "reason"]}, "`declares` has 'reason' 2 times"),
        ({"features": ["alter", "alter"]}, "`features` has 'alter' 2 times"),
        ({"features": ["shared"]}, "'shared' cannot be asked for without 'rusage'"),
        ({"largest": {**LARGEST, "tasks": 0}}, r">= 1 - at `\$\.largest\.tasks`"),
        ({"largest": {**LARGEST, "tasks": 2**21}}, "<= 1048576"),
        ({"largest": {**LARGEST, "hosts": 0}}, r">= 1 - at `\$\.largest\.hosts`"),
        ({"largest": {**LARGEST, "hosts": -1}}, r">= 1 - at `\$\.largest\.hosts`"),
        ({"largest": {**LARGEST, "amount": 0}}, r">= 1 - at `\$\.largest\.amount`"),
        ({"name": ""}, "`name` is empty"),
    ],
)
def test_illegal_profile_is_refused_with_what_is_wrong(fields: Json, complaint: str) -> None:
    with pytest.raises(IllegalProfile, match=complaint):
        legal_profile({**LEGAL, **fields})


def test_all_complaints_come_at_once() -> None:
    with pytest.raises(IllegalProfile, match=r"'shared'.*`name`|`name`.*'shared'"):
        legal_profile({**LEGAL, "features": ["shared"], "name": ""})


@pytest.mark.parametrize(
    ("names", "features"),
    [
        (None, MODEL_PROFILE.features),
        ("", ()),
        ("rusage,", ("rusage",)),
        ("alter,cancel", ("alter", "cancel")),
    ],
)
def test_features_are_those_that_are_named(names: str | None, features: tuple[str, ...]) -> None:
    narrowed = with_features(MODEL_PROFILE, names)
    assert features == narrowed.features
    assert MODEL_PROFILE == msgspec.structs.replace(narrowed, features=MODEL_PROFILE.features)


def test_features_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(IllegalProfile, match="'shared' cannot be asked for without 'rusage'"):
        with_features(MODEL_PROFILE, "shared")
