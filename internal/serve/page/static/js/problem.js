// The choice of a problem: bundled, uploaded before, or from files that are dropped here.

import * as api from "./api.js";
import { fill, h, say } from "./dom.js";
import { refused, select } from "./field.js";
import { download } from "./files.js";
import { counted } from "./words.js";
import { list } from "./virtual.js";

/** @typedef {{problem: string, source: string, horizon: number, state_bits: number, action_bits: number, network: string, network_file?: string, data?: string, log?: string, files?: any[]}} Listing */

/** Whether a problem has something to learn and no network. @param {Listing|undefined} p */
export const untrained = (p) => Boolean(p?.network_file && !p.network);

/** Whether a problem is in PDDL, where plans may have any length and a task file has no place. @param {any} summary */
export const inPDDL = (summary) => /\.pddl$/i.test(summary?.task?.domain ?? "");

/** Lists the problems of the server. @returns {Promise<Listing[]>} */
export async function listing() {
  return (await api.get("problems")).problems;
}

/** Reads a problem. @param {string} name @param {string} [query] */
export const read = (name, query = "") => api.get(`problems/${api.part(name)}${query}`);

/**
 * @param {{changed: (problem: string) => void}} options
 */
export function picker(options) {
  const choice = select("Problem", [], "Bundled, or your own: drop a task file with the files that it names, RDDL files, or a domain and a problem in PDDL.");
  const trouble = h("div", {});
  const files = h("input", { type: "file", multiple: true, "aria-label": "Open files of a problem", onchange: () => open(files.files) });
  const drop = h("div", { class: "drop" }, files, h("p", { class: "hint" }, "or drop them here"));
  const remove = h("button", { type: "button", class: "small quiet", hidden: true, onclick: discard }, "Remove this problem");
  const folder = h("span", {}), element = h("div", { class: "field" }, choice.element, h("details", {}, h("summary", {}, "Open files"), drop), h("div", { class: "row" }, folder, remove), trouble);
  /** @type {Listing[]} */
  let all = [];
  dropped(drop, open);
  choice.control.addEventListener("change", () => {
    fill(trouble);
    options.changed(choice.get());
  });

  /** @param {FileList|File[]|null} list */
  async function open(list) {
    if (!list?.length) return;
    const form = new FormData();
    for (const f of list) form.append("files", f, f.name);
    fill(trouble);
    try {
      const made = await api.upload("problems", form);
      await load();
      set(made.problem);
      say(`The problem ${made.problem} was opened.`);
      options.changed(made.problem);
    } catch (e) {
      fill(trouble, refused(e));
    }
    files.value = "";
  }
  async function discard() {
    try {
      await api.remove(`problems/${api.part(choice.get())}`);
      await load();
      options.changed(choice.get());
    } catch (e) {
      fill(trouble, refused(e));
    }
  }
  async function load() {
    all = await listing();
    const before = choice.get();
    const group = (/** @type {string} */ name, /** @type {string} */ source) => {
      const of = all.filter((p) => p.source === source);
      return of.length ? h("optgroup", { label: name }, of.map((p) => h("option", { value: p.problem }, p.problem + (untrained(p) ? " (no network yet)" : "")))) : null;
    };
    fill(choice.control, group("Your problems", "uploaded"), group("Bundled", "bundled"));
    set(before || (all.some((p) => p.problem === "navigation/3x3") ? "navigation/3x3" : all[0]?.problem ?? ""));
  }
  /** @param {string} problem */
  function set(problem) {
    if ([...choice.control.options].some((o) => o.value === problem)) choice.set(problem);
    remove.hidden = entry()?.source !== "uploaded";
    fill(folder, !remove.hidden && download("Save its task folder (zip)", `problems/${api.part(choice.get())}/folder`, choice.get() + ".zip"));
  }
  const entry = () => all.find((p) => p.problem === choice.get());
  return { element, load, set, get: choice.get, entry, fail: (/** @type {any} */ e) => fill(trouble, e ? refused(e) : null) };
}

/**
 * Makes an element take dropped files.
 * @param {HTMLElement} element
 * @param {(files: File[]) => void} take
 */
export function dropped(element, take) {
  element.addEventListener("dragover", (e) => {
    e.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (e) => {
    e.preventDefault();
    element.classList.remove("over");
    take([...(e.dataTransfer?.files ?? [])]);
  });
}

/**
 * What is in a problem: sizes, variables, rules and goal.
 * @returns {{element: HTMLElement, show: (summary: any) => void}}
 */
export function inside() {
  const element = h("details", {}, h("summary", {}, "What is in it"));
  const body = h("div", {});
  element.append(body);
  return {
    element,
    show(summary) {
      const vars = summary.variables.filter((/** @type {any} */ v) => v.kind !== "auxiliary");
      const names = list({ label: "Variables", height: 30, render: (i, item) => {
        const v = vars[i];
        item.title = `${v.name}: ${v.kind}, ${v.range}`;
        fill(item, h("span", { class: "text" }, h("strong", {}, v.name), ` ${v.kind}, ${v.range}${v.learned ? ", learned" : ""}`));
      } });
      const rules = (/** @type {string} */ title, /** @type {any[]} */ all) => all.length > 0 && [h("h3", {}, title), h("ul", {}, all.slice(0, 100).map((c) => h("li", { class: "code", title: c.origin }, c.text))),
        all.length > 100 && h("p", { class: "hint" }, `and ${all.length - 100} more`)];
      const net = summary.network;
      fill(body, summary.about && h("p", {}, summary.about), h("p", {}, `${counted(vars.filter((/** @type {any} */ v) => v.kind === "state").length, "state variable")}, ${counted(vars.filter((/** @type {any} */ v) => v.kind === "action").length, "action")}`,
        net ? `; a network of shape ${net.shape} with ${counted(net.edges, "edge")}` : "; nothing is learned", "."),
      h("h3", {}, "Variables"), names.element, rules("Goal", summary.goal), rules("Rules", summary.global));
      names.resize(vars.length);
      names.element.style.maxHeight = "12rem";
    },
  };
}
