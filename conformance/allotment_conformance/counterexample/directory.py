"""The directory of a counterexample: all that somebody needs who was not there.

Its name is made of the case and of how the allocator fails, so that one failure has one directory.
"""

import json
import platform
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from allotment_conformance.counterexample.contradiction import contradiction
from allotment_conformance.counterexample.diagnosis import TITLES
from allotment_conformance.counterexample.find import Counterexample, Shown
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.counterexample.predecessors import MOST_BEFORE, SECONDS
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.counterexample.svg import svg
from allotment_conformance.counterexample.words import counted
from allotment_conformance.engines.features import features_of, largest_of
from allotment_conformance.errors import KitError
from allotment_conformance.runs.tally import KeptCase
from allotment_conformance.vectors.build import Draft
from allotment_conformance.vectors.form import NoVectors
from allotment_conformance.vectors.permitted import TooManyAnswers, permitted
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.verdict.probe import exercised
from allotment_conformance.wire.messages import (
    Json,
    NotACase,
    Profile,
    no_cluster,
    plain,
    read_case,
)
from allotment_conformance.wire.parts import parts_of
from allotment_conformance.wire.request_texts import with_texts

FORMAT = 1
BEFORE = "before.json"
"""The cases that are asked before, where it takes some; else the file is not there."""

DIGITS = 12
"""Of a hash: 48 bits, so that no two directories of a folder come to have one name."""


OF_KEPT = (
    "What is in this folder is run first, and nothing is left out in silence. Mend what is broken, "
    "as from version control, or delete it; or name another folder with --counterexamples."
)
"""The remedy for what is broken among counterexamples that were kept."""


class NotACounterexample(KitError):
    """A folder that was named holds no counterexample."""

    code = "not-a-counterexample"


def identity(shown: Shown) -> str:
    """The stable name: of the case in canonical form, and of how it fails."""
    told = [plain(read_case(shown.case)), asdict(shown.signature)]
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:DIGITS]


def sentence(shown: Shown) -> str:
    """What is wrong, in one sentence."""
    if isinstance(shown, Counterexample):
        return legible(contradiction(shown.found, shown.diagnosis.headline()))
    return legible(f"the program gives no usable answers: {shown.failure}")


def write(
    folder: Path, shown: Shown, profile: Profile, command: Sequence[str], adapter: str
) -> Path:
    """Write the directory of a counterexample into a folder of such.

    Raises `OSError`; a directory that was not there before is not there afterwards then.
    `command` is how the allocator is started, empty for one in this process; `adapter` names it.
    """
    place = folder / identity(shown)
    texts = {
        "case.json": _text(shown.case),
        "sent.json": _text({"before": _sent(*shown.before), "case": _sent(shown.case)}),
        "answers.json": _text(answers_of(shown, profile)),
        "certificate.json": _text({"format": FORMAT, **asdict(shown.certificate)}),
        "profile.json": _text(plain(profile)),
        "versions.json": _text(_versions(profile, command, adapter)),
        "README.md": _readme(place.name, shown, profile),
        "replay.py": (files(__package__) / "standalone.py").read_text(encoding="utf-8"),
    }
    if shown.before:
        texts[BEFORE] = _text(list(shown.before))
    if isinstance(shown, Counterexample):
        texts["picture.svg"] = svg(shown.found, sentence(shown))
    is_new = not place.exists()
    place.mkdir(parents=True, exist_ok=True)
    try:
        for name, text in texts.items():
            (place / name).write_text(text, encoding="utf-8")
    except OSError:
        if is_new:
            shutil.rmtree(place, ignore_errors=True)
        raise
    return place


def _sent(*cases: Json) -> list[Json]:
    """Cases as they are sent: requests as texts, and parts apart."""
    return [part for case in cases for part in parts_of(with_texts(case))]


def answers_of(shown: Shown, profile: Profile) -> Json:
    """What was answered, what is permitted, and what has to be declared to be asked the case.

    What is permitted is null where it is not one list.
    """
    told: Json = {
        "format": FORMAT,
        "sentence": sentence(shown),
        "signature": asdict(shown.signature),
        "reproduced": shown.reproduced,
        "permitted": _permitted(shown.case, profile),
        "needs": {
            "features": sorted(features_of(shown.case)),
            "largest": plain(largest_of(shown.case)),
        },
    }
    if not isinstance(shown, Counterexample):
        return told | {"given": None, "failure": str(shown.failure), "stderr": shown.failure.stderr}
    given = shown.answers if isinstance(shown.answers, list) else None
    told |= {"given": given, "diagnosis": asdict(shown.diagnosis), "drift": shown.drift}
    return told | {"disagreement": _disagreement(shown.found)}


def _disagreement(found: Disagreement) -> Json:
    return {
        "step": found.step,
        "kind": str(found.kind),
        "job": found.job,
        "expected": found.expected,
        "one_of_several": found.one_of_several,
        "actual": found.actual,
    }


def _permitted(case: Json, profile: Profile) -> list[list[Json]] | None:
    try:
        return permitted(case, profile)
    except TooManyAnswers:
        return None


def _versions(profile: Profile, command: Sequence[str], adapter: str) -> Json:
    return {
        "format": FORMAT,
        "kit": version("allotment"),
        "implementation": {"name": profile.name, "version": profile.version},
        "adapter": adapter,
        "command": list(command),
        "python": platform.python_version(),
    }


