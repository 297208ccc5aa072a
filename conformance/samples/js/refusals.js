/**
 * Refusals (SPEC.md, 2.3). An event may break several rules at once; the code that stands first in
 * the table is the answer, so complaints are collected and only then raised.
 */

const CODES = [
  "duplicate-name", "unknown-name", "not-running", "not-pending", "identity-missing",
  "empty-compound", "tasks-range", "counts", "span-range", "slots-in-rusage", "unknown-resource",
  "not-an-attribute", "type", "per-host-on-pool", "per-job-on-host", "amount-range", "syntax",
];

/** An event that is answered with a refusal. It is thrown before anything has changed. */
export class Refused extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** What is wrong with one event, in any order. */
export class Complaints {
  /** @type {Set<string>} */
  #codes = new Set();

  /**
   * @param {string} code
   * @param {boolean} broken whether the rule behind the code is broken
   */
  note(code, broken) {
    if (broken) this.#codes.add(code);
  }

  /** Throws the refusal that counts; does nothing if there is no complaint. */
  raise() {
    const code = CODES.find((candidate) => this.#codes.has(candidate));
    if (code !== undefined) throw new Refused(code);
  }
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
export const isWithin = (value, least, most) => least <= value && value <= most;

/**
 * Amounts, capacities and caps: 0 … 2^53 − 1 (AMOUNT-1). JSON.parse rounds a larger number in the
 * text, but never to one inside the range, so the comparison is right for every text.
 * @param {number} value
 */
export const isAmount = (value) => isWithin(value, 0, Number.MAX_SAFE_INTEGER);

/**
 * Numbers in attributes and selects: ±(2^53 − 1).
 * @param {number} value
 */
export const isSigned = (value) =>
  isWithin(value, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
