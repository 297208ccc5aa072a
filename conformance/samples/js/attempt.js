/**
 * The attempt: one job in one run. From the outside in: alternatives, the parts of each, the plans
 * of a part, the buckets of a plan, the candidates for a bucket. Whatever fails gives back what it
 * took.
 */

import { bucketWants } from "./ingest.js";
import { hasPlan, plansOf } from "./plans.js";
import { passes } from "./select.js";

/** @typedef {import("./ingest.js").Job} Job */
/** @typedef {import("./ingest.js").Primary} Primary */
/** @typedef {import("./ledger.js").Hold} Hold */
/** @typedef {import("./ledger.js").HostBooks} HostBooks */
/** @typedef {"span" | "select" | "shared" | "limit" | "capacity"} Reason */
/** @typedef {"listed" | "most_free"} HostOrder */
/**
 * @typedef {{poll: () => void, note: (...event: any[]) => void}} Watch
 *   `poll` is called wherever an attempt may be cancelled, and throws Cancelled to do so; `note`
 *   receives the protocol events
 */
/**
 * @typedef {{ledger: import("./ledger.js").Ledger, limits: import("./ledger.js").HeldLimit[],
 *   hostOrder: HostOrder, watch: Watch}} Search where a primary is to be placed
 */
/** @typedef {{slots: number, hold: Hold}} Claim */
/** @typedef {{reason: Reason, cached: boolean}} Failure */

/** Thrown by a poll. Everything that is held is given back on its way out (CANCEL-1). */
export class Cancelled extends Error {}

/** @type {Watch} */
const UNWATCHED = { poll() {}, note() {} };

/** What one primary holds: its shared wants from the beginning, and the claims of its plan. */
export class Placement {
  /** @type {Map<HostBooks, Claim>} in bucket order; the buckets of a plan take distinct hosts */
  claims = new Map();

  /**
   * @param {Primary} primary
   * @param {Hold} pools
   */
  constructor(primary, pools) {
    this.primary = primary;
    this.pools = pools;
  }

  /** @param {Watch} watch */
  reverseClaims(watch) {
    for (const [{ host }, { slots, hold }] of this.claims) {
      hold.reverse();
      watch.note("reversed", host.name, slots);
    }
    this.claims.clear();
  }

  /** @param {Watch} watch */
  reverse(watch) {
    this.reverseClaims(watch);
    this.pools.reverse();
  }

  /** Where the tasks are, in bucket order. */
  places() {
    return [...this.claims].map(([{ host }, { slots }]) => ({ host: host.name, slots }));
  }
}

/**
 * Tries the plans of one primary, in order; the first that holds wins (PAR-1).
 * @param {Search} search
 * @param {Primary} primary
 * @returns {Placement | null}
 */
function placePrimary(search, primary) {
  const pools = search.ledger.holdOnPools(primary, search.limits);
  if (!pools.fits()) return null;
  pools.take();
  const placement = new Placement(primary, pools);
  let isPlaced = false;
  try {
    isPlaced = tryPlans(search, placement);
  } finally {
    if (!isPlaced) placement.reverse(search.watch);
  }
  return isPlaced ? placement : null;
}

/**
 * Stops at the first plan with more buckets than there are hosts, as PAR-2 allows.
 * @param {Search} search
 * @param {Placement} placement
 */
function tryPlans(search, placement) {
  const { primary } = placement;
  const { hosts } = search.ledger;
  const eligible = hosts.filter(({ host }) => host.open && passes(primary.select, host.attributes));
  const plans = plansOf(primary.tasks.max, primary.span);
  for (;;) {
    search.watch.poll();
    const { done, value: plan } = plans.next();
    if (done || plan.length > hosts.length) return false;
    search.watch.note("plan", plan);
    if (plan.every((slots) => claimHost(search, placement, eligible, slots))) return true;
    placement.reverseClaims(search.watch);
  }
}

/**
 * Takes the first candidate that no earlier bucket of the plan has claimed (HOST-7). The search is
 * this bucket's own, and begins with the first host (HOST-3).
 * @param {Search} search
 * @param {Placement} placement
 * @param {HostBooks[]} eligible
 * @param {number} slots
 */
function claimHost(search, placement, eligible, slots) {
  const { watch } = search;
  const candidates = candidatesFor(search, eligible, bucketWants(placement.primary, slots));
  for (;;) {
    watch.poll();
    const { done, value: candidate } = candidates.next();
    if (done) return false;
    const { books, hold } = candidate;
    watch.note("offered", books.host.name);
    if (!placement.claims.has(books)) {
      hold.take();
      placement.claims.set(books, { slots, hold });
      watch.note("claimed", books.host.name, slots);
      return true;
    }
    watch.note("refused", books.host.name);
  }
}

/**
 * The host iterator: hosts with room for the bucket after all debits so far (HOST-1).
 * @param {Search} search
 * @param {HostBooks[]} eligible
 * @param {Map<string, number>} wants
 * @returns {Generator<{books: HostBooks, hold: Hold}, void, void>}
 */
function* candidatesFor({ ledger, limits, hostOrder }, eligible, wants) {
  for (const books of hostOrder === "listed" ? eligible : mostFreeFirst(eligible)) {
    // Most hosts that have no room lack it themselves: for those no debits need to be made up.
    if (!hasOwnRoom(books, wants)) continue;
    const hold = ledger.holdOnHost(books, wants, limits);
    if (hold.fits()) yield { books, hold };
  }
}

/**
 * Whether the host has room, limits apart.
 * @param {HostBooks} books
 * @param {Map<string, number>} wants
 */
