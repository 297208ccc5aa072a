"""Refusals of the kit: each says what to do, and crosses from one process to another."""

import pickle

import pytest

from allotment_conformance.commands.files import CannotRead
from allotment_conformance.errors import KitError
from allotment_conformance.wire.failure import AdapterFailed, Ending, Failure
from allotment_conformance.wire.messages import NotACase

FAILURE = Failure(ending=Ending.CRASH, words="it ended with status 3", stderr="oops")


@pytest.mark.parametrize(
    "refusal",
    [
        CannotRead("no file", remedy="Name one."),
        NotACase("no case", remedy="Give one."),
        AdapterFailed(FAILURE),
    ],
    ids=lambda one: type(one).__name__,
)
def test_refusal_is_the_same_in_another_process(refusal: KitError) -> None:
    arrived = pickle.loads(pickle.dumps(refusal))
    assert type(refusal) is type(arrived)
    assert (str(refusal), refusal.__dict__) == (str(arrived), arrived.__dict__)
