"""The request language: LSF's resource requirement strings, as docs/resreq.md tells them.

``parse`` makes a tree of a text, ``print_tree`` a text of a tree, ``lower`` the request that a
scheduler takes, with what it keeps but does not use.
"""

from allotment_impl.resreq.errors import Position, ResreqError
from allotment_impl.resreq.lowering import Lowered, lower
from allotment_impl.resreq.parser import parse
from allotment_impl.resreq.printer import print_tree
from allotment_impl.resreq.tree import Tree

__all__ = ["Lowered", "Position", "ResreqError", "Tree", "lower", "parse", "print_tree"]
