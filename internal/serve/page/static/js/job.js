// A job of the server: started, followed live, stopped.

import * as api from "./api.js";
import { headline } from "./answer.js";
import { lines } from "./chart.js";
import { fill, h, once, say } from "./dom.js";
import { refused, sentence } from "./field.js";
import { download } from "./files.js";
import { question } from "./stale.js";
import { duration, gap, number, percent } from "./words.js";

/** @typedef {any} Job as in the description of the interface */

/** The states in which a job has ended. */
const over = ["done", "failed", "cancelled", "interrupted"];

/** @param {Job} job */
export const ended = (job) => over.includes(job.status);

/** From this time on, in seconds, a chart of a run that has ended stays. */
const worthwhile = 1;

/** What is drawn is drawn at most so often, in milliseconds. */
const pace = 150;

/**
 * Shows a job while it runs: its state, reward, bound and gap, a chart, a button to stop it.
 * @param {{label: string, event?: (event: any, kind: string) => void, done: (job: Job) => void, several?: boolean}} options
 *   several lets a job go on when another one begins
 */
export function monitor(options) {
  const state = h("span", { class: "state" }), detail = h("span", {}), time = h("span", { class: "hint" });
  const bar = h("progress", { max: 1, value: 0, hidden: true, "aria-label": options.label + ": progress" });
  const figures = h("dl", { class: "numbers" }), plot = h("div", { class: "plot-place" }), fault = h("div", {});
  const stop = h("button", { type: "button", onclick: once(cancel) }, "Stop");
  const element = h("section", { class: "card", "aria-label": options.label, hidden: true }, h("div", { class: "status" }, state, detail, time), bar, figures, plot, stop, fault);
  /** @type {Job|null} */
  let job = null;
  /** @type {() => void} */
  let close = () => {};
  /** @type {[number, number][]} */
  let rewards = [];
  /** @type {[number, number][]} */
  let bounds = [];
  let reward = /** @type {number|null} */ (null), bound = /** @type {number|null} */ (null);
  let timer = 0, seconds = 0;

  function draw() {
    timer = 0;
    if (!job) return;
    if (ended(job) && (seconds < worthwhile || !rewards.length)) {
      for (const part of [figures, plot]) fill(part);
      return;
    }
    if (rewards.length || bounds.length) {
      fill(figures, [["Reward", number(reward)], ["Bound", number(bound)], ["Gap", percent(gap(reward, bound))]].map(([n, v]) => h("div", {}, h("dt", {}, n), h("dd", {}, v))));
      fill(plot, lines({ label: "Best plan and bound over time", x: "seconds", until: seconds, lines: [{ name: "best plan", points: rewards, stairs: true }, { name: "bound", points: bounds, stairs: true }] }));
    } else {
      fill(figures);
      fill(plot);
    }
    time.textContent = seconds ? duration(seconds) : "";
  }
  const soon = () => { timer ||= window.setTimeout(draw, pace); };

  /** @param {any} event @param {string} kind */
  function receive(event, kind) {
    if (typeof event.seconds === "number") seconds = Math.max(seconds, event.seconds);
    for (const [name, points] of /** @type {[string, [number, number][]][]} */ ([["reward", rewards], ["bound", bounds]])) {
      const x = event[name];
      if (typeof x !== "number" || !(["plan", "bound", "phase"].includes(kind) || job?.kind === "learn")) continue;
      if (points.length && points[points.length - 1][1] === x) continue;
      points.push([event.seconds ?? seconds, x]);
      if (name === "reward") reward = x;
      else bound = x;
      if (points.length > 4000) points.splice(0, points.length, ...points.filter((_, i) => i % 2 === 0));
    }
    const text = event.text ?? event.phase;
    if (text && kind !== "done") detail.textContent = text;
    const share = event.share ?? (event.of && event.done !== undefined ? event.done / event.of : undefined);
    if (share !== undefined) {
      bar.hidden = false;
      bar.value = share;
    }
    options.event?.(event, kind);
    if (kind === "done") finish();
    else soon();
  }
  async function finish() {
    const of = job?.job;
    if (!of) return;
    try {
      const now = await api.get("jobs/" + api.part(of));
      if (job?.job === of) show(now); // or another one has replaced it
    } catch (e) {
      fill(fault, refused(e));
    }
  }
  /** @param {Job} now */
  function show(now) {
    job = now;
    const names = /** @type {Object<string, string>} */ ({ queued: "Waiting", running: "Running", done: "Done", failed: "Failed", cancelled: "Stopped", interrupted: "Interrupted by the end of the server" });
    state.textContent = names[now.status] ?? now.status;
    reward = now.reward ?? reward;
    bound = now.bound ?? bound;
    stop.hidden = ended(now);
    if (ended(now)) {
      bar.hidden = true;
      detail.textContent = "";
      close();
      if (typeof reward === "number" && rewards.length) rewards.push([seconds, reward]);
      if (typeof bound === "number" && bounds.length) bounds.push([seconds, bound]);
      draw();
      say(`${options.label}: ${state.textContent}. ${sentence(now.verdict || headline(now.result ?? {}))}`);
      fill(fault, now.error && refused({ fault: now.error }));
      options.done(now);
    }
  }
  async function cancel() {
    if (!job) return;
    try {
      await api.remove("jobs/" + api.part(job.job));
    } catch (e) {
      fill(fault, refused(e));
    }
  }
  function clear() {
    close();
    job = null;
    [rewards, bounds, reward, bound, seconds] = [[], [], null, null, 0];
    fill(fault);
    fill(figures);
    fill(plot);
    detail.textContent = time.textContent = "";
    bar.hidden = true;
    element.hidden = true;
  }
  /** @param {Job} now */
  function watch(now) {
    clear();
    element.hidden = false;
    job = now;
    if (ended(now)) {
      show(now);
      return;
    }
    stop.hidden = false;
    state.textContent = now.status === "queued" ? "Waiting" : "Running";
    say(options.label + ": " + state.textContent);
    close = api.follow(`jobs/${api.part(now.job)}/events`, (event, kind) => {
      if (kind === "state") state.textContent = "Running";
      receive(event, kind);
    }, (lost) => { time.textContent = lost ? "The connection to the server is lost; trying again." : ""; });
  }
  return {
    element, watch, clear, cancel,
    /** Starts a job and follows it. One that still runs is stopped, or is the answer if it was asked the same. @param {any} request @param {boolean} [still] does not scroll to it @returns {Promise<Job>} */
    async begin(request, still = false) {
      if (job && !ended(job)) {
        if (question(job.request) === question(request)) return job;
        if (!options.several) await cancel();
      }
      const made = await api.post("jobs", request);
      watch(made);
      if (!still) element.scrollIntoView({ block: "nearest" }); // on a phone it is below the form
      return made;
    },
    /** Resumes following a job after a reload. @param {string} name @returns {Promise<Job>} */
    async resume(name) {
      const found = await api.get("jobs/" + api.part(name));
      watch(found);
      return found;
    },
    current: () => job,
    running: () => job !== null && !ended(job),
  };
}

