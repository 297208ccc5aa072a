"""The declared resources of one cluster, each with its place (RES-1)."""

from collections.abc import Mapping
from dataclasses import dataclass

from allotment_impl.requests import AttributeType, Resources

SLOTS = "slots"
"""The amount that every host has: whole, not thousandths."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names of host amounts (``slots`` first) and shared amounts by place; attribute types."""

    host: Mapping[str, int]
    shared: Mapping[str, int]
    attributes: Mapping[str, AttributeType]

    @classmethod
    def declare(cls, resources: Resources) -> "Vocabulary":
        """Number the resources; raises ``ValueError`` if a name is declared twice (RES-1)."""
        host = (SLOTS, *resources.host)
        names = (*host, *resources.shared, *resources.attributes)
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise ValueError(f"resource {name!r} is declared twice")
            seen.add(name)
        return cls(
            {name: place for place, name in enumerate(host)},
            {name: place for place, name in enumerate(resources.shared)},
            dict(resources.attributes),
        )

    @property
    def resources(self) -> Resources:
        """What was declared."""
        host = tuple(name for name in self.host if name != SLOTS)
        return Resources(host=host, shared=tuple(self.shared), attributes=dict(self.attributes))
