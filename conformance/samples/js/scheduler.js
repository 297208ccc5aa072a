/**
 * The scheduler: jobs and their states, events and their answers (SPEC.md, 2.2).
 */

import { Cancelled, Session } from "./attempt.js";
import { Configuration } from "./configuration.js";
import { ingest } from "./ingest.js";
import { Ledger } from "./ledger.js";
import { Refused } from "./refusals.js";

/** @typedef {import("./shape.js").Event} Event */
/** @typedef {import("./ingest.js").Job} Job */
/**
 * @typedef {{hostOrder: import("./attempt.js").HostOrder, rusageDefault: "task" | "host"}} Options
 */
/**
 * @typedef {{primary: import("./ingest.js").Primary, places: import("./ledger.js").Place[]}} Part
 */
/**
 * @typedef {{job: Job, state: "pending" | "live" | "finishing" | "finished" | "withdrawn",
 *   wasTried: boolean, parts: Part[]}} Entry
 *   a job that was accepted (SESSION-6); one that is finishing is still charged
 */

/**
 * Cancels once, at the poll that follows `cancelAt` polls of this run (CANCEL-1).
 * @param {number | undefined} cancelAt
 */
function pollOfRun(cancelAt) {
  let polls = 0;
  return () => {
    polls += 1;
    if (polls - 1 === cancelAt) throw new Cancelled();
  };
}

export class Scheduler {
  /** @type {Map<string, Entry>} by name, in the order of submission */
  #entries = new Map();

  /**
   * @param {import("./shape.js").Cluster} cluster
   * @param {Options} options
   */
  constructor(cluster, options) {
    this.options = options;
    this.configuration = new Configuration(cluster);
    this.session = this.#newSession();
  }

  /**
   * The answer to one event.
   * @param {Event} event
   * @param {string[]} report
   */
  answer(event, report) {
    const answer = this.#treat(event, report.includes("events"));
    return report.includes("books") ? { ...answer, books: this.session.ledger.report() } : answer;
  }

  /**
   * @param {Event} event
   * @param {boolean} withEvents
   */
  #treat(event, withEvents) {
    try {
      if (event.event === "run_session") return this.#run(event.cancel_at, withEvents);
      this.#change(event);
      return { answer: "ok" };
    } catch (error) {
      if (error instanceof Refused) return { answer: "refused", code: error.code };
      throw error;
    }
  }

  /** @param {Event} event */
  #change(event) {
    switch (event.event) {
      case "begin_session": return this.#begin();
      case "submit": return this.#submit(event.job);
      case "finish": return this.#move(event.job, "live", "finishing", "not-running");
      case "withdraw": return this.#move(event.job, "pending", "withdrawn", "not-pending");
      case "host_add": return this.configuration.addHost(event.host);
      case "host_change": return this.configuration.changeHost(event.host, hostFields(event));
      case "pool_change": return this.configuration.changePool(event.pool, event.capacity);
      case "limit_set": return this.configuration.setLimit(event.limit);
      case "limit_remove": return this.configuration.removeLimit(event.limit);
      default: throw new Error(`no event ${event.event}`);
    }
  }

  #begin() {
    for (const entry of this.#entries.values()) {
      if (entry.state === "finishing") entry.state = "finished";
      entry.wasTried = false;
    }
    this.session = this.#newSession();
  }

  /** A session begins with an empty cache and with books that are counted from the live jobs. */
  #newSession() {
    const { resources, hosts, pools, limits } = this.configuration;
    const ledger = new Ledger({
      resources, pools, hosts: [...hosts.values()], limits: [...limits.values()],
    });
    for (const { state, job, parts } of this.#entries.values()) {
      if (state === "live") ledger.charge(job, parts);
    }
    return new Session(ledger, this.options.hostOrder);
  }

  /** @param {import("./shape.js").JobRequest} request */
  #submit(request) {
    const job = ingest(request, {
      resources: this.configuration.resources,
      rusageDefault: this.options.rusageDefault,
      isTaken: (name) => this.#entries.has(name),
    });
    this.#entries.set(job.name, { job, state: "pending", wasTried: false, parts: [] });
  }

  /**
   * @param {string} name
   * @param {Entry["state"]} from
   * @param {Entry["state"]} to
   * @param {string} code the refusal if the job is in any other state
   */
  #move(name, from, to, code) {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new Refused("unknown-name");
    if (entry.state !== from) throw new Refused(code);
    entry.state = to;
  }

  /**
   * Higher priority first, then submission order, as the sort is stable (SESSION-1).
   * @param {number | undefined} cancelAt
   * @param {boolean} withEvents
   */
  #run(cancelAt, withEvents) {
    const poll = pollOfRun(cancelAt);
    const waiting = [...this.#entries.values()]
      .filter(({ state, wasTried }) => state === "pending" && !wasTried)
      .sort((left, right) => right.job.priority - left.job.priority);
    return { answer: "ran", jobs: waiting.map((entry) => this.#try(entry, poll, withEvents)) };
  }

  /**
   * @param {Entry} entry
   * @param {() => void} poll
   * @param {boolean} withEvents
   */
  #try(entry, poll, withEvents) {
    /** @type {any[][]} */
    const events = [];
    const note = (/** @type {any[]} */ ...event) => void (withEvents && events.push(event));
    entry.wasTried = true;
    const answer = { job: entry.job.name, ...this.#outcome(entry, { poll, note }) };
    return withEvents ? { ...answer, events } : answer;
  }

  /**
   * @param {Entry} entry
   * @param {import("./attempt.js").Watch} watch
   */
  #outcome(entry, watch) {
    try {
      const result = this.session.attempt(entry.job, watch);
      if ("placements" in result) return this.#dispatch(entry, result);
      const never = this.session.isNeverPlaceable(entry.job);
      return { answer: "pending", reason: result.reason, never, cached: result.cached };
    } catch (error) {
      if (error instanceof Cancelled) return { answer: "cancelled" };
      throw error;
    }
  }

  /**
   * The debits of the attempt stay: they are the books from now on.
   * @param {Entry} entry
   * @param {{alternative: number, placements: import("./attempt.js").Placement[]}} won
   */
  #dispatch(entry, { alternative, placements }) {
    entry.state = "live";
    entry.parts = placements.map((placement) => (
      { primary: placement.primary, places: placement.places() }));
    const parts = entry.parts.map(({ places }) => places.map(({ host, slots }) => [host, slots]));
    return { answer: "dispatched", alternative, parts };
  }
}

/** @param {Event} event */
const hostFields = ({ capacity, attributes, open }) => ({ capacity, attributes, open });
