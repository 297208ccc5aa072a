"""A first look at a program: does it start, does it answer the smallest case, does it stop."""

from dataclasses import dataclass, field

from allotment_conformance.counterexample import words
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.failure import STDERR, AdapterFailed, Failure
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.limits import Limits
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.process import ProcessAdapter

SMALLEST = case(cluster(host("A", 1)), submit("j", 1), RUN, submit("k", 1), RUN)
"""One host with one slot, and two jobs of one task, of which the second has to wait: whatever is
declared, this can be asked, and each kind of answer to a job has to be given."""


@dataclass(slots=True, kw_only=True)
class Smoke:
    """What was seen; `failures` by what the program was asked to do."""

    profile: Profile | None = None
    answers: list[Json] | None = None
    agrees: bool = False
    failures: dict[str, Failure] = field(default_factory=dict)

    @property
    def is_well(self) -> bool:
        """Whether it started, answered rightly and stopped."""
        return self.agrees and not self.failures

    def lines(self) -> list[str]:
        """For a person."""
        told = [] if self.profile is None else ["start: alive", *declared(self.profile)]
        if self.answers is not None:
            said = "; ".join(line for answer in self.answers for line in words.answer(answer))
            verdict = "as the specification says" if self.agrees else "which is not right"
            told.append(f"run: {said}: {verdict}")
        for what, failure in self.failures.items():
            told.append(f"{what}: {failure}")
            told += [f"  {STDERR}: {line}" for line in failure.stderr.splitlines()]
        if self.profile is not None and "stop" not in self.failures:
            told.append("stop: ends with status 0")
        return told


def declared(profile: Profile) -> list[str]:
    """What a profile declares, a line each."""
    largest = profile.largest
    return [
        f"  name            {profile.name} {profile.version}",
        f"  features        {', '.join(profile.features) or 'none'}",
        f"  host order      {profile.host_order}",
        f"  split           {profile.split}",
        f"  cache           {profile.cache}",
        f"  rusage default  {profile.rusage_default}",
        f"  declares        {', '.join(profile.declares) or 'none'}",
        f"  largest         {largest.tasks:,} tasks, {largest.hosts:,} hosts, {largest.amount:,}",
    ]


def smoke(command: tuple[str, ...], limits: Limits | None = None) -> Smoke:
    """Start a program, ask it the smallest case, stop it. Raises refusals, such as `CannotRun`."""
    adapter, seen = ProcessAdapter(command, limits=limits), Smoke()
    try:
        seen.profile = legal_profile(adapter.start())
        seen.answers = adapter.run(SMALLEST)
        found = Oracle(seen.profile).judge(SMALLEST, seen.answers).disagreement
        seen.agrees = found is None
    except AdapterFailed as failed:
        seen.failures["start" if failed.failure.at_start else "run"] = failed.failure
    adapter.close()
    if adapter.stop_failure is not None:
        seen.failures["stop"] = adapter.stop_failure
    return seen
