"""What subcommands say of counterexamples, and where these are."""

import json
import shlex

from allotment_conformance.counterexample.directory import Store, sentence
from allotment_conformance.counterexample.find import Shown
from allotment_conformance.runs.verification import Verification


def tell_all(state: Verification, store: Store) -> None:
    """What became of counterexamples that were kept, and those that a run has found."""
    for name, outcome in state.tally.replayed.items():
        print(f"{store.folder / name}: {outcome}")
    shown: list[Shown] = [*state.counterexamples, *state.failing_cases]
    for one in shown:
        tell(one, store)


def tell(shown: Shown, store: Store) -> None:
    """A counterexample in words, where it is, and the command that runs it again."""
    otherwise = "" if shown.reproduced else " Asked again, it did not fail in this way."
    print(f"\nFound in {shown.origin}.{otherwise}\n\n{shown.picture()}\n")
    place = store.places.get(shown.signature)
    if place is None:  # The verdict stands; the case goes where it can be seen.
        why = store.refused.strerror if store.refused is not None else "it was not kept"
        print(f"{store.folder} cannot be written: {why}\nThe case is:\n{json.dumps(shown.case)}")
        return
    allocator = ["--", *store.command] if store.command else [store.adapter]
    again = ["allotment", "replay", str(place), *allocator]
    print(f"It is in {place}.\n{sentence(shown)}\nTo run it again:\n  {shlex.join(again)}")
