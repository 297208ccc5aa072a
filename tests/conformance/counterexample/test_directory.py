"""The directory of a counterexample: its name, its files, and what strange names do to them."""

import errno
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from allotment_conformance.counterexample.asking import InProcess, asked_one
from allotment_conformance.counterexample.directory import (
    NotACounterexample,
    Store,
    draft_of,
    identity,
    kept_in,
    read,
    write,
)
from allotment_conformance.counterexample.drawing import rows_of_text
from allotment_conformance.counterexample.find import Counterexample, Effort, counterexample
from allotment_conformance.engines.notation import BEGIN, RUN, case, cluster, finish, host, submit
from allotment_conformance.runs.planted import program
from allotment_conformance.runs.tally import Failure
from allotment_conformance.vectors import build
from allotment_conformance.vectors.check import agrees
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.messages import read_profile
from allotment_conformance.wire.parts import beginning_case
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import mutant
from allotment_conformance.zoo.variants import Served

Json = dict[str, Any]

FAKES = Path(__file__).parents[1] / "wire" / "fakes"
HOSTILE = '<script>alert(1)</script>\x1b[2J\r\n```"&\u202e\ud800'
FILES = {
    "README.md",
    "answers.json",
    "case.json",
    "certificate.json",
    "picture.svg",
    "profile.json",
    "replay.py",
    "sent.json",
    "versions.json",
}
EMPTY = {"name": "C", "capacity": {}}
"""Needed for a plan of three buckets to be tried."""

TWICE = case(cluster(host("A", 3), host("B", 1), EMPTY), submit("j", 4), RUN)


def shown(told: Json, name: str, *, certify: bool = True) -> Counterexample:
    """The counterexample that an allocator of the zoo gives on a case, as it is."""
    asking = InProcess(mutant(name).make(), MODEL_PROFILE)
    finding = asked_one(asking, told)
    assert finding.signature is not None
    failure = Failure(
        origin="a test", case=told, answers=finding.answers, signature=finding.signature
    )
    seconds = 60.0 if certify else 0.0
    effort = Effort(most_tries=0, certify_seconds=seconds)
    return counterexample(asking, failure, effort=effort)


def written(tmp_path: Path, told: Json, name: str, command: tuple[str, ...] = ()) -> Path:
    return write(tmp_path, shown(told, name), MODEL_PROFILE, command, "an adapter")


def loaded(place: Path, name: str) -> Json:
    told: Json = json.loads((place / name).read_text(encoding="utf-8"))
    return told


def test_directory_holds_all_that_is_needed(tmp_path: Path) -> None:
    place = written(tmp_path, TWICE, "claimed-host-not-passed-over", ("./x", "-v"))
    assert {one.name for one in place.iterdir()} == FILES
    assert loaded(place, "case.json") == TWICE
    told = loaded(place, "answers.json")
    sentence = "host A is claimed by bucket 1 and bucket 2 of job j; HOST-7"
    assert sentence == told["sentence"]
    assert "pending" == told["permitted"][0][1]["jobs"][0]["answer"]
    assert "dispatched" == told["given"][1]["jobs"][0]["answer"]
    assert "smallest" == loaded(place, "certificate.json")["claim"]
    assert ["./x", "-v"] == loaded(place, "versions.json")["command"]
    assert sentence in (place / "README.md").read_text(encoding="utf-8")


def test_name_belongs_to_case_and_failure(tmp_path: Path) -> None:
    one = shown(TWICE, "claimed-host-not-passed-over")
    again = shown(json.loads(json.dumps(TWICE)), "claimed-host-taken-again")
    assert identity(one) == identity(again)
    other = shown(case(cluster(host("A", 1), host("B", 1)), submit("j", 1), RUN), "last-host-first")
    assert identity(other) != identity(one)
    assert 12 == len(identity(one)) == len(bytes.fromhex(identity(one))) * 2


def test_drawing_shows_who_holds_and_claims() -> None:
    told = case(cluster(host("A", 2)), submit("a", 1), RUN, submit("b", [1, 1]), RUN)
    one = shown(told, "host-debits-of-the-attempt-not-seen", certify=False)
    assert [
        "a = job a",
        "b = job b",
        "The specification",
        "  A [a.]",
        "The allocator",
        "  A [ab] b too much",
    ] == rows_of_text(one.found)


