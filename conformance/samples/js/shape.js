/**
 * The shape of a case (SPEC.md, 2.1 and 2.2). A field that is not known, or missing, or of the
 * wrong JSON type is a mistake of whoever sends it: the case is answered with an error, and as
 * shapes are checked before the first event runs, the scheduler is left as it was. What is of the
 * right shape and still breaks a rule is refused by code instead (refusals.js).
 */

/** @typedef {{min: number, max: number}} Counts */
/** @typedef {{resource: string, amount: number, per?: "task" | "host" | "job"}} RusageEntry */
/**
 * @typedef {{hosts_min?: number, hosts_max?: number, tasks_per_host?: number, ptile?: number}} Span
 */
/**
 * @typedef {{number?: number, text?: string, attribute?: string, defined?: string, op?: string,
 *   args?: Expression[]}} Expression exactly one of the first five is there; args go with op
 */
/**
 * @typedef {{tasks?: Counts, select?: Expression, rusage?: RusageEntry[], span?: Span}}
 *   PrimaryRequest
 */
/**
 * @typedef {{name: string, user: string, queue: string, project: string, priority?: number,
 *   tasks?: Counts, request: PrimaryRequest[][]}} JobRequest
 */
/** @typedef {number | string | null} AttributeValue null only in host_change */
/**
 * @typedef {{capacity?: Record<string, number>, attributes?: Record<string, AttributeValue>,
 *   open?: boolean}} HostFields
 */
/** @typedef {HostFields & {name: string}} HostRequest */
/**
 * @typedef {{kind: "user" | "queue" | "project", name?: string, each?: true,
 *   scope: "host" | "cluster", resource: string}} LimitIdentity
 */
/** @typedef {LimitIdentity & {cap: number}} Limit */
/**
 * @typedef {{resources?: {host?: string[], shared?: string[],
 *   attributes?: Record<string, "number" | "text">}, hosts: HostRequest[],
 *   pools?: Record<string, number>, limits?: Limit[]}} Cluster
 */
/** @typedef {{event: string, [field: string]: any}} Event */
/** @typedef {{cluster?: Cluster, events: Event[], report?: string[]}} Case */

/** What was sent cannot be treated; the message says where and why. */
export class ShapeError extends Error {
  /**
   * The same complaint, seen from one level further out.
   * @param {string} place
   */
  within(place) {
    return new ShapeError(`${place}: ${this.message}`);
  }
}

/** @typedef {(value: any) => void} Shape throws a ShapeError for a value of another shape */

/**
 * @param {boolean} holds
 * @param {string} message
 */
function require(holds, message) {
  if (!holds) throw new ShapeError(message);
}

/**
 * @param {Shape} shape
 * @param {any} value
 * @param {string} place
 */
function checkAt(shape, value, place) {
  try {
    shape(value);
  } catch (error) {
    throw error instanceof ShapeError ? error.within(place) : error;
  }
}

/** @param {any} value */
function jsonObject(value) {
  require(typeof value === "object" && value !== null && !Array.isArray(value), "no object");
}

/**
 * @param {Record<string, Shape>} required
 * @param {Record<string, Shape>} [optional]
 * @returns {Shape}
 */
export function object(required, optional = {}) {
  const shapes = new Map(Object.entries({ ...required, ...optional }));
  const names = Object.keys(required);
  return (value) => {
    jsonObject(value);
    for (const name of names) require(Object.hasOwn(value, name), `${name} is missing`);
    for (const [name, item] of Object.entries(value)) {
      const shape = shapes.get(name);
      if (shape === undefined) throw new ShapeError(`unknown field ${JSON.stringify(name)}`);
      checkAt(shape, item, name);
    }
  };
}

/**
 * @param {Shape} shape
 * @returns {Shape}
 */
const listOf = (shape) => (value) => {
  require(Array.isArray(value), "no list");
  value.forEach((/** @type {any} */ item, /** @type {number} */ index) =>
    checkAt(shape, item, String(index)));
};

/**
 * @param {Shape} shape
 * @returns {Shape}
 */
const mapOf = (shape) => (value) => {
  jsonObject(value);
  for (const [name, item] of Object.entries(value)) checkAt(shape, item, name);
};

/**
 * @param {...any} choices
 * @returns {Shape}
 */
const oneOf = (...choices) => (value) =>
  require(choices.includes(value), `not one of ${choices.join(", ")}`);

