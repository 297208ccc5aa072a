"""JSON texts, read with a word of our own for numbers that Python does not read."""

import json
from collections.abc import Iterator
from typing import Any

MOST_DIGITS = 4300
"""What Python reads of an integer: more take a time that grows with the square of their number."""


class LongNumber(ValueError):
    """A text is JSON and holds an integer of very many digits; `value` is what it holds else."""

    def __init__(self, value: Any, digits: int, place: str) -> None:
        super().__init__(
            f"a number of {digits:,} digits, at most {MOST_DIGITS:,} are read - at `{place}`"
        )
        self.value = value


class _Digits:
    """Stands in a value where such a number was."""

    def __init__(self, count: int) -> None:
        self.count = count


def read_json(text: str | bytes) -> Any:
    """The value of a text. Raises `LongNumber`, other `ValueError`s, `RecursionError`."""
    try:
        return json.loads(text)
    except ValueError:
        # Read once more, for the place of a number that is too long: whatever else is wrong is so.
        value = json.loads(text, parse_int=_number)
        digits, place = next(_long(value, "$"))
        raise LongNumber(value, digits, place) from None


def _number(written: str) -> int | _Digits:
    count = len(written.lstrip("-"))
    return int(written) if count <= MOST_DIGITS else _Digits(count)


def _long(value: Any, place: str) -> Iterator[tuple[int, str]]:
    """How long the numbers are that are too long, and where."""
    if isinstance(value, _Digits):
        yield value.count, place
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _long(item, f"{place}.{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _long(item, f"{place}[{index}]")
