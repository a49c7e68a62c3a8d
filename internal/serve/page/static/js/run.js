// The view Run: plans meet a simulator or a device. Planned and real states are side by side.

import * as address from "./address.js";
import * as api from "./api.js";
import { changes } from "./answer.js";
import { fill, h, once, say as announce, sparing, wide } from "./dom.js";
import { input, select, sentence } from "./field.js";
import { leavings, monitor } from "./job.js";
import { player, stage } from "./player.js";
import { drawJob, planView } from "./planview.js";
import { untrained } from "./problem.js";
import { setup } from "./setup.js";
import { question, stale } from "./stale.js";
import { grid, list } from "./virtual.js";
import { counted, duration, number, shown, step as words } from "./words.js";

/**
 * @param {HTMLElement} root
 * @param {any} server
 */
export function view(root, server) {
  let job = "", at = 0, written = "";
  const trouble = h("div", {});
  const how = select("How", [["run", "Act, observe, plan again"], ["incremental", "Find a plan that holds (Algorithm 1)"], ["learn", "Learn by acting, until a plan is proven"]], "Act: each planned step is carried out, and planning goes on from the state that is observed. Algorithm 1: a plan that fails is excluded, and the next is tried. Learn: steps are chosen that may lead to a better plan; no network is needed.");
  const simulator = select("Simulator or device", server.simulators.map((/** @type {string} */ n) => /** @type {[string, string]} */ ([n, n === "rddl" ? "the problem's RDDL" : n])), "Programs of your own are named when the server is started.");
  const every = input("Plan again after steps", undefined, { inputmode: "numeric", placeholder: "1" }), count = input("Steps to take", undefined, { inputmode: "numeric", placeholder: "as planned" });
  const until = select("End", [["", "automatically"], ["goal", "at the goal"], ["steps", "after the steps"]]), time = input("Time for each plan", "Such as 2s.", { placeholder: "none" });
  const acting = h("div", {}, h("div", { class: "pair" }, every.element, count.element, until.element, time.element));
  const most = input("Steps to take at most", undefined, { inputmode: "numeric", placeholder: "10000" });
  const resets = select("Resets", [["yes", "to the start"], ["no", "never"], ["any", "to any state"]]);
  const prove = select("Until", [["plan", "a plan is proven"], ["model", "the model is known"]]);
  const learning = h("div", {}, h("div", { class: "pair" }, most.element, resets.element), prove.element);
  const own = /** @type {[string, any][]} */ ([["how", how], ["in", simulator], ["every", every], ["count", count], ["until", until], ["plan_time", time], ["most", most], ["resets", resets], ["prove", prove]]);
  const settings = setup({ server, simulator: false, range: true, proofs: false, changed: note, extra: [how.element, simulator.element, acting, learning], loaded: (s) => { ready = Boolean(s); choose(); } });
  const begin = h("button", { type: "submit", class: "primary", disabled: true }, "Run");
  const form = h("form", { class: "card side", "aria-label": "Problem and system", novalidate: true, onsubmit: once(submit) }, h("h2", {}, "Problem"), settings.element, trouble, h("div", { class: "row" }, begin));
  for (const [, f] of own) f.control.addEventListener("change", () => { choose(); note(); });
  let ready = false;
  /** Shows the settings of what is to be done; learning needs no network. */
  function choose() {
    acting.hidden = how.get() !== "run";
    learning.hidden = how.get() !== "learn";
    begin.disabled = !ready && !(how.get() === "learn" && untrained(settings.problem.entry()));
  }

  /** @type {{name: string, kind: string, title: string}[]} */
  let lines = [];
  const log = list({ label: "What happens", height: 34, render(i, item) {
    item.classList.add(...(lines[i].kind ? [lines[i].kind] : []));
    item.title = lines[i].title;
    fill(item, h("span", { class: "text" }, lines[i].name));
  } });
  const live = monitor({ label: "Running", event: receive, done: ended });
  const happening = h("details", { class: "card", open: true, hidden: true }, h("summary", {}, "What happens"), log.element);
  happening.addEventListener("toggle", () => log.redraw());
  const picture = stage("Planned and real states"), told = h("div", {}), after = h("div", {});
  const table = grid("Real states, with what was planned where it differs", "Variable");
  const control = player("Play the run", (k) => {
    at = k;
    picture.go(k);
    table.mark(k);
    soon();
  });
  const soon = sparing(note);
  const outcome = h("section", { class: "card", "aria-label": "The run", hidden: true }, h("h2", {}, "The run"), told, h("div", { class: "player" }, h("div", {}, picture.element, control.caption, control.element, picture.notes), control.items),
    h("h3", {}, "Real states by step"), h("p", { class: "hint" }, "Where a real value is not the planned one, both are shown: planned ≠ real."), table.element, after);
  const answer = planView("The plan", (k) => {
    at = k;
    soon();
  });
  const answers = h("div", {}, live.element, happening, outcome, answer.element);
  const old = stale({ place: answers, again: "Run", now: request, valid, running: live.running, ask });
  fill(root, h("h1", {}, "Run"), h("p", { class: "intro" }, "Carry plans out in a simulator or on the real system, and see where it does not do what was planned."),
    h("div", { class: "columns" }, form, h("div", {}, old.element, answers)));

  function note() {
    const p = settings.params();
    for (const [name, f] of own) if (f.get() && f.get() !== f.control.options?.[0]?.value) p.set(name, f.get());
    old.check();
    if (job && old.fresh()) { // a link joins a job and its own settings alone
      p.set("job", job);
      if (at) p.set("step", String(at));
    }
    written = p.toString();
    address.write("run", p);
  }
  function clear() {
    lines = [];
    happening.open = true;
    log.resize(0);
    for (const part of [happening, outcome]) part.hidden = true;
    answer.hide();
  }
  /** The request of a job with these settings. */
  function request() {
    const does = how.get(), r = { ...settings.request(does === "incremental" ? "plan" : does), simulator: simulator.get() };
    if (does === "incremental") return { ...r, incremental: true };
    if (does === "learn") {
      if (most.get()) r.steps = Number(most.get());
      return { ...r, ...(resets.get() !== "yes" && { resets: resets.get() }), ...(prove.get() !== "plan" && { until: prove.get() }) };
    }
    for (const [name, f] of /** @type {[string, any][]} */ ([["replan_every", every], ["steps", count]])) if (f.get()) r[name] = Number(f.get());
    if (until.get()) r.until = until.get();
    if (time.get()) r.plan_time = time.get();
    return r;
  }
  /** Checks numbers before they are sent. */
  function valid() {
    let ok = settings.valid();
    for (const f of [every, count, most]) {
      const wrong = how.get() === (f === most ? "learn" : "run") && f.get() !== "" && !(Number(f.get()) >= 1 && /^[0-9]+$/.test(f.get()));
      f.fail(wrong ? `“${f.get()}” is not a number of steps from 1.` : null);
      ok &&= !wrong;
    }
    return ok;
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
      const made = (await live.begin(asked)).job;
      if (made !== job) {
        clear();
        [job, at] = [made, 0];
      }
      old.answers(question(asked));
      note();
    } catch (x) {
      if (question(asked) !== question(request())) return; // it is about what is no longer asked
      const said = String(/** @type {any} */ (x).message), f = /plan.time/.test(said) ? time : /replan/.test(said) ? every : /--steps|\bsteps\b/.test(said) ? (how.get() === "learn" ? most : count) : /simulator/.test(said) ? simulator : null;
      if (f) {
        f.fail(sentence(said), /** @type {any} */ (x).fault?.hint);
        f.control.focus();
      } else settings.fail(x, trouble);
    }
  }
  /** @param {string} name @param {string} [kind] */
  function say(name, kind = "") {
    lines.push({ name, kind, title: name });
    happening.hidden = false;
    log.resize(lines.length);
    log.reveal(lines.length - 1);
  }
  /** @param {any} event @param {string} kind */
  function receive(event, kind) {
    switch (kind) {
      case "planned": return say(`Before step ${event.step}: ${event.status ?? "planned"}${event.reward !== undefined ? `, reward ${number(event.reward)} over ${counted(event.horizon, "step")}` : ""}${event.text ? "; " + event.text : ""}`);
      case "step": if (event.rows !== undefined) return say(`Step ${event.step}, ${reasons[event.text] ?? event.text}: ${counted(event.rows, "different step")} seen${event.bound !== undefined ? `, no plan has more than ${number(event.bound)} so far` : ""}`);
        return say(`Step ${event.step}: ${words(event.action)}${event.holds === false ? ": the next state is not as planned" : ""}`, event.holds === false ? "fails" : "");
      case "simulation": return event.holds ? say(`Try ${event.iteration}: the plan with reward ${number(event.reward)} holds`) : undefined;
      case "iteration": return say(`Try ${event.iteration}: the plan with reward ${number(event.reward)} fails: ${event.text ?? ""}`, "fails");
      case "landmark": return say(`Landmark ${event.landmarks}: plans with the same first ${counted(event.depth, "step")} are excluded`);
      case "episode": return say(`Episode ${event.done} of ${event.of}: ${event.status ?? ""}, reward ${number(event.reward)}`);
    }
  }
  /** @param {any} now */
  function ended(now) {
    if (now.error && !now.result && old.fresh()) settings.fail({ fault: now.error }, null);
    const r = now.result;
    if (r && now.kind === "run") show(now);
    else if (r) answer.show(now, at);
    old.ended();
  }
  /** @param {any} now */
  async function show(now) {
    const r = now.result, taken = r.steps ?? [], begun = at;
    const states = [...taken.map((/** @type {any} */ s) => s.state), ...(r.final ? [r.final] : [])];
    /** @type {Map<number, any>} by the number of the state, from 0 */
    const differs = new Map(taken.flatMap((/** @type {any} */ s) => (s.differs ? [[s.differs.step - 1, s.differs]] : [])));
    const failed = r.failure?.step ?? 0;
    outcome.hidden = false;
    happening.open = false;
    const good = r.status === "goal" || r.status === "done" || r.status === "steps";
    announce(`${ends[r.status] ?? sentence(String(r.status))} ${r.surprises ? `${counted(r.surprises, "state was", "states were")} not as planned.` : "Every state was as planned."}`);
    fill(told, h("section", { class: "note " + (!good ? "bad" : r.surprises ? "warn" : "good"), "aria-label": "Verdict" }, h("p", {}, h("strong", {}, ends[r.status] ?? sentence(String(r.status))), ` ${counted(taken.length, "step")} with reward ${number(r.reward)}.`),
      h("p", {}, r.surprises ? `${counted(r.surprises, "state was", "states were")} not as planned.` : "Every state was as planned."), r.failure && h("p", {}, sentence(r.failure.text ?? String(r.failure)))));
    const { frames, why } = await drawJob(now);
    picture.show(frames, frames ? "" : h("p", { class: "hint" }, `There is no picture: ${why}.`));
    control.show(states.map((_, k) => {
      const wrong = differs.has(k);
      return { name: k === 0 ? "start" : words(taken[k - 1].action) + (wrong ? " (not as planned)" : failed === k ? " (fails)" : ""), kind: wrong || (failed > 0 && failed === k) ? "fails" : "", text: frames?.frames[k]?.text ?? changes(states[k - 1], states[k]) };
    }), Math.min(begun, Math.max(0, states.length - 1)));
    const names = Object.keys(states[0] ?? {});
    table.show({
      rows: names.length, columns: states.length, name: (i) => names[i], head: (c) => (c === 0 ? "start" : String(c)),
      cell(i, c) {
        const v = states[c][names[i]], planned = differs.get(c)?.expected?.[names[i]];
        if (planned !== undefined && planned !== v) return { text: `${mark(planned)} ≠ ${mark(v)}`, kind: "differs", title: `planned ${shown(planned)}, real ${shown(v)}` };
        return { text: mark(v), kind: v === true ? "true" : v === false ? "off" : "" };
      },
    });
    fill(after, h("details", { open: true }, h("summary", {}, `Plans (${r.plans?.length ?? 0})`), wide("Plans", h("table", { class: "table" }, h("caption", { class: "hidden" }, "Plans"), h("thead", {}, h("tr", {}, ["Before step", "Steps ahead", "Status", "Reward", "Time"].map((t, i) => h("th", { scope: "col", class: i > 2 ? "number" : null }, t)))),
      h("tbody", {}, (r.plans ?? []).slice(0, 200).map((/** @type {any} */ p) => h("tr", {}, h("th", { scope: "row" }, p.step), h("td", {}, p.horizon), h("td", {}, p.status), h("td", { class: "number" }, number(p.reward)), h("td", { class: "number" }, duration(p.seconds)))))))),
    leavings(now));
  }
  return {
    /** @param {URLSearchParams} params */
    async show(params) {
      await settings.problem.load();
      const same = job !== "" && (params.get("job") === job || params.toString() === written);
      for (const [name, f] of own) f.set(params.get(name) ?? f.control.options?.[0]?.value ?? "");
      choose();
      await settings.restore(params);
      if (same) {
        note();
        return;
      }
      clear();
      live.clear();
      old.answers("");
      job = params.get("job") ?? "";
      at = Number(params.get("step") ?? 0) || 0;
      if (!job) {
        settings.ask();
        return;
      }
      try {
        const found = await api.get("jobs/" + api.part(job));
        old.answers(question(found.request));
        live.watch(found);
        note();
      } catch {
        job = "";
        fill(trouble, h("p", { class: "note warn" }, "The run of this address is no longer on the server. Run again to make it."));
      }
    },
  };
}

/** @param {any} v */
const mark = (v) => (v === true ? "●" : v === false ? "·" : shown(v));

const ends = /** @type {Object<string, string>} */ ({ goal: "The goal was reached.", done: "The run is done.", steps: "All steps were taken.", failed: "The run failed.", stuck: "No plan was found.", stopped: "The run was stopped." });

/** What a step of learning by acting was for (docs/acting.md). */
const reasons = /** @type {Object<string, string>} */ ({ try: "to try something new", walk: "on the way there", random: "at random", confirm: "to see the plan hold", repeat: "to see it once more", explore: "to know the model" });
