"""Hostile texts end in an error within a second of the processor."""

import gc
import time

import pytest

from allotment_impl.expressions import LEVELS_LARGEST
from allotment_impl.resreq import ResreqError, errors, lower, parse

LONG = 65_536

HOSTILE = {
    "a hundred thousand brackets": "(" * 100_000,
    "brackets within the length": "(" * 60_000,
    "brackets that close": "(" * 30_000 + "a" + ")" * 30_000,
    "ten megabytes": "a" * 10_000_000,
    "long in bytes": "select[a == '" + "€" * 30_000 + "']",
    "null bytes": "\0" * 60_000,
    "a huge exponent": "select[a > 1e999999999]",
    "a number without end": "rusage[mem=" + "9" * 60_000 + "]",
    "a lone surrogate": "select[a == '\ud800']",
    "look-alikes": "ѕelect[а]",
    "signs": "!" * 60_000 + "a",
    "signs apart": "- " * 30_000 + "a",
    "a chain of sums": "+".join("a" * 32_000),
    "a chain of comparisons": "==".join("a" * 21_000),
    "quotes": "'" * 60_000,
    "a quote without end": 'a == "' + "x" * 60_000,
    "defined in defined": "defined(" * 8_000,
    "sections": "same[x]" * 9_000,
    "equals": "=" * 60_000,
    "braces": "}" * 60_000,
    "options": "-a " * 20_000,
    "a span": "span[ptile='!'" + ",a:1" * 15_000 + "x]",
    "hyphens": "==a-" * 16_000,
    "usages times parts": "1*{rusage[a=1||b=1]}+" * 8 + "+".join(["1*{-}"] * 9_000),
    "usages that multiply": "+".join(["1*{rusage[a=1||b=1||c=1||d=1]}"] * 1_900),
}


@pytest.fixture(autouse=True)
def garbage_of_others(usual_collections: None) -> None:
    """Take what other tests left out of the collections that fall into the times measured here."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_ends_in_an_error_soon(text: str) -> None:
    parse("a")
    before = time.process_time()
    with pytest.raises(ResreqError) as caught:
        lower(parse(text))
    assert time.process_time() - before <= 1
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("sign", ["!", "- "])
def test_signs_in_a_row_are_refused_before_parsing(sign: str) -> None:
    parse(f"select[{sign * 99}a]")
    with pytest.raises(errors.NestedTooDeep, match="more than 99 signs in a row"):
        parse(f"select[{sign * 100}a]")


@pytest.mark.parametrize(
    "text",
    [
        "rusage[" + ":".join(["a=1"] * 16_000) + "]",
        "rusage[a=(" + "1 " * 32_000 + ")]",
        "+".join(["1*{-}"] * 10_900),
    ],
    ids=["items", "phases", "parts"],
)
def test_long_text_without_nesting_is_read_soon(text: str) -> None:
    before = time.process_time()
    lower(parse(text))
    assert time.process_time() - before <= 1


@pytest.mark.parametrize(
    ("deepest", "deeper"),
    [
        ("!" * 99 + "a", "!" * 100 + "a"),
        ("+".join("a" * 100), "+".join("a" * 101)),
        ("(" * 99 + "a" + ")" * 99, "(" * 100 + "a" + ")" * 100),
    ],
)
def test_nesting_is_bounded_exactly(deepest: str, deeper: str) -> None:
    assert LEVELS_LARGEST == 100
    parse(f"select[{deepest}]")
    with pytest.raises(errors.NestedTooDeep):
        parse(f"select[{deeper}]")


def test_length_is_bounded_exactly() -> None:
    parse(" " * (LONG - 1) + "a")
    parse("a == '" + "€" * ((LONG - 7) // 3) + "'")
    for text in (" " * LONG + "a", "a == '" + "€" * (LONG // 3) + "'"):
        with pytest.raises(errors.TextTooLong):
            parse(text)
