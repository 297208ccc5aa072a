/**
 * Submission: a job is refused, or made into what the allocator works with. All that depends on the
 * request alone is computed here, once: counts, summed rusage, span with defaults, cache key.
 */

import { LARGEST_COUNT, fullSpan } from "./plans.js";
import { Complaints, isAmount, isWithin } from "./refusals.js";
import { inspectSelect, treeOf } from "./select.js";

/** @typedef {import("./shape.js").Counts} Counts */
/** @typedef {import("./shape.js").JobRequest} JobRequest */
/** @typedef {import("./shape.js").PrimaryRequest} PrimaryRequest */
/** @typedef {Map<string, number>} Amounts resource → thousandths, never zero */
/**
 * @typedef {{tasks: Counts, select: import("./shape.js").Expression | null, perTask: Amounts,
 *   perHost: Amounts, shared: Amounts, span: import("./plans.js").FullSpan, key: string}} Primary
 *   `shared` holds what all N tasks together want of each pool (SHARED-1)
 */
/**
 * @typedef {{name: string, user: string, queue: string, project: string, priority: number,
 *   request: Primary[][]}} Job
 */
/**
 * @typedef {{resources: Map<string, string>, isTaken: (name: string) => boolean,
 *   rusageDefault: "task" | "host"}} Surroundings what a submission is judged against
 */

/**
 * @param {JobRequest} job
 * @param {Surroundings} surroundings
 * @returns {Job}
 */
export function ingest(job, surroundings) {
  const complaints = new Complaints();
  complaints.note("duplicate-name", surroundings.isTaken(job.name));
  complaints.note("identity-missing", [job.user, job.queue, job.project].includes(""));
  const empty = job.request.length === 0 || job.request.some((parts) => parts.length === 0);
  complaints.note("empty-compound", empty);
  complaints.note("tasks-range", !areCountsLegal(job.tasks));
  complaints.note("counts", !doCountsAgree(job));
  for (const primary of job.request.flat()) {
    inspectPrimary(primary, primary.tasks ?? job.tasks, surroundings.resources, complaints);
  }
  complaints.raise();
  const request = job.request.map(
    (parts) => parts.map((part) => primaryOf(part, job, surroundings)));
  const { name, user, queue, project, priority = 0 } = job;
  return { name, user, queue, project, priority, request };
}

/** @param {number} count */
const isCount = (count) => isWithin(count, 1, LARGEST_COUNT);

/** @param {Counts} [counts] */
const areCountsLegal = (counts) =>
  counts === undefined || (isCount(counts.min) && isCount(counts.max) && counts.min <= counts.max);

/**
 * INGEST-1. Each alternative has sums of its minima and maxima; a lone primary may take the job's
 * counts for its own. All sums equal the job's counts, or without those the first alternative's.
 * @param {JobRequest} job
 */
function doCountsAgree({ tasks, request }) {
  const sums = request.map((parts) => sumOfCounts(parts, tasks));
  const wanted = tasks ?? sums[0];
  return sums.every((sum) => sum !== undefined && wanted !== undefined
    && sum.min === wanted.min && sum.max === wanted.max);
}

/**
 * @param {PrimaryRequest[]} parts
 * @param {Counts} [ofJob]
 * @returns {Counts | undefined} undefined if a count is missing
 */
function sumOfCounts(parts, ofJob) {
  const sum = { min: 0, max: 0 };
  for (const part of parts) {
    const counts = part.tasks ?? (parts.length === 1 ? ofJob : undefined);
    if (counts === undefined) return undefined;
    sum.min += counts.min;
    sum.max += counts.max;
  }
  return sum;
}

/**
 * @param {PrimaryRequest} primary
 * @param {Counts | undefined} counts
 * @param {Map<string, string>} resources
 * @param {Complaints} complaints
 */
function inspectPrimary(primary, counts, resources, complaints) {
  complaints.note("tasks-range", !areCountsLegal(primary.tasks));
  complaints.note("span-range", !Object.values(primary.span ?? {}).every(isCount));
  for (const entry of primary.rusage ?? []) inspectEntry(entry, resources, complaints);
  complaints.note("amount-range", !areTotalsLegal(primary.rusage ?? [], counts));
  if (primary.select !== undefined) inspectSelect(primary.select, resources, complaints);
}

/**
 * @param {import("./shape.js").RusageEntry} entry
 * @param {Map<string, string>} resources
 * @param {Complaints} complaints
 */
