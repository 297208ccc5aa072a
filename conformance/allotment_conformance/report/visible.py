"""Words of others, made fit to be shown: a program may write what steers a terminal."""

from allotment_conformance.counterexample.legible import legible


def visible(words: str) -> str:
    """The words on their lines, with all else that does not print as itself written out.

    What is left may stand in XML 1.0, too.
    """
    return "\n".join("\t".join(map(legible, line.split("\t"))) for line in words.split("\n"))
