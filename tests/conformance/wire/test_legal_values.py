"""Who writes a value that is none of a few is told these."""

import pytest

from allotment_conformance.wire.messages import (
    Json,
    NotACase,
    NotAMessage,
    plain,
    read_case,
    read_profile,
)
from allotment_conformance.wire.profiles import MODEL_PROFILE


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"cache": "x"}, "`$.cache`; legal are 'literal', 'none', 'transparent'"),
        ({"declares": ["x"]}, "`$.declares[0]`; legal are 'cached', 'never', 'reason'"),
        ({"features": ["select", "x"]}, "`$.features[1]`; legal are 'alter', 'books', "),
        ({"cache": 3}, "Expected `str`, got `int` - at `$.cache`"),
    ],
)
def test_values_of_a_profile_are_listed(changed: Json, told: str) -> None:
    with pytest.raises(NotAMessage) as refused:
        read_profile({**plain(MODEL_PROFILE), **changed})
    assert told in str(refused.value)
    assert ("legal" in told) == ("legal" in str(refused.value))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"report": ["x"]}, "`$.report[0]`; legal are 'books', 'events'"),
        ({"events": [{"event": "x"}]}, "`$.events[0].event`; legal are 'begin_session', "),
        (
            {"cluster": {"hosts": [], "resources": {"attributes": {"a": "x"}}}},
            "`$.cluster.resources.attributes[...]`; legal are 'number', 'text'",
        ),
    ],
)
def test_values_of_a_case_are_listed(fields: Json, told: str) -> None:
    with pytest.raises(NotACase) as refused:
        read_case({"cluster": {"hosts": []}, "events": [], **fields})
    assert told in str(refused.value)
