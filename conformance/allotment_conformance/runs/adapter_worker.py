"""What all workers have in common that ask an adapter of Python in a process of their own."""

from allotment_conformance.runs.pool import Desk
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Profile


class AdapterWorker:
    """A worker with the adapter of a name, started; `profile` is what that declares."""

    def __init__(self, desk: Desk, adapter: str) -> None:
        """Load and start the adapter. Raises `IllegalProfile` and other refusals."""
        self.desk = desk
        self.name = adapter
        self.adapter = load_adapter(adapter)
        self.profile = legal_profile(self.adapter.start())

    def close(self) -> None:
        """Close the adapter."""
        self.adapter.close()

    def ended(self, _nothing: None) -> Failure | None:
        """Close it, and tell what was wrong with the end of a program."""
        self.close()
        return self.adapter.stop_failure

    def declared(self, _nothing: None) -> Profile:
        """The profile, for whoever is in another process."""
        return self.profile
