"""The model behind the same protocol as any allocator, with any rules."""

from allotment_conformance.wire import from_model, to_model
from allotment_conformance.wire.messages import Json, Profile, no_cluster, plain, read_case
from allotment_conformance.wire.profiles import MODEL_PROFILE, rules_for
from allotment_model.events import Event
from allotment_model.rules import Rules
from allotment_model.scheduler import step
from allotment_model.state import State, initial


class ModelAdapter:
    """Serves the model as an implementation with that profile.

    `rules` are by default the profile's own; others make it answer wrongly. `state` is the
    scheduler's state after the last event, None before the first case.
    """

    def __init__(self, rules: Rules | None = None, profile: Profile = MODEL_PROFILE) -> None:
        self.profile = profile
        self.rules = rules or rules_for(profile)
        self.state: State | None = None

    def start(self) -> Json:
        """The profile, as SPEC.md 2.4 lists it."""
        return plain(self.profile)

    def run(self, case: Json) -> list[Json]:
        """The canonical answer to each event. Raises `NotACase`."""
        sent = read_case(case)
        if sent.cluster:
            self.state = initial(to_model.cluster(sent.cluster))
        if self.state is None:
            raise no_cluster()
        return [self.answer(to_model.event(event), sent.report) for event in sent.events]

    def answer(self, event: Event, report: tuple[str, ...]) -> Json:
        """The answer to one more event, with the reports that are asked for (SPEC.md 2.1)."""
        assert self.state is not None, "a case came first"
        self.state, given = step(self.state, event, self.rules)
        sent = from_model.answer(given, with_notes="events" in report)
        if "books" in report:
            sent["books"] = from_model.books(self.state.books)
        return sent

    def close(self) -> None:
        """Nothing is held."""
