// A plan with its verdict, its picture and its values.

import * as api from "./api.js";
import { horizons, learnedNumbers, learnedVerdict, numbers, policyVerdict, steps, values, verdict } from "./answer.js";
import { fill, h, once } from "./dom.js";
import { explained, forcing } from "./explain.js";
import { expression } from "./expression.js";
import { refused } from "./field.js";
import { ended, leavings, monitor } from "./job.js";
import { picture as drawing } from "./files.js";
import { player, stage } from "./player.js";
import { paramsOf } from "./setup.js";

/** The server draws at most so many steps (picture.MaxSteps). */
const drawable = 400;

/**
 * Draws the plan or the policy of a job; null if it cannot be drawn.
 * @param {any} job
 * @param {number} [seed] of the run of a policy; without one, the most likely run
 * @returns {Promise<{frames: import("./player.js").Frames|null, why: string}>}
 */
export async function drawJob(job, seed) {
  const steps = job.result?.plan?.length ?? job.result?.steps?.length ?? 0;
  if (steps > drawable) return { frames: null, why: `the plan has ${steps} steps, and pictures have at most ${drawable}` };
  try {
    return { frames: await api.post(`problems/${api.part(job.problem)}/picture`, { job: job.job, seed, format: "parts" }), why: "" };
  } catch (e) {
    return { frames: null, why: String(/** @type {any} */ (e).message) };
  }
}

/** Ends what a monitor follows. @param {any} monitor */
function forget(monitor) {
  if (monitor.current() && !ended(monitor.current())) monitor.cancel();
  monitor.clear();
}

/** The request that explains the answer of a job. @param {any} job */
function explaining(job) {
  const names = ["problem", "model", "determinize", "ignore_discount", "set_initial", "goal", "range", "require", "reward", "threads", "memory", "time_limit"];
  return { ...Object.fromEntries(names.filter((n) => job.request[n] !== undefined).map((n) => [n, job.request[n]])), kind: "explain" };
}

/**
 * @param {string} name
 * @param {(k: number) => void} [moved]
 */
