#!/usr/bin/env node
/**
 * An allocator that speaks the protocol of docs/protocol.md: one JSON object per line on standard
 * input, one answer per line on standard output. This file is the envelope, which an adapter for a
 * scheduler of your own needs as well; scheduler.js and what it imports is the allocator behind it.
 */

import { once } from "node:events";
import { parseArgs } from "node:util";

import { LARGEST_COUNT } from "./plans.js";
import { Scheduler } from "./scheduler.js";
import { ShapeError, caseShape, integer, object, text } from "./shape.js";

/** @typedef {import("./scheduler.js").Options} Options */
/** @typedef {{reply: object | null, isLast: boolean}} Response */

const VERSION = 1;
const NEWLINE = "\n".charCodeAt(0);
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** A line that cannot be answered, because it has no id that could be given back. */
class Unanswerable extends Error {}

/** The program was started with switches that it does not know. */
class WrongUsage extends Error {
  message = "usage: allotment-sample.js [--host-order listed|most_free]"
    + " [--rusage-default task|host]";
}

/**
 * @param {string[]} args
 * @returns {{[name: string]: string | boolean | undefined}}
 */
function switchesFrom(args) {
  const option = { type: /** @type {const} */ ("string") };
  try {
    return parseArgs({ args, options: { "host-order": option, "rusage-default": option } }).values;
  } catch {
    throw new WrongUsage();
  }
}

/**
 * @param {string[]} args
 * @returns {Options}
 */
function optionsFrom(args) {
  const switches = switchesFrom(args);
  const { "host-order": hostOrder = "listed", "rusage-default": rusageDefault = "task" } = switches;
  const isOrder = hostOrder === "listed" || hostOrder === "most_free";
  const isDefault = rusageDefault === "task" || rusageDefault === "host";
  if (!isOrder || !isDefault) throw new WrongUsage();
  return { hostOrder, rusageDefault };
}

/**
 * What this implementation declares (SPEC.md, 2.4). The kit sends nothing that is not declared
 * here.
 * @param {Options} options
 */
const profileOf = ({ hostOrder, rusageDefault }) => ({
  name: "allotment-sample-js",
  version: "1",
  features: [
    "compound", "alter", "select", "rusage", "span", "ptile", "shared", "limits", "priorities",
    "host-changes", "cancel", "events", "books",
  ],
  host_order: hostOrder,
  split: "balanced",
  cache: "transparent",
  rusage_default: rusageDefault,
  declares: ["reason", "never", "cached"],
  // The number of hosts has no limit in the code; this one keeps a case within seconds.
  largest: { tasks: LARGEST_COUNT, hosts: 10_000, amount: Number.MAX_SAFE_INTEGER },
});

/**
 * The lines of a stream of bytes. Not `node:readline`: that one also ends a line at U+2028, which
 * JSON allows inside a text, and puts a replacement in the place of invalid UTF-8.
 * @param {AsyncIterable<Buffer>} input
 */
async function* linesOf(input) {
  /** @type {Buffer[]} */
  let pieces = [];
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)]);
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

/**
 * @param {Buffer} line
 * @returns {any}
 */
function messageOf(line) {
  try {
    const message = JSON.parse(UTF_8.decode(line));
    if (typeof message === "object" && message !== null) return message;
  } catch {
    // Falls through: what is no JSON and what is no object are refused alike.
  }
  throw new Unanswerable("a line is no JSON object in UTF-8");
}

const startShape = object({ cmd: text, version: integer });
const stopShape = object({ cmd: text });
const runShape = object({ cmd: text, id: text, case: caseShape });

/** The program between `start` and `stop`. */
class Adapter {
  /** @type {Scheduler | undefined} kept, because a case without `cluster` goes on with it */
  #scheduler;

  /** @param {Options} options */
  constructor(options) {
    this.options = options;
  }

  /**
   * @param {any} message
   * @returns {Response}
   */
  respond(message) {
    try {
      return this.#treat(message);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      if (typeof message.id !== "string") throw new Unanswerable(error.message);
      return { reply: { id: message.id, error: error.message }, isLast: false };
    }
  }

  /**
   * @param {any} message
   * @returns {Response}
   */
  #treat(message) {
    switch (message.cmd) {
      case "start":
        startShape(message);
        return this.#start(message.version);
      case "run":
        runShape(message);
        return { reply: { id: message.id, answers: this.#run(message.case) }, isLast: false };
      case "stop":
        stopShape(message);
        return { reply: null, isLast: true };
      default:
        throw new ShapeError("no command of this protocol");
    }
  }

  /**
   * @param {number} version
   * @returns {Response}
   */
  #start(version) {
    if (version === VERSION) {
      return { reply: { version: VERSION, profile: profileOf(this.options) }, isLast: false };
    }
    const unsupported = `version ${version} is not spoken here, only ${VERSION}`;
    return { reply: { version: VERSION, unsupported }, isLast: true };
  }

  /**
   * One answer per event. A cluster that cannot be leaves the scheduler of the case before in
   * place.
   * @param {import("./shape.js").Case} sent
   */
  #run({ cluster, events, report = [] }) {
    if (cluster !== undefined) this.#scheduler = new Scheduler(cluster, this.options);
    const scheduler = this.#scheduler;
    if (scheduler === undefined) throw new ShapeError("the first case has no cluster");
    return events.map((event) => scheduler.answer(event, report));
  }
}

/**
 * JSON.stringify takes no BigInt, and what a limit counts may be one.
 * @param {any} value
 * @returns {string}
 */
function jsonOf(value) {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(",")}]`;
  const fields = Object.entries(value);
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${jsonOf(item)}`).join(",")}}`;
}

/**
 * Waits while the reader is behind, so that answers do not pile up in memory.
 * @param {object} reply
 */
async function send(reply) {
  if (!process.stdout.write(`${jsonOf(reply)}\n`)) await once(process.stdout, "drain");
}

/** @param {Options} options */
async function serve(options) {
  const adapter = new Adapter(options);
  for await (const line of linesOf(process.stdin)) {
    const { reply, isLast } = adapter.respond(messageOf(line));
    if (reply !== null) await send(reply);
    if (isLast) return;
  }
}

/**
 * The exit status is set and `process.exit` not called: that would drop what is not yet written.
 * @param {string} complaint
 */
function fail(complaint) {
  process.stderr.write(`allotment-sample.js: ${complaint}\n`);
  process.exitCode = 1;
}

try {
  await serve(optionsFrom(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Unanswerable || error instanceof WrongUsage)) throw error;
  fail(error.message);
}
