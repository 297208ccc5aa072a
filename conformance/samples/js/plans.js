/**
 * Plans: the ways in which N tasks are split over k hosts (PLAN-1 … PLAN-10). A JavaScript
 * generator is a plan iterator as the specification wants it: one plan per call of `next`, "no
 * more" after the last for ever, and `return` closes it at any time. Plans look at the request and
 * at nothing else.
 */

/** No count and no bound of a span is larger. */
export const LARGEST_COUNT = 2 ** 20;

/**
 * @typedef {{hosts_min: number, hosts_max: number, tasks_per_host: number, ptile: number | null}}
 *   FullSpan a span with the defaults of PLAN-9
 */

/**
 * @param {import("./shape.js").Span} [span]
 * @returns {FullSpan}
 */
export const fullSpan = (span) => ({
  hosts_min: 1, hosts_max: LARGEST_COUNT, tasks_per_host: LARGEST_COUNT, ptile: null, ...span,
});

/**
 * The balanced split of PLAN-2: buckets descend and differ by one at most.
 * @param {number} tasks
 * @param {number} hosts
 */
function balanced(tasks, hosts) {
  const small = Math.floor(tasks / hosts);
  const larger = tasks % hosts;
  return Array.from({ length: hosts }, (_, index) => (index < larger ? small + 1 : small));
}

/**
 * The one split of PLAN-10: full tiles, the last with what remains.
 * @param {number} tasks
 * @param {number} tile
 */
function tiled(tasks, tile) {
  const hosts = Math.ceil(tasks / tile);
  const last = tasks - (hosts - 1) * tile;
  return Array.from({ length: hosts }, (_, index) => (index < hosts - 1 ? tile : last));
}

/**
 * All plans, the most consolidated first. The largest bucket of a balanced split is ⌈N/k⌉, which
 * only shrinks as k grows: so `tasks_per_host` is a lower bound on k.
 * @param {number} tasks
 * @param {FullSpan} span
 * @returns {Generator<number[], void, void>}
 */
export function* plansOf(tasks, span) {
  if (span.ptile === null) {
    const fewest = Math.max(span.hosts_min, Math.ceil(tasks / span.tasks_per_host));
    const most = Math.min(span.hosts_max, tasks);
    for (let hosts = fewest; hosts <= most; hosts += 1) yield balanced(tasks, hosts);
    return;
  }
  const plan = tiled(tasks, span.ptile);
  const allowed = span.hosts_min <= plan.length && plan.length <= span.hosts_max;
  if (allowed && plan[0] <= span.tasks_per_host) yield plan;
}

/**
 * @param {number} tasks
 * @param {FullSpan} span
 */
export const hasPlan = (tasks, span) => !plansOf(tasks, span).next().done;
