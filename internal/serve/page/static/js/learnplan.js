// The end of the view Learn: a goal, a plan for what was learned, and all of it to take along.

import * as api from "./api.js";
import { fill, h, once } from "./dom.js";
import { expression } from "./expression.js";
import { input, refused, sentence } from "./field.js";
import { download } from "./files.js";
import { monitor } from "./job.js";
import { planView } from "./planview.js";
import { read } from "./problem.js";
import { paramsOf } from "./setup.js";
import { question, stale } from "./stale.js";

/**
 * @param {{problem: () => string, planned: (job: string) => void}} options planned is told of a job
 */
export function planning(options) {
  const goal = expression({ label: "Goal of the plan", use: "goal", problem: options.problem, changed: () => old.check(), help: "What must hold after the last step. Empty: the problem's own." });
  const steps = input("Length of the plan", "Such as 8, or 1..20 to try each.", { inputmode: "numeric", oninput: () => old.check() });
  const trouble = h("div", {}), along = h("div", {}), more = h("p", { hidden: true });
  const form = h("form", { class: "card", "aria-label": "Planning", novalidate: true, hidden: true, onsubmit: once(submit) }, h("h2", {}, "5. Plan"), h("div", { class: "halves" }, goal.element, steps.element), trouble, h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Plan")));
  const answer = planView("The plan"), live = monitor({ label: "Planning", done: ended }), answers = h("div", {}, live.element, answer.element, more);
  const old = stale({ place: answers, again: "Plan", now: request, valid, running: live.running, ask });
  const take = h("section", { class: "card", "aria-label": "Take it along", hidden: true }, h("h2", {}, "6. Take it along"), along);
  /** @type {any} */
  let entry = null;
  let trained = "", made = "", own = 0;

  function request() {
    const text = steps.get();
    return { kind: "plan", problem: options.problem(), ...(text && { horizon: /^[0-9]+$/.test(text) ? Number(text) : text }), ...(goal.get() && { goal: goal.get() }) };
  }
  /** Checks the length before it is sent. */
  function valid() {
    const wrong = !/^[1-9][0-9]*(\.\.[1-9][0-9]*)?$/.test(steps.get()) && (steps.get() || !own);
    steps.fail(wrong ? (steps.get() ? `“${steps.get()}” is not a number of steps.` : "A log has no length of its own.") : null, "Write a number of steps.");
    if (wrong) steps.control.focus();
    return !wrong;
  }
  async function submit() {
    fill(trouble);
    if (!valid()) return;
    old.drop();
    await ask(request());
  }
  /** @param {any} asked */
  async function ask(asked) {
    try {
      made = (await live.begin(asked)).job;
      answer.hide();
      more.hidden = true;
      old.answers(question(asked));
      options.planned(made);
    } catch (x) {
      if (question(asked) === question(request())) fail(x); // else it is about what is no longer asked
    }
  }
  /** @param {any} x */
  function fail(x) {
    const said = String(x?.fault?.error ?? x?.message ?? x), at = /^(in )?--?goal\b|^goal\b/;
    if (at.test(said) || at.test(x?.fault?.file ?? "")) {
      goal.fail(sentence(said.replace(/^(in )?--?goal[ :]*/, "")));
      goal.focus();
    } else if (/horizon/.test(said)) {
      steps.fail(sentence(said));
      steps.control.focus();
    } else fill(trouble, refused(x));
  }
  /** @param {any} job */
  function ended(job) {
    if (job.error && !job.result && old.fresh()) fail({ fault: job.error });
    if (job.result) planned(job);
    old.ended();
  }
  /** @param {any} job */
  function planned(job) {
    answer.show(job, 0, job.job === made);
    fill(more, h("a", { class: "button", href: `#plan?${paramsOf(job.request)}&job=${job.job}` }, "Open it in Plan, with all settings"));
    more.hidden = false;
    tell(job.command);
  }
  /** Shows the same as files and commands. @param {string} [planned] */
  function tell(planned) {
    const all = [entry?.command, trained, planned].filter((x) => x);
    fill(along, h("p", {}, "A task folder has all that plans need: task.toml, which can be edited, the network, and the rows that it was learned from."),
      h("div", { class: "row" }, download("The task folder (zip)", `problems/${api.part(options.problem())}/folder`, options.problem() + ".zip")),
      all.length > 0 && h("div", {}, h("h3", {}, "The same from a command line"), h("ol", {}, all.map((x) => h("li", {}, h("span", { class: "code" }, x))))));
  }
  return {
    elements: [form, old.element, answers, take],
    /** Shows the form for a problem that has a network; null hides all. @param {any} of its entry in the list @param {string} [command] that has trained it */
    async show(of, command = "") {
      for (const x of [form, take]) x.hidden = !of;
      if (!of || of.problem !== entry?.problem) {
        live.clear();
        answer.hide();
        old.answers("");
        more.hidden = true;
        goal.set("");
      }
      [entry, trained] = [of, command];
      if (!of) return;
      tell();
      const s = await read(of.problem);
      own = s.horizon;
      steps.control.placeholder = own ? String(own) : "how many?";
      goal.own(s.task?.goal || s.goal.map((/** @type {any} */ c) => c.text).join(" ^ "));
    },
    /** Shows the plan of a job again. @param {string} job */
    async recall(job) {
      const found = await live.resume(job);
      goal.set(found.request.goal ?? "");
      steps.set(String(found.request.horizon ?? ""));
      old.answers(question(found.request));
    },
  };
}
