// Answers of plan: the verdict first, then numbers, files and all values.

import { h, wide } from "./dom.js";
import { sentence } from "./field.js";
import { counted, duration, number, percent, shown, step } from "./words.js";
import { grid } from "./virtual.js";

/** A document of `fdplan plan --json`. @typedef {any} Answer */

/** @param {"yes"|"no"|"open"} kind @param {string} text */
function check(kind, text) {
  return h("li", {}, h("span", { class: "mark " + kind, "aria-hidden": "true" }, { yes: "✓", no: "✗", open: "–" }[kind]), h("span", {}, text));
}

/** What is proven in the model. @param {Answer} a */
function proven(a) {
  const by = a.proof?.by ? ` by ${a.proof.by}` : "";
  const checked = a.proof?.checked === true ? "; the certificate was checked" : "";
  switch (a.status) {
    case "optimal": return check("yes", `In the model no plan of ${counted(a.horizon, "step")} is better: proven${by}${checked}.`);
    case "infeasible": return a.start_breaks ? check("no", startBreaks(a.start_breaks)) : check("yes", `In the model there is no plan of this length: proven${by}${checked}.`);
    case "feasible": return check("open", a.bound === null ? "In the model a better plan may exist: nothing is proven yet." : `In the model a better plan may exist, but none above ${number(a.bound)} (gap ${percent(a.gap)}).`);
    default: return check("open", "Nothing was found or proven before the run ended.");
  }
}

/** The rule that the start breaks, with the values that the rule is about. @param {any} fault */
function startBreaks(fault) {
  const values = Object.entries(fault.values ?? {}), told = values.filter(([, v]) => v !== false);
  const named = told.slice(0, 8).map(([name, v]) => `${name} is ${shown(v)}`).join(", ") + (told.length > 8 ? ", …" : "");
  return `The rule is ${fault.constraint}${fault.origin ? ` (${fault.origin})` : ""}. At the start ${named || `${values.map(([name]) => name).slice(0, 8).join(", ")}${values.length > 8 ? ", …" : ""} ${values.length === 1 ? "is" : "are"} false`}.`;
}

/** What the simulator said. @param {Answer} a */
function simulated(a) {
  switch (a.valid?.simulator) {
    case true: return check("yes", `In the simulator the plan holds, with reward ${number(a.simulated_reward)}.`);
    case false: return check("no", `In the simulator the plan fails${a.simulator_says ? ": " + a.simulator_says : "."}`);
    default: return check("open", "The plan was not tried in a simulator.");
  }
}

/** Steps that the training data do not show. @param {Answer} a */
function unseen(a) {
  if (!a.learned) return null;
  const steps = (a.unsupported ?? []).map((/** @type {any} */ u) => u.step);
  if (a.unseen_steps === null || a.unseen_steps === undefined) return check("open", "It is not known which steps the training data show.");
  if (a.unseen_steps === 0) return check("yes", a.unseen_exact === false ? "No step is known to be missing from the training data." : `The training data ${(a.evidence ?? []).some((/** @type {any} */ e) => e.kind === "supported") ? "show or support" : "show"} every step.`);
  return check("no", `The training data do not show ${counted(a.unseen_steps, "step")}${steps.length ? ` (${steps.slice(0, 12).join(", ")}${steps.length > 12 ? ", …" : ""})` : ""}: there the model may be wrong.`);
}

/** Steps that rows of the training data dispute. @param {Answer} a */
function disputed(a) {
  const of = (a.evidence ?? []).filter((/** @type {any} */ e) => e.kind === "disputed");
  if (!of.length) return null;
  const least = Math.min(...of.map((/** @type {any} */ e) => e.agree / e.rows));
  return check("no", `Rows of the training data dispute ${counted(of.length, "step")} (${of.slice(0, 12).map((/** @type {any} */ e) => e.step).join(", ")}${of.length > 12 ? ", …" : ""}): ${of.length === 1 ? `${of[0].agree} of ${counted(of[0].rows, "row")} agree` : `at least ${Math.floor(100 * least)} % of the rows agree`}.`);
}

