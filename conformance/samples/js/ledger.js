/**
 * The ledger: what is in use on each account in this session. It is made anew when a session
 * begins, by charging what the live jobs hold to the configuration of that moment: so finishes and
 * changes take effect then, and a limit that is new counts what already runs (SESSION-2,
 * SESSION-3). Attempts debit it provisionally and give everything back unless they succeed.
 */

import { bucketWants } from "./ingest.js";

/** @typedef {import("./configuration.js").Host} Host */
/** @typedef {import("./shape.js").Limit} Limit */
/** @typedef {import("./ingest.js").Job} Job */
/** @typedef {import("./ingest.js").Primary} Primary */
/** @typedef {{host: Host, accounts: Map<string, Account>}} HostBooks */
/** @typedef {{limit: Limit, holder: string}} HeldLimit a limit that applies to a job */
/** @typedef {{account: Account | LimitAccount, amount: number}} Debit */
/** @typedef {{host: string, slots: number}} Place */
/**
 * @typedef {{resources: Map<string, string>, hosts: Host[], pools: Map<string, number>,
 *   limits: Limit[]}} Snapshot of the configuration
 */

/**
 * One resource of one host, or one pool. Numbers are exact here: a debit is made only if it fits,
 * so what is in use never passes the largest capacity the account has had, and that is below 2^53.
 */
export class Account {
  used = 0;

  /** @param {number} capacity */
  constructor(capacity) {
    this.capacity = capacity;
  }

  /** @param {number} want */
  hasRoomFor(want) {
    return want <= Math.max(0, this.capacity - this.used);
  }

  /** @param {number} amount negative to credit */
  debit(amount) {
    this.used += amount;
  }
}

/**
 * What one limit counts for one holder. A limit that is new counts what runs on all hosts, and that
 * sum may pass 2^53: so it is a BigInt.
 */
export class LimitAccount {
  used = 0n;

  /** @param {number} cap */
  constructor(cap) {
    this.cap = BigInt(cap);
  }

  /** @param {number} want */
  hasRoomFor(want) {
    return want === 0 || this.used + BigInt(want) <= this.cap;
  }

  /** @param {number} amount negative to credit */
  debit(amount) {
    this.used += BigInt(amount);
  }
}

/** Several debits that are taken together. Reversing twice changes nothing (UNDO-2). */
export class Hold {
  isHeld = false;

  /** @param {Debit[]} debits */
  constructor(debits) {
    this.debits = debits;
  }

  fits() {
    return this.debits.every(({ account, amount }) => account.hasRoomFor(amount));
  }

  take() {
    if (this.isHeld) return;
    for (const { account, amount } of this.debits) account.debit(amount);
    this.isHeld = true;
  }

  reverse() {
    if (!this.isHeld) return;
    for (const { account, amount } of this.debits) account.debit(-amount);
    this.isHeld = false;
  }
}

export class Ledger {
  /** @type {Map<Limit, Map<string, Map<string | null, LimitAccount>>>} by holder, then by host */
  #limitAccounts = new Map();

  /** @param {Snapshot} snapshot */
  constructor({ resources, hosts, pools, limits }) {
    this.resources = resources;
    this.hosts = hosts.map((host) => booksOf(host, resources));
    this.pools = new Map([...pools].map(([pool, capacity]) => [pool, new Account(capacity)]));
    for (const limit of limits) this.#limitAccounts.set(limit, new Map());
  }

