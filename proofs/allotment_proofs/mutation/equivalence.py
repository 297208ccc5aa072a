"""Whether a changed function computes the same as before, on everything that is small.

A leaf is run on every argument of a small box. The boxes hold what the rules may be asked, so that
a change which differs only beyond, as for a negative amount, counts as equivalent. Any other
function is changed in the model, and every case of the slices is run: no answer and no state on the
way may differ. Either is an exhaustive check of what is small, and no proof for all.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from types import FunctionType
from typing import Any

from allotment_model import arithmetic
from allotment_model.answers import Answer
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.state import State, initial
from allotment_proofs.necessity.slices import SLICES, World

Arguments = tuple[Any, ...]

AMOUNTS = range(7)
COUNTS = range(1, 8)
FLAGS = (False, True)


def _splits() -> Iterator[Arguments]:
    return (
        (tasks, hosts, index)
        for tasks in range(1, 13)
        for hosts in range(1, tasks + 1)
        for index in range(hosts)
    )


def _tiles() -> Iterator[Arguments]:
    return (
        (tasks, ptile, index)
        for tasks, ptile in product(range(1, 13), repeat=2)
        for index in range(arithmetic.ptile_hosts(tasks, ptile))
    )


BOXES: Mapping[str, Callable[[], Iterator[Arguments]]] = {
    "bucket_size": _splits,
    "ptile_hosts": lambda: product(range(1, 13), repeat=2),
    "ptile_bucket_size": _tiles,
    "is_admitted": lambda: product(range(1, 6), repeat=5),
    "may_hold": lambda: product(COUNTS, AMOUNTS),
    "want": lambda: product(AMOUNTS, AMOUNTS, COUNTS),
    "shared_want": lambda: product(AMOUNTS, AMOUNTS, COUNTS),
    "add_entry": lambda: product(AMOUNTS, AMOUNTS),
    "free": lambda: product(AMOUNTS, AMOUNTS),
    "fits": lambda: product(COUNTS, AMOUNTS),
    "used_seen": lambda: product(AMOUNTS, AMOUNTS),
    "debit": lambda: product(AMOUNTS, AMOUNTS),
    "reverse": lambda: product(AMOUNTS, AMOUNTS, FLAGS),
    "credit": lambda: product(AMOUNTS, AMOUNTS),
    "limit_use_at_begin": lambda: product(AMOUNTS, AMOUNTS),
    "may_fill": lambda: product(AMOUNTS),
    "is_whole": lambda: ((placed, parts) for parts in COUNTS for placed in range(parts + 1)),
    "settle": lambda: product(AMOUNTS, AMOUNTS, FLAGS),
    "queue_order": lambda: product(range(-3, 4), COUNTS),
}
"""For each leaf the arguments that are tried. `fits` is asked for positive wants only: that no
other is ever asked is the theorem *Every want that is asked is positive*."""


def changed(function: FunctionType, source: str) -> FunctionType:
    """The function as another source has it."""
    names = dict(function.__globals__)
    exec(compile(source, function.__code__.co_filename, "exec"), names)
    made = names[function.__name__]
    assert isinstance(made, FunctionType)
    return made


def difference(function: FunctionType, other: FunctionType) -> str:
    """The first arguments for which two leaves differ, in words; nothing if there are none."""
    for arguments in BOXES[function.__name__]():
        one, another = _answer(function, arguments), _answer(other, arguments)
        if (type(one), one) != (type(another), another):
            return f"{function.__name__}{arguments} is {one}, and then {another}"
    return ""


def box_size(function: FunctionType) -> int:
    """How many arguments are tried."""
    return sum(1 for _ in BOXES[function.__name__]())


def _answer(function: FunctionType, arguments: Arguments) -> object:
    try:
        return function(*arguments)
    except (ArithmeticError, TypeError, ValueError) as stopped:
        return type(stopped).__name__


Course = list[tuple[State, Answer] | str]
"""The state and the answer after each event; the name of the error, as the last, if it crashes."""


def course_of(world: World) -> Course:
    """What the specification does in a case."""
    state, course = initial(world.cluster), Course()
    for event in world.events:
        try:
            state, answer = step(state, event, SPEC)
        except Exception as error:
            return [*course, type(error).__name__]
        course.append((state, answer))
    return course


@cache
def courses() -> tuple[tuple[str, World, Course], ...]:
    """Every case of every slice, and what the specification does there."""
    return tuple(
        (piece.name, world, course_of(world)) for piece in SLICES for world in piece.worlds()
    )


def difference_in_cases(function: FunctionType, other: FunctionType) -> str:
    """The first case that runs otherwise when the other stands for a function of the model."""
    expected, before = courses(), function.__code__
    function.__code__ = other.__code__
    try:
        for name, world, course in expected:
            if course_of(world) != course:
                events = ", ".join(type(event).__name__ for event in world.events)
                return f"a case of '{name}' with the events {events}"
    finally:
        function.__code__ = before
    return ""
