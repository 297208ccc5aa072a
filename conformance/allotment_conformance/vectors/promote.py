"""Promotion: a counterexample becomes a vector, so that nobody makes the same mistake again.

Promoted vectors are kept in a folder of the user's, in files like those of the package, or in the
package itself.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from allotment_conformance.errors import KitError
from allotment_conformance.vectors import build
from allotment_conformance.vectors.build import Draft, axes_of, is_askable, vector
from allotment_conformance.vectors.form import VectorFile, as_text, vectors_in
from allotment_conformance.vectors.permitted import TooManyAnswers
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import MODEL_PROFILE

FILE = "promoted.json"
"""The file in which promoted vectors are kept."""


class NotVectors(KitError):
    """A file is none of vectors, or of vectors for another profile."""

    code = "not-vectors"


class NotPromoted(KitError):
    """A counterexample cannot become a vector."""

    code = "not-promoted"


def promote(draft: Draft, profile: Profile, folder: Path) -> Path:
    """Add the vector of a counterexample to a folder; one of the same id is replaced.

    Raises `NotVectors`, `NotPromoted`, and `OSError` if the file cannot be written.
    """
    axes = axes_of(profile)
    file = folder / FILE
    others = [one for one in vectors_of(file, axes) if one["id"] != draft.id]
    try:
        made = vector(draft, profile)
    except TooManyAnswers as many:
        raise NotPromoted(
            "the case has too many right answers to be written down",
            remedy="Keep it as a counterexample: allotment replay judges it.",
        ) from many
    text = as_text(axes, sorted([*others, made], key=lambda one: str(one["id"])))
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def promote_into_package(draft: Draft, profile: Profile) -> Path:
    """Add the vector to those of the package: `allotment vectors update` keeps its case.

    Raises what `promote` does; `NotPromoted`, too, where the case could not be kept.
    """
    if not (draft.clauses and draft.why and is_askable(draft.case, MODEL_PROFILE)):
        raise NotPromoted(
            "a vector of the package shows a clause, says why, and needs what the model declares",
            remedy="Keep it in a folder of your own: --into DIR",
        )
    return promote(draft, profile, build.FOLDER)


def vectors_of(file: Path, axes: Json) -> list[Json]:
    """The vectors of a file for these axes; none if it is not there. Raises `NotVectors`."""
    try:
        text = file.read_text(encoding="utf-8")
        told = json.loads(text)
        msgspec.convert(told, VectorFile)
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as wrong:
        raise NotVectors(
            f"{file} is no file of vectors: {wrong}", remedy="Name a folder of such files."
        ) from wrong
    if told["axes"] != axes:
        raise NotVectors(
            f"{file} holds for {json.dumps(told['axes'])}, not for {json.dumps(axes)}",
            remedy="Keep the vectors of each profile in a folder of their own, or name one file.",
        )
    return vectors_in(text)


def vectors_in_folder(folder: Path, axes: Json) -> Iterator[Json]:
    """The vectors of all files of a folder, or of one file.

    Raises `NotVectors`, also if there is no file.
    """
    if folder.is_file():
        yield from vectors_of(folder, axes)
        return
    files = sorted(set(folder.glob("*.json")) - set(folder.glob("*.schema.json")))
    if not files:
        raise NotVectors(f"{folder} holds no files of vectors", remedy="Name a folder that does.")
    for file in files:
        yield from vectors_of(file, axes)
