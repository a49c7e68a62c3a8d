// Completions: a list below a box of text, which keeps the focus while keys choose from the list.

import { fill, h, id } from "./dom.js";

/** What may replace a part of a text. @typedef {{from: number, to: number, items: {text: string, detail?: string, kind?: string}[]}} Offer */

/** At most so many are listed. */
const most = 50;

/**
 * @param {any} box an input with the role combobox, or a textarea, which has that role while the list is open
 * @param {{look: (forced: boolean) => void, taken: () => void, place?: (list: HTMLElement, from: number) => void}} options
 *   look is asked for an offer: forced by Ctrl and space, else as somebody types; taken is told of a choice
 */
export function completions(box, options) {
  const element = h("ul", { class: "options", role: "listbox", id: id(), "aria-label": "Completions", hidden: true });
  const lasting = box.getAttribute("role") === "combobox";
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", element.id);
  /** @type {Offer|null} */
  let offered = null;
  let at = -1, taking = false, text = ""; // that the offer is for
  function close() {
    element.hidden = true;
    if (lasting) box.setAttribute("aria-expanded", "false");
    else for (const name of ["role", "aria-expanded"]) box.removeAttribute(name);
    box.removeAttribute("aria-activedescendant");
    at = -1;
  }
  function draw() {
    const items = offered?.items ?? [], typed = offered ? box.value.slice(offered.from, offered.to) : "";
    if (!offered || !items.length || document.activeElement !== box || (items.length === 1 && items[0].text === typed)) return close();
    fill(element, items.slice(0, most).map((c, i) => h("li", { id: element.id + "-" + i, role: "option", "aria-selected": String(i === at), onmousedown: (/** @type {Event} */ e) => { e.preventDefault(); take(i); } },
      h("span", { class: "code" }, c.text), h("span", { class: "detail" }, c.detail || c.kind))));
    options.place?.(element, offered.from);
    element.hidden = false;
    box.setAttribute("role", "combobox");
    box.setAttribute("aria-expanded", "true");
    if (at >= 0) {
      box.setAttribute("aria-activedescendant", element.id + "-" + at);
      element.children[at]?.scrollIntoView({ block: "nearest" });
    } else box.removeAttribute("aria-activedescendant");
  }
  /** @param {number} i */
  function take(i) {
    if (!offered) return;
    const { from, to } = offered, chosen = offered.items[i].text;
    offered = null;
    close();
    taking = true;
    box.focus();
    box.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, chosen)) box.setRangeText(chosen, from, to, "end"); // the first can be undone
    taking = false;
    options.taken();
  }
  /** Narrows the offer to what the text goes on with, until there is a new one: an older one would replace too little of it. */
  function narrow() {
    const by = box.value.length - text.length;
    if (!offered || box.value === text) return;
    const { from, to, items } = offered, typed = box.value.slice(from, box.selectionStart).toLowerCase();
    const kept = box.selectionStart >= from && to + by >= box.selectionStart && box.value.slice(0, from) === text.slice(0, from) && box.value.slice(to + by) === text.slice(to)
      ? items.filter((c) => c.text.toLowerCase().startsWith(typed)) : [];
    offered = kept.length ? { from, to: to + by, items: kept } : null;
    text = box.value;
    draw();
  }
  box.addEventListener("input", () => {
    if (taking) return;
    at = -1;
    narrow();
    options.look(false);
  });
  box.addEventListener("blur", () => setTimeout(close, 100));
  box.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    const n = Math.min(most, offered?.items.length ?? 0);
    if (e.key === " " && e.ctrlKey) {
      e.preventDefault();
      options.look(true);
    } else if (element.hidden) return;
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      at = e.key === "ArrowDown" ? (at + 1) % n : (Math.max(at, 0) - 1 + n) % n;
      draw();
    } else if ((e.key === "Enter" || e.key === "Tab") && at >= 0) {
      e.preventDefault();
      take(at);
    } else if (e.key === "Escape") {
      e.stopPropagation();
      close();
    } else if (["ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"].includes(e.key)) close();
  });
  return {
    element, close,
    /** Shows an offer; null for none. @param {Offer|null} offer */
    offer(offer) {
      offered = offer;
      text = box.value;
      draw();
    },
  };
}
