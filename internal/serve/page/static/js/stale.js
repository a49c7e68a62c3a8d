// Answers and the settings that they belong to.

import { h, say } from "./dom.js";

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
 * Marks what is shown as that of other settings as soon as these change. A view has one running
 * job: while it runs, the question of the form replaces it or waits for its end.
 * @param {{place: HTMLElement, again: string, now: () => any, running: () => boolean, ask: (request: any, from: string) => void, valid: () => boolean, from?: () => string, back?: (settings: string) => void}} options
 *   place has the answer, again is the name of the button for a new one, now is the request of the form, from its settings as an address has them
 */
export function stale(options) {
  let asked = "", settings = "", waiting = /** @type {{request: any, from: string}|null} */ (null);
  const back = h("button", { type: "button", class: "small", onclick: () => options.back?.(settings) }, "Back to its settings");
  const later = h("button", { type: "button", class: "small", onclick: () => {
    if (!waiting && !options.valid()) return;
    waiting = waiting ? null : { request: options.now(), from: options.from?.() ?? "" };
    say(waiting ? "This is asked when the run has ended." : "It is not asked.");
    self.check();
  } });
  const next = h("p", {}, "A question waits for the end of the run.");
  const buttons = h("div", { class: "row" }, later, back), replaces = h("span", {});
  const note = h("div", { class: "note warn", role: "status", hidden: true }, h("p", {}, h("strong", {}, "This answers other settings "), "than those in the form. ", replaces), next, buttons);
  const self = {
    element: note,
    /** Whether the answer is that of the form's settings. */
    fresh: () => asked !== "" && asked === question(options.now()),
    /** Notes which question is answered, "" for none, and the settings that lead back to it. @param {string} text @param {string} [from] */
    answers(text, from = "") {
      [asked, settings] = [text, from];
      self.check();
    },
    /** Compares the answer's question with the form's. */
    check() {
      const old = asked !== "" && !self.fresh(), runs = options.running();
      note.hidden = !old && !waiting;
      back.hidden = !settings || !old;
      later.hidden = !runs || (!old && !waiting);
      next.hidden = !waiting;
      later.textContent = waiting ? "Do not ask what waits" : "Ask this when it has ended";
      buttons.hidden = back.hidden && later.hidden;
      replaces.textContent = runs ? `“${options.again}” stops the run and answers these.` : `“${options.again}” answers these.`;
      options.place.classList.toggle("stale", old);
    },
    /** Forgets the question that waits. */
    drop() {
      waiting = null;
    },
    /** Asks the question that has waited for the end of a run. */
    ended() {
      const of = waiting;
      self.drop();
      self.check();
      if (of) options.ask(of.request, of.from);
    },
  };
  return self;
}
