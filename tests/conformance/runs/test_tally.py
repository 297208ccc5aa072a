"""Of many failures those are kept that tell a report all ways of failing."""

from collections.abc import Iterable

from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.runs.tally import (
    MOST_FAILING,
    MOST_SIGNATURES,
    Failure,
    Tally,
    foremost,
)
from allotment_conformance.verdict.disagreement import Kind


def failing(number: int, kind: str, actual: str = "") -> Failure:
    """A case that fails in that way."""
    signature = Signature(kind=kind, actual=actual)
    return Failure(origin=f"case {number}", case={}, answers=[], signature=signature)


def folded(failures: Iterable[Failure]) -> list[Failure]:
    """What is kept where each comes in a share of its own."""
    tally = Tally()
    for one in failures:
        tally.add(Tally(failures=[one]))
    return tally.failures


def test_first_of_a_signature_is_kept_behind_many_others() -> None:
    many = [failing(number, Kind.BOOKS) for number in range(3 * MOST_FAILING)]
    event = failing(99, Kind.EVENTS)
    for failures in ([*many, event], [event, *many]):
        kept = [*many[:MOST_FAILING], event]
        assert kept == foremost(failures) == folded(failures)
        assert tuple(many[:MOST_FAILING]) == Tally(failures=kept).seen.failures


def test_no_more_are_kept_than_a_report_tells() -> None:
    ways = [failing(number, Kind.CRASH, f"Error{number}") for number in range(3 * MOST_SIGNATURES)]
    assert ways[:MOST_SIGNATURES] == foremost(ways) == folded(ways)


def test_second_of_a_signature_takes_no_place_of_a_first() -> None:
    firsts = [failing(number, Kind.CRASH, f"Error{number}") for number in range(MOST_FAILING)]
    seconds = [failing(100 + number, Kind.CRASH, f"Error{number}") for number in range(3)]
    assert firsts == foremost([*firsts[:3], *seconds, *firsts[3:]])