  /** The same configuration with all hosts open and nothing in use (WHY-2). */
  emptied() {
    return new Ledger({
      resources: this.resources,
      hosts: this.hosts.map(({ host }) => ({ ...host, open: true })),
      pools: new Map([...this.pools].map(([pool, account]) => [pool, account.capacity])),
      limits: [...this.#limitAccounts.keys()],
    });
  }

  /**
   * The limits that apply to a job: all of them hold at once (LIMIT-1).
   * @param {Job} job
   * @returns {HeldLimit[]}
   */
  limitsOn(job) {
    return [...this.#limitAccounts.keys()]
      .map((limit) => ({ limit, holder: job[limit.kind] }))
      .filter(({ limit, holder }) => limit.name === undefined || limit.name === holder);
  }

  /**
   * What a bucket on a host would debit, per-host and cluster-wide limits included (HOST-1,
   * WANT-5).
   * @param {HostBooks} books
   * @param {Map<string, number>} wants
   * @param {HeldLimit[]} limits
   */
  holdOnHost(books, wants, limits) {
    /** @type {Debit[]} */
    const debits = [];
    for (const [resource, amount] of wants) {
      debits.push({ account: /** @type {Account} */ (books.accounts.get(resource)), amount });
    }
    this.#addLimitDebits(debits, wants, limits, books.host.name);
    return new Hold(debits);
  }

  /**
   * What a primary debits from the pools, and from the limits on them, whatever its plan
   * (SHARED-1).
   * @param {Primary} primary
   * @param {HeldLimit[]} limits
   */
  holdOnPools(primary, limits) {
    /** @type {Debit[]} */
    const debits = [];
    for (const [pool, amount] of primary.shared) {
      debits.push({ account: /** @type {Account} */ (this.pools.get(pool)), amount });
    }
    this.#addLimitDebits(debits, primary.shared, limits, null);
    return new Hold(debits);
  }

  /**
   * Charges what a live job holds, whether or not it would still fit.
   * @param {Job} job
   * @param {{primary: Primary, places: Place[]}[]} placed
   */
  charge(job, placed) {
    const limits = this.limitsOn(job);
    for (const { primary, places } of placed) {
      this.holdOnPools(primary, limits).take();
      for (const { host, slots } of places) {
        this.holdOnHost(this.#booksNamed(host), bucketWants(primary, slots), limits).take();
      }
    }
  }

  /** The books as section 2.2 reports them, without accounts that have nothing in use. */
  report() {
    const hosts = this.hosts
      .map(({ host, accounts }) => /** @type {const} */ ([host.name, usedOn(accounts)]))
      .filter(([, used]) => Object.keys(used).length > 0);
    return {
      hosts: Object.fromEntries(hosts),
      pools: usedOn(this.pools),
      limits: this.#usedOfLimits(),
    };
  }

  /** @type {Map<string, HostBooks> | undefined} made when first asked for */
  #hostsByName;

  /** @param {string} name */
  #booksNamed(name) {
    this.#hostsByName ??= new Map(this.hosts.map((books) => [books.host.name, books]));
    return /** @type {HostBooks} */ (this.#hostsByName.get(name));
  }

  /**
   * @param {Debit[]} debits
   * @param {Map<string, number>} wants
   * @param {HeldLimit[]} limits
   * @param {string | null} host
   */
  #addLimitDebits(debits, wants, limits, host) {
    for (const { limit, holder } of limits) {
      const amount = wants.get(limit.resource);
      if (amount === undefined) continue;
      const account = this.#limitAccount(limit, holder, limit.scope === "host" ? host : null);
      debits.push({ account, amount });
    }
  }

  /**
   * @param {Limit} limit
   * @param {string} holder
   * @param {string | null} host null for a limit of scope cluster
   */
  #limitAccount(limit, holder, host) {
    const byHolder = /** @type {Map<string, Map<string | null, LimitAccount>>} */ (
      this.#limitAccounts.get(limit));
    const byHost = byHolder.get(holder) ?? new Map();
    byHolder.set(holder, byHost);
    const account = byHost.get(host) ?? new LimitAccount(limit.cap);
    byHost.set(host, account);
    return account;
  }

  #usedOfLimits() {
    const entries = [];
    for (const [{ cap: _, ...identity }, byHolder] of this.#limitAccounts) {
      for (const [holder, byHost] of byHolder) {
        for (const [host, { used }] of byHost) {
          if (used > 0n) entries.push({ ...identity, holder, host, used });
        }
      }
    }
    return entries;
  }
}

/**
 * A declared amount that a host lacks is zero there (RES-2).
 * @param {Host} host
 * @param {Map<string, string>} resources
 * @returns {HostBooks}
 */
function booksOf(host, resources) {
  const accounts = new Map();
  for (const [name, kind] of resources) {
    if (kind === "slots" || kind === "host") {
      accounts.set(name, new Account(host.capacity.get(name) ?? 0));
    }
  }
  return { host, accounts };
}

/** @param {Map<string, Account>} accounts */
const usedOn = (accounts) => Object.fromEntries(
  [...accounts].filter(([, { used }]) => used > 0).map(([name, { used }]) => [name, used]));
