"""The production allocator that a scheduler embeds.

Owns sessions, allocators and the per-session cache. Imports nothing else of this project: it is
written from SPEC.md, and being checked against the model means something only because it shares
no code with it.

``Scheduler`` takes events as method calls and answers with decisions; ``Adapter`` takes whole
cases as JSON has them. Third parties bring allocators and iterators by the contracts
``Allocator``, ``PlanIterator`` and ``HostIterator``.

What comes in: ``requests`` are the words of jobs and clusters, ``expressions`` those of a select,
``resreq`` reads the texts of requests, ``types_given`` looks at what an embedder hands over.
``cluster_files`` are read by ``file_reading``, and ``file_lines`` finds their lines; ``adapter``
and ``wire`` speak JSON, ``places`` say where in a tree. ``ingest`` checks a job and makes its
``demand``, ``configuration`` checks changes, ``vocabulary`` has the declared resources,
``selectors`` compiled selects; ``refusals`` is what is said to what cannot be meant.

What happens: the ``scheduler`` tries each job in an ``attempt``, which ``cancellation`` may cut
short. ``composition`` goes through its alternatives and parts, and asks the ``cache``; what comes
of it is in ``decisions``. The ``ledger`` is debited: ``accounts``, ``limits``, and
``selections``, which hosts pass a select. ``books`` report it. There are two ``engines``. One
walks: ``allocators`` over ``plans`` and ``candidates``, with a ``diagnosis`` of what failed. The
other is ``indexed``: ``rooms`` of hosts in ``indexes`` over ``columns``, ``counting``, host
``orders``, and ``prospects`` of what can ever be placed.
"""

from allotment_impl.accounts import Claim, HostBook
from allotment_impl.adapter import Adapter
from allotment_impl.allocators import Allocator, AllocatorError, place_by_plans
from allotment_impl.attempt import Attempt
from allotment_impl.books import Books, LimitUse
from allotment_impl.cache import Category
from allotment_impl.cancellation import AttemptCancelledError, CancellationToken
from allotment_impl.candidates import CandidateHosts, HostIterator
from allotment_impl.cluster_files import ClusterFileError, cluster_schema, load_cluster
from allotment_impl.decisions import Cancelled, Dispatched, Outcome, Pending
from allotment_impl.demand import Demand
from allotment_impl.ledger import Bucket
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
from allotment_impl.scheduler import BusyError, InvalidClusterError, JobState, Scheduler
from allotment_impl.types_given import MistypedError
from allotment_impl.wire import MalformedCaseError

__all__ = [
    "Adapter",
    "Allocator",
    "AllocatorError",
    "AllotmentError",
    "Attempt",
    "AttemptCancelledError",
    "AttributeType",
    "Books",
    "Bucket",
    "BusyError",
    "CancellationToken",
    "Cancelled",
    "CandidateHosts",
    "CannotStartError",
    "Category",
    "Claim",
    "Cluster",
    "ClusterFileError",
    "Counts",
    "Demand",
    "Dispatched",
    "Host",
    "HostBook",
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