/** Waits for a job's end. @param {Job} job @returns {Promise<Job>} */
export function outcome(job) {
  return new Promise((resolve, reject) => {
    if (ended(job)) {
      api.get("jobs/" + api.part(job.job)).then(resolve, reject);
      return;
    }
    api.follow(`jobs/${api.part(job.job)}/events`, (_, kind) => { if (kind === "done") api.get("jobs/" + api.part(job.job)).then(resolve, reject); });
  });
}

/** Links to what a job has left: its files and how to repeat it. @param {Job} job */
export function leavings(job) {
  const files = job.files ?? [];
  const link = (/** @type {any} */ f) => (f.name === "certificate.zip" ? download("Certificate (zip)", `jobs/${api.part(job.job)}/certificate`, f.name) : download(f.name, `jobs/${api.part(job.job)}/files/${api.part(f.name)}`, f.name));
  const page = ["plan", "run", "learn"].includes(job.kind) && job.result && job.result.status !== "unknown" ? download("Share as one page (html)", `problems/${api.part(job.problem)}/picture`, "plan.html", { job: job.job, format: "html" }) : null;
  return h("div", {}, (page || files.length > 0) && h("div", { class: "row", role: "group", "aria-label": "Files to download" }, page, files.map(link)),
    job.command && h("details", {}, h("summary", {}, "The same from a command line"), h("p", { class: "code" }, job.command)));
}
