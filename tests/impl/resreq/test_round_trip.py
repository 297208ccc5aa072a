"""A tree that is printed parses to itself."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment_impl.resreq import ResreqError, Tree, parse, print_tree
from impl.resreq.strategies import TREES


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_printed_tree_parses_to_itself(tree: Tree) -> None:
    text = print_tree(tree)
    assert tree == parse(text)
    assert text == print_tree(parse(text))


@settings(max_examples=100, deadline=None)
@given(TREES, st.data())
def test_broken_text_ends_in_an_error_or_a_tree(tree: Tree, data: st.DataObject) -> None:
    text = print_tree(tree)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 3)))
    middle = data.draw(st.text("()[]{}!&|=<>'\"-+*/:,@a1. \n\0ä\ud800", max_size=3))
    broken = text[:start] + middle + text[end:]
    found = parsed(broken)
    if isinstance(found, Tree):
        assert found == parse(print_tree(found))
    else:
        assert 1 <= found.line <= broken.count("\n") + 1
        assert found.column >= 1
        assert found.remedy in str(found)


def parsed(text: str) -> Tree | ResreqError:
    """The tree of a text, or what is wrong with it."""
    try:
        return parse(text)
    except ResreqError as error:
        return error


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("big&&!old", "select[big && !old]"),
        ("span[hosts=1]select[(a)]", "select[a] span[hosts=1]"),
        ("select[((a+b))*c-(d-e)>f]", "select[(a + b) * c - (d - e) > f]"),
        ("select[a||b&&c==d>e]", "select[a || b && c == d > e]"),
        ("select[(a||b)&&!(c==d)]", "select[(a || b) && !(c == d)]"),
        ("select[- -a/(b/c)]", "select[--a / (b / c)]"),
        ("select[ram>=1.50G]", "select[ram >= 1536]"),
        ('select[os=="it\'s"]', 'select[os == "it\'s"]'),
        (
            "rusage[mem=512K/task,lic=(2 1)/job:duration=(5):decay=(1)]",
            "rusage[mem=0.5/task, lic=(2 1)/job:duration=5:decay=1]",
        ),
        ("rusage[duration=5:mem=1||mem=2]", "rusage[mem=1:duration=5 || mem=2]"),
        ("{-}", "{-}"),
        ("{ big }", "select[big]"),
        ("{big}@5", "{select[big]}@5"),
        ("2 * { - } + {big order[ ut ]}", "2*{-} + {select[big] order[ut]}"),
        ("{1*{-}+2*{a}}||{-}@ 7", "{1*{-} + 2*{select[a]}} || {-}@7"),
        ("span[ptile = '!', A:2]", "span[ptile='!',A:2]"),
        ("big\n  same[type]\tcu[type=rack]", "select[big] same[type] cu[type=rack]"),
    ],
)
def test_canonical_text(text: str, printed: str) -> None:
    assert printed == print_tree(parse(text))
    assert parse(text) == parse(printed)
