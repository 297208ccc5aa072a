"""What several tests of the kit share."""

import os
import sys
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from allotment_conformance.commands import check
from allotment_conformance.evidence.cases import case_links
from allotment_conformance.evidence.links import Link
from allotment_conformance.report.recorder import canary_of
from allotment_conformance.runs import check_work, work
from allotment_conformance.verdict.compare import Exchange, Judgement, Oracle
from allotment_conformance.verdict.probe import Probed, probe
from allotment_conformance.wire.messages import Profile
from allotment_model.state import State
from allotment_model.variants import Variant


@pytest.fixture
def with_allotment(tmp_path: Path) -> dict[str, str]:
    """An environment in which `allotment` is a command of the shell."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "allotment"
    main = "from allotment_conformance.cli import main; exit(main())"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{main}" "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture(scope="session")
def probed() -> dict[bytes, Probed]:
    """What is known of cases with their answers, variants and profile."""
    return {}


@pytest.fixture
def probing_once(probed: dict[bytes, Probed], monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in this process probe no case twice: they all have the same directed cases.

    What a probe finds depends on what it is given and on nothing else.
    """

    def known(told: Exchange, variants: Sequence[Variant], profile: Profile) -> Probed:
        declared = msgspec.structs.replace(profile, name="", version="")
        given = (told.case, told.given, [one.name for one in variants], declared)
        key = msgspec.json.encode(given)
        if key not in probed:
            probed[key] = probe(told, variants, profile)
        return probed[key]

    monkeypatch.setattr(check_work, "probe", known)
    monkeypatch.setattr(work, "probe", known)


@pytest.fixture(scope="session")
def judged() -> dict[object, tuple[Judgement, list[State]]]:
    """What is said of answers that are right, and the states that they lead to."""
    return {}


@pytest.fixture
def judging_once(
    judged: dict[object, tuple[Judgement, list[State]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs in this process judge right answers to a case once: all ask the same directed cases.

    What is said of them depends on the case, if it begins a scheduler, on the answers to the letter
    and on what the oracle holds, and on nothing else.
    """
    right = Oracle.judge_exchange

    def known(self: Oracle, told: Exchange) -> Judgement:
        if told.cluster is None:
            return right(self, told)
        text = repr((told.case, told.given)).encode("utf-8", "surrogatepass")
        given = (sha256(text).digest(), self.declares, self.choices, self.rules)
        if given not in judged:
            judgement = right(self, told)
            if judgement.disagreement is not None:
                return judgement
            judged[given] = judgement, self.states
        judgement, self.states = judged[given]
        return judgement

    monkeypatch.setattr(Oracle, "judge_exchange", known)


CANARY_OF = cache(canary_of)


@pytest.fixture
def canary_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The canary of a check in this process lives or dies once for each profile.

    Two more programs are started to find that out, which takes as long as some checks.
    """
    monkeypatch.setattr(check, "canary_of", CANARY_OF)


@pytest.fixture(scope="session")
def links_of_cases() -> list[Link]:
    """Which directed cases show which clauses: the same in every survey."""
    return case_links()
