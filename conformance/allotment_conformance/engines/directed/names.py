"""Names and texts that are alike and not the same (SPEC.md 2), in every place that holds one.

A family is three pairs of names. The two of a pair become one to whoever changes names, cuts them,
reads them as something else or keeps them among other things. For each kind of name there is a case
a family, in which both of every pair are in use.
"""

from collections.abc import Iterator, Mapping
from functools import reduce

from allotment_conformance.engines.directed.case import Directed, directed, not_probed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    case,
    cluster,
    defined,
    finish,
    host,
    host_add,
    host_change,
    limit,
    limit_remove,
    limit_set,
    operation,
    pool_change,
    primary,
    submit,
    text,
    uses,
    withdraw,
)
from allotment_conformance.wire.messages import Json

Pairs = tuple[tuple[str, str], ...]

COMPOSED = "caf\u00e9"
DECOMPOSED = "cafe\u0301"
"""The same word to a reader, in the two forms of Unicode normalisation (NFC and NFD)."""

LONG = "n" * 256
MARKS = "n-_.:,;@#/|= "
"""What else stands between words."""

FAMILIES: Mapping[str, Pairs] = {
    "letter-case-and-blanks": (("night", "Night"), ("late", "late "), ("early", " early")),
    "blanks-within": (("a b", "a  b"), ("c d", "c\td"), ("e\nf", "e\ng")),
    "length": (("nightly-1", "nightly-2"), (f"{LONG}a", f"{LONG}b"), ("nine", "nineteen")),
    "unicode-forms": ((COMPOSED, DECOMPOSED), ("resume", "r\u00e9sume"), ("A1", "\uff211")),
    "planes": (("\U0001f331", "\U0001f332"), ("\U0001f333", "\uf333"), ("i", "\u0169")),
    "letters-without-ink": (("n\0a", "n\0b"), ("ma", "m\0a"), ("ab", "a\u200bb")),
    "numbers": (("10", "1e1"), ("7", "07"), ("1", "1.0")),
    "marks": ((f"{MARKS}a", f"{MARKS}b"), ("a/.:n", "b/.:n"), ("x-y", "x_y")),
    "quotes": (("n", '"n"'), ("ab", "a\\b"), ("p q", "p%20q")),
    "patterns": (("n.*t", "n.it"), ("b.ig", "b.*g"), ("stop", "post")),
    "words-for-all-and-none": (("*", "each"), ("null", "None"), ("default", "true")),
    "names-in-every-object": (
        ("constructor", "toString"),
        ("__proto__", "hasOwnProperty"),
        ("__class__", "valueOf"),
    ),
    "names-of-fields": (("name", "open"), ("capacity", "attributes"), ("job", "host")),
    "sums-of-letters": (("Aa", "BB"), ("Ba", "C@"), ("ac", "ca")),
    "nearly-nothing": (("", "None"), (" ", "\u00a0"), ("-", "--")),
}
"""Three pairs each. Sums of letters are hashes: with the factors 31 and 33, and without any."""


def _alike_jobs(family: str, pairs: Pairs) -> Directed:
    """Six jobs run, and the second one of each pair ends; the name of a first one is taken."""
    return directed(
        f"jobs-alike-in-{family}",
        "SESSION-7",
        "These are six jobs, each of which is found by its own name.",
        case(
            cluster(host("A", 9)),
            *(submit(first, 1) for first, _second in pairs),
            *(submit(second, 2) for _first, second in pairs),
            RUN,
            *(finish(second) for _first, second in pairs),
            submit(pairs[0][0], 1),
            BEGIN,
            report=["books"],
        ),
    )


def _alike_hosts(family: str, pairs: Pairs) -> Directed:
    """The second host of each pair joins and grows: nine tasks need all six."""
    return directed(
        f"hosts-alike-in-{family}",
        "HOST-9",
        "These are six hosts, each with slots of its own, in the order in which they came.",
        case(
            cluster(*(host(first, 1) for first, _second in pairs)),
            *(host_add(host(second, 1)) for _first, second in pairs),
            *(host_change(second, capacity={"slots": 2}) for _first, second in pairs),
            BEGIN,
            submit("j", 9),
            RUN,
            report=["books"],
        ),
    )


