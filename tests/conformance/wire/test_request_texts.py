"""The kit's own texts: each style means the tree, and who reads one wrongly is found."""

import re
import sys
from collections.abc import Callable, Iterator
from itertools import chain

import msgspec
import pytest
from msgspec.structs import replace

from allotment_conformance.counterexample.find import disagreement_on
from allotment_conformance.counterexample.words import event as in_words
from allotment_conformance.engines.bulk import case_of
from allotment_conformance.engines.features import features_of
from allotment_conformance.engines.notation import (
    RUN,
    attribute,
    case,
    cluster,
    counts,
    defined,
    host,
    number,
    operation,
    text,
)
from allotment_conformance.engines.texts import TEXTS
from allotment_conformance.wire import request_texts
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.wire.messages import Json, read_case, read_profile
from allotment_conformance.wire.process import ProcessAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.wire.request_texts import (
    STYLES,
    Style,
    on_every_host,
    text_of,
    with_texts,
    worded,
)

PROFILE = replace(MODEL_PROFILE, features=(*MODEL_PROFILE.features, "text"))
X, Y = attribute("x"), attribute("y")
SUM = operation("*", operation("+", X, number(1500)), operation("-", X, operation("-", Y, X)))
SELECT = operation("&&", operation(">=", SUM, number(2000)), operation("!", defined("arch")))
PRIMARY = {
    "tasks": counts(3, 3),
    "select": SELECT,
    "rusage": [
        {"resource": "mem", "amount": 500, "per": "host"},
        {"resource": "lic", "amount": 2_048_000, "per": "job"},
        {"resource": "tmp", "amount": 1},
    ],
    "span": {"ptile": 2},
}
PLAIN_REST = "rusage[mem=0.5/host:lic=2048/job:tmp=0.001] span[ptile=2]}"
REVERSED = "span[ptile=2] rusage[mem=512K/host, lic=2G/job, tmp=0.001MB] "
WORDS = (
    *("||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", " - ", "/", "!", "-", "(", "defined("),
    *("select[", "rusage[", "/task", "/host", "/job", "K", "G", "MB", ", ", ":", "0*{", "{-}"),
    *("span[hosts=1]", "span[ptile=", "span[stripe=", "} || {", "}+", "}||{"),
    *("same[", "order[", ":duration=", ":decay=", "}@10 ||"),
    *("'disk-7'", '"it\'s"', "'so \"named\"'", "'x] || {'", "'naïve'"),
)
"""What the texts of bulk cases have to hold: operators, scopes, units, sections, quotes."""


@pytest.mark.parametrize(
    ("style", "written"),
    [
        (
            Style(0),
            "3*{select[(x + 1.5) * (x - (y - x)) >= 2 && !defined(arch)] " + PLAIN_REST,
        ),
        (
            Style.TIGHT | Style.UNITS | Style.COMMAS | Style.SECTIONS_REVERSED | Style.BRACES,
            "{3*{" + REVERSED + "select[(x+1.5)*(x - (y - x))>=2&&!defined(arch)]}}",
        ),
        (
            Style.UNUSED_SECTIONS | Style.DURATIONS | Style.DELAYS,
            (
                "3*{select[(x + 1.5) * (x - (y - x)) >= 2 && !defined(arch)] "
                "rusage[mem=0.5/host:lic=2048/job:tmp=0.001:duration=5m:decay=1] "
                "span[ptile=2] same[model] order[-slots:ut]}"
            ),
        ),
        (
            Style.BRACKETS | Style.BARE_SELECT,
            "3*{((((x + 1.5) * (x - (y - x))) >= 2) && (!defined(arch))) " + PLAIN_REST,
        ),
    ],
)
def test_primary_is_written_in_its_style(style: Style, written: str) -> None:
    assert written == text_of([[PRIMARY]], style)


@pytest.mark.parametrize(
    ("request_tree", "written"),
    [
        ([[{}]], "{-}"),
        ([[{}], [{"tasks": counts(2, 2)}]], "{-} || {2*{-}}"),
        ([[{"select": operation("!", on_every_host("type"))}]], "select[!(type == any)]"),
        ([[{"select": on_every_host("os")}]], "select[!defined(os) || defined(os)]"),
        ([[{"tasks": counts(0, 0)}, {"tasks": counts(2, 2)}]], "0*{-} + 2*{-}"),
        ([[{"tasks": counts(1, 1)}, {}]], "1*{-} + {-}"),
        ([[{"span": {"hosts_max": 1}}]], "span[hosts=1]"),
        ([[{"span": {"tasks_per_host": 4}}]], "span[stripe=4]"),
        ([[{"select": operation("neg", number(1))}]], "select[-0.001]"),
        ([[{"select": operation("==", X, text("it's"))}]], 'select[x == "it\'s"]'),
        ([[{"select": operation("!=", X, text('"a" ]'))}]], "select[x != '\"a\" ]']"),
    ],
)
def test_requests_have_texts(request_tree: list[list[Json]], written: str) -> None:
    assert written == text_of(request_tree)


