"""The token: counted polls, one cancellation."""

import pytest

from allotment_impl.cancellation import AttemptCancelledError, CancellationToken


@pytest.mark.parametrize("cancel_at", [0, 1, 5])
def test_it_cancels_once_after_so_many_polls(cancel_at: int) -> None:
    token = CancellationToken(cancel_at)
    for _ in range(cancel_at):
        token.poll()
    with pytest.raises(AttemptCancelledError):
        token.poll()
    for _ in range(20):
        token.poll()
    assert cancel_at + 21 == token.polls


def test_it_cancels_at_the_next_poll_when_asked() -> None:
    token = CancellationToken()
    token.poll()
    token.cancel()
    with pytest.raises(AttemptCancelledError):
        token.poll()
    token.poll()


def test_a_point_beyond_all_polls_never_comes() -> None:
    token = CancellationToken(2**70)
    token.poll()
    assert 1 == token.polls


@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("cancel_at", range(9))
def test_several_polls_at_once_count_as_each_alone(cancel_at: int, times: int) -> None:
    token = CancellationToken(cancel_at)
    for _ in range(cancel_at // times):
        token.poll(times)
    with pytest.raises(AttemptCancelledError):
        token.poll(times)
    assert cancel_at + 1 == token.polls


def test_several_polls_meet_what_was_asked_meanwhile() -> None:
    token = CancellationToken()
    token.poll(3)
    token.cancel()
    with pytest.raises(AttemptCancelledError):
        token.poll(4)
    assert 4 == token.polls