export function planView(name, moved = () => {}) {
  const above = h("div", {}), below = h("div", {});
  const picture = stage("Picture of the plan"), table = values();
  const control = player(`Play ${name}`, (k) => {
    picture.go(k);
    table.mark(k);
    tell(k);
    moved(k);
  });
  /** @type {any} */
  let shown = null; // the job of a policy
  let seed = 0, last = /** @type {any} */ (null); // the job that was to be shown last
  const another = h("button", { type: "button", onclick: () => { play(++seed); } }, "Draw a run");
  const likely = h("button", { type: "button", onclick: () => { play(); } }, "Most likely run");
  const runs = h("div", { class: "row", hidden: true }, another, likely);
  const playing = h("div", {}, runs, h("div", { class: "player" }, h("div", {}, picture.element, control.caption, control.element, picture.notes), control.items), table.element);
  const why = h("div", {});
  const live = monitor({ label: "Looking for the reasons", done(job) {
    if (!job.result) return; // the monitor says why
    fill(why, h("h3", {}, "Why"), explained(job.result));
    live.clear();
  } });
  /** @type {any} */
  let reasons = null; // of the steps of the plan that is shown
  const because = h("div", {}), asking = h("div", {}), looking = monitor({ label: "Looking for the reasons of the steps", done(job) {
    if (!job.result) return;
    reasons = job.result;
    looking.clear();
    tell(control.at());
  } });
  const element = h("section", { class: "card", "aria-label": name, hidden: true }, h("h2", {}, name), above, why, live.element, playing, looking.element, because, asking, below);
  /** Says why step k is as it is. @param {number} k */
  function tell(k) {
    if (!reasons) return;
    fill(because, h("h3", {}, "Why this step"), k ? forcing(reasons, k) : h("p", { class: "hint" }, "Go to a step: what else could be done there, and what that costs or breaks, stands here."));
  }
  /** Offers the reasons of each step, and of what is not in the plan. @param {any} job */
  function question(job) {
    reasons = null;
    forget(looking);
    for (const place of [because, asking]) fill(place);
    if (job.kind !== "plan" || job.request.incremental || !job.result.plan?.length) return;
    const asked = expression({ label: "Why not …", use: "rule", problem: () => job.problem, changed() {}, help: "A rule that the plan does not keep, such as ~move-west, or x@2 for the value at step 2. “What if” plans with it, and says what it costs and why." });
    fill(because, h("button", { type: "button", onclick: once(async () => {
      try {
        await looking.begin({ ...explaining(job), horizon: job.result.horizon, of: job.job }, true);
      } catch (e) {
        fill(because, refused(e));
      }
    }) }, "Why these steps?"));
    fill(asking, asked.element, h("div", { class: "row" }, h("button", { type: "button", onclick() {
      if (asked.get()) location.hash = `#whatif?${paramsOf(job.request)}&change=${encodeURIComponent(asked.get())}`;
      else asked.fail("Write a rule here, for example ~move-west.");
    } }, "Ask in What if")));
  }
  /** Offers the reasons why there is no plan, where the answer does not have them, or looks for them at once. @param {any} job @param {boolean} fresh */
  function offer(job, fresh) {
    fill(why);
    forget(live);
    const a = job.result, r = job.request;
    if (a.status !== "infeasible" || a.start_breaks || r.incremental) return;
    const horizon = a.horizon ?? Math.max(...(a.horizons ?? []).map((/** @type {any} */ l) => l.horizon));
    const button = h("button", { type: "button", onclick: once(async () => {
      try {
        await live.begin({ ...explaining(job), horizon });
      } catch (e) {
        fill(why, refused(e));
      }
    }) }, a.horizons?.length > 1 ? `Why is there no plan of ${horizon} steps?` : "Why is there no plan?");
    fill(why, button);
    if (fresh) button.click();
  }
  /** Plays a run of a policy. @param {number} [drawn] its seed */
  async function play(drawn) {
    const job = shown;
    const { frames, why: missing } = await drawJob(job, drawn);
    if (job !== shown) return;
    playing.hidden = !frames;
    fill(above, policyVerdict(job.result, frames), frames ? null : h("p", { class: "hint" }, `There is no picture: ${missing}.`));
    if (!frames) return;
    another.textContent = drawn === undefined ? "Draw a run" : `Draw another run (seed ${drawn})`;
    picture.show(frames);
    control.show(frames.frames.map((f) => ({ name: f.step, text: f.text, kind: "" })), 0);
  }
  return {
    element, jump: control.jump,
    hide() { element.hidden = true; },
    /** @param {any} job that has ended with a document @param {number} [at] step to begin with @param {boolean} [fresh] it was asked for here: the reasons why there is no plan are, too */
    async show(job, at = 0, fresh = false) {
      const a = job.result;
      element.hidden = false;
      [shown, last] = [a.table ? job : null, null];
      question(job);
      runs.hidden = !shown;
      table.element.hidden = Boolean(shown);
      if (shown) {
        fill(below, leavings(job));
        fill(why);
        seed = 0;
        await play();
        return;
      }
      if (job.kind === "learn") fill(above, learnedVerdict(a), learnedNumbers(a), h("div", { class: "report" }, drawing(`jobs/${api.part(job.job)}/files/learn.svg`, "How the plan that was seen and the bound for all plans met, by steps")));
      else fill(above, verdict(a), numbers(a), horizons(a));
      fill(below, leavings(job));
      offer(job, fresh);
      playing.hidden = true;
      last = job;
      if (!a.plan?.length) return;
      const { frames, why: missing } = await drawJob(job);
      if (job !== last) return;
      playing.hidden = false;
      picture.show(frames, frames ? "" : h("p", { class: "hint" }, `There is no picture: ${missing}. The steps and all values are shown instead.`));
      table.element.open = !frames;
      table.show(a);
      control.show(steps(a, frames), Math.min(at, a.plan.length));
    },
  };
}
