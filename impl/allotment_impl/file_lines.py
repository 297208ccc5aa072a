"""Where in a TOML or JSON file a value stands, for messages that name a line.

The readers of the standard library keep no lines. So a file that is found wrong after it was read
is walked a second time, just well enough to follow one path.
"""

import json
import re
from collections.abc import Sequence
from typing import TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the top of a file to a value."""

_TOML_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_TOML_KEY = re.compile(r"""^\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[=.]""")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def line_in_toml(text: str, path: Place) -> int | None:
    """The line of the nearest value on a path; None if not even its first key is found."""
    best: tuple[int, int] | None = None
    table: Place = ()
    counts: dict[Place, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _TOML_HEADER.match(line):
            table = _toml_table(header[1], header[2], counts)
            here = table
        elif key := _TOML_KEY.match(line):
            here = (*table, next(one for one in key.groups() if one is not None))
        else:
            continue
        depth = len(here)
        if here == path[:depth] and (best is None or depth > best[0]):
            best = (depth, number)
    return None if best is None else best[1]


def _toml_table(bracket: str, name: str, counts: dict[Place, int]) -> Place:
    """The path of a table that a header opens; arrays of tables are counted."""
    keys: Place = tuple(part.strip().strip("\"'") for part in name.split("."))
    for parent, count in counts.items():
        if keys[: len(parent)] == parent and keys != parent:
            keys = (*parent, count - 1, *keys[len(parent) :])
    if bracket == "[[":
        counts[keys] = counts.get(keys, 0) + 1
        return (*keys, counts[keys] - 1)
    return keys


def line_in_json(text: str, path: Place) -> int | None:
    """The line of the nearest value on a path."""
    best: tuple[int, int] | None = None
    here: list[str | int | None] = []
    key: str | None = None
    for token in _JSON_TOKEN.finditer(text):
        word = token[0]
        match word:
            case "{":
                here.append(None)
            case "[":
                here.append(0)
            case "}" | "]":
                here = here[:-1]
            case ",":
                here[-1:] = [_after(one) for one in here[-1:]]
            case ":" if here:
                here[-1] = key
            case _:
                key = word.strip('"')
        depth = len(here)
        if word in ":[" and _leads(here, path) and (best is None or depth > best[0]):
            best = (depth, _line_at(text, token))
        elif word == "," and _leads(here, path) and isinstance(here[-1], int):
            best = (depth, text.count("\n", 0, _next_token(text, token.end())) + 1)
    return None if best is None else best[1]


def line_of_word(text: str, word: str) -> int:
    """The line of the first such word in JSON, outside all strings."""
    found = next(token for token in _JSON_TOKEN.finditer(text) if token[0] == word)
    return _line_at(text, found)


def line_of_second(text: str, key: str) -> int | None:
    """The line of the first key of that name in JSON which its object has before."""
    has_key = [False]
    before: re.Match[str] | None = None
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in "{[":
            has_key.append(False)
        elif token[0] in "}]":
            has_key.pop()
        elif token[0] == ":" and before is not None and json.loads(before[0]) == key:
            if has_key[-1]:
                return _line_at(text, before)
            has_key[-1] = True
        before = token
    return None


def _line_at(text: str, token: re.Match[str]) -> int:
    return text.count("\n", 0, token.start()) + 1


def _after(place: str | int | None) -> int | None:
    """The place behind a comma: the next index of a list, no key yet of an object."""
    return place + 1 if isinstance(place, int) else None


def _next_token(text: str, start: int) -> int:
    found = _JSON_TOKEN.search(text, start)
    return start if found is None else found.start()


def _leads(here: Sequence[str | int | None], path: Place) -> bool:
    return bool(here) and tuple(here) == path[: len(here)]
