// A file that is edited: numbered lines, completion of its language, and errors at their place.

import { completions } from "./completions.js";
import { calm, fill, h, id } from "./dom.js";
import { sentence } from "./field.js";
import { offers } from "./language.js";

/** Height of a line, and the space around the text, in pixels, as in parts.css. */
const line = 20, space = 6;

/** The columns of a text in which tabs have two. @param {string} text */
const columns = (text) => [...text].reduce((n, c) => (c === "\t" ? n - (n % 2) + 2 : n + 1), 0);

/**
 * @param {{name: string, text: string, rows?: number, texts: () => Object<string, string>, changed: () => void}} options texts are those of all files, by name
 */
export function source({ name, text, rows: height, texts, changed }) {
  const label = id(), error = h("div", { class: "error", id: id(), role: "alert" });
  const numbers = h("pre", { class: "lines", "aria-hidden": "true" }), word = h("span", {}), mark = h("div", { class: "wrong", hidden: true }, word);
  const box = h("textarea", { id: label, class: "code", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", rows: height ?? Math.max(3, Math.min(18, text.split("\n").length + 1)), "aria-describedby": error.id });
  /** The line and the column of a place, from 0. @param {number} at */
  const position = (at) => {
    const before = box.value.slice(0, at).split("\n");
    return { row: before.length - 1, column: columns(before[before.length - 1]) };
  };
  const list = completions(box, {
    look: (forced) => (forced ? look(true) : soon()),
    taken: () => { changed(); draw(); },
    place(element, from) {
      const { row, column } = position(from);
      element.style.top = (row + 1) * line + space - box.scrollTop + "px";
      element.style.left = `max(0px, min(${column}ch + ${space - box.scrollLeft}px, 100% - 17rem))`;
    },
  });
  const look = (/** @type {boolean} */ forced) => list.offer(box.selectionStart === box.selectionEnd ? offers(name, texts(), box.selectionStart, forced) : null);
  const soon = calm(80, () => look(false));
  const sheet = h("div", { class: "sheet code" }, mark, box, list.element), element = h("div", { class: "field" }, h("label", { for: label }, name), h("div", { class: "source" }, numbers, sheet), error);
  let rows = 0, wrong = /** @type {{row: number, column: number, width: number}|null} */ (null);
  function draw() {
    const n = box.value.split("\n").length;
    if (n !== rows) numbers.textContent = Array.from({ length: rows = n }, (_, i) => i + 1).join("\n");
    follow();
  }
  function follow() {
    numbers.scrollTop = box.scrollTop;
    mark.hidden = !wrong;
    if (!wrong) return;
    mark.style.top = wrong.row * line + space - box.scrollTop + "px";
    word.style.left = `calc(${wrong.column}ch + ${space - box.scrollLeft}px)`;
    word.style.width = wrong.width + "ch";
  }
  box.addEventListener("input", () => {
    changed();
    draw();
  });
  box.addEventListener("scroll", () => {
    list.close();
    follow();
  }, { passive: true });
  box.value = text;
  draw();
  /** @param {number} from @param {number} to */
  function go(from, to) {
    box.focus();
    box.setSelectionRange(from, to);
    box.scrollTop = Math.max(0, (position(from).row - 3) * line);
  }
  return {
    name, element, box, get: () => box.value,
    /** @param {string} t */
    set(t) {
      box.value = t;
      draw();
    },
    /** Shows an error at its place, or none. @param {any} fault */
    fail(fault) {
      wrong = null;
      if (!fault) {
        box.removeAttribute("aria-invalid");
        fill(error);
        follow();
        return;
      }
      box.setAttribute("aria-invalid", "true");
      const all = box.value.split("\n"), row = (fault.line ?? 0) - 1, at = all[row], from = Math.max(0, (fault.column ?? 1) - 1);
      const told = sentence(fault.error + (fault.hint ? `; ${fault.hint}` : ""));
      if (at === undefined) {
        fill(error, told);
        follow();
        return;
      }
      const of = /^[\w-]+|^./.exec(at.slice(from))?.[0] ?? "", start = all.slice(0, row).reduce((n, l) => n + l.length + 1, 0) + from;
      wrong = { row, column: columns(at.slice(0, from)), width: Math.max(1, of.length) };
      fill(error, h("span", { class: "code" }, `${fault.line}: ${at.slice(0, from)}`, h("mark", {}, of || "␣"), at.slice(from + of.length)), told, " ",
        h("button", { type: "button", class: "small quiet", onclick: () => go(start, start + of.length) }, `Go to line ${fault.line}`));
      follow();
    },
  };
}