function inspectEntry({ resource, amount, per }, resources, complaints) {
  const kind = resources.get(resource);
  complaints.note("slots-in-rusage", kind === "slots");
  complaints.note("unknown-resource", kind !== "slots" && kind !== "host" && kind !== "shared");
  complaints.note("per-host-on-pool", kind === "shared" && per === "host");
  complaints.note("per-job-on-host", kind === "host" && per === "job");
  complaints.note("amount-range", !isAmount(amount));
}

/**
 * AMOUNT-2. This product may pass 2^53, so it is made of BigInts; once it is known to be in range,
 * every sum and product of the primary's amounts is exact as a Number. Counts and amounts that are
 * out of range by themselves have their own complaint.
 * @param {import("./shape.js").RusageEntry[]} rusage
 * @param {Counts | undefined} counts
 */
function areTotalsLegal(rusage, counts) {
  if (counts === undefined || !isCount(counts.max)) return true;
  /** @type {Map<string, bigint>} */
  const sums = new Map();
  for (const { resource, amount } of rusage.filter((entry) => isAmount(entry.amount))) {
    sums.set(resource, (sums.get(resource) ?? 0n) + BigInt(amount));
  }
  const tasks = BigInt(counts.max);
  return [...sums.values()].every((sum) => tasks * sum <= BigInt(Number.MAX_SAFE_INTEGER));
}

/**
 * @param {PrimaryRequest} primary
 * @param {JobRequest} job
 * @param {Surroundings} surroundings
 * @returns {Primary}
 */
function primaryOf(primary, job, { resources, rusageDefault }) {
  const tasks = /** @type {Counts} */ (primary.tasks ?? job.tasks);
  const sums = sumsOf(primary.rusage ?? [], resources, rusageDefault);
  const select = primary.select ?? null;
  const span = fullSpan(primary.span);
  return {
    tasks, select, span,
    perTask: sums.task,
    perHost: sums.host,
    shared: sharedWants(sums.poolTask, sums.poolJob, tasks.max),
    key: keyOf({ tasks, select, span, sums, job }),
  };
}

/**
 * CACHE-1: everything that can make two primaries differ, as text, compared whole and never hashed.
 * @param {{tasks: Counts, select: import("./shape.js").Expression | null, sums: Sums,
 *   span: import("./plans.js").FullSpan, job: JobRequest}} content
 */
function keyOf({ tasks, select, span, sums, job }) {
  return JSON.stringify([
    tasks.min, tasks.max, select === null ? null : treeOf(select),
    [sums.task, sums.host, sums.poolTask, sums.poolJob].map((amounts) => [...amounts].sort()),
    span.hosts_min, span.hosts_max, span.tasks_per_host, span.ptile,
    job.user, job.queue, job.project,
  ]);
}

/** @typedef {{task: Amounts, host: Amounts, poolTask: Amounts, poolJob: Amounts}} Sums */

/**
 * WANT-2: the entries of a resource are summed, for each `per` by itself; zeros ask for nothing.
 * @param {import("./shape.js").RusageEntry[]} rusage
 * @param {Map<string, string>} resources
 * @param {"task" | "host"} rusageDefault
 * @returns {Sums}
 */
function sumsOf(rusage, resources, rusageDefault) {
  /** @type {Sums} */
  const sums = { task: new Map(), host: new Map(), poolTask: new Map(), poolJob: new Map() };
  for (const { resource, amount, per } of rusage.filter((entry) => entry.amount > 0)) {
    const isShared = resources.get(resource) === "shared";
    const ofPool = per === "task" ? sums.poolTask : sums.poolJob;
    const ofHost = (per ?? rusageDefault) === "task" ? sums.task : sums.host;
    add(isShared ? ofPool : ofHost, resource, amount);
  }
  return sums;
}

/**
 * @param {Amounts} amounts
 * @param {string} resource
 * @param {number} amount
 */
const add = (amounts, resource, amount) =>
  amounts.set(resource, (amounts.get(resource) ?? 0) + amount);

/**
 * @param {Amounts} perTask
 * @param {Amounts} perJob
 * @param {number} tasks
 */
function sharedWants(perTask, perJob, tasks) {
  const wants = new Map(perJob);
  for (const [resource, amount] of perTask) add(wants, resource, tasks * amount);
  return wants;
}

/**
 * WANT-1: what a bucket asks of its host. Exact: tasks × per-task + per-host is at most N × the sum
 * of both, which AMOUNT-2 bounds.
 * @param {Primary} primary
 * @param {number} tasks
 * @returns {Amounts}
 */
export function bucketWants(primary, tasks) {
  const wants = new Map([["slots", tasks], ...primary.perHost]);
  for (const [resource, amount] of primary.perTask) add(wants, resource, tasks * amount);
  return wants;
}
