"""Words of others show what is in them, and steer nothing."""

import pytest

from allotment_conformance.report.visible import visible


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("a line\n\tand another ✓", "a line\n\tand another ✓"),
        ("\x1b[31m\r\x07", "\\x1b[31m\\r\\x07"),
        ("\u202eback to front", "\\u202eback to front"),
        ("half \ud800, none \ufffe", "half \\ud800, none \\ufffe"),
    ],
    ids=["lines", "terminal", "direction", "half"],
)
def test_what_does_not_print_is_written_out(words: str, shown: str) -> None:
    assert shown == visible(words)
