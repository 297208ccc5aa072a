"""Which protocol events count as equal (SPEC.md 2.2)."""

from typing import Any

from allotment_conformance.verdict import normal


def events(*notes: list[Any], hosts: int = 2, reasons: bool = True) -> list[list[Any]]:
    return normal.events(list(notes), hosts, reasons=reasons)


def test_neighbouring_reversals_have_no_order() -> None:
    first: list[Any] = ["reversed", "A", 1]
    second: list[Any] = ["reversed", "B", 1]
    assert events(first, second) == events(second, first)
    between: list[Any] = ["plan", [1]]
    assert events(first, between, second) != events(second, between, first)


def test_plans_of_too_many_buckets_are_left_out() -> None:
    wide: list[list[Any]] = [
        ["plan", [1, 1, 1]],
        ["offered", "A"],
        ["claimed", "A", 1],
        ["reversed", "A", 1],
    ]
    assert [["filled", "capacity"]] == events(*wide, ["filled", "capacity"])
    assert wide == events(*wide, hosts=3)


def test_reversal_of_an_earlier_part_is_kept() -> None:
    wide: list[list[Any]] = [["plan", [1, 1, 1]], ["claimed", "A", 1], ["reversed", "A", 1]]
    assert [["reversed", "A", 1]] == events(*wide, ["reversed", "A", 1])
    assert [["reversed", "B", 1]] == events(*wide, ["reversed", "B", 1])


def test_reasons_that_are_not_declared_are_left_out() -> None:
    assert [["hit"], ["filled"]] == events(["hit", "x"], ["filled", "y"], reasons=False)
