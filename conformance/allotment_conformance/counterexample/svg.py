"""The drawing of a counterexample as SVG, with the contradiction above it."""

from textwrap import wrap

from jinja2 import Environment, PackageLoader, StrictUndefined

from allotment_conformance.counterexample.drawing import MOST_SLOTS, sides
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.verdict.disagreement import Disagreement

LINE = 100
"""Characters that fit beside each other."""


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
    lines = wrap(legible(sentence), LINE)
    template = environment.get_template("picture.svg")
    return template.render(sides=sides(found), lines=lines, most=MOST_SLOTS)
