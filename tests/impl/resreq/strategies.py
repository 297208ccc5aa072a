"""Trees of requests as Hypothesis makes them: only such as a text can say."""

from hypothesis import strategies as st

from allotment_impl.expressions import (
    UNARY,
    Attribute,
    Defined,
    Expression,
    Number,
    Operation,
    Operator,
    Text,
)
from allotment_impl.requests import Per
from allotment_impl.resreq.tree import (
    Alternative,
    Rusage,
    Simple,
    SpanKind,
    SpanSection,
    Term,
    Tree,
    Usage,
    UsageItem,
)

AMOUNTS = st.integers(0, 2**53 - 1)
NAMES = st.sampled_from(["mem", "tmp", "licence", "speed", "os", "x_1", "LINUX2.4", "select", "cu"])
VALUES = st.sampled_from(["it's", 'say "so"', "VM-1", "ärger", " ", "]", "a[b", "&&", "1"])
SIGNS = st.sampled_from(sorted(UNARY, key=lambda one: one.value))
OPERATORS = st.sampled_from([one for one in Operator if one not in UNARY])

LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.builds(Number, AMOUNTS),
    st.builds(Text, VALUES),
    st.builds(Attribute, NAMES),
    st.builds(Defined, NAMES),
)


def _operations(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(Operation, SIGNS, st.tuples(inner)),
        st.builds(Operation, OPERATORS, st.tuples(inner, inner)),
    )


SELECTS: st.SearchStrategy[Expression] = st.recursive(LEAVES, _operations, max_leaves=12)


def _some(strategy: st.SearchStrategy[str], most: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


ITEMS = st.builds(
    UsageItem,
    NAMES,
    st.lists(AMOUNTS, min_size=1, max_size=3).map(tuple),
    st.none() | st.sampled_from(Per),
)
USAGES = st.builds(
    Usage,
    st.lists(ITEMS, min_size=1, max_size=3).map(tuple),
    _some(st.sampled_from(["5", "1h", "30s", "0m"]), 2),
    _some(st.sampled_from(["0", "1"]), 2),
)
RUSAGES = st.builds(
    Rusage,
    st.lists(st.lists(USAGES, min_size=1, max_size=2).map(tuple), min_size=1, max_size=2).map(
        tuple
    ),
)
SPANS = st.one_of(
    st.sampled_from([1, -1]).map(lambda number: SpanSection(SpanKind.HOSTS, number)),
    st.just(SpanSection(SpanKind.STRIPE)),
    st.builds(
        SpanSection,
        st.sampled_from([SpanKind.PTILE, SpanKind.STRIPE, SpanKind.BLOCK, SpanKind.GTILE]),
        st.integers(1, 2**20),
    ),
    st.builds(
        SpanSection,
        st.sampled_from([SpanKind.PTILE, SpanKind.GTILE]),
        st.none(),
        st.sampled_from(["!", "'!'", "'!',LINUX:2,AIX:8"]),
    ),
)
KEPT = st.sampled_from(["ut", "-slots:ut", "core(2,same=socket):cpubind=core", "type:model"])
SIMPLES = st.builds(
    Simple,
    *(st.none() | one for one in (SELECTS, RUSAGES, SPANS, KEPT, KEPT, KEPT, KEPT)),
)
COUNTED = st.builds(Term, SIMPLES, st.integers(1, 2**20))
COMPOUNDS = st.tuples(
    st.lists(COUNTED, min_size=1, max_size=3), st.lists(st.builds(Term, SIMPLES), max_size=1)
).map(lambda parts: (*parts[0], *parts[1]))
LONE = st.builds(Term, SIMPLES).map(lambda term: (term,))
ALTERNATIVES = st.builds(Alternative, LONE | COMPOUNDS, st.none() | st.integers(0, 99))
TREES = st.builds(Tree, st.lists(ALTERNATIVES, min_size=1, max_size=3).map(tuple))
