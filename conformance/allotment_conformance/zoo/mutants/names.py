"""Faults of names: what is cut, read as something else, or kept among other things."""

from collections.abc import Mapping

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.mutants.identities import JobsByWord
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.intake import Declared
from allotment_conformance.zoo.workbench.selects import Attributes, Select, Value
from allotment_conformance.zoo.workbench.things import Account, Job, Ledger, Reader

OF_EVERY_OBJECT = frozenset({"constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"})
"""What is found in a JavaScript object that nobody has put there."""


class NamesOf63Letters(JobsByWord):
    """A job name is kept in 64 bytes, the last of which ends it."""

    name = "names-of-63-letters"
    breaks = "SESSION-7"
    kind = "identity"

    def word(self, name: str) -> str:
        """As far as it is kept."""
        return name[:63]


class NamesEndAtNul(JobsByWord):
    """A job name ends at its first NUL."""

    name = "names-end-at-nul"
    breaks = "SESSION-7"
    kind = "identity"

    def word(self, name: str) -> str:
        """What is before it."""
        return name.partition("\0")[0]


class NamesReadAsNumbers(JobsByWord):
    """A job name of digits is a number: `7` and `07` are one."""

    name = "names-read-as-numbers"
    breaks = "SESSION-7"
    kind = "identity"

    def word(self, name: str) -> str:
        """The number again, without what was before it."""
        return str(int(name)) if name.isdecimal() else name


class NamesByAHash(JobsByWord):
    """Jobs are known by a hash of 32 bits of their names, as a Java program has it."""

    name = "names-by-a-hash"
    breaks = "SESSION-7"
    kind = "key-field"

    def word(self, name: str) -> str:
        """The hash."""
        known = 0
        for letter in name:
            known = (31 * known + ord(letter)) % 2**32
        return str(known)


class NamesOfObjectsTaken(Workbench):
    """Jobs are kept in an object in which some names are found from the beginning."""

    name = "names-of-objects-taken"
    breaks = "SESSION-7"
    kind = "identity"

    def submit(self, sent: Json) -> str | None:
        """Refused, as if there were such a job."""
        return "duplicate-name" if sent["name"] in OF_EVERY_OBJECT else super().submit(sent)


class NamesOfObjectsDeclared(Workbench):
    """Amounts are declared in an object in which some names are found from the beginning."""

    name = "names-of-objects-declared"
    breaks = "RES-1"
    kind = "identity"

    def restart(self, cluster: Json) -> None:
        """A new scheduler, with amounts that nobody has declared."""
        super().restart(cluster)
        declared = self.declared
        self.declared = Declared(
            declared.host | OF_EVERY_OBJECT, declared.shared, declared.attributes
        )


class _ObjectSelect(Select):
    def value(self, node: Json, attributes: Attributes) -> Value:
        named = node.get("defined", node.get("attribute"))
        if named in OF_EVERY_OBJECT and named not in attributes:
            return self.number(1000)
        return super().value(node, attributes)


class NamesOfObjectsDefined(Workbench):
    """Attributes of a host are kept in such an object: those that it lacks are defined."""

    name = "names-of-objects-defined"
    breaks = "SELECT-4"
    kind = "identity"
    select_type = _ObjectSelect


class HostsCutAtADot(Workbench):
    """A host is known by its name up to the first dot, without the domain."""

    name = "hosts-cut-at-a-dot"
    breaks = "INGEST-2 HOST-9"
    kind = "identity"

    def change(self, event: Json) -> str | None:
        """A host that joins is refused if another one begins alike."""
        if event["event"] == "host_add":
            known = {name.partition(".")[0] for name in self.coming.hosts}
            if event["host"]["name"].partition(".")[0] in known:
                return "duplicate-name"
        return super().change(event)


class HostsInTheOrderOfNumbers(Workbench):
    """Hosts are kept in an object, in which names that are numbers stand first, and sorted."""

    name = "hosts-in-the-order-of-numbers"
    breaks = "HOST-9"
    kind = "order"

    def reset(self) -> None:
        """The order of the next session."""
        super().reset()
        numbers = sorted(int(name) for name in self.index if self.is_number(name))
        others = [name for name in self.index if not self.is_number(name)]
        self.index = [*map(str, numbers), *others]

    def is_number(self, name: str) -> bool:
        """Whether it is a number as one writes it."""
        return name.isdecimal() and str(int(name)) == name


class _JoinedLedger(Ledger):
    def fits(self, account: Account, want: int, capacity: int) -> bool:
        text = _joined(account)
        used = sum(self.in_use(one) for one in self.used if _joined(one) == text)
        return want <= max(0, capacity - used)


def _joined(account: Account) -> str:
    """What it is of, with a mark between."""
    resource, host, limit, holder = account
    of_limit = () if limit is None else limit
    return ":".join(part or "" for part in (*of_limit, resource, host, holder))


class AccountsAsOneText(Workbench):
    """An account is known by the names of its resource, host and holder, with a colon between."""

    name = "accounts-as-one-text"
    breaks = "LIMIT-2"
    kind = "key-field"
    ledger_type = _JoinedLedger


class LimitOfAStarIsEach(Workbench):
    """A limit of the user `*` is kept like one of each user, who is written so."""

    name = "limit-of-a-star-is-each"
    breaks = "LIMIT-1"
    kind = "identity"

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        """Whoever it is has to do with that limit, too."""
        wants = super().limit_wants(job, host, amounts)
        starred = dict.fromkeys(job.holders, "*")
        also = super().limit_wants(job.as_held_by(starred), host, amounts)
        return wants | {a: n for a, n in also.items() if a[2] is not None and a[2][1] == "*"}


class _LowerCaseReader(Reader):
    def needs(self, rusage: list[Json]) -> dict[str, tuple[int, int, int]]:
        declared = sorted(self.declared.host | self.declared.shared)
        first = {name.lower(): name for name in reversed(declared)}
        return super().needs(
            [{**one, "resource": first[one["resource"].lower()]} for one in rusage]
        )


class AmountsInOneCase(Workbench):
    """Amounts whose names differ in capital letters only are one."""

    name = "amounts-in-one-case"
    breaks = "RES-2 SHARED-1"
    kind = "identity"
    reader_type = _LowerCaseReader
