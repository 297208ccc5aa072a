"""What is refused before parsing: texts that are too long, too deep, or no text at all.

A parser gets only what these guards have let through, so its time is bounded. The one pass over
brackets and quotes also finds the traps that the grammar would read as something else.
"""

import re

from allotment_impl.expressions import LEVELS_LARGEST
from allotment_impl.resreq.errors import (
    HyphenInBareValue,
    NestedTooDeep,
    NothingAsked,
    NotText,
    Position,
    PrintedNull,
    TextTooLong,
    shortened,
)

BYTES_LARGEST = 64 * 1024
"""The longest text; the longest in use have a few hundred characters."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MARKS = re.compile(
    r"""'[^']*'|"[^"]*"
      |(?P<open>[(\[{])
      |(?P<close>[)\]}])
      |(?P<hyphen>[=!]=\s*[A-Za-z_][A-Za-z0-9_.]*(?P<behind>-[A-Za-z0-9_][A-Za-z0-9_.-]*))
      |(?P<signs>(?:[!-]\s*)SIGNS)
    """.replace("SIGNS", f"{{{LEVELS_LARGEST}}}"),
    re.VERBOSE,
)
_NULL = re.compile(r"\(null\)")


def check_text(text: str) -> None:
    """Raise the ``ResreqError`` of a text that is not to be parsed."""
    if len(text) > BYTES_LARGEST:
        raise TextTooLong(f"a text of {len(text)} characters")
    if not text.isascii():
        _check_encoding(text)
    if not text or text.isspace():
        raise NothingAsked("the text is empty")
    if control := _CONTROL.search(text):
        offset = control.start()
        raise NotText(f"control character U+{ord(text[offset]):04X}", Position.at(text, offset))
    _check_marks(text)


def _check_encoding(text: str) -> None:
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise NotText(
            "half a character (a lone surrogate)", Position.at(text, error.start)
        ) from None
    if len(encoded) > BYTES_LARGEST:
        raise TextTooLong(f"a text of {len(encoded)} bytes")


def _check_marks(text: str) -> None:
    """Count the nesting, and find hyphens and nulls, outside quotes."""
    level = 0
    for mark in _MARKS.finditer(text):
        match mark.lastgroup:
            case "open":
                level += 1
                if level > LEVELS_LARGEST:
                    position = Position.at(text, mark.start())
                    raise NestedTooDeep(f"more than {LEVELS_LARGEST} brackets are open", position)
                if _NULL.match(text, mark.start()):
                    raise PrintedNull("(null) is no condition", Position.at(text, mark.start()))
            case "close":
                level -= 1
            case "hyphen":
                value = shortened(mark[0][2:].strip())
                position = Position.at(text, mark.start("behind"))
                raise HyphenInBareValue(f"{value!r} is a bare value with a hyphen", position)
            case "signs":
                position = Position.at(text, mark.start())
                raise NestedTooDeep(f"more than {LEVELS_LARGEST - 1} signs in a row", position)
            case _:
                pass