@pytest.mark.parametrize("name", ["A", HOSTILE])
def test_picture_is_xml_and_names_are_texts(tmp_path: Path, name: str) -> None:
    told = case(
        cluster(host(name, 3), host("B", 1), EMPTY),
        submit(f"j{name}", 4),
        RUN,
    )
    place = written(tmp_path, told, "claimed-host-not-passed-over")
    text = (place / "picture.svg").read_text(encoding="utf-8")
    found = {node.tag.partition("}")[2] for node in ElementTree.fromstring(text).iter()}
    assert {"svg", "title", "style", "text", "rect", "g"} == found
    assert "<script" not in text


def test_strange_names_change_nothing_around_them(tmp_path: Path) -> None:
    told = case(
        cluster(host(HOSTILE, 3), host("B", 1), EMPTY),
        submit(f"j{HOSTILE}", 4),
        RUN,
    )
    one = shown(told, "claimed-host-not-passed-over")
    place = write(tmp_path, one, MODEL_PROFILE, (), HOSTILE)
    page = (place / "README.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if "script" in line]
    assert lines
    assert all(line.startswith("    ") for line in lines)
    for text in (page, one.picture(), loaded(place, "answers.json")["sentence"]):
        assert all(char.isprintable() or char == "\n" for char in text)
    assert "\\x1b[2J\\r\\n" in one.picture()
    assert told == read(place).case


def test_only_so_much_is_drawn() -> None:
    hosts = [host(f"h{number}", 1) for number in range(20)]
    told = case(cluster(*hosts, host("wide", 5000)), submit("j", 1), RUN)
    one = shown(told, "last-host-first", certify=False)
    lines = rows_of_text(one.found)
    assert "  wide [a.×4,999 ]" in lines
    assert ["  and 9 more hosts"] * 2 == [line for line in lines if "more" in line]


def replayed(place: Path, *command: str) -> tuple[int, str]:
    """What the script of a directory says, run where nothing of ours can be imported."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(place / "replay.py"), *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=place,
    )
    return done.returncode, done.stdout


def served(**told: Any) -> tuple[str, ...]:
    return (sys.executable, str(FAKES / "served.py"), json.dumps(told))


def test_script_needs_nothing_of_ours(tmp_path: Path) -> None:
    wrong = served(variant="claimed host not passed over")
    place = written(tmp_path, TWICE, "claimed-host-not-passed-over", wrong)
    assert (1, "FAILED\n") == replayed(place)
    assert (1, "FAILED\n") == replayed(place, "--", *wrong)
    assert (0, "FIXED\n") == replayed(place, "--", *served())


def test_case_in_parts_is_replayed_in_parts(tmp_path: Path) -> None:
    told = case(cluster(host("A", 1)), submit("j", 1), beginning_case(RUN))
    wrong = program(mutant("queue-lost-between-cases").adapter)
    place = written(tmp_path, told, "queue-lost-between-cases", wrong)
    assert [1, 1] == [len(part["events"]) for part in loaded(place, "sent.json")["case"]]
    assert "2 in a case that goes on, without `cluster`: run" in (place / "README.md").read_text()
    assert (1, "FAILED\n") == replayed(place)
    assert (0, "FIXED\n") == replayed(place, "--", *served())
    vector = build.vector(draft_of(place, MODEL_PROFILE), MODEL_PROFILE)
    assert [1] == vector["parts"]
    assert not agrees(mutant("queue-lost-between-cases").make(), MODEL_PROFILE, vector)
    assert agrees(mutant("queue-lost-between-cases").make(), MODEL_PROFILE, {**vector, "parts": ()})


def test_request_that_is_sent_as_a_text_is_one_in_the_directory(tmp_path: Path) -> None:
    job = submit("j", 4)
    told = case(TWICE["cluster"], {**job, "job": {**job["job"], "text": 0}}, RUN)
    one = shown(told, "claimed-host-not-passed-over", certify=False)
    place = write(tmp_path, one, MODEL_PROFILE, (), "an adapter")
    [sent] = loaded(place, "sent.json")["case"]
    assert isinstance(sent["events"][0]["job"]["request"], str)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (served(fault="exit", at=1), "FAILED: what came is no message of the protocol: "),
        (served(fault="error", at=1), "FAILED: no usable answers: "),
        (
            ("no-such-program",),
            "ERROR: 'no-such-program' does not start: No such file or directory; rel",
        ),
        ((sys.executable, "-c", "print('[]'); print(3)"), "ERROR: it does not start: "),
        ((sys.executable, "-c", "print('{}\\n{}')"), "ERROR: it does not start: "),
        ((sys.executable, "-c", "print('{\"profile\": {}}')"), "ERROR: it does not start: "),
        ((sys.executable, "-c", "print('no')"), "ERROR: it does not start: "),
        (
            (sys.executable, "not-here.py"),
            "ERROR: it does not start: 'it ended with status 2 and said not",
        ),
    ],
    ids=[
        *("half a message", "an error", "not there", "no messages", "no profile"),
        *("an empty profile", "no JSON", "relative name"),
    ],
)
def test_script_tells_errors_apart(tmp_path: Path, command: tuple[str, ...], words: str) -> None:
    place = written(tmp_path, TWICE, "claimed-host-not-passed-over")
    status, said = replayed(place, "--", *command)
    assert (1 if words.startswith("FAILED") else 2, words) == (status, said[: len(words)])
    assert "Error" not in said


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        ({"features": ["rusage"]}, "the allocator does not declare books"),
        ({"largest": {"tasks": 9, "hosts": 1, "amount": 9}}, "the case is larger than the alloc"),
        ({"host_order": "most_free"}, "host_order is 'most_free' now, and was 'listed' when it"),
        ({"split": "any"}, "split is 'any' now, and was 'balanced' when it failed; the kit can"),
        ({"cache": "none"}, "cache is 'none' now, and was 'transparent' when it failed; the kit"),
        ({"rusage_default": "host"}, "rusage_default is 'host' now, and was 'task' when it"),
    ],
    ids=lambda one: "".join(one) if isinstance(one, dict) else "",
)
def test_script_judges_under_its_profile_only(tmp_path: Path, declare: Json, words: str) -> None:
    hosts = cluster(host("A", 1), host("B", 1))
    told = {**case(hosts, submit("j", 1), RUN), "report": ["books"]}
    place = written(tmp_path, told, "last-host-first")
    assert (0, "FIXED\n") == replayed(place, "--", *served())
    for fault in ({}, {"fault": "exit", "at": 1}):
        status, said = replayed(place, "--", *served(declare=declare, **fault))
        assert (2, f"ERROR: {words}") == (status, said[: len(words) + 7])


def test_script_compares_what_both_declare(tmp_path: Path) -> None:
    told = case(cluster(host("A", 0)), submit("j", 1), RUN)
    place = written(tmp_path, told, "never-is-never-said")
    still = {"variant": "never is never said"}
    assert (1, "FAILED\n") == replayed(place, "--", *served(**still))
    few = {"declares": ["reason"]}
    assert (0, "FIXED\n") == replayed(place, "--", *served(**still, declare=few))


def test_right_answers_of_another_profile_are_told(tmp_path: Path) -> None:
    told = case(cluster(host("A", 1), host("B", 2)), submit("j", 1), RUN)
    asking = InProcess(Served(host_order="most_free"), MODEL_PROFILE)
    finding = asked_one(asking, told)
    assert finding.signature is not None
    failure = Failure(
        origin="a test", case=told, answers=finding.answers, signature=finding.signature
    )
    one = counterexample(asking, failure, effort=Effort(most_tries=0, certify_seconds=0))
    under = "right under `host_order: most_free`; declared is `listed`."
    words = f"In this case, perhaps by chance, {under}"
    assert f"  Perhaps another profile\n    {words}" in one.picture()
    place = write(tmp_path, one, MODEL_PROFILE, (), "an adapter")
    assert words == loaded(place, "answers.json")["drift"]
    assert words in (place / "README.md").read_text(encoding="utf-8")
    other = written(tmp_path, TWICE, "claimed-host-not-passed-over")
    assert loaded(other, "answers.json")["drift"] is None
    assert "another profile" not in (other / "README.md").read_text(encoding="utf-8")


def test_script_asks_for_a_command(tmp_path: Path) -> None:
    place = written(tmp_path, TWICE, "claimed-host-not-passed-over")
    assert (2, "ERROR: name the program: python replay.py -- COMMAND ...\n") == replayed(place)


def test_script_leaves_open_what_is_open(tmp_path: Path) -> None:
    events = [submit("a", 2), RUN, submit("b", 1), RUN, finish("b"), BEGIN]
    told = {**case(cluster(host("A", 1)), *events), "report": ["books", "events"]}
    one = shown(told, "leak-at-finish", certify=False)
    assert told == one.case
    place = write(tmp_path, one, MODEL_PROFILE, (), "an adapter")
    assert (0, "FIXED\n") == replayed(place, "--", *served())
    assert (1, "FAILED\n") == replayed(place, "--", *served(variant="leak at finish"))


def test_store_replaces_what_has_become_smaller(tmp_path: Path) -> None:
    store = Store(tmp_path, adapter="an adapter")
    wide = case(cluster(host("A", 1), host("B", 0)), submit("a", [1, 1]), submit("b", 1), RUN)
    adapter = mutant("cache-filled-inside-a-compound").make()
    asking = InProcess(adapter, MODEL_PROFILE)
    finding = asked_one(asking, wide)
    assert finding.signature is not None
    failure = Failure(
        origin="a test", case=wide, answers=finding.answers, signature=finding.signature
    )
    found = counterexample(asking, failure, effort=Effort(most_tries=0), keep=store.keep)
    [place] = tmp_path.iterdir()
    assert (place, 1) == (store.places[found.signature], len(found.case["cluster"]["hosts"]))
    assert [place.name] == [one.name for one in kept_in(tmp_path)]


def test_store_never_removes_what_it_has_not_made(tmp_path: Path) -> None:
    wide = shown(
        case(cluster(host("A", 1), host("B", 0)), submit("a", [1, 1]), submit("b", 1), RUN),
        "cache-filled-inside-a-compound",
    )
    first, second = (Store(tmp_path, adapter="an adapter") for _time in range(2))
    first.keep(wide, MODEL_PROFILE)
    second.keep(wide, MODEL_PROFILE)
    [place] = tmp_path.iterdir()
    second.keep(shown(TWICE, "claimed-host-not-passed-over"), MODEL_PROFILE)
    assert place.exists()
    assert 2 == len(list(tmp_path.iterdir()))


def test_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = Store(tmp_path / "file", adapter="an adapter")
    store.keep(shown(TWICE, "claimed-host-not-passed-over"), MODEL_PROFILE)
    assert isinstance(store.refused, OSError)
    assert {} == store.places


def test_no_folder_holds_no_cases(tmp_path: Path) -> None:
    assert () == kept_in(tmp_path / "none")
    (tmp_path / "notes").mkdir()
    assert () == kept_in(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"events": []}', '{"events": 1, "cluster": {}}'])
def test_what_is_no_case_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "case.json").write_text(text, encoding="utf-8")
    with pytest.raises(NotACounterexample):
        kept_in(tmp_path)


def test_script_knows_all_answers_that_choices_allow(tmp_path: Path) -> None:
    one = shown(TWICE, "claimed-host-not-passed-over")
    odd = "allotment_conformance.zoo.served:Odd?name=any-split"
    profile = read_profile(load_adapter(odd).start())
    place = write(tmp_path, one, profile, program(odd), "an adapter")
    assert 1 < len(loaded(place, "answers.json")["permitted"])
    assert (0, "FIXED\n") == replayed(place)


def test_too_many_choices_are_left_to_the_kit(tmp_path: Path) -> None:
    one = shown(TWICE, "claimed-host-not-passed-over")
    told = replace(one, case={**one.case, "report": ["events"]})
    profile = msgspec.structs.replace(MODEL_PROFILE, split="any")
    place = write(tmp_path, told, profile, served(), "an adapter")
    assert loaded(place, "answers.json")["permitted"] is None
    assert 2 == replayed(place)[0]


def test_directory_that_cannot_be_written_whole_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text = Path.write_text

    def full(place: Path, text: str, **encoded: str) -> int:
        if place.name == "certificate.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_text(place, text, **encoded)

    monkeypatch.setattr(Path, "write_text", full)
    store = Store(tmp_path, adapter="an adapter")
    store.keep(shown(TWICE, "claimed-host-not-passed-over"), MODEL_PROFILE)
    assert isinstance(store.refused, OSError)
    assert [] == [*tmp_path.iterdir()]
