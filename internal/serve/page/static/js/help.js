// The view Help: examples to open, what answers say, expressions, keys.

import { fill, h, wide } from "./dom.js";

/** What can be opened, with what it shows. */
const examples = /** @type {[string, Object<string, string>, string, string][]} */ ([
  ["plan", { problem: "navigation/3x3" }, "A robot in a maze", "Plan the shortest way; click a cell to start there."],
  ["plan", { problem: "navigation/3x3", goal: "robot-at(x9,y20)" }, "The same maze, another goal", "“Change the question” has fields for goal, reward, rules and ranges."],
  ["plan", { problem: "navigation/3x3", horizon: "3" }, "A plan that cannot be", "Three steps are too few: the page says which rules exclude each other."],
  ["whatif", { problem: "navigation/5x5", horizon: "12", change: "~(robot-at(x6,y12) | robot-at(x6,y15))" }, "What does a closed passage cost?", "Both plans side by side, with the reasons."],
  ["plan", { problem: "cellda/x" }, "A dungeon with an enemy", "A learned network predicts how the enemy moves."],
  ["plan", { problem: "sysadmin/4" }, "Computers that age", "Which to restart, and when."],
  ["plan", { problem: "inventory/2" }, "A stock", "Order little, and never run out."],
  ["run", { problem: "cellda/y" }, "Plans meet a simulator", "Each step is tried, and planning goes on from what is observed."],
]);

const answers = [
  ["Proven", "An engine has excluded every other plan of this length, or every plan. “Write a certificate” gives a proof that an independent checker reads."],
  ["In the learned model", "The proof is about what was learned from data. Where the model is wrong, the plan may fail."],
  ["Holds in the simulator", "The plan was tried in the problem's RDDL, or in the simulator that was chosen, and kept all rules."],
  ["Seen, supported, disputed, unseen", "Rows of the training data agree with a step; rows of the same kind do; some disagree; there are none."],
  ["Reward, bound, gap", "What the plan is worth, what no plan exceeds, and the distance between them."],
  ["This answers other settings", "The form has changed since. The answer is grey until the form is as it was, or is asked again."],
];

const expressions = [
  ["robot-at(x9,y20)", "this is true"], ["~a", "a is false"], ["a ^ b, a | b", "both, at least one"], ["a => b", "if a then b"], ["stock <= 3, stock == 0", "numbers"], ["door == @open", "a value of an enumeration"],
  ["a'", "the value after the step, in rules"], ["a@2", "the value at step 2, in rules"], ["exists_{?x : xpos} robot-at(?x,y20)", "in goals of RDDL: for some object; forall_ for all"], ["-2*a - b", "a reward: a sum of what each step is worth"],
];

const keys = [
  ["Tab, Shift and Tab", "to the next control, to the one before"], ["Left, right; Home, End", "one step back or on; to the start or the end of a plan"], ["Space", "play, pause"], ["Arrow keys in a picture, Enter", "choose a cell to start in"],
  ["Ctrl and space", "offer what may stand here, in expressions and files"], ["Down, Enter; Escape", "take a completion; close the list"],
];

/** @param {string} title @param {[string, string]} head @param {string[][]} rows */
const listed = (title, head, rows) => h("section", { class: "card", "aria-label": title }, h("h2", {}, title), wide(title, h("table", { class: "table" }, h("caption", { class: "hidden" }, title), h("thead", {}, h("tr", {}, head.map((t) => h("th", { scope: "col" }, t)))),
  h("tbody", {}, rows.map(([name, text]) => h("tr", {}, h("th", { scope: "row", class: title === "Expressions" ? "code" : null }, name), h("td", {}, text)))))));

/** @param {HTMLElement} root */
export function view(root) {
  fill(root, h("h1", {}, "Help"), h("p", { class: "intro" }, "Choose a problem, ask a question, and see what is proven of the answer. Every view keeps its state in the address, so a link shows the same."),
    h("div", { class: "halves" }, h("div", {}, h("section", { class: "card", "aria-label": "Try" }, h("h2", {}, "Try"), h("ul", { class: "examples" }, examples.map(([view, params, title, text]) => h("li", {}, h("a", { href: `#${view}?${new URLSearchParams(params)}` }, title), h("p", { class: "hint" }, text))),
      h("li", {}, h("a", { href: "#learn" }, "From a log of your own to a plan"), h("p", { class: "hint" }, "Drop a log: what each column is taken for and why, a network with its errors, and a plan with the evidence for each step.")))),
    listed("Keys", ["Key", "What it does"], keys)),
    h("div", {}, listed("What answers say", ["Word", "Meaning"], answers), listed("Expressions", ["Text", "Meaning"], expressions))));
  return { async show() {} };
}
