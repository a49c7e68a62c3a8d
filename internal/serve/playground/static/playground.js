// The page of the playground: plans, changes and explains problems in the browser.

import { horizons, numbers, steps, values, verdict } from "./js/answer.js";
import { fill, h, say } from "./js/dom.js";
import { broken, explained } from "./js/explain.js";
import { input, refused, select } from "./js/field.js";
import { frame } from "./js/frame.js";
import { player, stage } from "./js/player.js";
import { source } from "./js/source.js";
import { number } from "./js/words.js";
import { ask, load, stop } from "./planner.js";

const own = /** @type {[string, string][]} */ ([["rddl", "RDDL of your own"], ["pddl", "PDDL of your own"], ["task", "A task of your own"]]);
const kinds = /** @type {Object<string, {names: string[], ref: any}>} */ ({
  rddl: { names: ["domain.rddl", "instance.rddl"], ref: { domain: "domain.rddl", instance: "instance.rddl" } },
  pddl: { names: ["domain.pddl", "problem.pddl"], ref: { pddl: "domain.pddl", problem: "problem.pddl" } },
  task: { names: ["task.toml"], ref: { problem: "task.toml" } },
});

const problem = select("Problem", own);
/** @type {Set<string>} bundled problems without a network */
const known = new Set();
const texts = h("div", {});
/** @type {ReturnType<typeof source>[]} the files that are pasted */
let pasted = [];
/** @type {Object<string, string>} that a task names */
let beside = {};
/** @type {Promise<any>} the end of reading them */
let reading = Promise.resolve();
const horizon = input("Steps", "A number, or a range such as 2..6; the problem's own if it is empty.");
const goal = input("Goal", "An expression, in place of the problem's own.");
const initial = area("Start", "NAME=VALUE, one on a line.", 2);
const rules = area("Rules", "Expressions that must hold too, one on a line.", 2);
const reward = input("Reward", "An expression, in place of the problem's own.");
const extra = area("What if also …", "Rules of the second plan alone, one on a line.", 2);
const trouble = h("div", {}), answers = h("div", { "aria-busy": "false" });
const plan = h("button", { type: "submit", class: "primary" }, "Plan");
const why = h("button", { type: "button", onclick: () => run(explain) }, "Explain");
const compare = h("button", { type: "button", onclick: () => run(whatif) }, "Compare");
const halt = h("button", { type: "button", hidden: true, onclick: stop }, "Stop");

/** A field of several lines. @param {string} label @param {string} hint @param {number} rows */
function area(label, hint, rows) {
  const f = input(label, hint), text = h("textarea", { rows, spellcheck: "false", autocomplete: "off", class: "code", id: f.control.id, "aria-describedby": f.control.getAttribute("aria-describedby") });
  f.control.replaceWith(text);
  return { element: f.element, get: () => text.value, lines: () => text.value.split("\n").map((/** @type {string} */ l) => l.trim()).filter((/** @type {string} */ l) => l) };
}

/** Shows the fields of the problem that is chosen. */
function chosen() {
  const kind = kinds[problem.get()];
  beside = {};
  const all = () => ({ ...beside, ...Object.fromEntries(pasted.map((f) => [f.name, f.get()])) });
  pasted = kind ? kind.names.map((name) => source({ name, text: "", rows: 8, texts: all, changed() {} })) : [];
  const others = h("input", { type: "file", multiple: true, id: "beside", onchange: () => {
    reading = Promise.all([...others.files].map(async (f) => { beside[f.name] = await f.text(); }));
  } });
  fill(texts, pasted.map((f) => f.element), problem.get() === "task" && h("div", { class: "field" }, h("label", { for: "beside" }, "Files that the task names"), others));
}

/** The problem of the form, for load. */
function asked() {
  const kind = kinds[problem.get()];
  if (!kind) return { ref: { problem: problem.get(), ...(known.has(problem.get()) ? { model: "rddl" } : {}) }, files: {} };
  return { ref: kind.ref, files: { ...beside, ...Object.fromEntries(pasted.map((f) => [f.name, f.get()])) } };
}

/** What the form changes, for plan. @param {string[]} further rules */
function changes(further = []) {
  const all = { horizon: horizon.get(), goal: goal.get(), set_initial: initial.lines(), require: [...rules.lines(), ...further], reward: reward.get() };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value.length));
}

