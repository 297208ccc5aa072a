"""What subcommands say of counterexamples, and where these are."""

import json
import shlex
from collections.abc import Sequence

from allotment_conformance.counterexample.directory import Store, sentence
from allotment_conformance.counterexample.find import Shown
from allotment_conformance.verdict.verification import Verification


def tell_all(state: Verification, store: Store, words: Sequence[str]) -> None:
    """What became of counterexamples that were kept, and those that a run has found.

    `words` as for `tell`.
    """
    for name, outcome in state.tally.replayed.items():
        print(f"{store.folder / name}: {outcome}")
    shown: list[Shown] = [*state.counterexamples, *state.failing_cases]
    for one in shown:
        tell(one, store, words)


def tell(shown: Shown, store: Store, words: Sequence[str]) -> None:
    """A counterexample in words, where it is, and the command that runs it again.

    `words` name the allocator on a command line.
    """
    otherwise = "" if shown.reproduced else " Asked again, the allocator answered otherwise."
    print(f"\nFound in {shown.origin}.{otherwise}\n\n{shown.picture()}\n")
    place = store.places.get(shown.signature)
    if place is None:  # The verdict stands; the case goes where it can be seen.
        why = store.refused.strerror if store.refused is not None else "it was not kept"
        print(f"{store.folder} cannot be written: {why}\nThe case is:\n{json.dumps(shown.case)}")
        return
    program = [*store.command]
    again = ["allotment", "replay", str(place), *(["--", *program] if program else words)]
    print(f"It is in {place}.\n{sentence(shown)}\nTo run it again:\n  {shlex.join(again)}")
