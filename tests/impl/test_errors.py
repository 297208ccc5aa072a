"""Errors of this package can be pickled, so that a worker process tells them as they are."""

import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from allotment_impl import (
    AllotmentError,
    Cluster,
    ClusterFileError,
    Counts,
    Host,
    Job,
    MistypedError,
    Primary,
    RefusalCode,
    Refused,
    Scheduler,
    load_cluster,
)
from allotment_impl.resreq import Position, ResreqError, parse


def descendants(kind: type[AllotmentError]) -> Iterator[type[AllotmentError]]:
    """A class and all below it that are the package's own."""
    yield kind
    for inner in kind.__subclasses__():
        if inner.__module__.startswith("allotment_impl"):
            yield from descendants(inner)


ERRORS = sorted(set(descendants(AllotmentError)), key=lambda kind: kind.__name__)

ARGUMENTS: dict[str, Any] = {
    "code": RefusalCode.COUNTS,
    "detail": "alternative 1",
    "expected": "a number",
    "file": "cluster.toml",
    "line": 3,
    "place": "job.tasks",
    "position": Position(2, 5),
    "problem": "no text",
    "remedy": "write one",
    "value": (one for one in "a generator, which no process can send"),
}
"""A value for every parameter with which an error of the package is made."""


def sample(kind: type[AllotmentError]) -> AllotmentError:
    """An error of a class, made as the package makes it."""
    if kind.__init__ is Exception.__init__:
        return kind("some words")
    _, *names = inspect.signature(kind.__init__).parameters
    return kind(*[ARGUMENTS[name] for name in names])


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_an_error_comes_out_of_a_pickle_as_it_was(kind: type[AllotmentError]) -> None:
    error = sample(kind)
    found = pickle.loads(pickle.dumps(error))
    assert type(error) is type(found)
    assert (str(error), error.args, vars(error)) == (str(found), found.args, vars(found))


def test_all_errors_are_looked_at() -> None:
    assert {AllotmentError, ClusterFileError, MistypedError, Refused, ResreqError} < set(ERRORS)
    assert len(ERRORS) > 30


def finish_nothing() -> None:
    Scheduler(Cluster(hosts=(Host(name="A", capacity={"slots": 1}),))).finish("nobody")


def load_nothing() -> None:
    load_cluster("no such file.toml")


def submit_wrong() -> None:
    wrong: Any = (one for one in "a generator")
    request = ((Primary(tasks=Counts(min=1, max=wrong)),),)
    job = Job(name="j", user="u", queue="q", project="p", request=request)
    Scheduler(Cluster(hosts=())).submit(job)


def parse_wrong() -> None:
    parse("1*{")


CALLS: list[tuple[Callable[[], None], type[AllotmentError], str]] = [
    (finish_nothing, Refused, "unknown-name: there is no job 'nobody'"),
    (load_nothing, ClusterFileError, "no such file.toml"),
    (submit_wrong, MistypedError, "job.request[0][0].tasks.max takes an int, not <generator"),
    (parse_wrong, ResreqError, "line 1, column 4: the text ends too early"),
]


@pytest.mark.parametrize(("call", "kind", "words"), CALLS)
def test_what_is_raised_comes_out_of_a_pickle(
    call: Callable[[], None], kind: type[AllotmentError], words: str
) -> None:
    with pytest.raises(kind) as caught:
        call()
    found = pickle.loads(pickle.dumps(caught.value))
    assert type(caught.value) is type(found)
    assert str(found).startswith(words)
    assert (str(caught.value), vars(caught.value)) == (str(found), vars(found))
