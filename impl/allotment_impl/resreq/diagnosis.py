"""What a person did who wrote a text that does not parse: from lark's report to an error.

The parser knows where it stopped and what could have stood there. The well-known traps are told
from the text around that position; what is none of them is reported as it is.
"""

import re
import unicodedata

from lark import UnexpectedInput

from allotment_impl.resreq.errors import (
    AlternativesWithoutBraces,
    EmptySection,
    EqualsAfterSection,
    Position,
    ResreqError,
    SectionOutsideBraces,
    SingleAmpersand,
    SingleEquals,
    SinglePipe,
    SubmitOption,
    UnclosedQuote,
    UnexpectedCharacter,
    UnexpectedText,
    UnfinishedText,
    UnknownSection,
    shortened,
)

_SECTIONS = ("select", "rusage", "span", "same", "order", "cu", "affinity")
_LAST_WORD = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)\s*$")
_OPENING = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)\s*\[")
_OPTION = re.compile(r"-{1,2}[A-Za-z]\w*(\s|$)")
_OPTION_BEFORE = re.compile(r"(?:^|[\s\]}])-{1,2}[A-Za-z]\w*\s+$")
_BRACES_BEFORE = re.compile(r"\}\s*(?:@\s*[0-9]+\s*)?$")

_WORDS = {
    "$END": "the end",
    "AND": "'&&'",
    "COLON": "':'",
    "COMMA": "','",
    "COMPARISON": "a comparison",
    "DEFINED_OPEN": "'defined('",
    "DELAY": "'@' and minutes",
    "DIVIDE": "'/'",
    "EQUAL": "'='",
    "EQUALITY": "a comparison",
    "KEPT": "a section",
    "LBRACE": "'{'",
    "LPAR": "'('",
    "MINUS": "'-'",
    "NAME": "a name",
    "NOT": "'!'",
    "NOTHING": "'-'",
    "NUMBER": "a number",
    "OR": "'||'",
    "PER": "'/task', '/host' or '/job'",
    "PLUS": "'+'",
    "QUOTED": "a quoted value",
    "RBRACE": "'}'",
    "RPAR": "')'",
    "RSQB": "']'",
    "RUSAGE_OPEN": "a section",
    "SELECT_OPEN": "a section",
    "SPAN_KEY": "hosts, ptile, stripe or block",
    "SPAN_OPEN": "a section",
    "SPAN_VALUE": "a value",
    "TERM_OPEN": "a count and '* {'",
    "TIMES": "'*'",
}
"""What a terminal of the grammar is called in a message."""


def explain(text: str, failure: UnexpectedInput) -> ResreqError:
    """The error that says best why a text did not parse."""
    offset = _offset(text, failure)
    before, rest = text[:offset], text[offset:]
    position = Position.at(text, offset)
    expected = _expected(failure)
    trap = _of_section(before, rest, position) or _of_sign(before, rest, position)
    if trap is not None:
        return trap
    if not rest.strip():
        return UnfinishedText("the text ends too early", position, expected)
    if not rest[0].isascii():
        name = unicodedata.name(rest[0], "no name")
        return UnexpectedCharacter(f"character U+{ord(rest[0]):04X}, {name}", position, expected)
    return UnexpectedText(f"{_excerpt(rest)!r} cannot stand here", position, expected)


def _offset(text: str, failure: UnexpectedInput) -> int:
    """Where the parser stopped; the end of the text has no position of its own."""
    offset = failure.pos_in_stream
    token = getattr(failure, "token", None)
    if offset is None or (token is not None and token.type == "$END"):
        return len(text.rstrip())
    return offset


def _expected(failure: UnexpectedInput) -> str | None:
    names = getattr(failure, "accepts", None) or getattr(failure, "allowed", None) or ()
    words = sorted({_WORDS.get(name, name) for name in names}, key=lambda word: (len(word), word))
    return " or ".join(words) or None


def _excerpt(rest: str) -> str:
    found = re.match(r"[A-Za-z0-9_.]+|&&|\|\||[=!<>]=|.", rest)
    return rest[:1] if found is None else shortened(found[0])


def _of_section(before: str, rest: str, position: Position) -> ResreqError | None:
    """The traps around the names and brackets of sections."""
    last = _LAST_WORD.search(before[-80:])
    word = None if last is None else last[1]
    if word in _SECTIONS and rest.startswith("="):
        return EqualsAfterSection(f"'=' behind {word}", position, "'['")
    if word is not None and rest.startswith("["):
        if word in _SECTIONS:
            return UnfinishedText(f"{word}[ is not closed, or holds a bracket", position, "']'")
        return UnknownSection(f"{word} is no section", position)
    opening = _OPENING.match(rest)
    if opening is not None:
        if opening[1] not in _SECTIONS:
            return UnknownSection(f"{opening[1]} is no section", position)
        if _BRACES_BEFORE.search(before[-80:]):
            return SectionOutsideBraces(f"{opening[1]}[ stands outside the braces", position)
    opened = before.rstrip()[-1:]
    if (opened, rest[:1]) in (("[", "]"), ("{", "}")):
        problem = "nothing stands between the brackets"
        return EmptySection(problem, position, "a number, text, name or '('")
    return None


def _of_sign(before: str, rest: str, position: Position) -> ResreqError | None:
    """The traps of single signs, quotes and options of the submitting command."""
    if _OPTION_BEFORE.search(before[-80:]) or (
        _OPTION.match(rest) and before.count("[") == before.count("]")
    ):
        return SubmitOption("an option of the submitting command", position)
    if rest.startswith("||") and before.rstrip()[-1:] in ("}", "]"):
        return AlternativesWithoutBraces("'||' behind what has no braces of its own", position)
    match rest[:1]:
        case "&" if not rest.startswith("&&"):
            return SingleAmpersand("a single '&'", position, "'&&'")
        case "|" if not rest.startswith("||"):
            return SinglePipe("a single '|'", position, "'||'")
        case "=" if not before.endswith("=") and _in_select(before):
            return SingleEquals("a single '=' in a condition", position, "'=='")
        case "'" | '"' if rest[0] not in rest[1:]:
            return UnclosedQuote("a quote that does not end", position)
    return None


def _in_select(before: str) -> bool:
    """Whether a position lies in a condition: a leading one, or one in brackets."""
    opened = before.rfind("[")
    if opened <= before.rfind("]"):
        return True
    return before[:opened].rstrip().endswith("select")
