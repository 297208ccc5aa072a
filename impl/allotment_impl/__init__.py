"""The production allocator that a scheduler embeds.

Owns sessions, allocators and the per-session cache. Imports nothing else of this project: it is
written from SPEC.md, and being checked against the model means something only because it shares
no code with it.

``Scheduler`` takes events as method calls and answers with decisions; ``Adapter`` takes whole
cases as JSON has them. Third parties bring allocators and iterators by the contracts
``Allocator``, ``PlanIterator`` and ``HostIterator``.
"""

from allotment_impl.adapter import Adapter
from allotment_impl.allocators import Allocator, place_by_plans
from allotment_impl.attempt import Attempt
from allotment_impl.books import Books, LimitUse
from allotment_impl.cache import Category
from allotment_impl.candidates import CandidateHosts, HostIterator
from allotment_impl.cluster_files import ClusterFileError, cluster_schema, load_cluster
from allotment_impl.decisions import Cancelled, Dispatched, Outcome, Pending
from allotment_impl.plans import CannotStartError, Plan, PlanIterator, SplitPlans
from allotment_impl.refusals import AllotmentError, RefusalCode, Refused
from allotment_impl.requests import (
    AttributeType,
    Cluster,
    Counts,
    Host,
    HostChange,
    Job,
    Limit,
    LimitIdentity,
    LimitKind,
    LimitScope,
    Per,
    Primary,
    Resources,
    RusageEntry,
    Span,
)
from allotment_impl.scheduler import InvalidClusterError, JobState, Scheduler
from allotment_impl.types_given import MistypedError
from allotment_impl.wire import MalformedCaseError

__all__ = [
    "Adapter",
    "Allocator",
    "AllotmentError",
    "Attempt",
    "AttributeType",
    "Books",
    "Cancelled",
    "CandidateHosts",
    "CannotStartError",
    "Category",
    "Cluster",
    "ClusterFileError",
    "Counts",
    "Dispatched",
    "Host",
    "HostChange",
    "HostIterator",
    "InvalidClusterError",
    "Job",
    "JobState",
    "Limit",
    "LimitIdentity",
    "LimitKind",
    "LimitScope",
    "LimitUse",
    "MalformedCaseError",
    "MistypedError",
    "Outcome",
    "Pending",
    "Per",
    "Plan",
    "PlanIterator",
    "Primary",
    "RefusalCode",
    "Refused",
    "Resources",
    "RusageEntry",
    "Scheduler",
    "Span",
    "SplitPlans",
    "cluster_schema",
    "load_cluster",
    "place_by_plans",
]