def deep(levels: int) -> Json:
    """A select of so many levels."""
    select = number(0)
    for _ in range(levels - 1):
        select = operation("!", select)
    return select


@pytest.mark.parametrize(
    "request_tree",
    [
        [],
        [[]],
        [[{"tasks": counts(1, 2)}]],
        [[{"tasks": counts(-1, -1)}]],
        [[{}, {"tasks": counts(1, 1)}]],
        [[{"span": {"hosts_max": 2}}]],
        [[{"span": {"hosts_min": 1}}]],
        [[{"span": {"ptile": 1, "hosts_max": 1}}]],
        [[{"span": {"ptile": -1}}]],
        [[{"rusage": [{"resource": "mem", "amount": -1}]}]],
        [[{"rusage": [{"resource": "decay", "amount": 1}]}]],
        [[{"rusage": [{"resource": "a-b", "amount": 1}]}]],
        [[{"select": number(-1)}]],
        [[{"select": operation("==", X, text(""))}]],
        [[{"select": operation("==", X, text("a'b\"c"))}]],
        [[{"select": operation("==", X, text("a\nb"))}]],
        [[{"select": operation("==", X, Y)}]],
        [[{"select": deep(request_texts.DEEPEST + 1)}]],
    ],
)
def test_other_requests_have_none_and_are_sent_as_trees(request_tree: list[list[Json]]) -> None:
    assert text_of(request_tree) is None
    [event] = with_texts({"events": [submit(request_tree, style=1)]})["events"]
    assert request_tree == event["job"]["request"]
    assert "text" not in event["job"]


def submit(request_tree: list[list[Json]], style: int) -> Json:
    """A job whose request is to be sent as a text."""
    who = {"user": "u", "queue": "q", "project": "p"}
    job = {"name": "j", **who, "request": request_tree, "text": style}
    return {"event": "submit", "job": job}


def test_nearest_request_has_a_text() -> None:
    bounds = {"hosts_min": 2, "hosts_max": 3, "ptile": 1}
    primary = {"tasks": counts(1, 2), "span": bounds, "select": operation("<", X, number(-1))}
    job = worded({"request": [[primary]], "tasks": counts(1, 2)}, 0)
    assert (counts(2, 2), 0) == (job["tasks"], job["text"])
    assert "2*{select[x < -0.001] span[hosts=1]}" == text_of(job["request"])


def test_kit_alone_knows_the_mark() -> None:
    asked = case(cluster(host("A", 1)), submit([[{"tasks": counts(1, 1)}]], style=0), RUN)
    read_case(asked)
    assert features_of(asked) == {"text"}
    assert "sent as the text: 1*{-}" in in_words(asked["events"][0])
    assert "1*{-}" == with_texts(asked)["events"][0]["job"]["request"]
    untouched = {"events": [RUN, {"event": "finish", "job": "text"}]}
    assert untouched == with_texts(untouched)


SPEAKER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "start":
        said = {"version": 1, "profile": json.loads(sys.argv[1])}
    elif asked["cmd"] == "run":
        code = "syntax" if isinstance(asked["case"]["events"][0]["job"]["request"], str) else "type"
        said = {"id": asked["id"], "answers": [{"answer": "refused", "code": code}]}
    else:
        break
    print(json.dumps(said), flush=True)