function hasOwnRoom({ accounts }, wants) {
  for (const [resource, amount] of wants) {
    if (!accounts.get(resource)?.hasRoomFor(amount)) return false;
  }
  return true;
}

/**
 * HOST-9; the sort is stable, so ties stay in cluster order.
 * @param {HostBooks[]} eligible
 */
function mostFreeFirst(eligible) {
  const ranked = eligible.map((books) => ({ books, free: slotsFree(books) }));
  return ranked.sort((left, right) => right.free - left.free).map(({ books }) => books);
}

/** @param {HostBooks} books */
function slotsFree({ accounts }) {
  const { capacity, used } = /** @type {import("./ledger.js").Account} */ (accounts.get("slots"));
  return Math.max(0, capacity - used);
}

/**
 * Whether a primary could be placed now. Nobody watches, and nothing stays taken.
 * @param {Search} search
 * @param {Primary} primary
 */
function isPlaceable(search, primary) {
  const placement = placePrimary({ ...search, watch: UNWATCHED }, primary);
  placement?.reverse(UNWATCHED);
  return placement !== null;
}

/**
 * WHY-1, in the ledger in which the primary failed.
 * @param {Search} search
 * @param {Primary} primary
 * @returns {Reason}
 */
function reasonOf(search, primary) {
  const { ledger } = search;
  if (!hasPlan(primary.tasks.max, primary.span)) return "span";
  if (!ledger.hosts.some(({ host }) => passes(primary.select, host.attributes))) return "select";
  if (!ledger.holdOnPools(primary, []).fits()) return "shared";
  if (search.limits.length > 0 && isPlaceable({ ...search, limits: [] }, primary)) return "limit";
  return "capacity";
}

/** The allocator of one session: its ledger and what it remembers of failures. */
export class Session {
  /** @type {Map<string, Reason>} key of a primary → why it is hopeless (CACHE-1 … CACHE-9) */
  #cache = new Map();
  /** @type {Map<string, boolean>} key of a primary → WHY-2, the same for a whole session */
  #neverPlaceable = new Map();
  /** @type {import("./ledger.js").Ledger | undefined} */
  #emptyLedger;

  /**
   * @param {import("./ledger.js").Ledger} ledger
   * @param {HostOrder} hostOrder
   */
  constructor(ledger, hostOrder) {
    this.ledger = ledger;
    this.hostOrder = hostOrder;
  }

  /**
   * The first alternative that is fully placed wins (ALTER-1).
   * @param {Job} job
   * @param {Watch} watch
   * @returns {{alternative: number, placements: Placement[]} | Failure}
   */
  attempt(job, watch) {
    const { ledger, hostOrder } = this;
    const search = { ledger, hostOrder, watch, limits: ledger.limitsOn(job) };
    /** @type {Failure | undefined} */
    let failure;
    for (const [alternative, parts] of job.request.entries()) {
      const outcome = this.#placeCompound(search, parts, alternative);
      if (Array.isArray(outcome)) {
        watch.note("committed");
        return { alternative, placements: outcome };
      }
      failure = outcome;
    }
    return /** @type {Failure} */ (failure);
  }

  /**
   * WHY-2: each primary is asked for by itself.
   * @param {Job} job
   */
  isNeverPlaceable(job) {
    this.#emptyLedger ??= this.ledger.emptied();
    const ledger = this.#emptyLedger;
    const limits = ledger.limitsOn(job);
    const search = { ledger, limits, hostOrder: this.hostOrder, watch: UNWATCHED };
    return job.request.every((parts) => parts.some((part) => this.#isHopeless(search, part)));
  }

  /**
   * All parts or none (COMPOUND-1). Each part sees the debits of those before it (COMPOUND-2).
   * @param {Search} search
   * @param {Primary[]} parts
   * @param {number} alternative
   * @returns {Placement[] | Failure}
   */
  #placeCompound(search, parts, alternative) {
    /** @type {Placement[]} */
    const placements = [];
    let isPlaced = false;
    try {
      for (const [part, primary] of parts.entries()) {
        search.watch.note("primary", alternative, part);
        const outcome = this.#placeUnlessCached(search, primary, part === 0);
        if (!(outcome instanceof Placement)) return outcome;
        placements.push(outcome);
      }
      isPlaced = true;
      return placements;
    } finally {
      if (!isPlaced) for (const placement of placements) placement.reverse(search.watch);
    }
  }

  /**
   * The one place through which every primary goes, and so the one place that asks the cache
   * (CACHE-4) and fills it: only while the attempt holds no debit, for what is hopeless behind
   * another part's debits may fit without them (CACHE-3).
   * @param {Search} search
   * @param {Primary} primary
   * @param {boolean} isFirst
   * @returns {Placement | Failure}
   */
  #placeUnlessCached(search, primary, isFirst) {
    const known = this.#cache.get(primary.key);
    if (known !== undefined) {
      search.watch.note("hit", known);
      return { reason: known, cached: true };
    }
    const placement = placePrimary(search, primary);
    if (placement !== null) return placement;
    const reason = reasonOf(search, primary);
    if (isFirst) {
      this.#cache.set(primary.key, reason);
      search.watch.note("filled", reason);
    }
    return { reason, cached: false };
  }

  /**
   * @param {Search} search
   * @param {Primary} primary
   */
  #isHopeless(search, primary) {
    const known = this.#neverPlaceable.get(primary.key);
    if (known !== undefined) return known;
    const isHopeless = !isPlaceable(search, primary);
    this.#neverPlaceable.set(primary.key, isHopeless);
    return isHopeless;
  }
}
