"""Random sessions on which two engines must agree, and what such sessions are made of.

Everything comes from one ``random.Random``, so that a seed names a session. Small worlds have all
that a case can have; large ones have hundreds of hosts, fractions, and limits that bind.
"""

from collections import Counter
from random import Random

from impl.building import BEGIN, RESOURCES, RUN, Raw, entry, host, job, limit, primary, tasks

SELECTS: tuple[Raw, ...] = (
    {"defined": "speed"},
    {"op": ">=", "args": [{"attribute": "speed"}, {"number": 2000}]},
    {"op": "!=", "args": [{"attribute": "os"}, {"text": "linux"}]},
    {
        "op": ">",
        "args": [{"op": "/", "args": [{"attribute": "speed"}, {"number": 3}]}, {"number": 500}],
    },
)
NOWHERE: Raw = {"op": "==", "args": [{"attribute": "os"}, {"text": "plan9"}]}


class Sessions:
    """A world of so many hosts, and events on it.

    `tall` is the share of hosts with hundreds of slots, `full` that of hosts with none: a cluster
    that is nearly full, without the jobs that would take so long to fill it.
    """

    def __init__(
        self, seed: int, hosts: int, widest: int, tall: float = 0.01, full: float = 0.0
    ) -> None:
        self.rng = Random(seed)
        self.hosts = hosts
        self.widest = widest
        self.tall = tall
        self.full = full
        self.large = hosts > 9
        self.submitted = 0
        self.requests: list[list[list[Raw]]] = []

    def case(self, rounds: int, jobs: int) -> Raw:
        """A cluster, and rounds of submissions, runs and changes."""
        events: list[Raw] = []
        for _ in range(rounds):
            events += [self._submission() for _ in range(self.rng.randint(1, jobs))]
            cancelled = self.rng.random() < 0.15
            events.append({**RUN, "cancel_at": 0} if cancelled else RUN)
            events += self._changes()
            if self.rng.random() < 0.8:
                events.append(BEGIN)
        return {"cluster": self._cluster(), "events": [*events, RUN], "report": ["books"]}

    def _cluster(self) -> Raw:
        limits = {self._identity(one): one for one in [self._limit() for _ in range(3)]}
        return {
            "resources": RESOURCES,
            "hosts": [self._host(f"h{number}") for number in range(self.hosts)],
            "pools": {"licence": self.rng.choice([2_000, 9_500, 60_000 if self.large else 9_500])},
            "limits": list(limits.values()),
        }

    def _identity(self, raw: Raw) -> str:
        return str({**raw, "cap": None})

    def _host(self, name: str) -> Raw:
        rng = self.rng
        attributes: Raw = {}
        if rng.random() < 0.7:
            attributes["speed"] = rng.choice([1000, 2000, 2500])
        if rng.random() < 0.7:
            attributes["os"] = rng.choice(["linux", "aix"])
        slots = rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8])
        if rng.random() < self.tall:
            slots = rng.randint(250, 700)
        if self.full and rng.random() < self.full:
            slots = 0
        mem = rng.choice([1500, 4000, rng.randint(0, 9_999), 2**53 - 1])
        return host(name, slots, mem, attributes=attributes, open=rng.random() < 0.9)

    def _limit(self) -> Raw:
        rng = self.rng
        resource = rng.choice(["slots", "slots", "mem", "licence"])
        kind = rng.choice(["user", "queue", "project"])
        fields: Raw = {"kind": kind, "resource": resource}
        fields["scope"] = "cluster" if resource == "licence" else rng.choice(["host", "cluster"])
        if rng.random() < 0.4:
            fields["name"] = {"user": "u0", "queue": "q", "project": "p"}[kind]
        scale = 1 if fields["scope"] == "host" or not self.large else self.hosts // 3
        cap = (
            rng.randint(3, 24) * scale
            if resource == "slots"
            else rng.randint(2_000, 30_000) * scale
        )
        return limit(cap, **fields)

    def _rusage(self) -> list[Raw]:
        rng = self.rng
        found = []
        for _ in range(rng.choice([0, 0, 0, 0, 1, 2])):
            resource = rng.choice(["mem", "mem", "mem", "licence"])
            per = rng.choice([None, "task", "host" if resource == "mem" else "job"])
            found.append(entry(resource, rng.choice([0, 1, 250, 333, 1500]), per))
        return found

    def _primary(self, most: int) -> Raw:
        rng = self.rng
        fields: Raw = {"rusage": self._rusage()}
        if rng.random() < 0.25:
            fields["select"] = rng.choice(SELECTS)
        elif rng.random() < 0.04:
            fields["select"] = NOWHERE
        if rng.random() < 0.15:
            bounds = rng.sample(["hosts_min", "hosts_max", "tasks_per_host", "ptile"], 2)
            fields["span"] = {bound: rng.randint(1, 6) for bound in bounds[: rng.randint(1, 2)]}
        return primary(most, **fields)

    def _submission(self) -> Raw:
        rng = self.rng
        if self.requests and rng.random() < 0.15:
            return self._submit(rng.choice(self.requests))
        most = rng.choice([1, rng.randint(2, 9), *[rng.randint(self.widest // 2, self.widest)] * 7])
        if rng.random() < 0.03:
            most = rng.randint(250, 600)
        parts = [most]
        while parts[-1] > 1 and len(parts) < 3 and rng.random() < 0.25:
            taken = rng.randint(1, parts[-1] - 1)
            parts[-1:] = [taken, parts[-1] - taken]
        request = [[self._primary(part) for part in parts]]
        while rng.random() < 0.35:
            plain = rng.random() < 0.6
            alternative = primary(most) if plain else self._primary(most)
            request.append([alternative | {"tasks": tasks(most, len(parts))}])
        self.requests.append(request)
        return self._submit(request)

    def _submit(self, request: list[list[Raw]]) -> Raw:
        rng = self.rng
        self.submitted += 1
        whom = {"user": f"u{rng.randrange(3)}", "queue": rng.choice(["q", "r"])}
        name = f"j{self.submitted}"
        return {
            "event": "submit",
            "job": job(name, *request, **whom, priority=rng.choice([0, 0, 0, 1, -1])),
        }

    def _changes(self) -> list[Raw]:
        rng = self.rng
        # Without room for newcomers a run would say little: most of the jobs end.
        found: list[Raw] = [
            {"event": "finish", "job": f"j{number}"}
            for number in range(max(1, self.submitted - 40), self.submitted + 1)
            if rng.random() < 0.7
        ]
        found += [
            {"event": "withdraw", "job": f"j{number}"}
            for number in range(max(1, self.submitted - 40), self.submitted + 1)
            if rng.random() < 0.3
        ]
        if rng.random() < 0.5:
            found.append(self._change())
        return found

    def _change(self) -> Raw:
        rng = self.rng
        kind = rng.choice(["host_add", "host_change", "pool_change", "limit_set", "limit_remove"])
        if kind == "host_add":
            return {"event": kind, "host": self._host(f"n{self.submitted}")}
        if kind == "host_change":
            changed = self._host(f"h{rng.randrange(self.hosts)}")
            return {"event": kind, "host": changed.pop("name"), **changed}
        if kind == "pool_change":
            return {"event": kind, "pool": "licence", "capacity": rng.choice([0, 2_000, 50_000])}
        found = self._limit()
        if kind == "limit_remove":
            del found["cap"]
        return {"event": kind, "limit": found}


def count_shapes(answers: list[Raw], seen: Counter[str]) -> None:
    """Count what the answers to one case were."""
    for answer in answers:
        seen["live limits"] = max(
            seen["live limits"],
            len({str({**use, "used": 0, "holder": "", "host": ""}) for use in _uses(answer)}),
        )
        for one in answer.get("jobs", []):
            seen["decisions"] += 1
            seen[one["answer"]] += 1
            seen[one.get("reason", "placed")] += 1
            for name in ("cached", "never"):
                seen[name] += one.get(name, False)
            seen["later alternative"] += one.get("alternative", 0) > 0
            parts = one.get("parts", [])
            seen["compound"] += len(parts) > 1
            for part in parts:
                sizes = [slots for _, slots in part]
                seen["plans"] += 1
                seen["uneven"] += len(set(sizes)) > 1
                seen["tall"] += max(sizes) > 255


def _uses(answer: Raw) -> list[Raw]:
    books: Raw = answer.get("books", {})
    found = books.get("limits", [])
    assert isinstance(found, list)
    return found
