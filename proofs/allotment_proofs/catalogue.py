"""The theorems as a catalogue: for `allotment clauses`, and as the page that lists them."""

from collections.abc import Iterator

from allotment_proofs.theorems import THEOREMS

HEAD = """# What is proved

Each sentence is a theorem about the model's own source, lifted into logic by
`allotment_proofs.trusted`; `allotment prove` proves all of them again. *Scope* says how far a
theorem reaches. This page is written by `python -m allotment_proofs.catalogue`, and
`allotment clauses` fails where it and the theorems differ.

| theorem | clauses | scope |
|---|---|---|
"""


def clauses_of_theorems() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each theorem's sentence, and the clauses it is about: what `allotment.theorems` offers."""
    for theorem in THEOREMS:
        yield theorem.name, theorem.clauses


def page() -> str:
    """The page that lists every theorem."""
    rows = (f"| {one.name} | {' '.join(one.clauses)} | {one.scope} |\n" for one in THEOREMS)
    return HEAD + "".join(rows)


if __name__ == "__main__":
    print(page(), end="")
