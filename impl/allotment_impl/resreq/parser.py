"""``parse``: from the text of a request to its tree."""

from functools import cache
from importlib.resources import files
from typing import cast

from lark import Lark, UnexpectedInput

from allotment_impl.expressions import LEVELS_LARGEST, depth
from allotment_impl.resreq.building import TreeBuilder
from allotment_impl.resreq.diagnosis import explain
from allotment_impl.resreq.errors import NestedTooDeep
from allotment_impl.resreq.guards import check_text
from allotment_impl.resreq.tree import Tree


def parse(text: str, *, zeros: bool = False) -> Tree:
    """The tree of a text; raises a ``ResreqError`` for a text that is no request.

    With ``zeros`` a part of no tasks and a span with a bound of zero are taken: whoever submits the
    request is told of them by the order of SPEC.md 2.3, which needs the whole tree.
    """
    check_text(text)
    try:
        tree = cast(Tree, _parser(zeros).parse(text))
    except UnexpectedInput as failure:
        raise explain(text, failure) from None
    if len(text) > LEVELS_LARGEST:
        _check_depth(tree)
    return tree


@cache
def _parser(zeros: bool) -> Lark:
    """The parser, made at the first use: that takes longer than parsing a hundred texts."""
    grammar = files("allotment_impl.resreq").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", maybe_placeholders=True, transformer=TreeBuilder(zeros))


def _check_depth(tree: Tree) -> None:
    """Refuse a select that is nested deeper than a scheduler takes; a chain of operators nests.

    A text of fewer characters than levels has none.
    """
    for alternative in tree.alternatives:
        for term in alternative.terms:
            select = term.simple.select
            if select is not None and depth(select) > LEVELS_LARGEST:
                raise NestedTooDeep(f"a condition of more than {LEVELS_LARGEST} levels")
