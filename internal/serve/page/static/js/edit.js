// The workbench: the files of a problem are edited, and what is right is a problem at once.

import * as api from "./api.js";
import { calm, fill, h, once, say, wide } from "./dom.js";
import { refused } from "./field.js";
import { source } from "./source.js";

/** Files that are edited; the others of a problem go along. */
const editable = /\.(toml|rddl|pddl)$/;

/** A larger file is not sent again with every change, in bytes. */
const largest = 4 << 20;

/** So many copies stay on the server, for the answers that are still listed. */
const kept = 6;

/** @typedef {Object<string, string>} Texts by the name of the file */

/**
 * @param {{problem: () => string, asked: () => any, use: (problem: string) => Promise<void>}} options
 *   asked is the question that a copy takes over, use is told of a problem that can be planned
 */
export function editor(options) {
  const trouble = h("div", {}), files = h("div", {}), state = h("p", { class: "hint", role: "status" });
  const begin = h("button", { type: "button", class: "small", onclick: once(copy) }, "Edit a copy of this problem");
  const undo = h("button", { type: "button", class: "small", hidden: true, onclick: back }, "Undo the last change");
  const element = h("details", {}, h("summary", {}, "Edit the problem"), h("p", { class: "hint" }, "Its files, with what is asked now. Whatever is right is planned again at once; what is wrong is shown at its place."), h("div", { class: "row" }, begin, undo), files, state, trouble);
  /** @type {Map<string, any>} by the name of the file */
  let boxes = new Map();
  /** @type {Map<string, Blob>} */
  let others = new Map();
  let name = "", round = 0;
  /** @type {Texts[]} what was right, the last of which is current */
  let history = [];
  /** @type {Map<string, Texts>} by the problem that it made, in order */
  const made = new Map();

  const texts = () => Object.fromEntries([...boxes].map(([n, f]) => [n, f.get()]));
  async function copy() {
    fill(trouble);
    try {
      const of = await api.post(`problems/${api.part(options.problem())}/copy`, { ...options.asked(), name: options.problem().replace(/-edit[-0-9]*$/, "") + "-edit" });
      const large = of.files.find((/** @type {any} */ f) => f.bytes > largest);
      if (large) throw { fault: { error: `${large.name} is too large to be sent with every change`, hint: "edit the problem's files where they are" } };
      const all = new Map(await Promise.all(of.files.map(async (/** @type {any} */ f) => [f.name, await api.blob(`problems/${api.part(of.problem)}/files/${api.part(f.name)}`)])));
      others = new Map([...all].filter(([n]) => !editable.test(n)));
      const own = await Promise.all([...all].filter(([n]) => editable.test(n)).map(async ([n, b]) => [n, await b.text()]));
      name = of.problem;
      const first = (/** @type {string} */ n) => (n.endsWith(".toml") ? " " : "") + n; // the task has what is changed most
      boxes = new Map(own.sort(([a], [b]) => (first(a) < first(b) ? -1 : 1)).map(([name, text]) => [name, source({ name, text, texts, changed() { round++; soon(); } })]));
      fill(files, [...boxes.values()].map((f) => f.element));
      history = [texts()];
      keep(of.problem);
      await options.use(of.problem);
      (boxes.get("task.toml") ?? [...boxes.values()][0])?.box.focus();
    } catch (e) {
      fill(trouble, refused(e));
    }
  }
  /** Notes what a problem was made of, and removes what nobody can go back to. @param {string} problem */
  function keep(problem) {
    made.set(problem, texts());
    for (const old of [...made.keys()].slice(0, -kept)) {
      made.delete(old);
      api.remove(`problems/${api.part(old)}`).catch(() => {}); // it was removed elsewhere
    }
    undo.hidden = history.length < 2;
  }
  /** @param {any} fault */
  function wrong(fault) {
    const at = boxes.get(String(fault.file ?? "").split("/").pop() ?? "");
    if (!at) {
      fill(trouble, refused({ fault }));
      return;
    }
    at.fail(fault);
  }
  function clear() {
    fill(trouble);
    for (const f of boxes.values()) f.fail(null);
  }
  async function send() {
    const mine = ++round, now = texts();
    if (JSON.stringify(now) === JSON.stringify(history[history.length - 1])) {
      clear();
      state.textContent = "";
      return;
    }
    const form = new FormData();
    for (const [n, text] of Object.entries(now)) form.append("files", new File([text], n), n);
    for (const [n, b] of others) form.append("files", b, n);
    form.append("name", name);
    state.textContent = "Reading …";
    try {
      const of = await api.upload("problems", form);
      if (mine !== round) {
        api.remove(`problems/${api.part(of.problem)}`).catch(() => {});
        return;
      }
      clear();
      history.push(now);
      keep(of.problem);
      state.textContent = "The problem is right.";
      await options.use(of.problem);
    } catch (e) {
      if (mine !== round) return;
      clear();
      state.textContent = "";
      wrong(/** @type {any} */ (e).fault ?? { error: String(e) });
    }
  }
  const soon = calm(700, send);
  /** @param {Texts} to */
  function put(to) {
    for (const [n, f] of boxes) f.set(to[n] ?? "");
  }
  async function back() {
    const now = JSON.stringify(texts()), last = history[history.length - 1];
    if (now === JSON.stringify(last)) history.pop();
    put(history[history.length - 1]);
    undo.hidden = history.length < 2;
    say("The last change was undone.");
    const known = [...made].reverse().find(([, t]) => JSON.stringify(t) === JSON.stringify(texts()));
    clear();
    round++;
    if (known) await options.use(known[0]);
    else {
      history.pop();
      await send();
    }
  }
  return {
    element,
    /** Shows the files of a problem that was made here, if it was. @param {string} problem */
    recall(problem) {
      const of = made.get(problem);
      if (!of) return;
      put(of);
      history.push(of);
      clear();
    },
  };
}