def _alike_holders(family: str, pairs: Pairs) -> Directed:
    """One job a pair takes all that its user, queue and project may hold; the other one is free."""
    kinds = ("user", "queue", "project")
    capped = [dict(zip(kinds, (first, second, first), strict=True)) for first, second in pairs]
    others = [dict(zip(kinds, (second, first, second), strict=True)) for first, second in pairs]
    limits = [limit(kind, one[kind], "cluster", "slots", 1) for one in capped for kind in kinds]
    behind = [{kind: one[kind]} for kind, one in zip(kinds, capped, strict=True)]
    jobs = enumerate((*capped, *others, *behind))
    return directed(
        f"holders-alike-in-{family}",
        "LIMIT-1",
        "A limit holds back the user, queue or project of that very name.",
        case(
            cluster(host("A", 9), limits=limits),
            *(submit(f"j{number}", 1, **identity) for number, identity in jobs),
            RUN,
            report=["books"],
        ),
    )


def _having(name: str, amounts: Mapping[str, int]) -> Json:
    """A host with two slots and amounts of any names."""
    return {"name": name, "capacity": {"slots": 2, **amounts}}


def _alike_amounts(family: str, pairs: Pairs) -> Directed:
    """A has none of the second ones, and B none of the first."""
    firsts, seconds = zip(*pairs, strict=True)
    return directed(
        f"amounts-alike-in-{family}",
        "RES-2",
        "These are six amounts: a host that has one of two that are alike lacks the other.",
        case(
            cluster(
                _having("A", dict.fromkeys(firsts, 1000)),
                _having("B", dict.fromkeys(seconds, 2000)),
                amounts=[*firsts, *seconds],
            ),
            submit("j", primary(1, *(uses(name, 2000, "task") for name in seconds))),
            submit("k", primary(1, *(uses(name, 1000, "task") for name in firsts))),
            *(submit(f"l{at}", primary(1, uses(name, 1))) for at, name in enumerate(seconds)),
            RUN,
            report=["books"],
        ),
    )


def _alike_pools(family: str, pairs: Pairs) -> Directed:
    """The pools of the first ones are taken; of the second ones nothing is there at first."""
    firsts, seconds = zip(*pairs, strict=True)
    return directed(
        f"pools-alike-in-{family}",
        "SHARED-1",
        "These are six pools: what is taken from one of two that are alike is in the other.",
        case(
            cluster(host("A", 9), shared=[*firsts, *seconds], pools=dict.fromkeys(firsts, 1000)),
            submit("j", primary(1, *(uses(name, 1000) for name in firsts))),
            *(submit(f"k{at}", primary(1, uses(name, 1))) for at, name in enumerate(seconds)),
            *(pool_change(name, 1001) for name in seconds),
            RUN,
            BEGIN,
            submit("l", primary(1, *(uses(name, 1000) for name in seconds))),
            RUN,
            report=["books"],
        ),
    )


def _alike_attributes(family: str, pairs: Pairs) -> Directed:
    """A has the first ones, and B the second ones."""
    firsts, seconds = zip(*pairs, strict=True)
    return directed(
        f"attributes-alike-in-{family}",
        "SELECT-4",
        "These are six attributes: of two that are alike one is defined on A, and the other on B.",
        case(
            cluster(
                host("A", 2, attributes=dict.fromkeys(firsts, 1000)),
                host("B", 2, attributes=dict.fromkeys(seconds, 2000)),
                attributes=dict.fromkeys([*firsts, *seconds], "number"),
            ),
            submit("j", primary(1, select=_any_of([defined(name) for name in seconds]))),
            submit("k", primary(1, select=_all_of([attribute(name) for name in firsts]))),
            submit("l", primary(1, select=_all_of([attribute(name) for name in seconds]))),
            RUN,
        ),
    )


def _alike_texts(family: str, pairs: Pairs) -> Directed:
    """A has the first ones as its texts, and B the second ones."""
    names = ("one", "two", "three")
    firsts, seconds = (dict(zip(names, side, strict=True)) for side in zip(*pairs, strict=True))
    is_second = [operation("==", attribute(name), text(seconds[name])) for name in names]
    is_first = [operation("==", text(firsts[name]), attribute(name)) for name in names]
    return directed(
        f"texts-alike-in-{family}",
        "SELECT-2",
        "No text of A equals one of B.",
        case(
            cluster(
                host("A", 2, attributes=firsts),
                host("B", 2, attributes=seconds),
                attributes=dict.fromkeys(names, "text"),
            ),
            submit("j", primary(1, select=_any_of(is_second))),
            submit("k", primary(1, select=_all_of(is_first))),
            submit("l", primary(2, select=_any_of(is_first[:1]))),
            submit("m", primary(2, select=_any_of(is_second[:1]))),
            RUN,
        ),
    )


