"""Writes the vectors for people who do not install anything."""

import json
from importlib.resources import files
from pathlib import Path

from allotment_conformance.vectors import build
from allotment_conformance.vectors.form import NAMES, kept_text, schema, vectors_in
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import MODEL_PROFILE


def texts_for(profile: Profile) -> dict[str, str]:
    """The files for an implementation of that profile, by name.

    Those of the package, if its choices are theirs, else made anew. It has no open choices.
    """
    if all(getattr(profile, axis) == getattr(MODEL_PROFILE, axis) for axis in build.AXES):
        return {name: kept_text(name) for name in NAMES}
    return build.files(profile)


def vectors_for(profile: Profile) -> list[Json]:
    """All vectors for an implementation of that profile."""
    return [vector for text in texts_for(profile).values() for vector in vectors_in(text)]


def export(folder: Path, profile: Profile = MODEL_PROFILE) -> int:
    """Write the files, their schema and a page that says how to use them; how many vectors.

    Raises `OSError` if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = texts_for(profile)
    for name, text in texts.items():
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    shape = json.dumps(schema(), indent=2) + "\n"
    (folder / "vector.schema.json").write_text(shape, encoding="utf-8")
    page = (files(__package__) / "README.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(page, encoding="utf-8")
    return sum(len(vectors_in(text)) for text in texts.values())
