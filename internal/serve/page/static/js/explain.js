// Explanations: why there is no plan, and what forces each step of one.

import { evidence } from "./answer.js";
import { h } from "./dom.js";
import { counted, number, shown, step } from "./words.js";

/** @param {number[]} steps */
function at(steps) {
  if (!steps?.length) return "";
  const first = steps[0], last = steps[steps.length - 1];
  if (steps.length === 1) return ` at step ${first}`;
  if (last - first === steps.length - 1) return ` at steps ${first} to ${last}`;
  return ` at steps ${steps.join(", ")}`;
}

/** @param {any} c a constraint */
const inWords = (c) => (c.words ?? c.constraint) + (c.group === "goal" ? " after the last step" : at(c.steps));

/** The exact constraints, on request. @param {any[]} all */
function exact(all) {
  return h("details", {}, h("summary", {}, "The exact constraints"), h("ul", {}, all.map((c) => h("li", {}, h("span", { class: "code" }, c.constraint), at(c.steps),
    (c.rule || c.origin) && h("span", { class: "hint" }, ` – ${[c.rule, c.origin].filter((t) => t).join(", ")}`)))));
}

/** Why there is no plan. @param {any} conflict */
function conflicting(conflict) {
  const initial = conflict.constraints.filter((/** @type {any} */ c) => c.group === "initial"), others = conflict.constraints.filter((/** @type {any} */ c) => c.group !== "initial");
  return h("div", {}, h("p", {}, conflict.transition ? "With how states follow from actions, these cannot hold together:" : "These cannot hold together, however states follow from actions:"),
    h("ul", {}, others.map((/** @type {any} */ c) => h("li", {}, c.group === "goal" && "the goal: ", inWords(c))), initial.length > 0 && initial.length <= 3 && initial.map((/** @type {any} */ c) => h("li", {}, "the start: ", c.words ?? c.constraint))),
    initial.length > 3 && h("details", {}, h("summary", {}, `and ${counted(initial.length, "value")} of the start`), h("ul", {}, initial.map((/** @type {any} */ c) => h("li", {}, c.words ?? c.constraint)))),
    conflict.minimal && h("p", { class: "hint" }, "Without any one of them the others can."), exact(conflict.constraints));
}

/** How a plan breaks a rule. @param {any} failure */
export function broken(failure) {
  const values = Object.entries(failure.values ?? {}).map(([name, v]) => `${name} is ${shown(v)}`).join(", ");
  return `at step ${failure.step}: ${failure.words ?? failure.text}${failure.words && values ? `, but ${values}` : ""}`;
}

const consequences = /** @type {Object<string, string>} */ ({
  "goal-missed": "the goal can no longer be reached", "dead-end": "not all rules can be kept to the end", "costs-more": "it costs more", "as-good": "as good", "better": "better", "unknown": "unknown: a limit was reached",
});

/** What happens instead. @param {any} o */
function consequence(o) {
  if (o.failure) return "breaks a rule " + broken(o.failure);
  const parts = [consequences[o.consequence] ?? o.consequence];
  if (o.consequence === "costs-more" && typeof o.loss === "number") parts[0] = `costs ${number(o.loss)} more`;
  if (o.against?.length) parts.push(o.against.slice(0, 4).map(inWords).join("; "));
  if (o.because?.length) parts.push(o.because.slice(0, 3).map((/** @type {any} */ b) => `${b.literal} counts ${number(b.otherwise)} times instead of ${number(b.plan)}`).join("; "));
  return parts.join(": ");
}

/** What forces a step. @param {any} s */
function forced(s) {
  const compared = s.others && (s.others.consequence === "as-good" || typeof s.others.reward === "number");
  return h("li", { value: s.step }, h("strong", {}, step(s.action)), h("ul", {},
    s.evidence && h("li", {}, "training data: ", evidence(s.evidence)),
    s.alternatives.map((/** @type {any} */ o) => h("li", {}, o.without ? `without ${o.without}: ` : `${step(o.action)} instead: `, consequence(o))),
    s.others && h("li", {}, compared ? `the best other action, ${step(s.others.action)}: ` : "any other action: ", consequence(s.others))));
}

/** What forces one step. @param {any} x a document of `fdplan explain --json` @param {number} k its number, from 1 */
export const forcing = (x, k) => h("ol", {}, (x.steps ?? []).filter((/** @type {any} */ s) => s.step === k).map(forced));

/**
 * Shows a document of `fdplan explain --json`.
 * @param {any} x
 * @param {Set<number>} [changed] the steps that matter most, from 1; all by default
 * @returns {HTMLElement}
 */
export function explained(x, changed) {
  if (x.conflict) return conflicting(x.conflict);
  const steps = x.steps ?? [], first = changed?.size ? steps.filter((/** @type {any} */ s) => changed.has(s.step)) : steps;
  const constraints = new Map(steps.flatMap((/** @type {any} */ s) => [...s.alternatives, s.others].flatMap((/** @type {any} */ o) => (o?.against ?? []).map((/** @type {any} */ c) => [c.constraint, { ...c, steps: [] }]))));
  return h("div", {}, h("p", {}, first.length < steps.length ? "What forces the steps that differ:" : "What forces each step:"), h("ol", {}, first.map(forced)),
    first.length < steps.length && h("details", {}, h("summary", {}, `All ${steps.length} steps`), h("ol", {}, steps.map(forced))), constraints.size > 0 && exact([...constraints.values()]));
}
