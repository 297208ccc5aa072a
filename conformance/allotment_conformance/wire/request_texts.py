"""Requests as texts: the kit's own printer for the language of docs/resreq.md. It has no parser.

In the kit a request is always a tree, and a job with `text: n` says that its tree is sent as a text
in style n, to an allocator that declares the feature `text`. Styles write one tree in different
words: with more brackets than needed, other quotes, units, separators, blanks, orders of sections.
Any of them means the tree; a text that is read as another request shows as another answer. A tree
for which the language has no text is sent as it is.

Two trees stand for texts that are no wording of a tree. `on_every_host` is written with the word
`any`, and `UNREADABLE`, which is refused with `syntax`, as a text that is refused so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag, auto
from typing import Any

from allotment_conformance.wire.messages import Json

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
MODIFIERS = ("duration", "decay")
ANY = ("type", "model")
"""Attributes that may be compared with the bare word `any`."""

UNUSED = "same[model] order[-slots:ut]"
DURATION = "duration=5m:decay=1"
DELAY = "@10"
"""What the language keeps and does not use."""

DEEPEST = 40
"""Levels of a select that are written: with brackets around each, still within the language."""

PRECEDENCE = {
    operator: level
    for level, operators in enumerate(
        (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/"))
    )
    for operator in operators
}
"""How tightly an operator binds, by docs/resreq.md: the higher, the tighter."""

UNARY = {"!": "!", "neg": "-"}
TIGHTEST = 1 + max(PRECEDENCE.values())
THOUSANDTHS_OF_G = 1024 * 1000
K_IN_THOUSANDTHS = (125, 128)
"""An amount of 125 thousandths is 128 K, since 1024 K are 1."""


class Style(IntFlag):
    """Choices of wording that change no meaning; a style is any sum of them."""

    BRACKETS = auto()
    DOUBLE_QUOTES = auto()
    UNITS = auto()
    COMMAS = auto()
    SECTIONS_REVERSED = auto()
    TIGHT = auto()
    BARE_SELECT = auto()
    BRACES = auto()
    UNUSED_SECTIONS = auto()
    DURATIONS = auto()
    DELAYS = auto()


STYLES = 2 ** len(Style)
"""How many styles there are: 0 up to but not including this."""


def on_every_host(attribute: str) -> Json:
    """A select that every host passes, whether it has the attribute or not: `type == any`."""
    has = {"defined": attribute}
    return {"op": "||", "args": [{"op": "!", "args": [has]}, has]}


def _too_deep() -> Json:
    select: Json = {"number": 0}
    for _ in range(100):
        select = {"op": "!", "args": [select]}
    return select


UNREADABLE: Json = {"tasks": {"min": 1, "max": 1}, "select": _too_deep()}
"""A primary that is right but for the depth of its select, for which it is refused."""

NO_REQUESTS: Mapping[str, str] = {
    "nothing": "",
    "alternative-missing": "{-} ||",
    "brace-left-open": "2*{-",
    "braces-around-nothing": "{}",
    "bracket-left-open": "select[(1 < 2]",
    "section-left-open": "rusage[mem=1",
    "quote-left-open": "select['a == 1]",
    "bracket-too-many": "select[1 < 2)]",
    "operand-missing": "select[1 +]",
    "single-equals": "select[1 = 1]",
    "single-ampersand": "select[1 & 1]",
    "empty-select": "select[]",
    "select-twice": "select[1] select[1]",
    "sum-of-selects": "select[1] + select[1]",
    "section-behind-braces": "1*{-} + 1*{-} rusage[mem=1]",
    "unknown-section": "usage[mem=1]",
    "equals-behind-rusage": "rusage=[mem=1]",
    "empty-rusage": "rusage[]",
    "amount-missing": "rusage[mem]",
    "amount-below-zero": "rusage[mem=-1]",
    "amount-with-four-digits": "rusage[mem=0.0001]",
    "amount-with-exponent": "rusage[mem=1e3]",
    "unit-in-small-letters": "rusage[mem=1gb]",
    "amount-for-a-node": "rusage[mem=1/node]",
    "duration-twice": "rusage[mem=1:duration=5:duration=6]",
    "span-of-two-hosts": "span[hosts=2]",
    "ptile-without-number": "span[ptile]",
    "ptile-below-zero": "span[ptile=-1]",
    "part-of-a-task": "1.5*{-}",
    "delay-missing": "{-}@",
    "option-before-it": "-q night select[1]",
}
"""Texts that docs/resreq.md refuses, whatever a cluster declares, by what is wrong with them."""


class _NoText(Exception):
    """The language has no text that means this."""


def with_texts(case: Json) -> Json:
    """The case as it is sent: a job with `text` has its request as a text, if it has one."""
    if not any("text" in event.get("job", ()) for event in case["events"]):
        return case
    return {**case, "events": [*map(_sent, case["events"])]}


def _sent(event: Json) -> Json:
    job = event.get("job")
    if not isinstance(job, dict) or "text" not in job:
        return event
    sent = {name: value for name, value in job.items() if name != "text"}
    text = text_of(job["request"], job["text"])
    return {**event, "job": sent if text is None else {**sent, "request": text}}


def text_of(request: list[list[Json]], style: int = 0) -> str | None:
    """A text that means the request, in that style; None if there is none."""
    if request == [[UNREADABLE]]:
        return [*NO_REQUESTS.values()][style % len(NO_REQUESTS)]
    try:
        return _Printer(Style(style % STYLES)).request(request)
    except _NoText:
        return None


@dataclass(frozen=True, slots=True)
class _Printer:
    """Writes requests in one style. Raises `_NoText`."""

    style: Style

    def request(self, request: list[list[Json]]) -> str:
        """Alternatives; the braces around a single one may be left out."""
        alternatives = [*map(self._alternative, request)]
        if not alternatives:
            raise _NoText
        if len(alternatives) == 1 and Style.BRACES not in self.style:
            [only] = alternatives
            return "{-}" if only == "-" else only
        delay = DELAY if Style.DELAYS in self.style else ""
        return self._joined("||", [f"{{{one}}}{delay}" for one in alternatives])

    def _alternative(self, parts: list[Json]) -> str:
        if not parts:
            raise _NoText
        if len(parts) == 1 and "tasks" not in parts[0]:
            return self._sections(parts[0])
        *others, last = parts
        if any("tasks" not in part for part in others):
            raise _NoText
        return self._joined("+", [*map(self._part, others), self._part(last)])

    def _part(self, part: Json) -> str:
        counts = part.get("tasks")
        body = f"{{{self._sections(part)}}}"
        if counts is None:
            return body
        if counts["min"] != counts["max"] or counts["max"] < 0:
            raise _NoText
        return f"{counts['max']}*{body}"

    def _sections(self, primary: Json) -> str:
        """The sections of a primary; `-` if it has none."""
        select, bare = "", False
        if "select" in primary:
            bare = Style.BARE_SELECT in self.style and Style.SECTIONS_REVERSED not in self.style
            select = self._expression(primary["select"], 0, DEEPEST)
        sections = [
            select if bare or not select else f"select[{select}]",
            self._rusage(primary.get("rusage", [])),
            self._span(primary.get("span", {})),
            UNUSED if Style.UNUSED_SECTIONS in self.style else "",
        ]
        if Style.SECTIONS_REVERSED in self.style:
            sections.reverse()
        return " ".join(filter(None, sections)) or "-"

    def _rusage(self, entries: list[Json]) -> str:
        if not entries:
            return ""
        items = (", " if Style.COMMAS in self.style else ":").join(map(self._item, entries))
        duration = f":{DURATION}" if Style.DURATIONS in self.style else ""
        return f"rusage[{items}{duration}]"

    def _item(self, entry: Json) -> str:
        resource = _name(entry["resource"])
        if resource in MODIFIERS:
            raise _NoText
        per = f"/{entry['per']}" if "per" in entry else ""
        return f"{resource}={self._amount(entry['amount'])}{per}"

    def _amount(self, thousandths: int) -> str:
        """The amount, or with a unit where that is exact."""
        if Style.UNITS not in self.style or not thousandths:
            return _decimal(thousandths)
        if thousandths % THOUSANDTHS_OF_G == 0:
            return f"{thousandths // THOUSANDTHS_OF_G}G"
        eighth, kilo = K_IN_THOUSANDTHS
        if thousandths % eighth == 0:
            return f"{thousandths // eighth * kilo}K"
        return f"{_decimal(thousandths)}MB"

    def _span(self, span: Json) -> str:
        match span:
            case {**rest} if not rest:
                return ""
            case {"hosts_max": 1, **rest} if not rest:
                return "span[hosts=1]"
            case {"ptile": int(tasks), **rest} if not rest and tasks >= 0:
                return f"span[ptile={tasks}]"
            case {"tasks_per_host": int(tasks), **rest} if not rest and tasks >= 0:
                return f"span[stripe={tasks}]"
            case _:
                raise _NoText

    def _expression(self, tree: Json, around: int, levels: int) -> str:
        """An expression inside one that binds so tightly, of at most so many levels."""
        if not levels:
            raise _NoText
        match tree:
            case {"number": int(number)}:
                return _decimal(number)
            case {"text": str(text)}:
                return self._quoted(text)
            case {"attribute": name}:
                return _name(name)
            case {"defined": name}:
                return f"defined({_name(name)})"
            case {"op": "||", "args": [_, {"defined": name}]} if (
                name in ANY and tree == on_every_host(name)
            ):
                return self._bracketed(f"{name} == any", needed=PRECEDENCE["=="] < around)
            case {"op": operator, "args": [operand]}:
                inner = self._expression(operand, TIGHTEST, levels - 1)
                return self._bracketed(f"{UNARY[operator]}{inner}", needed=False)
            case {"op": operator, "args": [left, right]}:
                return self._binary(operator, (left, right), around, levels - 1)
            case _:
                raise _NoText

    def _binary(self, operator: str, operands: tuple[Json, Json], around: int, levels: int) -> str:
        """Operators of one level associate to the left, so the right side has to bind tighter."""
        if operator in ("==", "!=") and all("attribute" in one for one in operands):
            raise _NoText  # One of two names beside each other may be read as a text.
        own = PRECEDENCE[operator]
        left = self._expression(operands[0], own, levels)
        right = self._expression(operands[1], own + 1, levels)
        # A hyphen that is glued to a name is refused, so a minus always has blanks around it.
        tight = Style.TIGHT in self.style and operator != "-"
        text = f"{left}{operator}{right}" if tight else f"{left} {operator} {right}"
        return self._bracketed(text, needed=own < around)

    def _bracketed(self, text: str, *, needed: bool) -> str:
        return f"({text})" if needed or Style.BRACKETS in self.style else text

    def _quoted(self, text: str) -> str:
        """The text in quotes that it does not hold itself."""
        first, second = "\"'" if Style.DOUBLE_QUOTES in self.style else "'\""
        quote = second if first in text else first
        if not text or quote in text or not text.isprintable():
            raise _NoText
        return f"{quote}{text}{quote}"

    def _joined(self, sign: str, items: list[str]) -> str:
        return (sign if Style.TIGHT in self.style else f" {sign} ").join(items)


def _name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise _NoText
    return name


def _decimal(thousandths: int) -> str:
    """The shortest decimal; the language has no number below zero, only a minus before one."""
    if thousandths < 0:
        raise _NoText
    whole, rest = divmod(thousandths, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)


def worded(job: Json, style: int) -> Json:
    """The nearest job whose request has a text, to be sent as one.

    Counts are exact, a span has one bound that the language knows, and a number below zero becomes
    a minus before a number.
    """
    made = {**job, "text": style}
    made["request"] = [[*map(_worded_primary, parts)] for parts in job["request"]]
    if "tasks" in job:
        made["tasks"] = _exact(job["tasks"])
    return made


def _worded_primary(primary: Json) -> Json:
    made = dict(primary)
    if "tasks" in primary:
        made["tasks"] = _exact(primary["tasks"])
    if "span" in primary:
        made["span"] = _worded_span(primary["span"])
    if "select" in primary:
        made["select"] = _worded_select(primary["select"])
    return made


def _worded_span(span: Json) -> Json:
    """The first bound of a span that has a text, by itself."""
    for name, bound in span.items():
        if name in ("ptile", "tasks_per_host"):
            return {name: bound}
        if name == "hosts_max":
            return {name: 1}
    return {}


def _worded_select(tree: Any) -> Any:
    match tree:
        case {"number": int(number)} if number < 0:
            return {"op": "neg", "args": [{"number": -number}]}
        case {"op": operator, "args": operands}:
            return {"op": operator, "args": [*map(_worded_select, operands)]}
        case _:
            return tree


def _exact(counts: Json) -> Json:
    return {"min": counts["max"], "max": counts["max"]}
