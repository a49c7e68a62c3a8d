// The initial state: by sliders, and by clicking on the picture.

import { fill, h, id } from "./dom.js";
import { shown } from "./words.js";
import { list } from "./virtual.js";

/** @typedef {{name: string, kind: string, bool: boolean, lo: number, hi: number, values?: string[], edges?: number[], unit?: string}} Variable */

/** Integers with more values than this are typed in. */
const slider = 200;

/**
 * Splits variable=value at the sign that is not part of the name.
 * @param {string} text
 * @returns {[string, string]}
 */
function split(text) {
  const i = text.indexOf("=");
  return i < 0 ? [text.trim(), ""] : [text.slice(0, i).trim(), text.slice(i + 1).trim()];
}

/** The values that a problem's own initial state fixes. @param {any} summary */
function initially(summary) {
  /** @type {Map<string, string>} */
  const out = new Map();
  const known = new Map(summary.variables.map((/** @type {Variable} */ v) => [v.name, v]));
  for (const c of summary.initial) {
    const m = /^(.+?) (?:==|in) (.+)$/.exec(c.text);
    const v = m && known.get(m[1]);
    if (m && v) out.set(m[1], v.bool ? (m[2] === "1" || m[2] === "true" ? "true" : "false") : m[2].replace(/^@/, ""));
  }
  return out;
}

/**
 * The fields of the initial state. Only variables that are changed are in its value.
 * @param {{changed: () => void}} options
 */
export function start(options) {
  /** @type {Variable[]} */
  let variables = [];
  /** @type {Variable[]} */
  let visible = [];
  /** @type {Map<string, string>} */
  let own = new Map();
  /** @type {Map<string, string>} */
  const changes = new Map();
  const note = h("p", { class: "hint", id: id() }), error = h("div", { class: "error", role: "alert" });
  const search = h("input", { type: "search", placeholder: "Find a variable", "aria-label": "Find a variable", oninput: filter });
  const rows = list({ label: "Initial values", height: 44, render: (i, item) => fill(item, control(visible[i])) });
  const reset = h("button", { type: "button", class: "small", onclick: () => { changes.clear(); update(true); } }, "Back to the problem's own");
  const element = h("details", {}, h("summary", {}, "Initial state"), h("p", { class: "hint" }, "Click a cell in the picture where that is possible, or set values here."), search, rows.element, note, reset, error);
  element.addEventListener("toggle", () => rows.redraw());

  function filter() {
    const text = search.value.trim().toLowerCase();
    visible = variables.filter((v) => v.name.toLowerCase().includes(text));
    rows.resize(visible.length);
  }
  /** @param {Variable} v */
  const value = (v) => changes.get(v.name) ?? own.get(v.name) ?? "";
  /** @param {Variable} v */
  function control(v) {
    const at = value(v), name = id();
    const set = (/** @type {string} */ x) => {
      if (x === own.get(v.name)) changes.delete(v.name);
      else changes.set(v.name, x);
      update(false);
    };
    let input;
    if (v.bool) input = h("input", { type: "checkbox", id: name, checked: at === "true", onchange: () => set(String(input.checked)) });
    else if (v.values) input = h("select", { id: name, onchange: () => set(input.value) }, at ? null : h("option", { value: "" }, "open"), v.values.map((x) => h("option", { value: x }, x)));
    else if (v.edges) input = h("select", { id: name, onchange: () => set(input.value) }, v.edges.slice(1).map((e, i) => h("option", { value: String(middle(v, i)) }, bin(v, i))));
    else if (v.hi - v.lo <= slider) {
      const out = h("output", { for: name }, at);
      input = h("input", { type: "range", id: name, min: v.lo, max: v.hi, oninput: () => { out.textContent = input.value; }, onchange: () => set(input.value) });
      input.value = at || v.lo;
      return h("div", { class: "value" }, h("label", { class: "name check", for: name, title: v.name }, v.name), h("span", { class: "control" }, input, out));
    } else input = h("input", { type: "number", id: name, min: v.lo, max: v.hi, step: 1, onchange: () => set(input.value) });
    if (!v.bool) input.value = v.edges ? nearest(v, at) : at;
    return h("div", { class: "value" }, h("label", { class: "name check", for: name, title: v.name }, v.name), h("span", { class: "control" }, input));
  }
  /** @param {boolean} redraw */
  function update(redraw) {
    note.textContent = changes.size ? "Changed: " + [...changes].map(([n, x]) => `${n} = ${x}`).slice(0, 8).join(", ") + (changes.size > 8 ? ", …" : "") : "";
    reset.hidden = changes.size === 0;
    error.textContent = "";
    if (redraw) rows.redraw();
    options.changed();
  }
  /** Applies variable=value, of which a true Boolean is alone among those of its name. @param {string[]} values */
  function choose(values) {
    for (const text of values) {
      const [name, x] = split(text), v = variables.find((o) => o.name === name);
      if (!v) continue;
      if (v.bool && x === "true") for (const o of variables) if (o.bool && base(o.name) === base(name)) put(o, o === v ? "true" : "false");
      if (!v.bool || x !== "true") put(v, x);
    }
    update(true);
  }
  /** @param {Variable} v @param {string} x */
  function put(v, x) {
    if (own.get(v.name) === x) changes.delete(v.name);
    else changes.set(v.name, x);
  }
  return {
    element, choose,
    /** @param {any} summary */
    load(summary) {
      variables = summary.variables.filter((/** @type {Variable} */ v) => v.kind === "state");
      own = initially(summary);
      search.hidden = variables.length < 12;
      rows.element.style.maxHeight = "18rem";
      rows.element.style.height = Math.min(18 * 16, variables.length * 44 + 2) + "px";
      filter();
    },
    get: () => [...changes].map(([n, x]) => `${n}=${x}`),
    /** @param {string[]} texts */
    set(texts) {
      changes.clear();
      for (const t of texts) changes.set(...split(t));
      note.textContent = texts.length ? "Changed: " + texts.slice(0, 8).join(", ") : "";
      reset.hidden = !texts.length;
      rows.redraw();
    },
    /** @param {string|null} message */
    fail(message) {
      error.textContent = message ?? "";
      if (message) element.open = true;
    },
  };
}

/** @param {string} name */
const base = (name) => name.split("(", 1)[0];

/** The text of a bin of a quantity. @param {Variable} v @param {number} i */
const bin = (v, i) => `${shown(v.edges?.[i])}–${shown(v.edges?.[i + 1])}${v.unit ? " " + v.unit : ""}`;

/** A value inside a bin. @param {Variable} v @param {number} i */
const middle = (v, i) => ((v.edges?.[i] ?? 0) + (v.edges?.[i + 1] ?? 0)) / 2;

/** The option for a value that is a bin's text or a number. @param {Variable} v @param {string} at */
function nearest(v, at) {
  const edges = v.edges ?? [], x = Number.parseFloat(at);
  for (let i = 0; i + 1 < edges.length; i++) if (at === bin(v, i) || (x >= edges[i] && x < edges[i + 1])) return String(middle(v, i));
  return "";
}
