// Answers and the settings that they belong to.

import { h } from "./dom.js";

/**
 * A job's question as a text: its request without what does not change the answer. Equal
 * questions have equal texts.
 * @param {any} request of the page, or of a job of the server
 */
export function question(request) {
  const fields = Object.entries(request ?? {}).filter(([name, value]) => name !== "label" && value !== undefined && value !== null);
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Marks what is shown as that of other settings as soon as these change.
 * @param {{place: HTMLElement, again: string, now: () => string, back?: (settings: string) => void}} options
 *   place has the answer, again is the name of the button for a new one, now is the question that the form asks
 */
export function stale(options) {
  let asked = "", settings = "";
  const back = h("button", { type: "button", class: "small", onclick: () => options.back?.(settings) }, "Back to its settings");
  const note = h("div", { class: "note warn", role: "status", hidden: true }, h("p", {}, h("strong", {}, "This answers other settings "), `than those in the form. “${options.again}” answers these.`), options.back && h("div", { class: "row" }, back));
  const self = {
    element: note,
    /** Whether the answer is that of the form's settings. */
    fresh: () => asked !== "" && asked === options.now(),
    /** Notes which question is answered, "" for none, and the settings that lead back to it. @param {string} text @param {string} [from] */
    answers(text, from = "") {
      [asked, settings] = [text, from];
      self.check();
    },
    /** Compares the answer's question with the form's. */
    check() {
      const old = asked !== "" && !self.fresh();
      note.hidden = !old;
      back.hidden = !settings;
      options.place.classList.toggle("stale", old);
    },
  };
  return self;
}
