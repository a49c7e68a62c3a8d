// The view Plan: set up a problem, run an engine, watch it, play the plan.

import * as address from "./address.js";
import * as api from "./api.js";
import { calm, fill, h, sparing } from "./dom.js";
import { answered, editor } from "./edit.js";
import { monitor } from "./job.js";
import { stage } from "./player.js";
import { planView } from "./planview.js";
import { inPDDL } from "./problem.js";
import { paramsOf, setup } from "./setup.js";
import { question, stale } from "./stale.js";

/**
 * @param {HTMLElement} root
 * @param {any} server
 */
export function view(root, server) {
  let job = "", asked = "", step = 0, written = "", pictured = "", busy = false, pressed = false; // pictured is what the picture of the start shows
  const trouble = h("div", {});
  const settings = setup({ server, range: true, changed: () => { note(); draw(); }, loaded: (summary) => { button.disabled = !summary; about.textContent = summary?.about ?? ""; draw(); } });
  const bench = editor({ problem: settings.problem.get, asked: settings.copied, use });
  const button = h("button", { type: "submit", class: "primary", disabled: true }, "Plan");
  const form = h("form", { class: "card side", "aria-label": "Problem and settings", novalidate: true, onsubmit: submit }, h("h2", {}, "Problem"), settings.element, trouble, h("div", { class: "row" }, button), bench.element);
  const initial = stage("Picture of the initial state", settings.choose);
  const about = h("p", {}), start = h("details", { class: "card", open: true }, h("summary", {}, "The start"), about, initial.element, initial.notes);
  const answer = planView("The plan", (k) => {
    step = k;
    soon();
  });
  const soon = sparing(() => note());
  const live = monitor({ label: "Planning", done: ended });
  const answers = h("div", {}, live.element, answer.element);
  const last = answered({ open(of) { bench.recall(of.problem); location.hash = `#plan?${paramsOf(of.request)}&job=${of.job}`; } });
  const old = stale({ place: answers, again: "Plan", now: () => settings.request("plan"), from: () => settings.params().toString(), valid: () => settings.valid(), running: live.running, ask: (request, from) => { begin(request, from, true); }, back: (text) => { settings.restore(new URLSearchParams(text)).then(note); } });
  fill(root, h("h1", {}, "Plan"), h("p", { class: "intro" }, "Find the plan with the best reward, and a proof that no plan is better."),
    h("div", { class: "columns" }, form, h("div", {}, old.element, answers, last.element, start)));

  function note() {
    const p = settings.params();
    old.check();
    if (job && old.fresh()) { // a link joins a job and its own settings alone
      p.set("job", job);
      if (step) p.set("step", String(step));
    }
    written = p.toString();
    address.write("plan", p);
  }
  const draw = calm(120, async () => {
    const summary = settings.summary();
    if (!summary) {
      pictured = "";
      initial.show(null);
      return;
    }
    const start = settings.start(), wanted = JSON.stringify([settings.problem.get(), start]);
    if (wanted === pictured) return;
    pictured = wanted;
    try {
      const frames = await api.post(`problems/${api.part(settings.problem.get())}/picture`, { ...start, format: "parts" });
      if (wanted !== pictured) return;
      initial.show(frames);
      settings.initial.fail(null);
    } catch (e) {
      initial.show(null, h("p", { class: "hint" }, "The start cannot be drawn: " + /** @type {any} */ (e).message));
    }
  });
  /** Plans for a problem that was edited. @param {string} problem */
  async function use(problem) {
    await settings.problem.load();
    settings.problem.set(problem);
    await settings.adopt();
    const summary = settings.summary();
    if (summary?.horizon || inPDDL(summary) || settings.request("plan").horizon) await ask(true);
  }
  /** @param {Event} e */
  async function submit(e) {
    e.preventDefault();
    await ask(false);
  }
  /** @param {boolean} still the reader is elsewhere */
  async function ask(still) {
    fill(trouble);
    pressed = busy;
    if (busy || !settings.valid()) return;
    old.drop();
    const request = settings.request("plan");
    await begin(request, settings.params().toString(), still);
    if (pressed && question(settings.request("plan")) !== question(request)) ask(still); // the form has changed since
  }
  /** @param {any} request @param {string} from its settings @param {boolean} still */
  async function begin(request, from, still) {
    busy = true; // the button is not disabled: it has the focus
    try {
      const made = (await live.begin(request, still)).job;
      asked = made;
      if (made !== job) {
        answer.hide();
        [job, step] = [made, 0];
      }
      old.answers(question(request), from);
      note();
    } catch (x) {
      if (question(settings.request("plan")) === question(request)) settings.fail(x, trouble); // else it is about what is no longer asked
    }
    busy = false;
  }
  /** @param {any} ended */
  function ended(ended) {
    if (ended.error && !ended.result && old.fresh()) settings.fail({ fault: ended.error }, null);
    if (ended.result) {
      start.open = false;
      last.add(ended);
      answer.show(ended, step, ended.job === asked);
    }
    old.ended();
  }
  return {
    /** @param {URLSearchParams} params */
    async show(params) {
      await settings.problem.load();
      const same = job !== "" && (params.get("job") === job || params.toString() === written);
      await settings.restore(params);
      if (same) {
        note();
        return;
      }
      job = params.get("job") ?? "";
      step = Number(params.get("step") ?? 0) || 0;
      answer.hide();
      live.clear();
      old.answers("");
      if (!job) {
        settings.ask();
        return;
      }
      try {
        const found = await api.get("jobs/" + api.part(job));
        old.answers(question(found.request), paramsOf(found.request).toString());
        live.watch(found);
        note();
      } catch (x) {
        job = "";
        fill(trouble, h("p", { class: "note warn" }, "The plan of this address is no longer on the server. Plan again to make it."));
      }
    },
  };
}
