"""What several tests of the kit share."""

from collections.abc import Sequence

import msgspec
import pytest

from allotment_conformance.evidence.cases import case_links
from allotment_conformance.evidence.links import Link
from allotment_conformance.verdict import check_work, work
from allotment_conformance.verdict.probe import Probed, probe
from allotment_conformance.wire.messages import Json, Profile
from allotment_model.variants import Variant


@pytest.fixture(scope="session")
def probed() -> dict[bytes, Probed]:
    """What is known of cases with their answers, variants and profile."""
    return {}


@pytest.fixture
def probing_once(probed: dict[bytes, Probed], monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in this process probe no case twice: they all have the same directed cases.

    What a probe finds depends on what it is given and on nothing else.
    """

    def known(case: Json, answers: object, variants: Sequence[Variant], profile: Profile) -> Probed:
        declared = msgspec.structs.replace(profile, name="", version="")
        given = (case, answers, [one.name for one in variants], declared)
        key = msgspec.json.encode(given)
        if key not in probed:
            probed[key] = probe(case, answers, variants, profile)
        return probed[key]

    monkeypatch.setattr(check_work, "probe", known)
    monkeypatch.setattr(work, "probe", known)


@pytest.fixture(scope="session")
def links_of_cases() -> list[Link]:
    """Which directed cases show which clauses: the same in every survey."""
    return case_links()
