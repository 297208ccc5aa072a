"""No file of the repository says where it was written or from where packages were fetched."""

import re
from pathlib import Path

import pytest

from house.sources import ROOT, repository_files, text_of

# Some letters are bracketed so that this file does not complain about itself.
TRACES = {
    "a file address": re.compile(r"file:/{2}"),
    "a package index": re.compile(
        r"(?:extra-)?index[-_]url|find[-_]links|trusted[-_]host|https?://\S*/simple\b"
        r"|\bpyp[i]\.org|pythonhoste[d]\.org",
        re.IGNORECASE,
    ),
    "a home folder": re.compile(r"/(?:home|User[s])/[\w.-]+/|(?<![\w.])/roo[t]/"),
}


def checkout_pattern(root: Path) -> re.Pattern[str]:
    """The checkout's own address, and its parent's unless that is as common as a temporary folder.

    A parent directly below the root of the file system is a word that texts may well use.
    """
    parent = root.parent
    address = root if len(parent.parts) <= 2 else parent
    return re.compile(rf"(?<![\w.-]){re.escape(str(address))}(?![\w-])")


def traces(text: str, root: Path) -> list[str]:
    """What kinds of trace of a machine the text holds."""
    kinds = TRACES | {"the checkout's address": checkout_pattern(root)}
    return [kind for kind, pattern in kinds.items() if pattern.search(text)]


def test_no_file_holds_a_machine_trace() -> None:
    texts = {path: text_of(path) for path in repository_files()}
    found = {
        str(path.relative_to(ROOT)): kinds
        for path, text in texts.items()
        if text is not None and (kinds := traces(text, ROOT))
    }
    assert {} == found
    assert ROOT / "constraints.txt" in texts


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("see file:" + "///opt/wheels", "a file address"),
        ("--index" + "-url https://example.net", "a package index"),
        ("PIP_FIND" + "_LINKS=/opt", "a package index"),
        ("https://mirror.example.net/root/" + "simple", "a package index"),
        ("/home" + "/ada/allotment", "a home folder"),
        ("cd /roo" + "t/x", "a home folder"),
        ("cd /srv/builds/allotment/model", "the checkout's address"),
        ("cd '/srv/builds'", "the checkout's address"),
    ],
)
def test_trace_is_flagged(text: str, kind: str) -> None:
    assert [kind] == traces(text, Path("/srv/builds/allotment"))


@pytest.mark.parametrize("text", ["/srv/builds-old", "/tmp/allotment", "a simple index", "~/x"])
def test_ordinary_text_is_not_flagged(text: str) -> None:
    assert [] == traces(text, Path("/srv/builds/allotment"))


def test_short_parent_is_not_a_trace() -> None:
    assert [] == traces("TMPDIR=/tmp", Path("/tmp/allotment"))
    assert ["the checkout's address"] == traces("/tmp/allotment/model", Path("/tmp/allotment"))