/**
 * The last answers, side by side.
 * @param {{open: (job: any) => void}} options
 */
export function answered(options) {
  const place = h("div", {}), element = h("details", { class: "card", hidden: true, open: true }, h("summary", {}, "Last answers"), place);
  /** @type {any[]} */
  let all = [];
  return {
    element,
    /** @param {any} job that has ended */
    add(job) {
      all = [job, ...all.filter((j) => j.job !== job.job)].slice(0, kept);
      element.hidden = all.length < 2;
      const steps = (/** @type {any} */ a) => (a.plan ?? []).map((/** @type {any} */ s) => Object.entries(s).map(([n, v]) => (v === true ? n : `${n} = ${v}`)).join(", ") || "(nothing)");
      const rows = /** @type {[string, (j: any) => any][]} */ ([["Problem", (j) => j.problem], ["Asked", (j) => ["goal", "reward", "require", "range", "set_initial"].flatMap((n) => (j.request[n] ? [`${n.replace("_", " ")}: ${[j.request[n]].flat().join("; ")}`] : [])).join("; ") || "as the problem says"],
        ["Verdict", (j) => j.result.verdict ?? j.result.status], ["Reward", (j) => j.result.reward ?? "–"], ["Steps", (j) => h("ol", {}, steps(j.result).slice(0, 30).map((/** @type {string} */ s) => h("li", {}, s)))]]);
      fill(place, wide("The last answers", h("table", { class: "table beside" }, h("caption", { class: "hidden" }, "Last answers, the newest first"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Answer"), all.map((j) => h("th", { scope: "col" }, h("button", { type: "button", class: "small", onclick: () => options.open(j) }, `Show answer ${j.job}`))))),
        h("tbody", {}, rows.map(([n, of]) => h("tr", {}, h("th", { scope: "row" }, n), all.map((j) => h("td", {}, of(j)))))))));
    },
  };
}
