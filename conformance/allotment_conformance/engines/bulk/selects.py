"""Select expressions: mostly comparisons of one attribute, sometimes small trees."""

from allotment_conformance.engines.bulk.draw import Draw
from allotment_conformance.engines.bulk.world import NUMBERS, World
from allotment_conformance.engines.notation import attribute, defined, number, operation, text
from allotment_conformance.wire.messages import Json

COMPARISONS = ("==", "==", "!=", "<", "<=", ">", ">=")
ARITHMETIC = ("*", "/", "/", "+", "-")


def select_of(world: World, depth: int | None = None) -> Json:
    """An expression whose value is a number; deeper ones where they are read from texts."""
    if depth is None:
        depth = 3 if "text" in world.features else 2
    draw = world.draw
    kind = draw.below(10)
    if kind < 5 or depth == 0:
        return _comparison(world, depth)
    if kind < 6:
        return defined(draw.pick(list(world.attributes)))
    if kind < 7:
        return operation("!", select_of(world, depth - 1))
    if kind < 9:
        sides = select_of(world, depth - 1), select_of(world, depth - 1)
        return operation(draw.pick(("&&", "||")), *sides)
    return _number(world, depth)


def _comparison(world: World, depth: int) -> Json:
    """Numbers with numbers, texts with texts."""
    draw = world.draw
    name = draw.pick(list(world.attributes))
    if world.attributes[name] == "text":
        return operation(draw.pick(("==", "!=")), attribute(name), text(draw.pick(world.texts)))
    left = attribute(name) if draw.chance(0.7) else _number(world, depth)
    return operation(draw.pick(COMPARISONS), left, number(draw.pick(NUMBERS)))


def _number(world: World, depth: int) -> Json:
    """A number: an attribute, a literal, or a little arithmetic, division by zero included."""
    draw = world.draw
    kind = draw.below(6)
    if depth > 0 and kind < 2:
        sides = _number(world, depth - 1), _number(world, depth - 1)
        return operation(draw.pick(ARITHMETIC), *sides)
    if depth > 0 and kind < 3:
        return operation("neg", _number(world, depth - 1))
    return _leaf(world, draw)


def _leaf(world: World, draw: Draw) -> Json:
    numbers = [name for name, kind in world.attributes.items() if kind == "number"]
    return attribute(draw.pick(numbers)) if draw.chance(0.6) else number(draw.pick(NUMBERS))
