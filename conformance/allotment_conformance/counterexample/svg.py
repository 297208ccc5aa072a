"""The drawing of a counterexample as SVG, with the contradiction above it.

Letters stand for jobs, as in the drawing for a terminal. Where things go is worked out here, in
characters of one width, so that nothing runs over anything else or out of the picture.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from unicodedata import combining, east_asian_width

from jinja2 import Environment, PackageLoader, StrictUndefined

from allotment_conformance.counterexample.drawing import (
    MOST_SLOTS,
    Cell,
    Row,
    Side,
    letters_of,
    sides,
)
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.counterexample.words import name as name_in_words
from allotment_conformance.verdict.disagreement import Disagreement

COLUMN, SLOT, LINE = 8, 24, 20
"""Pixels: of a character, which is a little less wide, of the box of a slot, and of a line."""

MARGIN, LEFT, WIDTH = 8, 192, 760
"""Pixels: where texts begin, where slots begin, how wide the picture is."""

MOST_LINES = 4
"""Lines of slots of one host; what does not fit there is counted."""

MOST_OF_TEXT, MOST_OF_NAME = 900, 40
"""Characters that a person still reads; the title of the picture has the whole sentence."""

KEY = {"free": "free", "held": "held before", "claimed": "claimed", "too much": "not there"}
"""What the colour of a box says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A line of text that begins there."""

    x: int
    y: int
    words: str
    bold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One slot or several, what is written in it, and what it is in full."""

    x: int
    y: int
    width: int
    kind: str
    label: str
    about: str


@dataclass(slots=True, kw_only=True)
class Page:
    """What has been put on the picture, down to `y`."""

    y: int = MARGIN
    texts: list[Text] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)

    def say(self, words: str, *, bold: bool = False) -> None:
        """Lines of text, as many as it takes."""
        for line in wrapped(words, (WIDTH - 2 * MARGIN) // COLUMN):
            self.texts.append(Text(x=MARGIN, y=self.y, words=line, bold=bold))
            self.y += LINE

    def side(self, side: Side, letters: Mapping[str, str]) -> None:
        """What one side says."""
        self.y += LINE // 2
        self.say(side.title, bold=True)
        for row in side.rows:
            self.row(row, letters)
        if side.left_out:
            self.say(f"and {side.left_out:,} more hosts")

    def row(self, row: Row, letters: Mapping[str, str]) -> None:
        """A host, and its slots on as many lines as it takes."""
        closed = " (closed)" if row.closed else ""
        host = fitted(name_in_words(row.host), (LEFT - 3 * MARGIN) // COLUMN - len(closed))
        self.texts.append(Text(x=2 * MARGIN, y=self.y, words=host + closed))
        x, last = LEFT, self.y + (MOST_LINES - 1) * LINE
        boxes = list(_boxes(row, letters))
        for number, (width, kind, label, about) in enumerate(boxes):
            if x + width > WIDTH - MARGIN:
                x, self.y = LEFT, self.y + LINE
            if self.y > last:
                more = f"and {len(boxes) - number:,} more boxes"
                self.texts.append(Text(x=LEFT, y=self.y, words=more))
                break
            self.boxes.append(Box(x=x, y=self.y, width=width, kind=kind, label=label, about=about))
            x += width
        if not boxes:
            self.texts.append(Text(x=LEFT, y=self.y, words="no slots"))
        self.y += LINE

    def key(self) -> None:
        """What the colours mean."""
        self.y += LINE // 2
        x = MARGIN
        for kind, words in KEY.items():
            self.boxes.append(Box(x=x, y=self.y, width=SLOT, kind=kind, label="", about=words))
            self.texts.append(Text(x=x + SLOT + MARGIN, y=self.y, words=words))
            x += SLOT + (len(words) + 4) * COLUMN
        self.y += LINE + MARGIN


def _boxes(row: Row, letters: Mapping[str, str]) -> Iterator[tuple[int, str, str, str]]:
    """The boxes of a host: how wide, of what kind, what is written there, what it is in full."""
    for cell in row.cells:
        about, letter = cell.kind, ""
        if cell.job is not None:
            about, letter = f"{cell.kind}, job {name_in_words(cell.job)}", letters[cell.job]
        if cell.slots <= MOST_SLOTS:
            yield from [(SLOT, cell.kind, letter, about)] * cell.slots
        else:
            label = _counted(cell, letter)
            yield (len(label) + 1) * COLUMN, cell.kind, label, about


def _counted(cell: Cell, letter: str) -> str:
    return f"{letter} × {cell.slots:,}" if letter else f"{cell.slots:,} {cell.kind}"


def columns(text: str) -> int:
    """How many characters of one width a text takes; some scripts take two for each sign."""
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )


def fitted(text: str, most: int) -> str:
    """The text, or as much of its beginning as fits."""
    head = beginning(text, most)
    return text if head == text else beginning(text, most - 1) + "…"


def beginning(text: str, most: int) -> str:
    """As much of the text as takes so many columns."""
    taken = 0
    for number, sign in enumerate(text):
        taken += columns(sign)
        if taken > most:
            return text[:number]
    return text


def wrapped(text: str, most: int) -> list[str]:
    """The text in lines that fit; a word that does not is broken."""
    lines = [""]
    for word in text.split():
        if lines[-1] and columns(lines[-1]) + 1 + columns(word) > most:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
        while columns(lines[-1]) > most:
            begun = beginning(lines[-1], most)
            lines[-1:] = [begun, lines[-1][len(begun) :]]
    return lines


def page_of(found: Disagreement, sentence: str) -> Page:
    """All that is drawn of a counterexample."""
    page, drawn = Page(), sides(found)
    letters = letters_of(drawn)
    page.say(fitted(legible(sentence), MOST_OF_TEXT))
    page.say(fitted("; ".join(_named(drawn, letters)), MOST_OF_TEXT))
    for side in drawn:
        page.side(side, letters)
    page.key()
    return page


def _named(drawn: Iterable[Side], letters: Mapping[str, str]) -> list[str]:
    """What each letter stands for; jobs that claim slots come before those that had theirs."""
    cells = [cell for side in drawn for row in side.rows for cell in row.cells]
    claiming = {cell.job for cell in cells if cell.kind != "held"}
    jobs = sorted(letters, key=lambda job: job not in claiming)
    return [f"{letters[job]} = job {fitted(name_in_words(job), MOST_OF_NAME)}" for job in jobs]


def svg(found: Disagreement, sentence: str) -> str:
    """The text of the file; names of others stand in it as text, never as markup."""
    environment = Environment(
        loader=PackageLoader("allotment_conformance.counterexample"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.get_template("picture.svg")
    page = page_of(found, sentence)
    return template.render(page=page, width=WIDTH, line=LINE, title=legible(sentence))