/** Runs a question; another has to end first. @param {() => Promise<any[]>} question */
async function run(question) {
  if (answers.getAttribute("aria-busy") === "true") return;
  fill(trouble);
  answers.setAttribute("aria-busy", "true");
  for (const b of [plan, why, compare]) b.setAttribute("aria-disabled", "true");
  halt.hidden = false;
  try {
    await reading;
    await load(asked());
    for (const f of pasted) f.fail(null);
    fill(answers, await question());
  } catch (e) {
    const fault = /** @type {any} */ (e).fault ?? {}, at = pasted.find((f) => f.name === fault.file);
    for (const f of pasted) f.fail(f === at ? fault : null);
    if (!at) fill(trouble, refused(e));
  }
  halt.hidden = true;
  for (const b of [plan, why, compare]) b.removeAttribute("aria-disabled");
  answers.setAttribute("aria-busy", "false");
}

/** Draws a plan; null if it has no picture. @param {any} answer @param {any} asked */
async function drawn(answer, asked) {
  const { goal: g } = asked;
  return ask("draw", { plan: answer, ...(g ? { goal: g } : {}) }).catch(() => null);
}

/** A file with the answer. @param {any} answer */
const saved = (answer) => h("p", {}, h("a", { download: "answer.json", href: URL.createObjectURL(new Blob([JSON.stringify(answer)], { type: "application/json" })) }, "The answer as JSON"));

/** A plan with its picture. @param {string} name @param {any} answer @param {any} asked @param {...any} more */
async function card(name, answer, asked, ...more) {
  const parts = [h("h2", {}, name), verdict(answer), numbers(answer), horizons(answer), ...more];
  if (answer.plan?.length) {
    const frames = await drawn(answer, asked), picture = stage("Picture: " + name), table = values();
    const control = player("Play: " + name, (k) => {
      picture.go(k);
      table.mark(k);
    });
    picture.show(frames);
    table.show(answer);
    control.show(steps(answer, frames));
    parts.push(h("div", { class: "player" }, h("div", {}, picture.element, control.caption, control.element, picture.notes), control.items), table.element);
  }
  return h("section", { class: "card", "aria-label": name }, ...parts, saved(answer));
}

async function planned() {
  const question = changes(), answer = await ask("plan", question);
  say(answer.verdict || answer.status);
  return [await card("The plan", answer, question)];
}

async function explain() {
  const x = await ask("explain", changes());
  say("The reasons are shown.");
  return [h("section", { class: "card", "aria-label": "Why" }, h("h2", {}, "Why"), x.failure ? h("p", {}, "The plan breaks a rule ", broken(x.failure), ".") : explained(x), saved(x))];
}

async function whatif() {
  const first = changes(), second = changes(extra.lines());
  const before = await ask("plan", first), after = await ask("plan", second);
  const says = [];
  if (typeof before.reward === "number" && typeof after.reward === "number") says.push(h("p", {}, `The reward changes by ${number(after.reward - before.reward)}, from ${number(before.reward)} to ${number(after.reward)}.`));
  if (before.plan?.length && after.status === "infeasible") says.push(h("p", {}, "With the change there is no plan of this length."));
  const x = after.start_breaks ? null : await ask("explain", after.status === "infeasible" ? second : { ...second, plan: before }).catch(() => null);
  if (x?.failure) says.push(h("p", {}, "The first plan breaks a rule ", broken(x.failure), "."));
  else if (x?.conflict) says.push(explained(x));
  else if (before.plan?.length) says.push(h("p", {}, "The first plan keeps the changed rules too."));
  say("Both plans are shown.");
  return [h("section", { class: "card", "aria-label": "What changes" }, h("h2", {}, "What changes"), says),
    h("div", { class: "halves" }, await card("As it is", before, first), await card("With the change", after, second))];
}

const form = h("form", { class: "card side", "aria-label": "Problem and question", novalidate: true, onsubmit: (/** @type {Event} */ e) => {
  e.preventDefault();
  run(planned);
} }, h("h2", {}, "Problem"), problem.element, texts, horizon.element, h("details", {}, h("summary", {}, "Change the question"), goal.element, initial.element, rules.element, reward.element),
h("div", { class: "row" }, plan, why, halt), h("h2", {}, "What if"), extra.element, h("div", { class: "row" }, compare), trouble);

async function begin() {
  fill(frame(), h("h1", {}, "Playground"), h("p", { class: "intro" }, "Plan, change and explain problems in this browser: nothing leaves it. Large problems need the program itself, which has more memory and all processors."),
    h("div", { class: "columns" }, form, answers));
  problem.control.addEventListener("change", chosen);
  try {
    const bundled = await ask("list");
    problem.control.prepend(...bundled.map((/** @type {any} */ p) => h("option", { value: p.problem }, p.problem)));
    for (const p of bundled) if (!p.network) known.add(p.problem);
    problem.set(bundled[0].problem);
  } catch (e) {
    fill(trouble, refused(e));
  }
  chosen();
  document.documentElement.dataset.ready = "yes";
}

begin();
