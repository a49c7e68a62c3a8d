// A plan with its verdict, its picture and its values.

import * as api from "./api.js";
import { horizons, numbers, policyVerdict, steps, values, verdict } from "./answer.js";
import { fill, h } from "./dom.js";
import { explained } from "./explain.js";
import { refused } from "./field.js";
import { leavings, monitor } from "./job.js";
import { player, stage } from "./player.js";

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
    moved(k);
  });
  /** @type {any} */
  let shown = null; // the job of a policy
  let seed = 0;
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
  const element = h("section", { class: "card", "aria-label": name, hidden: true }, h("h2", {}, name), above, why, live.element, playing, below);
  /** Offers the reasons why there is no plan, where the answer does not have them. @param {any} job */
  function offer(job) {
    fill(why);
    live.clear();
    const a = job.result, r = job.request;
    if (a.status !== "infeasible" || a.start_breaks || r.incremental) return;
    const horizon = a.horizon ?? Math.max(...(a.horizons ?? []).map((/** @type {any} */ l) => l.horizon));
    const request = Object.fromEntries(["problem", "model", "determinize", "ignore_discount", "set_initial", "goal", "range", "require", "reward", "threads", "memory", "time_limit"].filter((n) => r[n] !== undefined).map((n) => [n, r[n]]));
    const button = h("button", { type: "button", onclick: async () => {
      button.disabled = true;
      try {
        await live.begin({ ...request, kind: "explain", horizon });
      } catch (e) {
        fill(why, refused(e));
      }
    } }, a.horizons?.length > 1 ? `Why is there no plan of ${horizon} steps?` : "Why is there no plan?");
    fill(why, button);
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
    /** @param {any} job that has ended with a document @param {number} [at] step to begin with */
    async show(job, at = 0) {
      const a = job.result;
      element.hidden = false;
      shown = a.table ? job : null;
      runs.hidden = !shown;
      table.element.hidden = Boolean(shown);
      if (shown) {
        fill(below, leavings(job));
        fill(why);
        seed = 0;
        await play();
        return;
      }
      fill(above, verdict(a), numbers(a), horizons(a));
      fill(below, leavings(job));
      offer(job);
      const has = Array.isArray(a.plan) && a.plan.length > 0;
      playing.hidden = !has;
      if (!has) return;
      const { frames, why: missing } = await drawJob(job);
      picture.show(frames, frames ? "" : h("p", { class: "hint" }, `There is no picture: ${missing}. The steps and all values are shown instead.`));
      table.element.open = !frames;
      table.show(a);
      control.show(steps(a, frames), Math.min(at, a.plan.length));
    },
  };
}