/** What the training data tell about a step, in words. @param {any} e */
export function evidence(e) {
  switch (e?.kind) {
    case "seen": return e.rows === undefined ? "seen" : `seen, ${counted(e.rows, "row")} ${e.rows === 1 ? "agrees" : "agree"}`;
    case "disputed": return `disputed, ${e.agree} of ${counted(e.rows, "row")} agree`;
    case "supported": return `supported by ${e.class}`;
    case "unseen": return "unseen: there the model may be wrong";
    default: return "";
  }
}

/** The verdict in one line; "" for what is no answer of plan. @param {Answer} a */
export const headline = (a) => a.verdict || ({ infeasible: "no plan exists", unknown: "no plan was found" }[/** @type {string} */ (a.status)] ?? "");

/**
 * The verdict on a plan.
 * @param {Answer} a
 */
export function verdict(a) {
  const kind = a.valid?.simulator === false ? "bad" : a.status === "optimal" ? "good" : a.status === "infeasible" ? "bad" : "warn";
  const head = headline(a) || a.status;
  const hasPlan = Array.isArray(a.plan) && a.plan.length > 0;
  return h("section", { class: "note verdict " + kind, "aria-label": "Verdict" }, h("p", {}, h("strong", {}, sentence(head))),
    h("ul", { class: "checks" }, proven(a), hasPlan && simulated(a), hasPlan && unseen(a), hasPlan && disputed(a)),
    a.chance && h("p", { class: "hint" }, sentence(a.chance.says)), a.note && h("p", { class: "hint" }, sentence(a.note)), a.stopped && h("p", { class: "hint" }, /received/.test(a.stopped) ? "The run was stopped." : `The run was ended by a limit: ${a.stopped}.`));
}

/** What a policy is worth. @param {any} a @param {{verdict?: string[]}|null} frames */
export function policyVerdict(a, frames) {
  const worth = a.objective === "success" ? ["Success", percent(a.value)] : ["Expected reward", number(a.value)];
  const pairs = [worth, ["Steps", a.horizon], ["States", a.states], ["Engine", a.engine || "–"], ["Time", duration(a.seconds ?? 0)]];
  const says = frames?.verdict?.[0] ?? (a.value === null ? "There is no such policy." : `The policy is ${a.status}.`);
  return h("div", {}, h("section", { class: "note verdict " + (a.status === "optimal" ? "good" : a.value === null ? "bad" : "warn"), "aria-label": "Verdict" }, h("p", {}, h("strong", {}, says))),
    figures(pairs));
}

/** The numbers of an answer. @param {Answer} a */
export function numbers(a) {
  return figures([["Reward", number(a.reward)], ["Bound", number(a.bound)], ["Gap", percent(a.gap)], ["Steps", a.horizon ?? "–"], ["Engine", a.engine || "–"], ["Time", duration(a.seconds?.total ?? 0)]].filter(known));
}

/** Whether a number is known. @param {any[]} pair of a name and a value */
const known = ([, value]) => value !== "–";

/** @param {any[][]} pairs of a name and a value */
const figures = (pairs) => h("dl", { class: "numbers" }, pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));

/** What learning by acting has found. @param {any} a a document of `fdplan learn --json` */
export function learnedVerdict(a) {
  const next = a.experiment?.actions?.at(-1);
  return h("section", { class: "note verdict " + ({ optimal: "good", infeasible: "bad" }[/** @type {string} */ (a.status)] ?? "warn"), "aria-label": "Verdict" }, h("p", {}, h("strong", {}, a.verdict)),
    a.model && h("p", {}, `The model is known: each next value of the ${counted(a.model.steps, "step")} that the rules allow in the ${counted(a.model.states, "state")} within reach, if the same is so.`),
    a.stopped && h("p", { class: "hint" }, sentence(a.stopped)), next && h("p", { class: "hint" }, `Next it would try: ${step(next)}.`));
}

/** The numbers of what was learned by acting. @param {any} a */
export function learnedNumbers(a) {
  return figures([["Reward", number(a.reward)], ["Bound", number(a.bound)], ["Steps of a plan", a.horizon], ["Steps taken", a.steps], ["Resets", Math.max(0, a.resets - 1)], ["Different steps seen", a.rows], ["Time", duration(a.seconds?.total ?? 0)]].filter(known));
}

