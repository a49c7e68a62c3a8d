// Labelled fields. An error is shown below the field that caused it, with what to do.

import { fill, h, id } from "./dom.js";

/**
 * @typedef {Object} Field
 * @property {HTMLElement} element the label, the control and what is below
 * @property {any} control
 * @property {() => string} get
 * @property {(value: string) => void} set
 * @property {(text: string|Node|null, hint?: string) => void} fail shows an error, or none
 */

/**
 * Puts a control below its label.
 * @param {string} label
 * @param {any} control an input, select or textarea
 * @param {string} [hint]
 * @returns {Field}
 */
function field(label, control, hint) {
  const name = control.id || id(), error = id(), help = id();
  control.id = name;
  const place = h("div", { id: error, class: "error", role: "alert" });
  control.setAttribute("aria-describedby", (hint ? help + " " : "") + error);
  const element = h("div", { class: "field" }, h("label", { for: name }, label), control, hint && h("p", { id: help, class: "hint" }, hint), place);
  return {
    element, control,
    get: () => control.value.trim(),
    set: (value) => { control.value = value; },
    fail(text, advice) {
      if (text) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
      fill(place, text, text && advice ? " " + advice : null);
    },
  };
}

/**
 * @param {string} label @param {string} [hint] @param {Object<string, any>} [attributes]
 */
export const input = (label, hint, attributes = {}) => field(label, h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes }), hint);

/**
 * @param {string} label
 * @param {[string, string][]} choices value and text
 * @param {string} [hint]
 */
export function select(label, choices, hint) {
  return field(label, h("select", {}, choices.map(([value, text]) => h("option", { value }, text))), hint);
}

/**
 * @param {string} label @param {string} [hint]
 * @returns {Field}
 */
export function check(label, hint) {
  const control = h("input", { type: "checkbox", id: id() });
  const help = id();
  if (hint) control.setAttribute("aria-describedby", help);
  const element = h("div", { class: "field" }, h("label", { class: "check", for: control.id }, control, label), hint && h("p", { class: "hint", id: help }, hint));
  return { element, control, get: () => (control.checked ? "1" : ""), set: (v) => { control.checked = v === "1"; }, fail() {} };
}

/**
 * Shows a refusal in a note; a 401 says how to get in.
 * @param {any} e
 * @returns {HTMLElement}
 */
export function refused(e) {
  const fault = e?.fault ?? { error: String(e?.message ?? e) };
  const at = fault.file ? fault.file + (fault.line ? ":" + fault.line + (fault.column ? ":" + fault.column : "") : "") + ": " : "";
  return h("div", { class: "note bad", role: "alert" }, h("p", {}, at && h("span", { class: "code" }, at), sentence(fault.error)), fault.hint && h("p", {}, sentence(fault.hint)),
    fault.bug && h("p", {}, "This is an error of fdplan. Please report it with what you did."));
}

/** Begins with a capital and ends with a full stop. @param {string} text */
export function sentence(text) {
  const t = text.trim();
  if (!t) return t;
  return t[0].toUpperCase() + t.slice(1) + (/[.!?:]$/.test(t) ? "" : ".");
}
