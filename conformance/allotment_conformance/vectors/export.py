"""Writes the vectors for people who do not install anything."""

import json
from importlib.resources import files
from pathlib import Path

from allotment_conformance.vectors import build
from allotment_conformance.vectors.build import NotMade
from allotment_conformance.vectors.form import CHOICES, NAMES, kept_text, schema, vectors_in
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import MODEL_PROFILE, leaves_choices

FOLDER_OF_CHOICES = "choices"
"""Below the folder of an export: for whom it is made reads the files beside the page."""


def texts_for(profile: Profile, not_made: NotMade | None = None) -> dict[str, str]:
    """The files for an implementation of that profile, by name.

    Those of the package, if its choices are theirs, else made anew; `not_made` counts the rest.
    """
    if _is_of_the_package(profile):
        return {name: kept_text(name) for name in NAMES}
    return build.files(profile, not_made=not_made)


def texts_of_choices(profile: Profile) -> dict[str, str]:
    """The files of choices for an implementation that leaves none; it is not asked them itself."""
    if leaves_choices(profile):
        return {}
    if _is_of_the_package(profile):
        return {name: kept_text(name) for name in CHOICES}
    return build.choices(profile)


def _is_of_the_package(profile: Profile) -> bool:
    return build.axes_of(profile) == build.axes_of(MODEL_PROFILE)


def vectors_for(profile: Profile, not_made: NotMade | None = None) -> list[Json]:
    """All vectors for an implementation of that profile; `not_made` counts the other cases."""
    texts = texts_for(profile, not_made).values()
    return [vector for text in texts for vector in vectors_in(text)]


def page_of(*, has_choices: bool) -> str:
    """The page, without the rows of files that are not there."""
    page = (files(__package__) / "README.md").read_text(encoding="utf-8")
    row = f"| `{FOLDER_OF_CHOICES}/"
    lines = page.splitlines(keepends=True)
    return "".join(line for line in lines if has_choices or not line.startswith(row))


def export(folder: Path, profile: Profile = MODEL_PROFILE) -> int:
    """Write the files, their schema and a page that says how to use them; how many vectors.

    Those of choices, which hold for other implementations, are in a folder of their own. Raises
    `OSError` if the folder cannot be written.
    """
    texts, of_choices = texts_for(profile), texts_of_choices(profile)
    for place, named in ((folder, texts), (folder / FOLDER_OF_CHOICES, of_choices)):
        for name, text in named.items():
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{name}.json").write_text(text, encoding="utf-8")
    shape = json.dumps(schema(), indent=2) + "\n"
    (folder / "vector.schema.json").write_text(shape, encoding="utf-8")
    (folder / "README.md").write_text(page_of(has_choices=bool(of_choices)), encoding="utf-8")
    return sum(len(vectors_in(text)) for text in (*texts.values(), *of_choices.values()))
