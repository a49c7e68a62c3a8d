// What is to be planned: the problem with its changes, and how.

import * as api from "./api.js";
import { fill, h } from "./dom.js";
import { expression, rules } from "./expression.js";
import { check, input, refused, select, sentence } from "./field.js";
import { inPDDL, inside, picker, read, untrained } from "./problem.js";
import { start } from "./start.js";
import { number } from "./words.js";

/** The names of the texts in the address and in a job's request. */
const plain = /** @type {[string, string][]} */ ([["model", "model"], ["determinize", "determinize"], ["engine", "engine"], ["time", "time_limit"]]);

/** The fields of a request that are one text. */
const single = ["goal", "reward"];

/**
 * The form of a problem and its settings.
 * @param {{server: any, changed: (setup: any) => void, loaded?: (summary: any|null) => void, rules?: boolean, extra?: HTMLElement[], simulator?: boolean, range?: boolean, proofs?: boolean}} options
 */
export function setup(options) {
  let summary = /** @type {any} */ (null), wanted = 0;
  const problem = picker({ changed: () => load(true) });
  const contents = inside();
  const trouble = h("div", {});
  const query = () => {
    const q = new URLSearchParams();
    if (fields.model.get()) q.set("model", fields.model.get());
    if (fields.determinize.get()) q.set("determinize", fields.determinize.get());
    return q.size ? "?" + q : "";
  };
  const note = () => options.changed(self);
  const added = rules({ legend: "Rules", add: "Add a rule", problem: problem.get, query, changed: note,
    hint: "They must hold in every step, for example ~(a ^ b) or x' <= 3. x@2 is the value at step 2. The names of variables are completed as you type." });
  const ranges = rules({ legend: "Ranges", add: "Add a range", name: "Range", use: "range", problem: problem.get, query, changed: note, hint: "Of a number, in place of its own: stock=0..5. Of a number that is learned it can only be narrowed." });
  const goal = expression({ label: "Goal", use: "goal", problem: problem.get, query, changed: note, help: "What must hold after the last step. Empty: the problem's own." });
  const reward = expression({ label: "Reward", use: "reward", problem: problem.get, query, changed: note, help: "Of a step, such as -2*a - b: the plan with the most is best. Empty: the problem's own." });
  /** What a question may change, by the names in the address and in requests: one text or several. */
  const asked = /** @type {[string, string, () => string[], (texts: string[]) => void][]} */ ([["goal", "goal", () => [goal.get()].filter((t) => t), ([t = ""]) => { if (goal.get() !== t) goal.set(t); }],
    ["reward", "reward", () => [reward.get()].filter((t) => t), ([t = ""]) => { if (reward.get() !== t) reward.set(t); }], ["rule", "require", added.get, added.set], ["range", "range", ranges.get, ranges.set]]);
  const change = h("details", {}, h("summary", {}, "Change the question"), goal.element, reward.element, options.rules === false ? null : added.element, ranges.element);
  const initial = start({ changed: note });
  const fields = {
    horizon: input("Steps", options.range ? "The plan's length, such as 8, or 4..8 to try each. Empty: the problem's own." : "The plan's length. Empty: the problem's own.", { inputmode: "numeric" }),
    model: select("Model", [["", "the learned network"], ["rddl", "the RDDL itself"]]),
    determinize: select("Random draws", [["", "not replaced"], ["most-likely", "most likely value"], ["mean", "mean value"]], "For RDDL that draws at random: what a draw is planned as."),
    simulator: select("Try the plan in", [["", "no other simulator"], ...options.server.simulators.map((/** @type {string} */ n) => /** @type {[string, string]} */ ([n, n === "rddl" ? "the RDDL" : n]))]),
    engine: select("Engine", [["", "auto"], ...options.server.engines.filter((/** @type {string} */ e) => e !== "auto").map((/** @type {string} */ e) => /** @type {[string, string]} */ ([e, e]))]),
    time: input("Time limit", "Such as 30s or 5m.", { placeholder: "none" }),
    memory: input("Memory limit", "Such as 512MiB.", { placeholder: "the server's" }),
    threads: input("Threads", undefined, { inputmode: "numeric", placeholder: "the server's" }),
    seed: input("Seed", undefined, { inputmode: "numeric", placeholder: "0" }),
    policy: check("A policy, for all outcomes", "Where steps draw at random: what to do in each state, in place of a plan for the most likely outcomes."),
    safe: check("Only steps that the training data show"),
    certify: check("Write a certificate", "A proof that an independent checker accepts; it can be downloaded."),
  };
  const texts = /** @type {[string, any][]} */ ([["horizon", fields.horizon], ["simulator", fields.simulator], ["threads", fields.threads], ["seed", fields.seed], ["policy", fields.policy], ["safe", fields.safe], ["certify", fields.certify],
    ["memory", fields.memory], ...plain.map(([n]) => [n, /** @type {any} */ (fields)[n]])]);
  for (const [, f] of texts) f.control.addEventListener("input", note);
  for (const [name, f] of texts) f.control.addEventListener("change", () => { f.fail(null); note(); if (name === "model" || name === "determinize") load(false); });
  const element = h("div", {}, problem.element, trouble, contents.element, fields.horizon.element, initial.element, change, ...(options.extra ?? []),
    h("details", {}, h("summary", {}, "Engine, limits and model"), h("div", { class: "pair" }, fields.engine.element, fields.model.element, fields.time.element, fields.memory.element, fields.threads.element, fields.seed.element),
      fields.determinize.element, options.simulator === false ? null : fields.simulator.element, options.proofs === false ? null : [fields.policy.element, fields.safe.element, fields.certify.element]));

  /** Reads the chosen problem. @param {boolean} fresh forget changes that belong to another problem */
  async function load(fresh) {
    const mine = ++wanted;
    if (!problem.get()) return;
    if (fresh) {
      initial.set([]);
      for (const [, , , set] of asked) set([]);
      fields.horizon.set("");
      note();
    }
    fill(trouble);
    try {
      const s = await read(problem.get(), query());
      if (mine !== wanted) return;
      summary = s;
      fields.horizon.control.placeholder = s.horizon ? String(s.horizon) : inPDDL(s) ? "any" : "how many?";
      contents.show(s);
      goal.own(s.task?.goal || s.goal.map((/** @type {any} */ c) => c.text).join(" ^ "));
      reward.own(paid(s));
      initial.load(s);
      options.loaded?.(s);
    } catch (e) {
      if (mine !== wanted) return;
      summary = null;
      fill(trouble, untrained(problem.entry()) ? h("p", { class: "note warn" }, "This problem has no network yet. ", h("a", { href: "#learn?problem=" + api.part(problem.get()) }, "Train one in Learn.")) : refused(e));
      options.loaded?.(null);
    }
  }
  function lengthless() {
    fields.horizon.fail("This problem has no length of its own.", "Write a number of steps.");
    fields.horizon.control.focus();
  }
  const self = {
    element, problem, initial, rules: added,
    /** Asks for what the problem does not say itself. */
    ask() {
      if (summary && !summary.horizon && !inPDDL(summary) && !fields.horizon.get()) lengthless();
    },
    summary: () => summary,
    /** What a copy of the problem takes over of the question. */
    copied() {
      const { goal, reward, require, range, set_initial, horizon } = self.request("plan");
      return { goal, reward, require, range, set_initial, ...(typeof horizon === "number" && { horizon }) };
    },
    /** Reads a problem that has the question of the form in itself. */
    async adopt() {
      await load(false);
      if (!inPDDL(summary)) {
        initial.set([]);
        for (const [, , , set] of asked) set([]);
      }
      note();
    },
    /** The start and the goal as a picture of them is asked for; of what is being written, the last that was accepted. */
    start: () => ({ set_initial: initial.get(), goal: goal.sound(), range: ranges.sound() }),
    choose: initial.choose,
    load,
    /** Takes the settings from an address. @param {URLSearchParams} params */
    async restore(params) {
      problem.set(params.get("problem") ?? problem.get());
      for (const [name, f] of texts) f.set(params.get(name) ?? "");
      initial.set(params.getAll("set"));
      for (const [name, , , set] of asked) if (!params.has(name)) set([]); // at once: later somebody may have begun to write
      if (asked.some(([name]) => params.has(name))) change.open = true;
      await load(false);
      for (const [name, , , set] of asked) if (params.has(name)) set(params.getAll(name));
    },
    /** The settings for the address. */
    params() {
      const p = new URLSearchParams();
      if (problem.get()) p.set("problem", problem.get());
      for (const [name, f] of texts) if (f.get()) p.set(name, f.get());
      for (const x of initial.get()) p.append("set", x);
      for (const [name, , get] of asked) for (const x of get()) p.append(name, x);
      return p;
    },
    /** The request of a job. @param {string} kind @returns {Object<string, any>} */
    request(kind) {
      /** @type {Object<string, any>} */
      const r = { kind, problem: problem.get() };
      for (const [name, as] of plain) {
        const v = /** @type {any} */ (fields)[name].get();
        if (v) r[as] = v;
      }
      const steps = fields.horizon.get();
      if (steps) r.horizon = /^[0-9]+$/.test(steps) ? Number(steps) : steps;
      for (const name of ["threads", "seed"]) {
        const v = /** @type {any} */ (fields)[name].get();
        if (v) r[name] = Number(v);
      }
      const memory = bytes(fields.memory.get());
      if (memory) r.memory = memory;
      if (options.simulator !== false && fields.simulator.get()) r.simulator = fields.simulator.get();
      if (options.proofs !== false && fields.policy.get()) r.policy = true;
      if (options.proofs !== false && fields.safe.get()) r.safe = true;
      if (options.proofs !== false && fields.certify.get()) r.certify = true;
      if (initial.get().length) r.set_initial = initial.get();
      for (const [, as, get] of asked) if (get().length) r[as] = single.includes(as) ? get()[0] : get();
      return r;
    },
    /** Checks numbers before they are sent; reports whether all are right. */
    valid() {
      let ok = true;
      const whole = (/** @type {any} */ f, /** @type {string} */ what) => {
        const wrong = f.get() !== "" && !/^[0-9]+$/.test(f.get());
        f.fail(wrong ? `“${f.get()}” is not ${what}.` : null);
        if (wrong && ok) f.control.focus();
        ok &&= !wrong;
      };
      whole(fields.threads, "a whole number");
      whole(fields.seed, "a whole number from 0");
      const unread = fields.memory.get() !== "" && !bytes(fields.memory.get());
      fields.memory.fail(unread ? `“${fields.memory.get()}” is not a size.` : null, "Write 512MiB or 2GiB.");
      if (unread && ok) fields.memory.control.focus();
      ok &&= !unread;
      const steps = fields.horizon.get(), range = /^([0-9]+)(?:\.\.([0-9]+))?$/.exec(steps);
      if (steps === "" && summary && !summary.horizon && !inPDDL(summary)) {
        lengthless();
        return false;
      }
      const wrong = steps !== "" && (!range || Number(range[1]) < 1 || (range[2] !== undefined && (!options.range || Number(range[2]) < Number(range[1]))));
      fields.horizon.fail(wrong ? `“${steps}” is not a number of steps.` : null, options.range ? "Write 8, or 4..8 for a range." : "Write a number from 1.");
      if (wrong && ok) fields.horizon.control.focus();
      return ok && !wrong;
    },
    /** Shows what the server refuses beside its field; otherwise in a place, if there is one. @param {any} e @param {Element|null} place */
    fail(e, place) {
      const fault = e?.fault ?? {}, said = String(e?.fault?.error ?? e?.message ?? e), text = sentence(said.replace(/^(?:in )?--?[a-z-]+[ :]*/i, "")), hint = e?.fault?.hint && sentence(e.fault.hint);
      if (/no horizon of the problem's own/.test(said)) {
        lengthless();
        return;
      }
      const flags = /** @type {[RegExp, any][]} */ ([[/--?horizon|^horizon| -H |\bhorizon\b.*expected/, fields.horizon], [/time.limit/, fields.time], [/memory/, fields.memory], [/threads/, fields.threads], [/\bseed\b/, fields.seed],
        [/--?engine|\bengine\b/, fields.engine], [/simulator/, fields.simulator], [/determinize/, fields.determinize]]);
      if (/set.initial/.test(said)) {
        initial.fail(text);
        return;
      }
      for (const [pattern, f, all] of /** @type {[RegExp, any, any][]} */ ([[/^(in )?--?goal\b|^goal\b/, goal, null], [/^(in )?--?reward\b|^reward\b/, reward, null], [/require/, null, added], [/^(in )?--?range\b|^range\b/, null, ranges]])) {
        if (!pattern.test(fault.file ?? "") && !pattern.test(said)) continue;
        change.open = true;
        if (f) {
          f.fail(told(text, f.get()), Math.max(0, (fault.column ?? 1) - 1));
          f.focus();
          return;
        }
        if (all.fail(text, said)) return;
      }
      for (const [pattern, f] of flags) {
        if (pattern.test(said)) {
          f.element.closest("details")?.setAttribute("open", "");
          f.fail(text, hint);
          f.control.focus();
          return;
        }
      }
      if (place) fill(place, refused(e));
    },
  };
  return self;
}