"""


def test_programs_get_texts_too() -> None:
    profile = msgspec.json.encode(PROFILE).decode()
    program = ProcessAdapter([sys.executable, "-c", SPEAKER, profile], validate=True)
    program.start()
    asked = {"cluster": cluster(), "events": [submit([[{}]], style=0)]}
    assert [{"answer": "refused", "code": "syntax"}] == program.run(asked)
    program.close()


def bulk_texts(cases: int) -> Iterator[str | None]:
    """The requests of bulk cases that are to be sent as texts; None for one that has none."""
    for index in range(cases):
        for event in case_of(1, index, PROFILE)["events"]:
            job = event.get("job", {})
            if isinstance(job, dict) and "text" in job:
                yield text_of(job["request"], job["text"])


def test_bulk_texts_cover_the_language() -> None:
    found = [*bulk_texts(1500)]
    texts = [one for one in found if one is not None]
    print(f"\n{len(found)} requests, {len(texts)} as texts, {len(set(texts))} distinct")
    assert len(texts) >= 0.9 * len(found)
    assert len(set(texts)) >= 500
    assert [] == [word for word in WORDS if sum(word in one for one in texts) < 3]


class Misread:
    """The built-in allocator, which reads the texts of requests after a change."""

    def __init__(self, change: Callable[[str], str]) -> None:
        self.adapter = load_adapter(DEFAULT_ADAPTER)
        self.change = change
        self.start, self.close = self.adapter.start, self.adapter.close

    def run(self, asked: Json) -> list[Json]:
        """The answers to what was misread."""
        sent = with_texts(asked)
        return self.adapter.run({**sent, "events": [*map(self._event, sent["events"])]})

    def _event(self, event: Json) -> Json:
        job = event.get("job")
        if not isinstance(job, dict) or not isinstance(job["request"], str):
            return event
        return {**event, "job": {**job, "request": self.change(job["request"])}}


def is_found(change: Callable[[str], str], cases: int) -> bool:
    """Whether a case of texts, or one of so many bulk cases, finds somebody who reads texts so."""
    adapter = Misread(change)
    profile = read_profile(adapter.start())
    directed = (one.case for one in TEXTS)
    bulk = (case_of(1, index, profile) for index in range(cases))
    return any(disagreement_on(adapter, profile, one) is not None for one in chain(directed, bulk))


def test_right_reader_agrees() -> None:
    assert not is_found(lambda request: request, cases=300)


@pytest.mark.parametrize(
    "change",
    [
        lambda request: re.sub(r"(?<!defined)\(([^()]*)\)", r"\1", request),
        lambda request: request.replace("&&", "||") if "&&" in request else request,
        lambda request: re.sub(r"([0-9])K", r"\1", request),
        lambda request: re.sub(r"=([0-9]+)G", r"=\1", request),
        lambda request: request.replace("/host", "/task"),
        lambda request: request.replace("/task", ""),
        lambda request: request.replace("ptile", "stripe"),
        lambda request: request.replace("stripe", "ptile"),
        lambda request: request.replace("span[hosts=1]", ""),
        lambda request: re.sub(r"!defined", "defined", request),
        lambda request: request.replace("disk-7", "disk"),
        lambda request: request.lower(),
        lambda request: request.partition("||")[0].strip(),
    ],
    ids=[
        *("no-brackets", "and-is-or", "no-K", "no-G", "host-is-task", "no-task", "ptile-is-stripe"),
        *("stripe-is-ptile", "no-hosts-1", "no-not", "other-quoted", "lower-case", "first-only"),
    ],
)
def test_wrong_reader_is_found(change: Callable[[str], str]) -> None:
    assert is_found(change, cases=2000)


@pytest.mark.parametrize("text", request_texts.NO_REQUESTS.values(), ids=request_texts.NO_REQUESTS)
def test_reader_that_takes_what_is_no_request_is_found(text: str) -> None:
    assert is_found(lambda request: "{-}" if request == text else request, cases=0)


@pytest.mark.parametrize(
    "change",
    [
        lambda request: request.replace("type == any", "type == 'any'"),
        lambda request: request.replace("type == any", "defined(type)"),
        lambda request: request.replace("model == any", "model == 'any'"),
        lambda request: request.partition("@10 || ")[2] or request,
        lambda request: "{-" if "@10" in request else request,
        lambda request: "{-" if "same[" in request else request,
        lambda request: "{-" if "order[" in request else request,
        lambda request: request.replace(":duration=5m", ":disk=5"),
        lambda request: "{-" if "decay=" in request else request,
    ],
    ids=[
        *("any-is-a-text", "any-is-defined", "any-model-is-a-text", "delayed-left-out", "no-delay"),
        *("no-same", "no-order", "duration-is-an-amount", "no-decay"),
    ],
)
def test_reader_that_is_wrong_on_what_no_tree_holds_is_found(change: Callable[[str], str]) -> None:
    assert is_found(change, cases=0)


def test_no_request_is_a_text_and_not_a_tree() -> None:
    wrong = submit([[request_texts.UNREADABLE]], style=1)
    assert "no request, sent as the text: {-} ||" in in_words(wrong)
    [nothing, other] = (
        with_texts({"events": [submit([[request_texts.UNREADABLE]], style)]})["events"][0]
        for style in (0, len(request_texts.NO_REQUESTS) + 1)
    )
    assert ("", "{-} ||") == (nothing["job"]["request"], other["job"]["request"])


@pytest.mark.parametrize(
    "levels",
    [
        dict.fromkeys(request_texts.PRECEDENCE, 0),
        {**request_texts.PRECEDENCE, "&&": 0, "||": 1},
        {**request_texts.PRECEDENCE, "+": 5, "-": 5, "*": 4, "/": 4},
        {**request_texts.PRECEDENCE, "==": 3, "!=": 3, "<": 2, "<=": 2, ">": 2, ">=": 2},
    ],
    ids=["none", "and-or", "sum-product", "equality-comparison"],
)
def test_wrong_printer_is_found(levels: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_texts, "PRECEDENCE", levels)
    assert is_found(lambda request: request, cases=2000)


def test_style_is_any_number() -> None:
    assert text_of([[PRIMARY]], 3) == text_of([[PRIMARY]], 3 + STYLES)
