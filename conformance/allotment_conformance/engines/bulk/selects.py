"""Select expressions: mostly comparisons of one attribute, sometimes small trees."""

from allotment_conformance.engines.bulk.draw import Draw
from allotment_conformance.engines.bulk.world import NUMBERS, World
from allotment_conformance.engines.notation import attribute, defined, number, operation, text
from allotment_conformance.wire.messages import Json
from allotment_model.cluster import LARGEST_AMOUNT

COMPARISONS = ("==", "==", "!=", "<", "<=", ">", ">=")
ARITHMETIC = ("*", "*", "/", "/", "+", "-")
LARGE_NUMBERS = (2**31, LARGEST_AMOUNT, -LARGEST_AMOUNT, LARGEST_AMOUNT - 1)
"""Beyond 32 bits, and neighbours that a double cannot tell when they are multiplied."""


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
        return _of_texts(world, attribute(name))
    left = attribute(name) if draw.chance(0.7) else _number(world, depth)
    right = number(draw.pick(world.within(NUMBERS))) if draw.chance(0.8) else _number(world, depth)
    return operation(draw.pick(COMPARISONS), left, right)


def _of_texts(world: World, one: Json) -> Json:
    """A text attribute with a text or another one, on either side."""
    draw = world.draw
    names = [name for name, kind in world.attributes.items() if kind == "text"]
    literal = draw.chance(0.85)
    other = text(draw.pick(world.texts)) if literal else attribute(draw.pick(names))
    sides = (other, one) if draw.chance(0.2) else (one, other)
    return operation(draw.pick(("==", "!=")), *sides)


def rewritten(world: World, select: Json) -> Json:
    """Another tree, which is true of the same hosts or nearly so: another key (CACHE-1)."""
    draw, operands = world.draw, select.get("args", [])
    if len(operands) == 2 and draw.chance(0.4):
        return operation(select["op"], *reversed(operands))
    if draw.chance(0.5):
        return operation("!", operation("!", select))
    return operation("&&", number(min(1000, world.largest.amount)), select)


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
    if draw.chance(0.6):
        return attribute(draw.pick(numbers))
    is_large = world.largest.amount >= LARGEST_AMOUNT and draw.chance(0.1)
    return number(draw.pick(world.within(LARGE_NUMBERS if is_large else NUMBERS)))
