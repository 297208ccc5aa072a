"""Slices about selects: small expressions on hosts with two attributes, or without."""

from collections.abc import Mapping

from allotment_conformance.engines.exhaustive.bounds import Selects
from allotment_conformance.engines.exhaustive.slices.slice import HOSTS, Slice, submissions
from allotment_conformance.engines.exhaustive.worlds import (
    Fields,
    Items,
    Name,
    Point,
    Whole,
    optional,
)
from allotment_conformance.engines.notation import (
    RUN,
    attribute,
    case,
    cluster,
    defined,
    host,
    number,
    operation,
    primary,
)
from allotment_conformance.wire.messages import Json

X, Y = "x", "y"
ONE = number(1000)

OF_NONE: Mapping[str, Json] = {"0": number(0), "1": ONE}
"""Atoms that speak of no attribute."""


def of_one(mine: str, other: str) -> dict[str, Json]:
    """Atoms that speak of one attribute, as the other's speak of the other."""
    value, others = attribute(mine), attribute(other)
    return {
        f"{mine}": value,
        f"defined({mine})": defined(mine),
        f"{mine} >= 1": operation(">=", value, ONE),
        f"1 / {mine}": operation("/", ONE, value),
        f"{mine} < {other}": operation("<", value, others),
        f"{mine} - {other}": operation("-", value, others),
    }


ATOMS: Mapping[str, Json] = {**OF_NONE, **of_one(X, Y), **of_one(Y, X)}
"""All atoms by their text."""

EXCHANGED: Mapping[str, str] = {
    **dict(zip(of_one(X, Y), of_one(Y, X), strict=True)),
    **dict(zip(of_one(Y, X), of_one(X, Y), strict=True)),
    **{text: text for text in OF_NONE},
}
"""For each atom that with the names of the attributes exchanged."""


def _term(point: Point) -> Json:
    negation, atom = point
    return operation("!", ATOMS[atom]) if negation else ATOMS[atom]


def expression(point: Point) -> Json:
    """The terms, joined from the left."""
    first, others = point
    made = _term(first)
    for joined_by, other in others:
        made = operation(joined_by, made, _term(other))
    return made


def _exchanged_term(point: Point) -> Point:
    negation, atom = point
    return negation, EXCHANGED[atom]


def _exchanged(point: Point) -> Point:
    """The point with the names of the two attributes exchanged."""
    hosts, jobs = point
    return (
        tuple((y, x) for x, y in hosts),
        tuple(
            tuple(
                (_exchanged_term(first), tuple((by, _exchanged_term(term)) for by, term in others))
                for first, others in job
            )
            for job in jobs
        ),
    )


def _comes_first(point: Point) -> bool:
    return bool(point <= _exchanged(point))


def _host(name: str, point: Point) -> Json:
    pairs = zip((X, Y), point, strict=True)
    return host(name, 1, attributes={named: 500 * value[0] for named, value in pairs if value})


def selects(bounds: Selects) -> Slice:
    """Jobs that choose hosts by two numbers."""
    assert bounds.atoms_of_one == len(of_one(X, Y)), "the atoms of the bounds are these"
    assert bounds.atoms_of_none == len(OF_NONE), "the atoms of the bounds are these"

    def made(point: Point) -> Json:
        hosts, jobs = point
        world = cluster(*map(_host, HOSTS, hosts), attributes={X: "number", Y: "number"})
        asked = [primary(1, select=expression(job[0]) if job else None) for job in jobs]
        return case(world, *submissions(asked), RUN)

    term = Fields(optional(Name("!")), Name(*ATOMS))
    select = Fields(term, Items(Fields(Name("&&", "||"), term), 0, bounds.terms - 1))
    a_host = Fields(*(optional(Whole(0, bounds.value)) for _attribute in (X, Y)))
    return Slice(
        bounds=bounds,
        about="jobs of one task with a select; hosts of one slot with two attributes or without",
        world=Fields(Items(a_host, 1, bounds.hosts), Items(optional(select), 1, bounds.jobs)),
        case=made,
        renamings=(_exchanged,),
        is_first=_comes_first,
    )
