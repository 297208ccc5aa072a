"""What a scheduler gets of a text, what is kept, and what is warned of."""

import pytest

from allotment_impl import AttributeType, Counts, Per, Primary, Resources, RusageEntry, Span
from allotment_impl.expressions import Attribute, Defined, Expression, Number, Operation, Operator
from allotment_impl.expressions import Text as Value
from allotment_impl.resreq import Lowered, errors, lower, parse

RESOURCES = Resources(
    host=("mem", "tmp"),
    shared=("lic",),
    attributes={
        "os": AttributeType.TEXT,
        "zone": AttributeType.TEXT,
        "speed": AttributeType.NUMBER,
        "big": AttributeType.NUMBER,
    },
)


def lowered(text: str) -> Lowered:
    return lower(parse(text), RESOURCES)


def only(text: str) -> Primary:
    [[primary]] = lowered(text).request
    return primary


def select(text: str) -> Expression | None:
    return only(f"select[{text}]").select


def equal(left: Expression, right: Expression) -> Expression:
    return Operation(Operator.EQUAL, (left, right))


OS, ZONE, SPEED = Attribute("os"), Attribute("zone"), Attribute("speed")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("os == linux", equal(OS, Value("linux"))),
        ("linux == os", equal(Value("linux"), OS)),
        ("os == 'zone'", equal(OS, Value("zone"))),
        ("os == zone", equal(OS, ZONE)),
        ("'linux' == linux", equal(Value("linux"), Attribute("linux"))),
        ("speed == fast", equal(SPEED, Attribute("fast"))),
        ("os == (speed + 1)", equal(OS, Operation(Operator.PLUS, (SPEED, Number(1000))))),
        ("type == any", Number(1000)),
        ("any != model", Number(0)),
        ("type == 'any'", equal(Attribute("type"), Value("any"))),
        ("os == any", equal(OS, Value("any"))),
        ("defined(os)", Defined("os")),
        ("!(os == a)", Operation(Operator.NOT, (equal(OS, Value("a")),))),
    ],
)
def test_bare_names(text: str, expected: Expression) -> None:
    assert expected == select(text)


def test_bare_names_without_resources() -> None:
    [[primary]] = lower(parse("os == linux && 'x' == y")).request
    assert (
        Operation(Operator.AND, (equal(OS, Value("linux")), equal(Value("x"), Attribute("y"))))
        == primary.select
    )


def test_rusage() -> None:
    assert (
        RusageEntry(resource="mem", amount=2_048_000),
        RusageEntry(resource="tmp", amount=500, per=Per.HOST),
        RusageEntry(resource="lic", amount=3000, per=Per.JOB),
        RusageEntry(resource="mem", amount=1000, per=Per.TASK),
    ) == only("rusage[mem=2G:tmp=.5/host, lic=3/job, mem=1/task]").rusage


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("hosts=1", Span(hosts_max=1)),
        ("hosts=-1", None),
        ("ptile=4", Span(ptile=4)),
        ("stripe", None),
        ("stripe=4", Span(tasks_per_host=4)),
        ("block=4", None),
        ("ptile='!',LINUX:4", None),
        ("ptile='!',LINUX:4,X86_64:2", None),
        ("ptile='!',PC1133:4,rack_7:2,Sparc20:1", None),
        ("gtile=2", None),
    ],
)
def test_span(text: str, span: Span | None) -> None:
    assert span == only(f"span[{text}]").span


def test_compound_and_alternatives() -> None:
    request = lowered("{2*{big} + 1*{-} + {span[stripe]}} || {4*{-}} || {big}@3").request
    big = Attribute("big")
    assert (
        (
            Primary(tasks=Counts(min=2, max=2), select=big),
            Primary(tasks=Counts(min=1, max=1)),
            Primary(),
        ),
        (Primary(tasks=Counts(min=4, max=4)),),
        (Primary(select=big),),
    ) == request


def test_rusage_alternatives_multiply_in_order() -> None:
    request = lowered("1*{rusage[mem=1||mem=2]} + 1*{rusage[tmp=3||tmp=4]}").request
    assert [[1000, 3000], [1000, 4000], [2000, 3000], [2000, 4000]] == [
        [primary.rusage[0].amount for primary in parts] for parts in request
    ]


@pytest.mark.parametrize(
    ("text", "kept", "warning"),
    [
        ("order[-slots]", "order[-slots]", None),
        ("affinity[core(2, same=socket)]", "affinity[core(2, same=socket)]", None),
        ("{big}||{-}@7", "@7", "a delay is not waited for: "),
        ("span[block=2]", "span[block=2]", "block=2 means nothing here: "),
        ("rusage[mem=(5 3)]", "the later phases of mem", "only the first phase of mem counts"),
        ("rusage[mem=5:duration=1h:decay=1]", "duration=1h:decay=1 of mem", "mem: held as long"),
    ],
)
def test_kept(text: str, kept: str, warning: str | None) -> None:
    found = lowered(text)
    assert (kept,) == found.kept
    assert (warning is not None) == len(found.warnings)
    assert all(one.startswith(warning or "") for one in found.warnings)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("rusage[lic=1:duration=2:mem=3]", "duration and decay are those of all of lic, mem"),
        ("rusage[lic=1:decay=1]", "the decay of lic has no duration"),
        ("mem > 5", "select reads mem, which is an amount and no attribute: it is refused"),
        ("slots > 5", "select reads slots, which is an amount and no attribute: it is refused"),
        ("defined(gpu)", "gpu is not declared: the request is refused"),
        ("type == any", "type==any holds on every host"),
        ("!big", "a host without big is left out, also by !big"),
    ],
)
def test_warning(text: str, warning: str) -> None:
    assert any(one.startswith(warning) for one in lowered(text).warnings)


def test_kept_and_warnings_are_told_once() -> None:
    found = lowered("1*{gpu order[ut]} + 1*{gpu order[ut]}")
    assert (("order[ut]",), 1) == (found.kept, len(found.warnings))


def test_nothing_is_warned_of_without_reason() -> None:
    found = lowered("select[os==linux && speed > 2] rusage[mem=5:tmp=1, lic=1] span[hosts=1]")
    assert ((), ()) == (found.kept, found.warnings)


def test_local_is_refused() -> None:
    with pytest.raises(errors.NoLocalHost):
        lowered("type == local")


def test_parts_are_bounded() -> None:
    two = "1*{rusage[mem=1||mem=2]}"
    assert 1024 == len(lowered("+".join([two] * 10)).request)
    with pytest.raises(errors.TooManyAlternatives, match="more than 16384 parts"):
        lowered("+".join([two] * 11))
