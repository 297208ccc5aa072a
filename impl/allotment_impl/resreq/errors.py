"""What can be wrong with the text of a request: one class for each reason.

Every error says where it is, what was expected there, and what a person can do about it.
"""

from typing import ClassVar, NamedTuple

from allotment_impl.refusals import AllotmentError, RefusalCode


class Position(NamedTuple):
    """A position in a text; lines and columns count from 1."""

    line: int
    column: int

    @classmethod
    def at(cls, text: str, offset: int) -> "Position":
        """The position of a character."""
        return cls(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


START = Position(1, 1)
"""Where a text begins."""

_QUOTED_LARGEST = 40


def shortened(text: str) -> str:
    """A piece of a text as a message quotes it: a hostile one does not fill the screen."""
    return text if len(text) <= _QUOTED_LARGEST else f"{text[:_QUOTED_LARGEST]}…"


class ResreqError(AllotmentError):
    """A text that is no request; a subclass for each reason.

    ``code`` is what a scheduler refuses the job with, ``remedy`` what its owner can do.
    """

    code: ClassVar[RefusalCode] = RefusalCode.SYNTAX
    remedy: ClassVar[str] = "see docs/resreq.md for the language"

    def __init__(
        self, problem: str, position: Position = START, expected: str | None = None
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.position = position
        self.expected = expected

    @property
    def line(self) -> int:
        """The line of the position, from 1."""
        return self.position.line

    @property
    def column(self) -> int:
        """The column of the position, from 1."""
        return self.position.column

    def __str__(self) -> str:
        """The position, the problem, what was expected, the remedy."""
        expected = "" if self.expected is None else f"; expected {self.expected}"
        return f"line {self.line}, column {self.column}: {self.problem}{expected} ({self.remedy})"


class TextTooLong(ResreqError):
    """The text is longer than any request."""

    remedy = "shorten the text"


class NestedTooDeep(ResreqError):
    """Brackets, signs or operators are nested too deep."""

    remedy = "use fewer brackets, or split the condition"


class NotText(ResreqError):
    """A control character or half a character is in the text."""

    remedy = "send plain text in UTF-8"


class NothingAsked(ResreqError):
    """The text is empty or blank."""

    remedy = "leave the request out, or write {-} for one without conditions"


class UnexpectedText(ResreqError):
    """Something stands where it cannot, for a reason that has no class of its own."""


class UnexpectedCharacter(ResreqError):
    """A character that the language has nowhere outside quotes."""

    remedy = "retype it as plain ASCII, or put the value in quotes"


class UnfinishedText(ResreqError):
    """The text ends too early."""

    remedy = "close what is open, and complete what was begun"


class UnclosedQuote(ResreqError):
    """A quoted value has no end."""

    remedy = "end the value with the quote that it began with"


class SingleAmpersand(ResreqError):
    """One ``&`` where two are meant."""

    remedy = "write && for and"


class SinglePipe(ResreqError):
    """One ``|`` where two are meant."""

    remedy = "write || for or"


class AlternativesWithoutBraces(ResreqError):
    """``||`` behind a section or a compound, where it joins alternatives."""

    remedy = "put each alternative in braces, as in {2*{-}} || {3*{-}}"


class SingleEquals(ResreqError):
    """One ``=`` in a condition."""

    remedy = "write == to compare; = belongs to rusage and span"


class EqualsAfterSection(ResreqError):
    """A ``=`` between the name of a section and its bracket."""

    remedy = "write the bracket directly behind the name, as in rusage[mem=20]"


class UnknownSection(ResreqError):
    """A bracket behind a word that is no section."""

    remedy = "the sections are select, rusage, span, same, order, cu and affinity"


class DuplicateSection(ResreqError):
    """A section stands twice in one requirement; a leading condition counts as a select."""

    remedy = "join conditions by && and amounts by :, and keep one of anything else"


class EmptySection(ResreqError):
    """Nothing stands between the brackets of a section, or between braces."""

    remedy = "leave the section out; for a part without conditions write {-}"


class SectionOutsideBraces(ResreqError):
    """A section follows the braces of a compound or an alternative."""

    remedy = "move the section into the braces of each part that needs it"


class SubmitOption(ResreqError):
    """An option of the submitting command stands in the text."""

    remedy = "give options to the command, outside the text of the request"


class HyphenInBareValue(ResreqError):
    """A bare value with a hyphen, which would read as a subtraction."""

    remedy = "put the value in quotes; to subtract, put blanks around the -"


class PrintedNull(ResreqError):
    """``(null)``: what a C program prints for a text that it does not have."""

    remedy = "look for the program that wrote the text: it had no condition to write"


class MissingValue(ResreqError):
    """An empty quoted text."""

    remedy = "give a value; to ask whether an attribute is there, write defined(name)"


class BadNumber(ResreqError):
    """A number that cannot be read, such as one with an exponent."""

    remedy = "write digits, at most one point, at most one unit out of K M G T P E"


class TooManyDigits(ResreqError):
    """A number that is no whole number of thousandths, or is endless."""

    remedy = "use at most three digits behind the point, and larger units for large amounts"


class ModifierTwice(ResreqError):
    """``duration`` or ``decay`` stands twice in one usage."""

    remedy = "separate the usages by a comma: each has a duration and a decay of its own"


class DurationValue(ResreqError):
    """A duration that is none."""

    remedy = "write minutes, or digits followed by s, m or h"


class DecayValue(ResreqError):
    """A decay that is neither 0 nor 1."""

    remedy = "write decay=0 to hold the amount, decay=1 to let it fall evenly"


class UsageWithoutResource(ResreqError):
    """A usage that names a duration or decay, and no amount."""

    remedy = "name the resource that the duration is for, as in mem=20:duration=5"


class SpanValue(ResreqError):
    """A span whose value is missing, or is not one that it takes."""

    remedy = "write hosts=1, hosts=-1, ptile=n, stripe, stripe=n or block=n, with n at least 1"


class SpanOfZero(SpanValue):
    """A span with a bound of zero."""

    code = RefusalCode.SPAN_RANGE
    remedy = "give the span a bound of at least 1, or leave it out"


class MixedHostKinds(ResreqError):
    """A ptile for each host type or model with names of both, or beside a ``same`` of the other."""

    remedy = "name host types alone and same[type], or host models alone and same[model]"


class NoTasks(ResreqError):
    """A part of a compound with a count of zero."""

    code = RefusalCode.TASKS_RANGE
    remedy = "give each part at least one task, or leave it out"


class TooManyAlternatives(ResreqError):
    """The ``||`` of several rusages multiply to more alternatives than anyone means."""

    remedy = "use || in fewer rusages, or write the alternatives out"


class NoLocalHost(ResreqError):
    """``type==local``: here is no host that the job is submitted from."""

    remedy = "name the type, as in type=='LINUX'"
