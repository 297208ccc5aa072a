"""The picture: whatever is drawn stands inside of it, and nothing runs over anything else."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest

from allotment_conformance.counterexample.drawing import rows_of_text, sides
from allotment_conformance.counterexample.svg import COLUMN, columns, svg, wrapped
from allotment_conformance.engines.notation import BEGIN, RUN, case, cluster, host, submit
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE

LONG = "a-host-with-a-very-long-name.rack-17.cluster.example.org"
WIDE = "日本語のとても長いホスト名" * 3
SENTENCE = (
    f"job j is dispatched: 64 slots on {LONG}, of which 20 are free; it must wait; PAR-1 " * 3
)


def found(made: Json, parts: list[list[object]] | None) -> Disagreement:
    """The last job is dispatched so, or waits, and should not."""
    answers = ModelAdapter().run(made)
    last = answers[-1]["jobs"][-1]
    told: Json = {"answer": "pending", "reason": "capacity", "never": False, "cached": False}
    if parts is not None:
        told = {"answer": "dispatched", "alternative": 0, "parts": [parts]}
    answers[-1]["jobs"][-1] = {"job": last["job"], **told}
    disagreement = Oracle(MODEL_PROFILE).judge(made, answers).disagreement
    assert disagreement is not None
    return disagreement


def many_hosts() -> Disagreement:
    hosts = [host(f"h{number}", number) for number in range(20)]
    small = [submit(f"job-number-{number}", number % 5 + 1) for number in range(14)]
    made = case(cluster(host(LONG, 64), *hosts), *small, RUN, BEGIN, submit("j", 68), RUN)
    return found(made, [[LONG, 64], ["h3", 4]])


def many_slots() -> Disagreement:
    made = case(cluster(host("A", 4096), host("B", 1_000_000)), submit("i", 100), RUN)
    made["events"] += [submit("j", 4097), RUN]
    return found(made, [["A", 4097]])


def many_jobs() -> Disagreement:
    small = [submit(f"{WIDE}{number}", 1) for number in range(120)]
    made = case(cluster(host("A", 120), host("B", 1)), *small, RUN, submit("j", 1), RUN)
    return found(made, [["A", 1]])


def long_names() -> Disagreement:
    closed = {**host(LONG, 3), "open": False}
    made = case(cluster(closed, host(WIDE, 16), host("C", 0)), submit("W" * 300, 3), RUN)
    return found(made, [["nowhere" * 9, 2], [WIDE, 1]])


def nothing_claimed() -> Disagreement:
    return found(case(cluster(host("A", 1)), submit("j", 1), RUN), None)


DRAWN = [many_hosts, many_slots, many_jobs, long_names, nothing_claimed]

Area = tuple[str, int, int, int, int]
"""What is there, and its left, right, upper and lower edge."""


def areas(picture: str) -> tuple[ElementTree.Element, list[Area], list[Area]]:
    """The picture, its boxes and its texts."""
    root = ElementTree.fromstring(picture)
    boxes, texts = [], []
    for one in root.iter():
        kind = one.tag.partition("}")[2]
        place = {name: int(one.get(name, 0)) for name in ("x", "y", "width", "height")}
        x, y = place["x"], place["y"]
        if kind == "rect" and one.get("class") != "page":
            about = str(one.get("class"))
            boxes.append((about, x, x + place["width"], y, y + place["height"]))
        if kind == "text":
            words = one.text or ""
            wide = columns(words) * COLUMN
            left = x - wide // 2 if one.get("class") == "label" else x
            texts.append((words, left, left + wide, y - 10, y + 3))
    return root, boxes, texts


def meet(one: Area, other: Area) -> bool:
    """Whether one runs over the other."""
    _one, left, right, top, bottom = one
    _other, its_left, its_right, its_top, its_bottom = other
    return left < its_right and its_left < right and top < its_bottom and its_top < bottom


@pytest.mark.parametrize("drawn", DRAWN)
def test_all_is_inside_of_the_picture(drawn: Callable[[], Disagreement]) -> None:
    root, boxes, texts = areas(svg(drawn(), SENTENCE))
    width, height = int(root.get("width", 0)), int(root.get("height", 0))
    assert f"0 0 {width} {height}" == root.get("viewBox")
    assert (760, True) == (width, height < 1200)
    for _what, left, right, top, bottom in boxes + texts:
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height


@pytest.mark.parametrize("drawn", DRAWN)
def test_nothing_runs_over_anything_else(drawn: Callable[[], Disagreement]) -> None:
    _root, boxes, texts = areas(svg(drawn(), SENTENCE))
    assert [] == [pair for pair in combinations(texts, 2) if meet(*pair)]
    assert [] == [pair for pair in combinations(boxes, 2) if meet(*pair)]
    for text in texts:
        for box in (one for one in boxes if meet(text, one)):
            assert box[1] <= text[1] < text[2] <= box[2], "a text in a box stands inside of it"


def test_both_sides_draw_the_same_hosts() -> None:
    specification, allocator = sides(many_hosts())
    assert [row.host for row in specification.rows] == [row.host for row in allocator.rows]
    assert {LONG, "h3", "h19"} < {row.host for row in allocator.rows}
    assert 12 == len(allocator.rows)


def test_every_slot_is_drawn_or_counted() -> None:
    _root, _boxes, texts = areas(svg(many_hosts(), SENTENCE))
    words = [text[0] for text in texts]
    assert {"o × 17", "o × 24", "o × 40", "17 free", "no slots"} <= set(words)


def test_slots_stand_in_order() -> None:
    made = case(cluster(host("A", 3)), submit("i", 1), RUN, submit("j", 2), RUN)
    _root, boxes, _texts = areas(svg(found(made, [["A", 3]]), SENTENCE))
    assert ["held", "claimed", "claimed"] == [box[0].removeprefix("box ") for box in boxes[:3]]
    assert ["held", "claimed", "claimed", "too-much"] == [
        box[0].removeprefix("box ") for box in boxes[3:7]
    ]


def test_colours_are_explained() -> None:
    _root, _boxes, texts = areas(svg(many_slots(), SENTENCE))
    words = [text[0] for text in texts]
    assert ["free", "held before", "claimed", "not there"] == words[-4:]
    assert "b = job j; a = job i" in words


def test_jobs_beyond_the_alphabet_have_signs_of_their_own() -> None:
    picture = svg(many_jobs(), SENTENCE)
    labels = {text[0] for text in areas(picture)[2]}
    assert {"a", "z", "a1", "z1", "a2"} <= labels
    assert "and 29 more boxes" in labels


@pytest.mark.parametrize("text", ["", "one two", "W" * 25, f"a {WIDE} b", "e\u0301" * 30])
def test_lines_fit_and_lose_nothing(text: str) -> None:
    lines = wrapped(text, 10)
    assert all(columns(line) <= 10 for line in lines)
    assert text.replace(" ", "") == "".join(lines).replace(" ", "")


def test_job_of_an_empty_name_is_drawn() -> None:
    one = found(case(cluster(host("A", 1)), submit("j", 1), RUN), None)
    nameless = {"job": "", "answer": "dispatched", "alternative": 0, "parts": [[["A", 1]]]}
    drawn = replace(one, actual={"answer": "ran", "jobs": [nameless]}, job=None)
    assert "A [b]" in rows_of_text(drawn)[-1]
    assert "claimed, job " in svg(drawn, SENTENCE)
