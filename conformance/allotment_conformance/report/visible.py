"""Words of others, made fit to be shown: a program may write what steers a terminal."""

import re

UNSEEN = re.compile("[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Control characters, and what no XML 1.0 document can hold, escaped or not."""


def visible(words: str) -> str:
    """The words, with characters that are not seen written as Python would write them."""
    return UNSEEN.sub(lambda found: ascii(found[0])[1:-1], words)