/** The settings of a job's request for the address, the opposite of request. @param {any} r */
export function paramsOf(r) {
  const p = new URLSearchParams();
  const put = (/** @type {string} */ name, /** @type {any} */ value) => { if (value) p.set(name, value === true ? "1" : String(value)); };
  put("problem", r.problem);
  for (const name of ["horizon", "threads", "seed", "policy", "safe", "certify", "memory", "plan_time"]) put(name, r[name]);
  put(r.kind === "run" || r.kind === "learn" || r.incremental ? "in" : "simulator", r.simulator);
  put("every", r.replan_every);
  put(r.kind === "learn" ? "prove" : "until", r.until);
  put(r.kind === "learn" ? "most" : "count", r.steps);
  if (r.kind === "learn") put("resets", r.resets);
  if (r.incremental || r.kind === "learn") put("how", r.incremental ? "incremental" : "learn");
  for (const [name, as] of plain) put(name, r[as]);
  for (const x of r.set_initial ?? []) p.append("set", x);
  for (const [name, as] of [["goal", "goal"], ["reward", "reward"], ["rule", "require"], ["range", "range"]]) for (const x of [r[as] ?? []].flat()) p.append(name, x);
  return p;
}

/** The problem's own reward of a step as an expression. @param {any} s the summary */
function paid(s) {
  const terms = [...s.reward.map((/** @type {any} */ t) => [t.weight, t.literal]), ...(s.reward_constant ? [[s.reward_constant, ""]] : [])];
  return terms.map(([w, of], i) => (w < 0 ? (i ? " - " : "-") : i ? " + " : "") + [...(Math.abs(w) === 1 && of ? [] : [number(Math.abs(w))]), ...(of ? [of] : [])].join("*")).join("");
}

/** A message without the text that it is about, which stands above it. @param {string} message @param {string} text */
function told(message, text) {
  const rest = [message, message.slice(0, 1).toLowerCase() + message.slice(1)].find((m) => m.startsWith(text + ": "));
  return sentence((rest ? rest.slice(text.length + 2) : message).replace(/^there is no such file, and as an expression: /, "").replace(/^[0-9]+:[0-9]+: /, ""));
}

/** Reads a size such as 512MiB; 0 if it is none. @param {string} text */
function bytes(text) {
  const m = /^([0-9]+(?:\.[0-9]+)?) ?([KMGT]i?)?B?$/.exec(text);
  return m ? Math.round(Number(m[1]) * (m[2] ? 1024 ** ("KMGT".indexOf(m[2][0]) + 1) : 1)) : 0;
}
