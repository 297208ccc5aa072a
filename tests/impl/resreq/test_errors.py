"""Each reason has its class, its place, and what was expected there."""

import pytest

from allotment_impl.refusals import RefusalCode
from allotment_impl.resreq import ResreqError, errors, parse


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("", errors.NothingAsked, (1, 1)),
        (" \n\t", errors.NothingAsked, (1, 1)),
        ("select[big & old]", errors.SingleAmpersand, (1, 12)),
        ("big &\n&& old", errors.SingleAmpersand, (1, 5)),
        ("select[big | old]", errors.SinglePipe, (1, 12)),
        ("2*{-} || 3*{-}", errors.AlternativesWithoutBraces, (1, 7)),
        ("2*{-} + 3*{-} || {-}", errors.AlternativesWithoutBraces, (1, 15)),
        ("{2*{-} || 3*{-}}", errors.AlternativesWithoutBraces, (1, 8)),
        ("rusage[a=1] || rusage[b=1]", errors.AlternativesWithoutBraces, (1, 13)),
        ("select[a || || b]", errors.UnexpectedText, (1, 13)),
        ("a && && b", errors.UnexpectedText, (1, 6)),
        ("select[speed = 3]", errors.SingleEquals, (1, 14)),
        ("rusage[mem=1] select[speed=3]", errors.SingleEquals, (1, 27)),
        ("speed=3", errors.SingleEquals, (1, 6)),
        ("rusage=[mem=3]", errors.EqualsAfterSection, (1, 7)),
        ("select[big] span = [hosts=1]", errors.UnexpectedText, (1, 13)),
        ("select[big]\nusage[mem=3]", errors.UnknownSection, (2, 1)),
        ("fast[3]", errors.UnknownSection, (1, 5)),
        ("select[a] rusage[b=1] select[c]", errors.DuplicateSection, (1, 23)),
        ("order[a] order[b]", errors.DuplicateSection, (1, 10)),
        ("big select[old]", errors.DuplicateSection, (1, 5)),
        ("select[ ]", errors.EmptySection, (1, 9)),
        ("rusage[]", errors.EmptySection, (1, 8)),
        ("order[ ]", errors.EmptySection, (1, 1)),
        ("{ }", errors.EmptySection, (1, 3)),
        ("1*{-} + 2*{big} span[hosts=1]", errors.SectionOutsideBraces, (1, 17)),
        ("{big}@5 order[ut]", errors.SectionOutsideBraces, (1, 9)),
        ("-n 4 rusage[mem=1]", errors.SubmitOption, (1, 4)),
        ("rusage[mem=1] -q night", errors.SubmitOption, (1, 15)),
        ("--queue night big", errors.SubmitOption, (1, 9)),
        ("select[image==disk-7]", errors.HyphenInBareValue, (1, 19)),
        ("image != disk-a", errors.HyphenInBareValue, (1, 14)),
        ("select[(null)] order[ut]", errors.PrintedNull, (1, 8)),
        ("select[os == '']", errors.MissingValue, (1, 14)),
        ("select[os == 'x]", errors.UnclosedQuote, (1, 14)),
        ("select[speed > 1e9]", errors.BadNumber, (1, 16)),
        ("select[speed > 1.2.3]", errors.BadNumber, (1, 16)),
        ("rusage[mem=20mb]", errors.BadNumber, (1, 12)),
        ("rusage[mem=20Q]", errors.BadNumber, (1, 12)),
        ("rusage[mem=0.1234]", errors.TooManyDigits, (1, 12)),
        ("rusage[mem=1K]", errors.TooManyDigits, (1, 12)),
        ("rusage[mem=1111111111111111111111111]", errors.TooManyDigits, (1, 12)),
        ("1111111111111111111111111*{-}", errors.TooManyDigits, (1, 1)),
        ("rusage[a=1:duration=1:duration=2]", errors.ModifierTwice, (1, 23)),
        ("rusage[a=1:decay=1:duration=1:decay=1]", errors.ModifierTwice, (1, 31)),
        ("rusage[a=1:duration=1d]", errors.DurationValue, (1, 21)),
        ("rusage[a=1:duration=1/job]", errors.DurationValue, (1, 22)),
        ("rusage[a=1:decay=2]", errors.DecayValue, (1, 18)),
        ("rusage[a=1:decay=(0 0.5)]", errors.DecayValue, (1, 21)),
        ("rusage[a=1, duration=3]", errors.UsageWithoutResource, (1, 13)),
        ("rusage[mem]", errors.UnexpectedText, (1, 11)),
        ("rusage[mem=-1]", errors.UnexpectedText, (1, 12)),
        ("rusage[mem=1/slot]", errors.UnexpectedText, (1, 13)),
        ("span[ptile='!',LINUX:2,PC1133:4] same[model]", errors.MixedHostKinds, (1, 1)),
        ("big same[model] span[ptile='!',SGI:2]", errors.MixedHostKinds, (1, 17)),
        ("{big} || {span[ptile='!',PC233:2] same[rack:type]}", errors.MixedHostKinds, (1, 11)),
        ("span[ptile=0]", errors.SpanOfZero, (1, 12)),
        ("span[ptile=-2]", errors.SpanValue, (1, 12)),
        ("span[ptile=1.5]", errors.SpanValue, (1, 12)),
        ("span[hosts=2]", errors.SpanValue, (1, 12)),
        ("span[hosts]", errors.SpanValue, (1, 6)),
        ("span[stripe='!']", errors.SpanValue, (1, 13)),
        ("span[tile=2]", errors.UnexpectedText, (1, 6)),
        ("0*{-}", errors.NoTasks, (1, 1)),
        ("select[big &&]", errors.UnexpectedText, (1, 14)),
        ("select[(big]", errors.UnexpectedText, (1, 12)),
        ("select[big", errors.UnfinishedText, (1, 11)),
        ("order[ut", errors.UnfinishedText, (1, 6)),
        ("2*{big", errors.UnfinishedText, (1, 7)),
        ("select[bіg]", errors.UnexpectedCharacter, (1, 9)),
        ("select[big]\u00a0order[ut]", errors.UnexpectedCharacter, (1, 12)),
        ("select[big]\0", errors.NotText, (1, 12)),
        ("select[os=='\ud800']", errors.NotText, (1, 13)),
    ],
)
def test_reason_and_place(text: str, reason: type[ResreqError], place: tuple[int, int]) -> None:
    with pytest.raises(ResreqError) as caught:
        parse(text)
    assert (reason, place) == (type(caught.value), (caught.value.line, caught.value.column))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "select[a &b]",
            "line 1, column 10: a single '&'; expected '&&' (write && for and)",
        ),
        (
            "rusage[mem 3]",
            """\
line 1, column 12: '3' cannot stand here; expected '=' (see docs/resreq.md for the language)""",
        ),
        (
            "select[а]",
            """\
line 1, column 8: character U+0430, CYRILLIC SMALL LETTER A; expected '!' or '(' or '-' or a name \
or a number or 'defined(' or a quoted value (retype it as plain ASCII, or put the value in quotes)\
""",
        ),
        (
            "rusage[mem=1]\n  rusage[tmp=1]",
            (
                "line 2, column 3: a second rusage "
                "(join conditions by && and amounts by :, and keep one of anything else)"
            ),
        ),
    ],
)
def test_message(text: str, message: str) -> None:
    with pytest.raises(ResreqError) as caught:
        parse(text)
    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("select[", RefusalCode.SYNTAX),
        ("span[ptile=0]", RefusalCode.SPAN_RANGE),
        ("0*{-}", RefusalCode.TASKS_RANGE),
    ],
)
def test_error_says_what_the_job_is_refused_with(text: str, code: RefusalCode) -> None:
    with pytest.raises(ResreqError) as caught:
        parse(text)
    assert code is caught.value.code


@pytest.mark.parametrize(
    "text",
    [
        "select[os == 'disk-7']",
        "select[speed == old - 7]",
        "select[speed - 1 == old]",
        "select[os == 'a & b']",
        "select[os == 'ä€']",
        "select[affinity && cu > span] cu[type=rack]",
        "2 * speed > 3",
        "{ 2 * speed > 3 }",
        "rusage[null=1]",
    ],
)
def test_no_trap_where_none_is(text: str) -> None:
    parse(text)


def test_every_reason_has_a_remedy_of_its_own() -> None:
    general = {errors.ResreqError, errors.UnexpectedText}
    reasons = [
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, ResreqError) and one not in general
    ]
    assert len(reasons) == len({one.remedy for one in reasons}) > 25


def test_whole_bare_value_with_a_hyphen_is_told() -> None:
    with pytest.raises(errors.HyphenInBareValue) as caught:
        parse("select[os == a.b-cd-e.f && big]")
    assert "'a.b-cd-e.f' is a bare value with a hyphen" == caught.value.problem