/** @type {Shape} */
export const text = (value) => require(typeof value === "string", "no text");

/** @type {Shape} */
const anything = () => {};

/**
 * JSON.parse answers Infinity for an integer of 400 digits; ranges are not a matter of shape.
 * @type {Shape}
 */
export const integer = (value) => require(
  typeof value === "number" && (Number.isInteger(value) || !Number.isFinite(value)), "no integer");

/** @type {Shape} */
const count = (value) => {
  integer(value);
  require(value >= 0, "negative");
};

/** @type {Shape} */
const truth = (value) => require(typeof value === "boolean", "neither true nor false");

/** @type {Shape} */
const attributeValue = (value) => {
  if (typeof value !== "string") integer(value);
};

/** @type {Shape} */
const attributeChange = (value) => {
  if (value !== null) attributeValue(value);
};

const UNARY = ["!", "neg"];
const BINARY = ["*", "/", "+", "-", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];

const operation = object({ op: oneOf(...UNARY, ...BINARY), args: listOf(anything) });

/** @type {Map<string, Shape>} */
const LEAVES = new Map([
  ["number", object({ number: integer })],
  ["text", object({ text })],
  ["attribute", object({ attribute: text })],
  ["defined", object({ defined: text })],
]);

/** @type {Shape} */
function expressionNode(node) {
  jsonObject(node);
  const leaf = LEAVES.get(Object.keys(node)[0]);
  if (leaf !== undefined) return leaf(node);
  operation(node);
  require(node.args.length === (UNARY.includes(node.op) ? 1 : 2), "wrong number of args");
}

/**
 * With a list of its own and no recursion: nesting is bounded by a refusal, not by the shape.
 * @type {Shape}
 */
function expression(root) {
  const waiting = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    expressionNode(node);
    waiting.push(...(node.args ?? []));
  }
}

const counts = object({ min: integer, max: integer });

const primary = object({}, {
  tasks: counts,
  select: expression,
  rusage: listOf(object(
    { resource: text, amount: integer }, { per: oneOf("task", "host", "job") })),
  span: object({}, {
    hosts_min: integer, hosts_max: integer, tasks_per_host: integer, ptile: integer,
  }),
});

const job = object(
  { name: text, user: text, queue: text, project: text, request: listOf(listOf(primary)) },
  { priority: integer, tasks: counts },
);

const host = object(
  { name: text, capacity: mapOf(integer) },
  { attributes: mapOf(attributeValue), open: truth },
);

/**
 * @param {Record<string, Shape>} fields what the limit has besides its identity
 * @returns {Shape}
 */
function limitWith(fields) {
  const shape = object(
    {
      kind: oneOf("user", "queue", "project"), scope: oneOf("host", "cluster"), resource: text,
      ...fields,
    },
    { name: text, each: oneOf(true) },
  );
  return (value) => {
    shape(value);
    require(("name" in value) !== ("each" in value), "exactly one of name and each");
  };
}

const limit = limitWith({ cap: integer });

const cluster = object({ hosts: listOf(host) }, {
  resources: object({}, {
    host: listOf(text), shared: listOf(text), attributes: mapOf(oneOf("number", "text")),
  }),
  pools: mapOf(integer),
  limits: listOf(limit),
});

/** @type {Map<string, Shape>} */
const EVENTS = new Map([
  ["begin_session", object({ event: text })],
  ["submit", object({ event: text, job })],
  ["run_session", object({ event: text }, { cancel_at: count })],
  ["finish", object({ event: text, job: text })],
  ["withdraw", object({ event: text, job: text })],
  ["host_add", object({ event: text, host })],
  ["host_change", object({ event: text, host: text }, {
    capacity: mapOf(integer), attributes: mapOf(attributeChange), open: truth,
  })],
  ["pool_change", object({ event: text, pool: text, capacity: integer })],
  ["limit_set", object({ event: text, limit })],
  ["limit_remove", object({ event: text, limit: limitWith({}) })],
]);

/** @type {Shape} */
function event(value) {
  jsonObject(value);
  const shape = EVENTS.get(value.event);
  if (shape === undefined) throw new ShapeError("unknown event");
  shape(value);
}

/** @type {Shape} */
export const caseShape = object(
  { events: listOf(event) },
  { cluster, report: listOf(oneOf("books", "events")) },
);
