"""Faults of identities and limits: who is who, who is counted, and where."""

import unicodedata
from collections.abc import Iterator, Mapping

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.things import Account, Host, Job, Primary


class EachLimitOfAll(Workbench):
    """An *each* limit counts all holders together."""

    name = "each-limit-of-all"
    breaks = "LIMIT-1 LIMIT-2"
    kind = "limits"

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        """One holder for those without a name."""
        wants = super().limit_wants(job, host, amounts)
        return {
            (a[0], a[1], a[2], "*" if a[2] and a[2][1] is None else a[3]): n
            for a, n in wants.items()
        }


class HolderByFirstLetter(Workbench):
    """Two holders whose names begin alike are one to a named limit."""

    name = "holder-by-first-letter"
    breaks = "LIMIT-1"
    kind = "key-field"

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        """A limit named `u1` applies to `u2`, too."""
        names = {limit[1] for limit in self.now.limits if limit[1]}
        alike = {
            kind: next((n for n in sorted(names) if n[:1] == holder[:1]), holder)
            for kind, holder in job.holders.items()
        }
        known = job.as_held_by(alike)
        return super().limit_wants(known, host, amounts)


class LimitCountsPerHostOnce(Workbench):
    """A limit counts a per-host amount once a primary, however many hosts are claimed."""

    name = "limit-counts-per-host-once"
    breaks = "LIMIT-2"
    kind = "limits"

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        """Nothing of amounts, once this part has a claim on a host."""
        wants = super().limit_wants(job, host, amounts)
        if host is not None and job.claims and len(job.claims[-1]) > 1:
            return {a: n for a, n in wants.items() if a[0] == "slots" or a[1] is not None}
        return wants


class LimitsOnPoolsIgnored(Workbench):
    """Limits on shared amounts are set, and never looked at."""

    name = "limits-on-pools-ignored"
    breaks = "LIMIT-2"
    kind = "limits"

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        """None for what has no host."""
        return {} if host is None else super().limit_wants(job, host, amounts)


class CapOfZeroIsNone(Workbench):
    """A cap of zero is no limit."""

    name = "cap-of-zero-is-none"
    breaks = "LIMIT-3"
    kind = "limits"

    def capacity(self, account: Account) -> int:
        """Much, where the cap is nothing."""
        whole = super().capacity(account)
        return 2**60 if account[2] is not None and whole == 0 else whole


class PoolAskedByEachBucket(Workbench):
    """Every bucket asks the pool by itself, against the pool as it was: nobody adds up."""

    name = "pool-asked-by-each-bucket"
    breaks = "SHARED-1"
    kind = "shared"

    def place(self, primary: Primary, job: Job) -> bool:
        """Checks what one task wants, and debits what all of them do."""
        needs = {
            name: n if name in self.declared.host else (0, 0, n[2] + n[0])
            for name, n in primary.needs.items()
        }
        asked = Primary(primary.tasks_min, primary.tasks, primary.select, needs, primary.span)
        return super().place(asked, job)


class PartsShareNoHost(Workbench):
    """Two parts of a compound may not share a host."""

    name = "parts-share-no-host"
    breaks = "COMPOUND-2"
    kind = "false-infeasible"

    def candidates(self, slots: int, primary: Primary, job: Job) -> Iterator[Host]:
        """Without hosts of earlier parts."""
        taken = {claim.host for claims in job.claims[:-1] for claim in claims}
        return (host for host in super().candidates(slots, primary, job) if host.name not in taken)


class JobsByWord(Workbench):
    """Job names are changed before they are looked up; what is told has the names as sent."""

    def word(self, name: str) -> str:
        """What is left of a name: here all of it."""
        return name

    def submit(self, sent: Json) -> str | None:
        """Refused if the name is another one's when both are changed."""
        if self.word(sent["name"]) in map(self.word, self.jobs):
            return "duplicate-name"
        return super().submit(sent)


class NamesInOneCase(JobsByWord):
    """Job names that differ in capital letters only are one."""

    name = "names-in-one-case"
    breaks = "SESSION-7"
    kind = "identity"

    def word(self, name: str) -> str:
        """In small letters."""
        return name.lower()


class NamesStripped(JobsByWord):
    """Blanks around a job name are no part of it."""

    name = "names-stripped"
    breaks = "SESSION-7"
    kind = "identity"

    def word(self, name: str) -> str:
        """Without them."""
        return name.strip()


class NamesOfEightLetters(JobsByWord):
    """A job name has room for eight letters, and ends there."""

    name = "names-of-eight-letters"
    breaks = "SESSION-7"
    kind = "identity"

    def word(self, name: str) -> str:
        """As far as it is kept."""
        return name[:8]


class NamesNormalised(JobsByWord):
    """Job names that Unicode normalisation makes equal are one."""

    name = "names-normalised"
    breaks = "SESSION-7"
    kind = "identity"

    def word(self, name: str) -> str:
        """In the composed form."""
        return unicodedata.normalize("NFC", name)


class HostsByName(Workbench):
    """Hosts are searched in the order of their names."""

    name = "hosts-by-name"
    breaks = "HOST-9"
    kind = "order"

    def hosts_in_order(self) -> list[Host]:
        """Sorted before the order that is declared."""
        kept, self.index = self.index, sorted(self.index)
        hosts = super().hosts_in_order()
        self.index = kept
        return hosts
