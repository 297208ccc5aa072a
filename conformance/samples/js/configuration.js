/**
 * The configuration: resources, hosts, pools and limits, with all changes that have arrived.
 * Changes are judged and applied here on arrival, and seen by the allocator from the next session
 * on, because a session works on the ledger that was made of the configuration when it began
 * (SESSION-2).
 */

import { Complaints, Refused, isAmount, isSigned } from "./refusals.js";
import { ShapeError } from "./shape.js";

/** @typedef {import("./shape.js").Cluster} Cluster */
/** @typedef {import("./shape.js").HostRequest} HostRequest */
/** @typedef {import("./shape.js").HostFields} HostFields */
/** @typedef {import("./shape.js").Limit} Limit */
/** @typedef {import("./shape.js").LimitIdentity} LimitIdentity */
/**
 * @typedef {"slots" | "host" | "shared" | "number" | "text"} ResourceKind
 *   the last two are attributes
 */
/**
 * @typedef {{name: string, capacity: Map<string, number>, attributes: Map<string, number | string>,
 *   open: boolean}} Host replaced as a whole when it changes, never written to
 */

/**
 * Two limits are the same if they agree in all but `cap`.
 * @param {LimitIdentity} limit
 */
const identityOf = (limit) =>
  JSON.stringify([limit.kind, limit.name ?? null, limit.scope, limit.resource]);

/**
 * @param {Cluster["resources"]} declared
 * @returns {Map<string, ResourceKind>}
 */
function resourcesOf({ host = [], shared = [], attributes = {} } = {}) {
  /** @type {[string, ResourceKind][]} */
  const named = [
    ["slots", "slots"],
    ...host.map((name) => /** @type {[string, ResourceKind]} */ ([name, "host"])),
    ...shared.map((name) => /** @type {[string, ResourceKind]} */ ([name, "shared"])),
    ...Object.entries(attributes),
  ];
  const resources = new Map(named);
  if (resources.size < named.length) throw new ShapeError("a resource is named twice");
  return resources;
}

export class Configuration {
  /** @type {Map<string, Host>} in cluster order, as a Map keeps the order of insertion */
  hosts = new Map();
  /** @type {Map<string, number>} */
  pools = new Map();
  /** @type {Map<string, Limit>} */
  limits = new Map();

  /** @param {Cluster} cluster */
  constructor(cluster) {
    this.resources = resourcesOf(cluster.resources);
    for (const [name, kind] of this.resources) if (kind === "shared") this.pools.set(name, 0);
    try {
      for (const host of cluster.hosts) this.addHost(host);
      for (const [pool, capacity] of Object.entries(cluster.pools ?? {})) {
        this.changePool(pool, capacity);
      }
      for (const limit of cluster.limits ?? []) this.setLimit(limit);
    } catch (error) {
      throw error instanceof Refused ? new ShapeError(`cluster: ${error.code}`) : error;
    }
    if (this.limits.size < (cluster.limits ?? []).length) {
      throw new ShapeError("a limit is named twice");
    }
  }

  /** @param {HostRequest} request */
  addHost(request) {
    const complaints = new Complaints();
    complaints.note("duplicate-name", this.hosts.has(request.name));
    this.#inspectHost(request, complaints);
    complaints.raise();
    const bare = { name: request.name, capacity: new Map(), attributes: new Map(), open: true };
    this.hosts.set(request.name, changed(bare, request));
  }

  /**
   * @param {string} name
   * @param {HostFields} fields
   */
  changeHost(name, fields) {
    const complaints = new Complaints();
    const host = this.hosts.get(name);
    complaints.note("unknown-name", host === undefined);
    this.#inspectHost(fields, complaints);
    complaints.raise();
    this.hosts.set(name, changed(/** @type {Host} */ (host), fields));
  }

  /**
   * @param {string} pool
   * @param {number} capacity
   */
  changePool(pool, capacity) {
    const complaints = new Complaints();
    complaints.note("unknown-resource", this.resources.get(pool) !== "shared");
    complaints.note("amount-range", !isAmount(capacity));
    complaints.raise();
    this.pools.set(pool, capacity);
  }

  /** @param {Limit} limit */
  setLimit(limit) {
    const complaints = new Complaints();
    const kind = this.resources.get(limit.resource);
    complaints.note("identity-missing", limit.name === "");
    complaints.note("unknown-resource", !["slots", "host", "shared"].includes(kind ?? ""));
    complaints.note("per-host-on-pool", kind === "shared" && limit.scope === "host");
    complaints.note("amount-range", !isAmount(limit.cap));
    complaints.raise();
    this.limits.set(identityOf(limit), limit);
  }

  /** @param {LimitIdentity} limit */
  removeLimit(limit) {
    if (!this.limits.delete(identityOf(limit))) throw new Refused("unknown-name");
  }

  /**
   * @param {HostFields} fields
   * @param {Complaints} complaints
   */
  #inspectHost({ capacity = {}, attributes = {} }, complaints) {
    for (const [name, amount] of Object.entries(capacity)) {
      const kind = this.resources.get(name);
      complaints.note("unknown-resource", kind !== "slots" && kind !== "host");
      complaints.note("amount-range", !isAmount(amount));
    }
    for (const [name, value] of Object.entries(attributes)) {
      const kind = this.resources.get(name);
      complaints.note("unknown-resource", kind !== "number" && kind !== "text");
      complaints.note("type", value !== null && (typeof value === "string") !== (kind === "text"));
      complaints.note("amount-range", typeof value === "number" && !isSigned(value));
    }
  }
}

/**
 * The host after a change: what is not named stays, an attribute given as null goes.
 * @param {Host} host
 * @param {HostFields} fields
 * @returns {Host}
 */
function changed(host, { capacity = {}, attributes = {}, open = host.open }) {
  const after = new Map(host.attributes);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) after.delete(name);
    else after.set(name, value);
  }
  return {
    name: host.name,
    capacity: new Map([...host.capacity, ...Object.entries(capacity)]),
    attributes: after,
    open,
  };
}
