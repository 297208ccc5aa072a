"""A kit that has gone blind, or flags everything, fails every run as broken."""

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from allotment_conformance.cli import main
from allotment_conformance.runs import canary
from allotment_conformance.runs.canary import (
    Flags,
    flags_of_check,
    flags_of_exhaust,
    flags_of_verify,
    what_is_broken,
)
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.legality import NEEDED_BY, legal_profile
from allotment_conformance.wire.messages import Json, Largest, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.process import ProcessAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo import hunt, matrix
from allotment_conformance.zoo.hunt import Trail

MODEL = "allotment_conformance.zoo.variants:Served"
NO_ROLLBACK = f"{MODEL}?variant=no rollback"

DECLARED: list[dict[str, Any]] = [
    {},
    {"features": (*MODEL_PROFILE.features, "text")},
    {"features": (), "declares": (), "largest": Largest(tasks=1, hosts=1, amount=1)},
]

PROFILES = [
    msgspec.structs.replace(
        MODEL_PROFILE,
        host_order=order,
        split=split,
        cache=cache,
        **declared,
    )
    for order, split, cache, declared in product(
        ("listed", "most_free", "unspecified"),
        ("balanced", "any"),
        ("none", "transparent", "literal"),
        DECLARED,
    )
]


SOME = PROFILES[::7]
"""Each choice that can be declared, and each way to declare little, at least twice."""


@pytest.mark.parametrize(
    ("flags", "profiles"),
    [(flags_of_verify, PROFILES), (flags_of_exhaust, PROFILES), (flags_of_check, SOME)],
)
def test_canary_lives_under_every_profile(flags: Flags, profiles: list[Profile]) -> None:
    assert (54, 8) == (len(PROFILES), len(SOME))
    assert [] == [one for one in profiles if what_is_broken(one, flags) is not None]


FEATURES: tuple[str, ...] = (*MODEL_PROFILE.features, "text")
AXES = tuple(
    product(
        ("listed", "most_free", "unspecified"),
        ("balanced", "any"),
        ("none", "transparent", "literal"),
        ("host", "task"),
    )
)
LARGEST: tuple[dict[str, int], ...] = (
    {"tasks": 1, "hosts": 1, "amount": 1},
    {"tasks": 2, "hosts": 2, "amount": 10},
    {"tasks": 8, "hosts": 4, "amount": 1_000_000},
    {"tasks": 2**20, "hosts": 10_000, "amount": 2**53 - 1},
)


def declared(
    features: Iterable[str],
    axes: tuple[str, str, str, str],
    declares: Iterable[str],
    largest: dict[str, int],
) -> Profile:
    """A legal profile; what a feature needs is added."""
    host_order, split, cache, rusage_default = axes
    needed = {NEEDED_BY[one] for one in features if one in NEEDED_BY}
    return legal_profile(
        {
            "name": "any",
            "version": "1",
            "features": sorted({*features, *needed}),
            "host_order": host_order,
            "split": split,
            "cache": cache,
            "rusage_default": rusage_default,
            "declares": list(declares),
            "largest": largest,
        }
    )


def legal_profiles() -> Iterator[Profile]:
    """No feature and each one alone, with all choices; and 600 drawn ones."""
    for features in ((), *((one,) for one in FEATURES)):
        yield from (declared(features, axes, (), LARGEST[-1]) for axes in AXES)
    draw = Random(1)
    for _ in range(600):
        drawn = draw.sample(FEATURES, draw.randint(0, len(FEATURES)))
        told = draw.sample(("reason", "never", "cached"), draw.randint(0, 3))
        yield declared(drawn, draw.choice(AXES), told, draw.choice(LARGEST))


def test_canary_lives_under_every_legal_profile() -> None:
    profiles = list(legal_profiles())
    assert 15 * 36 + 600 == len(profiles)
    assert [] == [one for one in profiles if what_is_broken(one, flags_of_verify) is not None]


def test_canary_of_a_check_comes_over_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    def replies(self: ProcessAdapter, cases: Iterable[Json], stopped: object) -> Iterator[Json]:
        yield from map(ModelAdapter().run, cases)

    monkeypatch.setattr(ProcessAdapter, "replies", replies)
    told = what_is_broken(MODEL_PROFILE, flags_of_check)
    assert told is not None
    assert "was not found" in told


def test_planted_program_without_answers_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canary, "program", lambda adapter: (sys.executable, "-c", "exit(1)"))
    told = what_is_broken(MODEL_PROFILE, flags_of_check)
    assert told is not None
    assert "was not found" in told


def test_canary_of_the_zoo_lives() -> None:
    assert what_is_broken(MODEL_PROFILE, hunt.flags) is None


@pytest.mark.parametrize(
    ("answer", "words"), [(False, "was not found"), (True, "the specification itself was flagged")]
)
def test_blind_and_strict_engines_are_told(answer: bool, words: str) -> None:
    told = what_is_broken(MODEL_PROFILE, lambda adapter, profile: answer)
    assert told is not None
    assert words in told


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A kit whose comparison says yes to everything."""
    monkeypatch.setattr(Oracle, "_agrees", lambda self, allowed, given, sent: True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize(
    "words",
    [
        ["verify", NO_ROLLBACK, "--cases", "0", "--processes", "0"],
        ["verify", MODEL, "--soak", "20"],
        ["exhaust", NO_ROLLBACK, "--slice", "splits", "--processes", "0"],
    ],
    ids=["verify", "soak", "exhaust"],
)
def test_blind_kit_fails_a_run(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert 4 == main([*words, "--json", "result.json"])
    assert "KIT BROKEN: the planted allocator" in capsys.readouterr().out.splitlines()[-1]
    result = json.loads(Path("result.json").read_text())
    assert (4, False) == (result["exit_status"], result["canary"]["alive"])


@pytest.mark.usefixtures("blind")
def test_blind_kit_fails_a_check_and_its_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-c", "from allotment_conformance.cli import main; exit(main())", "oracle"]
    options = ["--cases", "0", "--processes", "1", "--start-timeout", "120", "--ndjson", "a.ndjson"]
    assert 4 == main(["check", *options, "--", sys.executable, *words])
    assert 4 == main(["report", "a.ndjson", "--format", "markdown"])
    assert "\nKIT BROKEN: the planted allocator" in capsys.readouterr().out


@pytest.mark.usefixtures("blind")
def test_blind_kit_hunts_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(names: object, processes: int) -> dict[str, Trail]:
        raise AssertionError("nobody is hunted with a broken kit")

    monkeypatch.setattr(matrix, "matrix", never)
    assert 4 == main(["zoo", "no-rollback"])
    assert "KIT BROKEN" in capsys.readouterr().out
