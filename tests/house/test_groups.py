"""Tests that share what takes long to make are run by one worker."""

import pytest


@pytest.mark.xdist_group("house")
def test_group_reaches_the_scheduler(request: pytest.FixtureRequest) -> None:
    """It does so behind the test's name; where it is lost, every worker makes everything anew."""
    is_grouped = request.config.getoption("loadgroup", default=False)
    assert is_grouped == request.node.nodeid.endswith("@house")
