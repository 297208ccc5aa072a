/**
 * The select: which hosts a primary accepts, by their attributes (SELECT-1 … SELECT-5). Numbers are
 * exact fractions of two BigInts. Fractions are not reduced: their size grows with the number of
 * leaves only.
 */

import { isSigned } from "./refusals.js";

/** @typedef {import("./shape.js").Expression} Expression */
/** @typedef {Map<string, number | string>} Attributes numbers in thousandths */
/** @typedef {{over: bigint, under: bigint}} Fraction over / under; under is positive */

/** Thrown where a host is left out by SELECT-4. Nothing is wrong, so it is no Error. */
const LEFT_OUT = Symbol("left out");

/**
 * @param {number} thousandths
 * @returns {Fraction}
 */
const fromThousandths = (thousandths) => ({ over: BigInt(thousandths), under: 1000n });

/** @param {boolean} truth */
const fromTruth = (truth) => ({ over: truth ? 1n : 0n, under: 1n });

/**
 * @param {Fraction} left
 * @param {Fraction} right
 */
function quotient(left, right) {
  if (right.over === 0n) throw LEFT_OUT;
  const sign = right.over < 0n ? -1n : 1n;
  return { over: sign * left.over * right.under, under: sign * left.under * right.over };
}

/**
 * Negative, zero or positive as left is below, equal to or above right.
 * @param {Fraction} left
 * @param {Fraction} right
 */
const difference = (left, right) => left.over * right.under - right.over * left.under;

/** @type {Map<string, (left: Fraction, right: Fraction) => Fraction>} */
const BINARY = new Map([
  ["*", (left, right) => ({ over: left.over * right.over, under: left.under * right.under })],
  ["/", quotient],
  ["+", (left, right) => ({
    over: left.over * right.under + right.over * left.under, under: left.under * right.under,
  })],
  ["-", (left, right) => ({ over: difference(left, right), under: left.under * right.under })],
  ["<", (left, right) => fromTruth(difference(left, right) < 0n)],
  ["<=", (left, right) => fromTruth(difference(left, right) <= 0n)],
  [">", (left, right) => fromTruth(difference(left, right) > 0n)],
  [">=", (left, right) => fromTruth(difference(left, right) >= 0n)],
  ["==", (left, right) => fromTruth(difference(left, right) === 0n)],
  ["!=", (left, right) => fromTruth(difference(left, right) !== 0n)],
]);

/**
 * @param {string} name
 * @param {Attributes} attributes
 */
function attributeOf(name, attributes) {
  const value = attributes.get(name);
  if (value === undefined) throw LEFT_OUT;
  return typeof value === "string" ? value : fromThousandths(value);
}

/**
 * @param {Expression} node
 * @param {Attributes} attributes
 */
const isTrue = (node, attributes) =>
  /** @type {Fraction} */ (valueOf(node, attributes)).over !== 0n;

/**
 * @param {string} op
 * @param {Expression[]} args
 * @param {Attributes} attributes
 * @returns {Fraction}
 */
function operationOf(op, args, attributes) {
  const [left, right] = args;
  if (op === "!") return fromTruth(!isTrue(left, attributes));
  if (op === "&&") return fromTruth(isTrue(left, attributes) && isTrue(right, attributes));
  if (op === "||") return fromTruth(isTrue(left, attributes) || isTrue(right, attributes));
  const values = args.map((argument) => valueOf(argument, attributes));
  if (typeof values[0] === "string") return fromTruth((values[0] === values[1]) === (op === "=="));
  const [first, second] = /** @type {Fraction[]} */ (values);
  if (op === "neg") return { over: -first.over, under: first.under };
  const operator = BINARY.get(op);
  if (operator === undefined) throw new Error(`no operator ${op}`);
  return operator(first, second);
}

/**
 * Recursion is safe: a select that is accepted has at most 100 levels.
 * @param {Expression} node
 * @param {Attributes} attributes
 * @returns {Fraction | string}
 */
function valueOf(node, attributes) {
  if (node.op !== undefined) return operationOf(node.op, node.args ?? [], attributes);
  if (node.number !== undefined) return fromThousandths(node.number);
  if (node.text !== undefined) return node.text;
  if (node.defined !== undefined) return fromTruth(attributes.has(node.defined));
  return attributeOf(/** @type {string} */ (node.attribute), attributes);
}

/**
 * Whether a host with these attributes passes (SELECT-5).
 * @param {Expression | null} select
 * @param {Attributes} attributes
 */
export function passes(select, attributes) {
  if (select === null) return true;
  try {
    return isTrue(select, attributes);
  } catch (reason) {
    if (reason === LEFT_OUT) return false;
    throw reason;
  }
}

/**
 * The tree as nested lists, so that the order of JSON fields does not matter when keys are
 * compared.
 * @param {Expression} node
 * @returns {any[]}
 */
export function treeOf(node) {
  if (node.op !== undefined) return ["op", node.op, ...(node.args ?? []).map(treeOf)];
  return Object.entries(node)[0];
}

const DEEPEST = 100;

/**
 * Notes all that is wrong with a select. All nodes are listed breadth first, every node before its
 * arguments; walked backwards, the list has the type of every argument ready. There is no
 * recursion, because a select that is too deep must be refused and not overflow the stack.
 * @param {Expression} select
 * @param {Map<string, string>} resources
 * @param {import("./refusals.js").Complaints} complaints
 */
export function inspectSelect(select, resources, complaints) {
  const nodes = [{ node: select, level: 1 }];
  for (const { node, level } of nodes) {
    for (const argument of node.args ?? []) nodes.push({ node: argument, level: level + 1 });
    complaints.note("syntax", level > DEEPEST);
    inspectLeaf(node, resources, complaints);
  }
  const types = new Map();
  for (const { node } of nodes.reverse()) {
    const operands = (node.args ?? []).map((argument) => types.get(argument));
    if (node.op !== undefined) complaints.note("type", !areLegal(node.op, operands));
    types.set(node, typeOf(node, resources));
  }
  complaints.note("type", types.get(select) === "text");
}

/**
 * @param {Expression} node
 * @param {Map<string, string>} resources
 * @param {import("./refusals.js").Complaints} complaints
 */
function inspectLeaf(node, resources, complaints) {
  const name = node.attribute ?? node.defined;
  if (name !== undefined) {
    const kind = resources.get(name);
    complaints.note("unknown-resource", kind === undefined);
    complaints.note("not-an-attribute", ["slots", "host", "shared"].includes(kind ?? ""));
  }
  complaints.note("amount-range", node.number !== undefined && !isSigned(node.number));
}

/**
 * SELECT-2: two texts may be compared, and nothing else is done with a text.
 * @param {string} op
 * @param {string[]} operands
 */
function areLegal(op, operands) {
  if (op === "==" || op === "!=") return operands[0] === operands[1];
  return operands.every((type) => type === "number");
}

/**
 * @param {Expression} node
 * @param {Map<string, string>} resources
 */
function typeOf(node, resources) {
  if (node.text !== undefined) return "text";
  const isText = node.attribute !== undefined && resources.get(node.attribute) === "text";
  return isText ? "text" : "number";
}