def _any_of(selects: list[Json]) -> Json:
    return reduce(lambda left, right: operation("||", left, right), selects)


def _all_of(selects: list[Json]) -> Json:
    return reduce(lambda left, right: operation("&&", left, right), selects)


def alike_in(families: Mapping[str, Pairs]) -> Iterator[Directed]:
    """The cases of all kinds of names, kind by kind; a holder has to have a name.

    Names of resources stand as keys of objects, where not every reader of JSON takes a NUL.
    """
    named = {name: of for name, of in families.items() if all(map(all, of))}
    keyed = {name: _without_nul(of) for name, of in families.items()}
    for make, asked in (
        (_alike_jobs, families),
        (_alike_hosts, families),
        (_alike_holders, named),
        (_alike_amounts, keyed),
        (_alike_pools, keyed),
        (_alike_attributes, keyed),
        (_alike_texts, families),
    ):
        yield from (make(family, of) for family, of in asked.items())


def _without_nul(pairs: Pairs) -> Pairs:
    return tuple((first.replace("\0", "\1"), second.replace("\0", "\1")) for first, second in pairs)


UNKNOWN = directed(
    "nothing-is-there-for-an-object-s-own-names",
    "RES-1",
    "What every object of a language has is not declared, not there and not taken.",
    case(
        cluster(host("A", 1), shared=["lic"]),
        submit("j", primary(1, uses("constructor", 1))),
        submit("j", primary(1, select=attribute("toString"))),
        submit("j", primary(1, select=defined("__proto__"))),
        pool_change("valueOf", 1),
        limit_set("user", "u", "cluster", "constructor", 0),
        limit_remove("user", "constructor", "cluster", "slots"),
        host_change("hasOwnProperty", open=False),
        host_change("A", capacity={"toString": 0}),
        host_change("A", attributes={"constructor": None}),
        finish("valueOf"),
        withdraw("constructor"),
    ),
)

OTHERS = (
    directed(
        "pending-jobs-of-alike-names",
        "INGEST-2 SESSION-6",
        "One of two jobs that differ in a capital letter is withdrawn: the other one runs.",
        case(
            cluster(host("A", 1)),
            submit("j", 1),
            submit("J", 1),
            withdraw("j"),
            withdraw("j"),
            RUN,
        ),
    ),
    directed(
        "resource-of-another-letter-case",
        "RES-1",
        "`mem` is declared, and `MEM` is not.",
        case(
            cluster(host("A", 1, mem=1), amounts=["mem"]),
            submit("j", primary(1, uses("MEM", 1))),
        ),
    ),
    UNKNOWN,
)

SEPARATORS = (":/", "|.", ",-", "_@", " ;", "\t\x1f")
"""What programs put between names to make one key of several."""


def _run_together(marks: str) -> Directed:
    """Names that read alike with a mark between them, whichever of two stands first."""
    return directed(
        f"names-around-{'-and-'.join(f'{ord(mark):02x}' for mark in marks)}",
        "CACHE-1 LIMIT-2",
        "Two names and a mark between them are two, whatever marks are in a name.",
        case(
            cluster(
                _having("x", {f"x{mark}x": 1000 for mark in marks}),
                *(_having(f"x{mark}x", {"x": 1000}) for mark in marks),
                amounts=["x", *(f"x{mark}x" for mark in marks)],
                limits=[
                    limit("user", None, "host", "slots", 1),
                    *(limit("queue", f"x{mark}x", "cluster", "slots", 0) for mark in marks),
                    *(limit("project", f"x{mark}x", "cluster", "slots", 0) for mark in marks),
                ],
            ),
            *(event for mark in marks for event in _around(mark)),
            RUN,
            report=["books"],
        ),
    )


def _around(mark: str) -> list[Json]:
    """Two jobs that a limit holds back, one that is asked alike, and one beside it."""
    both = f"x{mark}x"
    asked = primary(1, uses(both, 1000, "task"))
    return [
        submit(f"i{mark}", asked, user="x", queue="x", project=both),
        submit(f"j{mark}", asked, user="x", queue=both, project="x"),
        submit(f"k{mark}", asked, user=both, queue="x", project="x"),
        submit(f"l{mark}", primary(1, uses("x", 1000, "task")), user="x", queue="x", project="x"),
    ]


CASES: tuple[Directed, ...] = not_probed(
    (*alike_in(FAMILIES), *OTHERS, *map(_run_together, SEPARATORS))
)