def _readme(name: str, shown: Shown, profile: Profile) -> str:
    # What others have named stands in blocks of code only, a line each, where nothing is markup.
    environment = Environment(
        loader=PackageLoader("allotment_conformance.counterexample"),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("README.md").render(
        id=name,
        sentence=sentence(shown),
        origin=legible(shown.origin),
        name=legible(f"{profile.name} {profile.version}"),
        picture=shown.picture(),
        reproduced=shown.reproduced,
        before=counted(len(shown.before), "other case") if shown.before else "",
        most=MOST_BEFORE,
        seconds=int(SECONDS),
    )


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


def read(place: Path) -> KeptCase:
    """The case of a directory. Raises `NotACounterexample`."""
    case = _json(place, "case.json")
    before = _json(place, BEFORE) if (place / BEFORE).exists() else []
    _must_be_case(place, "case.json", case)
    if not isinstance(before, list):
        raise _none(place, f"{place / BEFORE} is no list of cases")
    for one in before:
        _must_be_case(place, BEFORE, one)
    told = _told(place) if (place / "answers.json").exists() else _Told(sentence="")
    return KeptCase(
        name=place.name,
        case=case,
        before=tuple(before),
        reproduced=told.reproduced,
        sentence=told.sentence,
    )


def _json(place: Path, name: str) -> Any:
    """What a file of the directory holds."""
    file = place / name
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise _none(place, f"{file} cannot be read: {wrong.strerror}") from wrong
    except (ValueError, RecursionError) as wrong:
        raise _none(place, f"{file} is not JSON: {wrong}") from wrong


def _must_be_case(place: Path, name: str, case: Any) -> None:
    """Raise unless it is a case that starts a scheduler."""
    try:
        if not read_case(case).cluster:
            raise no_cluster()
    except NotACase as wrong:
        raise _none(place, f"{place / name}: {wrong}") from wrong


def _none(place: Path, words: str) -> NotACounterexample:
    return NotACounterexample(
        f"{place} holds no counterexample: {words}",
        remedy="Name a folder that `allotment verify` or `allotment check` has written.",
    )


def kept_in(folder: Path) -> tuple[KeptCase, ...]:
    """The cases of all directories in a folder, by name; none if it is not there.

    Raises `NotACounterexample` with all that are broken: a case that was kept is never passed over.
    """
    if not folder.is_dir():
        return ()
    kept, broken = list[KeptCase](), list[NotACounterexample]()
    for place in sorted(folder.iterdir()):
        if (place / "case.json").exists():
            try:
                kept.append(read(place))
            except NotACounterexample as wrong:
                broken.append(wrong)
    if broken:
        raise NotACounterexample("\n".join(map(str, broken)), remedy=OF_KEPT)
    return tuple(kept)


class _Diagnosed(msgspec.Struct, frozen=True, kw_only=True):
    clauses: tuple[str, ...] = ()


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a vector takes from `answers.json`. A program that gave none is not diagnosed."""

    sentence: str
    reproduced: bool = True
    diagnosis: _Diagnosed = _Diagnosed()


def draft_of(place: Path, profile: Profile) -> Draft:
    """What becomes a vector of the counterexample in a directory.

    The clauses are those of its diagnosis; without any, all that the case exercises. The books
    are asked for, too: who tells none leaves them out. Raises `NotACounterexample`, and `NoVectors`
    if the failure did not come again.
    """
    kept = read(place)
    told = _told(place)
    if kept.before:
        raise NoVectors(
            "the case fails only after other cases, and a vector is one case",
            remedy="Keep the directory: `allotment replay` asks the other cases, too.",
        )
    if not told.reproduced:
        raise NoVectors(
            "the failure did not come again when the case was asked a second time",
            remedy="Look for chance, or for what cases before it leave behind in the allocator.",
        )
    clauses = tuple(clause for clause in told.diagnosis.clauses if clause in TITLES)
    reports = {*kept.case.get("report", ()), "books"}
    return Draft(
        id=f"promoted/{kept.name}",
        clauses=clauses or exercised(kept.case, profile),
        why=told.sentence,
        provenance=f"counterexample of {profile.name} {profile.version}",
        case={**kept.case, "report": sorted(reports)},
    )


def _told(place: Path) -> _Told:
    file = place / "answers.json"
    try:
        return msgspec.convert(json.loads(file.read_text(encoding="utf-8")), _Told)
    except OSError as wrong:
        raise _none(place, f"{file} cannot be read: {wrong.strerror}") from wrong
    except (ValueError, RecursionError) as wrong:
        raise _none(place, f"{file} is not as it was written: {wrong}") from wrong


class Store:
    """Writes counterexamples as they come: first uncertified, then with their certificate.

    A case that certification has made smaller takes the place of the one before. `refused` is what
    kept it from being written.
    """

    def __init__(self, folder: Path, *, adapter: str, command: Sequence[str] = ()) -> None:
        """`adapter` names the allocator; `command` starts it if it is a program."""
        self.folder = folder
        self.adapter = adapter
        self.command = tuple(command)
        self.places: dict[Signature, Path] = {}
        self._made: set[Path] = set()
        self.refused: OSError | None = None

    def keep(self, shown: Shown, profile: Profile) -> None:
        """Write one, or write it anew."""
        before = self.places.get(shown.signature)
        was_there = (self.folder / identity(shown)).exists()
        try:
            place = write(self.folder, shown, profile, self.command, self.adapter)
            if before in self._made and before != place:
                shutil.rmtree(before)
        except OSError as wrong:
            self.refused = wrong
            return
        self.places[shown.signature] = place
        self._made |= set() if was_there else {place}