/** The result for each horizon of a range. @param {Answer} a */
export function horizons(a) {
  if (!a.horizons?.length) return null;
  return wide("Each horizon", h("table", { class: "table" }, h("caption", {}, "Each horizon"), h("thead", {}, h("tr", {}, ["Steps", "Status", "Reward"].map((t) => h("th", { scope: "col", class: t === "Reward" ? "number" : null }, t)))),
    h("tbody", {}, a.horizons.map((/** @type {any} */ l) => h("tr", {}, h("th", { scope: "row" }, l.horizon), h("td", {}, l.status), h("td", { class: "number" }, number(l.reward)))))));
}

/**
 * The steps of a plan for the player, the first of which is the start.
 * @param {Answer} a
 * @param {import("./player.js").Frames|null} frames
 * @returns {import("./player.js").Step[]}
 */
export function steps(a, frames) {
  const unshown = new Set((a.unsupported ?? []).map((/** @type {any} */ u) => u.step));
  const doubted = new Set((a.evidence ?? []).filter((/** @type {any} */ e) => e.kind === "disputed").map((/** @type {any} */ e) => e.step));
  const failed = a.valid?.simulator === false && a.observed ? a.observed.length : 0;
  const out = [{ name: "start", text: frames?.frames[0]?.text ?? "", kind: "" }];
  (a.plan ?? []).forEach((/** @type {any} */ action, /** @type {number} */ i) => {
    const marks = (unshown.has(i + 1) ? " (unseen)" : doubted.has(i + 1) ? " (disputed)" : "") + (failed === i + 1 ? " (fails)" : "");
    const told = evidence((a.evidence ?? []).find((/** @type {any} */ e) => e.step === i + 1));
    out.push({ name: step(action) + marks, text: (frames?.frames[i + 1]?.text ?? changes(a.trace?.[i], a.trace?.[i + 1])) + (told && `. Training data: ${told}`), kind: failed === i + 1 ? "fails" : "" });
  });
  return out;
}

/** What differs between two states, in words. @param {any} before @param {any} after */
export function changes(before, after) {
  if (!before || !after) return "";
  const parts = Object.keys(after).filter((n) => after[n] !== before[n]).map((n) => (after[n] === true ? n : after[n] === false ? "not " + n : `${n} = ${after[n]}`));
  if (!parts.length) return "nothing changes";
  return "now " + parts.slice(0, 12).join(", ") + (parts.length > 12 ? ` and ${parts.length - 12} more` : "");
}

/**
 * All values of a plan: actions and states by step.
 * @returns {{element: HTMLElement, show: (a: Answer) => void, mark: (k: number) => void}}
 */
export function values() {
  const table = grid("All values, by step", "Variable");
  const element = h("details", {}, h("summary", {}, "All values by step"), h("p", { class: "hint" }, "An action stands in the column of the state that it leads to."), table.element);
  /** @type {Answer|null} */
  let answer = null;
  let at = 0;
  function draw() {
    if (!answer || !element.open) return;
    const a = answer;
    const actions = [...new Set((a.plan ?? []).flatMap((/** @type {any} */ p) => Object.keys(p)))], states = Object.keys(a.trace?.[0] ?? {});
    table.show({
      rows: actions.length + states.length, columns: a.trace?.length ?? 0,
      name: (r) => (r < actions.length ? String(actions[r]) : states[r - actions.length]),
      head: (c) => (c === 0 ? "start" : String(c)),
      cell(r, c) {
        const v = r < actions.length ? (c ? a.plan[c - 1][String(actions[r])] : undefined) : a.trace[c][states[r - actions.length]];
        const seen = r >= actions.length ? a.observed?.[c]?.[states[r - actions.length]] : undefined;
        if (seen !== undefined && seen !== v) return { text: `${short(v)}≠${short(seen)}`, kind: "differs", title: `planned ${shown(v)}, observed ${shown(seen)}` };
        return { text: short(v), kind: v === true ? "true" : v === false || v === undefined ? "off" : "" };
      },
    });
    table.mark(at);
  }
  element.addEventListener("toggle", draw);
  return {
    element,
    show(a) {
      answer = a;
      draw();
    },
    mark(k) {
      at = k;
      if (element.open) table.mark(k);
    },
  };
}

/** @param {any} v */
const short = (v) => (v === true ? "●" : v === false ? "·" : shown(v));
