"""`assert_conforms`: an allocator in a test of its own, in one line."""

from collections.abc import Callable
from itertools import chain

from allotment_conformance.engines.all_directed import ALL_DIRECTED
from allotment_conformance.runs.canary import flags_of_verify, what_is_broken
from allotment_conformance.runs.families import drawn_questions
from allotment_conformance.runs.subject import AdapterSubject
from allotment_conformance.runs.work import Share, questions
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.guarded import Guarded


def assert_conforms(factory: Callable[[], Adapter], *, cases: int = 1_000, seed: int = 1) -> None:
    """Fail unless an allocator answers as the specification says, in this process.

    `factory` makes an adapter: `start` gives the profile of SPEC.md 2.4, `run` answers a case,
    `close` ends it. It is asked all directed cases within its profile, then so many `cases` drawn
    from the seed. Raises `AssertionError` with the smallest counterexample that was found, in
    words, or if the kit itself is broken; `KitError` if the profile is not legal. Which clauses the
    cases exercise is what `allotment verify` tells, and this does not. An adapter that hangs, hangs
    the test.
    """
    name = getattr(factory, "__qualname__", repr(factory))
    subject = AdapterSubject(lambda: Guarded(factory(), name))
    try:
        broken = what_is_broken(subject.profile, flags_of_verify)
        if broken is not None:
            raise AssertionError(f"the kit is broken: {broken}")
        directed = questions(Share(directed=True, start=0, stop=len(ALL_DIRECTED)), subject.profile)
        drawn = drawn_questions(cases, seed, subject.profile)
        fault = subject.fault(chain(directed, drawn))
    finally:
        subject.close()
    if fault is not None:
        raise AssertionError(f"{name} does not conform.\n{fault}")
