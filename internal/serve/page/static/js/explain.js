// Explanations: why there is no plan, and what forces each step of one.

import { h } from "./dom.js";
import { number, step } from "./words.js";

/** @param {number[]} steps */
function at(steps) {
  if (!steps?.length) return "";
  const first = steps[0], last = steps[steps.length - 1];
  if (steps.length === 1) return ` at step ${first}`;
  if (last - first === steps.length - 1) return ` at steps ${first} to ${last}`;
  return ` at steps ${steps.join(", ")}`;
}

/** A constraint in words, with its exact form on request. @param {any} c */
function rule(c) {
  const words = c.words ?? c.text ?? c.meaning;
  const exact = h("span", { class: "code" }, c.constraint);
  return h("li", {}, words ? [words, at(c.steps), h("details", {}, h("summary", {}, "The constraint"), exact, c.origin && h("p", { class: "hint" }, c.origin))] :
    [{ initial: "the start: ", goal: "the goal: ", global: "the rule ", transition: "the transition " }[/** @type {string} */ (c.group)] ?? "", exact, at(c.steps), c.origin && h("span", { class: "hint" }, ` (${c.origin})`)]);
}

const consequences = /** @type {Object<string, string>} */ ({
  "illegal": "breaks a rule", "goal-missed": "the goal can no longer be reached", "dead-end": "the rules cannot be kept to the end", "worse": "less reward", "as-good": "as good", "better": "better", "unknown": "unknown",
});

/** What happens instead. @param {any} o */
function consequence(o) {
  const parts = [o.words ?? o.failure?.words ?? o.failure?.text ?? consequences[o.consequence] ?? o.consequence];
  if (o.consequence !== "as-good" && typeof o.loss === "number" && o.loss !== 0) parts.push(`it costs ${number(o.loss)}`);
  if (o.against?.length) parts.push("against " + o.against.slice(0, 4).map((/** @type {any} */ c) => (c.words ?? c.constraint) + at(c.steps)).join("; "));
  return parts.join(": ");
}

/**
 * Shows a document of `fdplan explain --json`.
 * @param {any} x
 * @param {string[]} change the rules that were added
 * @returns {HTMLElement}
 */
export function explained(x, change = []) {
  const said = x.words ?? x.sentences;
  const head = said && h("div", {}, [said].flat().map((/** @type {string} */ t) => h("p", {}, t)));
  if (x.conflict) {
    return h("div", {}, head ?? h("p", {}, x.conflict.transition ? "With how states follow from actions, these cannot hold together:" : "These cannot hold together, however states follow from actions:"),
      h("ul", {}, x.conflict.constraints.map(rule)), x.conflict.minimal && h("p", { class: "hint" }, "Without any one of them the others can."));
  }
  const items = (x.steps ?? []).map((/** @type {any} */ s) => h("li", {}, h("strong", {}, step(s.action)), h("ul", {},
    s.alternatives.map((/** @type {any} */ o) => h("li", {}, o.without ? `without ${o.without}: ` : `${step(o.action)} instead: `, consequence(o))),
    s.others && h("li", {}, s.others.consequence === "as-good" || typeof s.others.reward === "number" ? `the best other action, ${step(s.others.action)}: ` : "any other action: ", consequence(s.others)))));
  return h("div", {}, head, change.length > 0 && h("p", { class: "hint" }, "What forces each step of the plan with the change:"), h("ol", {}, items));
}
