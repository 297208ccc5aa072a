"""Texts of others, made fit to be shown."""


def legible(text: str) -> str:
    """The text with everything that does not print as itself written out, like an escape.

    Control characters, marks that turn the direction of writing and halves of characters could
    otherwise change what a terminal or a page shows around them.
    """
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text
    )
