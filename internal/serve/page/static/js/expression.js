// A field for a rule: an expression with completion, and errors where they are.

import * as api from "./api.js";
import { completions } from "./completions.js";
import { calm, fill, h, id } from "./dom.js";

/**
 * @typedef {Object} Expression
 * @property {HTMLElement} element
 * @property {() => string} get
 * @property {(text: string) => void} set
 * @property {(message: string|null, from?: number) => void} fail
 * @property {(text: string) => void} own shows what holds while nothing is written
 * @property {() => string} sound the text, or the last one before it that the server has accepted
 * @property {() => void} focus
 */

/**
 * @param {{label: string, problem: () => string, query?: () => string, use: string, changed: () => void, drop?: () => void, help?: string}} options
 *   with help, which is shown below, it has a label that is seen
 * @returns {Expression}
 */
export function expression(options) {
  const error = h("div", { class: "error", id: id(), role: "alert" }), hint = h("p", { class: "hint" });
  const help = options.help && h("p", { class: "hint", id: id() }, options.help);
  const box = h("input", { type: "text", id: id(), role: "combobox", "aria-label": help ? null : options.label, "aria-expanded": "false", "aria-describedby": (help ? help.id + " " : "") + error.id,
    autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const list = completions(box, {
    look: (forced) => (forced ? look(true, true) : soon()),
    taken() {
      options.changed();
      look(false);
    },
  });
  const element = h("div", { class: "rule" }, help && h("label", { for: box.id }, options.label), h("div", { class: "line" }, box,
    options.drop && h("button", { type: "button", class: "quiet", "aria-label": `Remove ${options.label.toLowerCase()}`, title: "Remove", onclick: options.drop }, "✕")), list.element, help, error, hint);
  let asked = 0, sound = "";

  /** @param {{message: string, from: number, to: number}|null} e */
  function show(e) {
    if (!e) {
      box.removeAttribute("aria-invalid");
      fill(error);
      return;
    }
    const text = box.value, to = Math.max(e.to, Math.min(text.length, e.from + 1));
    box.setAttribute("aria-invalid", "true");
    fill(error, h("span", { class: "code" }, text.slice(0, e.from), h("mark", {}, text.slice(e.from, to) || "␣"), text.slice(to)), e.message);
  }
  /** @param {string} text */
  function accept(text) {
    const before = sound;
    sound = text;
    if (text !== before) options.changed();
  }
  /** Asks the server about the text. @param {boolean} complete @param {boolean} [forced] offer what may follow, too */
  async function look(complete, forced = false) {
    const text = box.value, mine = ++asked;
    if (!options.problem()) return;
    if (!text.trim() && !complete) {
      show(null);
      fill(hint);
      accept("");
      return;
    }
    try {
      const body = { text, use: options.use, ...(complete ? { cursor: box.selectionStart ?? text.length } : {}) };
      const answer = await api.post(`problems/${api.part(options.problem())}/expression${options.query?.() ?? ""}`, body);
      if (mine !== asked || box.value !== text) return; // what was typed since is asked about soon
      show(text.trim() ? answer.error : null);
      fill(hint, answer.warnings.join(" "));
      if (answer.valid) accept(text.trim());
      const offer = complete ? answer.completions : null;
      list.offer(offer && offer.from === offer.to && !forced ? null : offer); // nothing is begun: the next operator is asked for with Ctrl and space
    } catch (e) {
      if (mine === asked) show({ message: String(/** @type {any} */ (e).message), from: 0, to: 0 });
    }
  }
  const soon = calm(150, () => look(true)), later = calm(400, () => options.changed());
  box.addEventListener("input", later);
  box.addEventListener("change", () => options.changed());
  return {
    element, get: () => box.value.trim(), sound: () => sound, focus: () => box.focus(),
    set(text) {
      box.value = text;
      sound = "";
      look(false);
    },
    fail: (message, from = 0) => show(message ? { message, from, to: from ? 0 : box.value.length } : null),
    own(text) {
      box.placeholder = text;
      box.title = text;
    },
  };
}

/**
 * A list of rules, or of ranges, that can be added and removed.
 * @param {{legend: string, hint: string, add: string, name?: string, use?: string, problem: () => string, query?: () => string, changed: () => void}} options
 */
export function rules(options) {
  /** @type {Expression[]} */
  let all = [];
  const place = h("div", {});
  /** @param {string} text */
  function add(text) {
    const e = expression({
      label: `${options.name ?? "Rule"} ${all.length + 1}`, problem: options.problem, query: options.query, use: options.use ?? "rule", changed: options.changed,
      drop() {
        all = all.filter((x) => x !== e);
        e.element.remove();
        options.changed();
        more.focus();
      },
    });
    all.push(e);
    place.append(e.element);
    if (text) e.set(text);
    return e;
  }
  const more = h("button", { type: "button", class: "small", onclick: () => add("").focus() }, options.add);
  const element = h("fieldset", {}, h("legend", {}, options.legend), place, more, h("p", { class: "hint" }, options.hint));
  return {
    element,
    get: () => all.map((e) => e.get()).filter((t) => t),
    /** @param {string[]} texts */
    set(texts) {
      const same = texts.length === all.length && texts.every((t, i) => t === all[i].get());
      if (same) return;
      all = [];
      fill(place);
      for (const t of texts) add(t);
    },
    /** @param {string|null} message @param {string} [text] the rule that is wrong */
    fail(message, text) {
      for (const e of all) e.fail(null);
      (all.find((e) => text !== undefined && text.includes(e.get())) ?? all[all.length - 1])?.fail(message);
      return all.length > 0;
    },
    sound: () => all.map((e) => e.sound()).filter((t) => t),
  };
}
