// The view What if: a rule is changed, and both plans are side by side, with what it costs
// and why.

import * as address from "./address.js";
import * as api from "./api.js";
import { steps, verdict } from "./answer.js";
import { fill, h, say } from "./dom.js";
import { rules } from "./expression.js";
import { refused, sentence } from "./field.js";
import { broken, explained } from "./explain.js";
import { outcome } from "./job.js";
import { drawJob } from "./planview.js";
import { player, stage } from "./player.js";
import { setup } from "./setup.js";
import { question, stale } from "./stale.js";
import { counted, number, step } from "./words.js";

/**
 * @param {HTMLElement} root
 * @param {any} server
 */
export function view(root, server) {
  const trouble = h("div", {});
  let jobs = ["", ""], causes = ["", ""], round = 0, written = "", busy = false, running = /** @type {string[]} */ ([]);
  const settings = setup({ server, changed: note, proofs: false, loaded: (s) => { compare.disabled = !s; } });
  const extra = rules({ legend: "What if also …", add: "Add a changed rule", problem: settings.problem.get, changed: note, hint: "These rules hold in the second plan only." });
  extra.set([""]);
  const compare = h("button", { type: "submit", class: "primary", disabled: true }, "Compare");
  const stop = h("button", { type: "button", hidden: true, onclick: cancel }, "Stop");
  const form = h("form", { class: "card side", "aria-label": "Problem and change", novalidate: true, onsubmit: submit }, h("h2", {}, "Change"), extra.element, h("h2", {}, "Problem"), settings.element, trouble,
    h("div", { class: "row" }, compare, stop));
  const state = h("p", { class: "state" }), cost = h("div", {}), why = h("div", {});
  const sides = ["As it is", "With the change"].map((name) => ({ verdict: h("div", {}), picture: stage("Picture: " + name), caption: h("p", { class: "caption" }), name }));
  const control = player("Play both plans", (k) => sides.forEach((side, i) => {
    side.picture.go(k);
    caption(i, k);
  }));
  const both = h("div", { hidden: true }, h("div", { class: "halves" }, sides.map((side) => h("section", { class: "card", "aria-label": side.name }, h("h2", {}, side.name), side.verdict, side.picture.element, side.caption, side.picture.notes))),
    h("section", { class: "card", "aria-label": "Both plans, step by step" }, control.element, control.items));
  const reasons = h("section", { class: "card", "aria-label": "Why", hidden: true }, h("h2", {}, "Why"), why);
  const answers = h("div", {}, cost, both, reasons);
  const old = stale({ place: answers, again: "Compare", now: asking, from: () => JSON.stringify(extra.get()), valid, running: () => busy, ask: (request, from) => { compareWith(request, JSON.parse(from)); } });
  fill(root, h("h1", {}, "What if"), h("p", { class: "intro" }, "Change a rule and see both plans side by side: what the change costs, and why."),
    h("div", { class: "columns" }, form, h("div", {}, old.element, state, answers)));
  /** @type {any[]} */
  let documents = [];
  /** @type {Set<number>} the steps in which the plans differ */
  let differing = new Set();
  /** @type {(import("./player.js").Frames|null)[]} */
  let pictures = [];

  function note() {
    const p = settings.params();
    for (const t of extra.get()) p.append("change", t);
    old.check();
    if (jobs[0] && old.fresh()) { // a link joins jobs and their own settings alone
      [["before", jobs[0]], ["after", jobs[1]], ["check", causes[0]], ["why", causes[1]]].forEach(([name, job]) => { if (job) p.set(name, job); });
    }
    written = p.toString();
    address.write("whatif", p);
  }
  /** What the form asks: the request of the second plan. */
  function asking() {
    const base = settings.request("plan"), change = extra.get();
    return { ...base, ...(base.require || change.length ? { require: [...(base.require ?? []), ...change] } : {}) };
  }
  /** @param {number} i @param {number} k */
  function caption(i, k) {
    const a = documents[i];
    if (!a?.plan?.length) {
      fill(sides[i].caption);
      return;
    }
    const all = steps(a, pictures[i]), at = all[Math.min(k, all.length - 1)];
    fill(sides[i].caption, h("strong", {}, k === 0 ? "Start" : k >= all.length ? "It has ended" : `Step ${k}: ${at.name}`), at.text ?? "");
  }
  async function cancel() {
    await Promise.allSettled(running.map((j) => api.remove("jobs/" + api.part(j))));
  }
  /** @param {any} request */
  async function run(request) {
    const mine = round, job = await api.post("jobs", request);
    if (mine !== round) await api.remove("jobs/" + api.part(job.job)); // another question has replaced it
    running.push(job.job);
    try {
      return await outcome(job);
    } finally {
      running = running.filter((j) => j !== job.job);
    }
  }
  /** Checks what is asked before it is sent. */
  function valid() {
    if (!settings.valid()) return false;
    if (extra.get().length) return true;
    if (!extra.fail("Write a rule here, for example ~move-west.")) fill(trouble, h("p", { class: "error", role: "alert" }, "There is no change yet. Add a rule under “What if also …”."));
    return false;
  }
  /** @param {Event} e */
  async function submit(e) {
    e.preventDefault();
    fill(trouble);
    if (!valid() || (busy && old.fresh())) return;
    old.drop();
    await compareWith(asking(), extra.get());
  }
  /** @param {any} changed the second question @param {string[]} change its further rules */
  async function compareWith(changed, change) {
    [jobs, causes] = [["", ""], ["", ""]];
    const mine = ++round, { require, ...base } = changed, kept = (require ?? []).slice(0, -change.length);
    if (kept.length) base.require = kept;
    busy = true;
    old.answers(question(changed));
    await cancel(); // what still runs for an earlier question
    if (mine !== round) return;
    begin();
    try {
      const found = await Promise.all([run({ ...base, label: "as it is" }), run({ ...changed, label: "with the change" })]);
      if (mine !== round) return;
      jobs = found.map((j) => j.job);
      causes = ["", ""];
      note();
      await show(found);
      await reason(found, changed, mine);
    } catch (x) {
      if (mine === round) {
        old.answers("");
        failed(x, change);
      }
    }
    if (mine === round) over();
  }
  /** @param {boolean} [anew] without the answers that are shown */
  function begin(anew = true) {
    stop.hidden = false;
    busy = true;
    if (!anew) return;
    state.textContent = "Planning twice: as it is, and with the change …";
    say(state.textContent);
    both.hidden = reasons.hidden = true;
    fill(cost);
    state.scrollIntoView({ block: "nearest" });
  }
  function over() {
    state.textContent = "";
    stop.hidden = true;
    busy = false;
    old.ended();
  }
  /** @param {any} x @param {string[]} change */
  function failed(x, change) {
    const said = String(x?.fault?.error ?? x?.message ?? x);
    if (change.some((c) => said.includes(c)) && extra.fail(sentence(said), said)) return;
    settings.fail(x, trouble);
  }
  /** @param {any[]} found both jobs */
  async function show(found) {
    for (const j of found) if (!j.result) throw { fault: j.error ?? { error: "the run was stopped before there was an answer" } };
    documents = found.map((j) => j.result);
    differing = new Set((documents[1].plan ?? []).flatMap((/** @type {any} */ s, /** @type {number} */ i) => (step(s) === step(documents[0].plan?.[i]) ? [] : [i + 1])));
    pictures = await Promise.all(found.map(async (j) => (j.result.plan?.length ? (await drawJob(j)).frames : null)));
    documents.forEach((a, i) => {
      fill(sides[i].verdict, verdict(a));
      sides[i].picture.show(pictures[i], "");
    });
    both.hidden = false;
    const all = documents.map((a, i) => (a.plan?.length ? steps(a, pictures[i]) : []));
    const count = Math.max(all[0].length, all[1].length);
    control.show(Array.from({ length: count }, (_, k) => {
      const [x, y] = [all[0][k]?.name, all[1][k]?.name];
      const same = x === y || !all[0].length || !all[1].length;
      return { name: same ? x ?? y ?? "" : `${x ?? "(ended)"} → ${y ?? "(ended)"}`, kind: same ? "" : "changed", text: "" };
    }));
    const [a, b] = documents;
    fill(cost, h("section", { class: "note " + (b.status === "infeasible" ? "bad" : "good"), "aria-label": "What it costs" }, h("p", {}, h("strong", {}, price(a, b)))));
    say(price(a, b));
  }
  /** Explains the second plan, or its absence, by two jobs more. @param {any[]} found @param {any} changed @param {number} mine */
  async function reason(found, changed, mine) {
    const [a, b] = documents;
    state.textContent = "Looking for the reasons …";
    reasons.hidden = false;
    fill(why, h("p", { class: "hint" }, "Looking for the reasons …"));
    let check = null, cause = null;
    const of = (/** @type {string[]} */ names) => Object.fromEntries(names.filter((n) => changed[n] !== undefined).map((n) => [n, changed[n]]));
    const shared = of(["problem", "model", "determinize", "set_initial", "goal", "range", "require", "reward", "time_limit", "memory"]);
    if (a.plan?.length) {
      check = await run({ ...shared, kind: "validate", of: found[0].job });
      if (mine !== round) return;
    }
    if (b.plan?.length || b.status === "infeasible") {
      cause = await run({ ...shared, ...of(["threads"]), ...(server.explainers.includes(changed.engine) ? { engine: changed.engine } : {}), kind: "explain", horizon: b.horizon, ...(b.plan?.length ? { of: found[1].job } : {}) });
      if (mine !== round) return;
    }
    causes = [check?.job ?? "", cause?.job ?? ""];
    note();
    tell(check, cause);
  }
  /** Shows the reasons. @param {any} check the job that tried the first plan under the change @param {any} cause the job that explains the second */
  function tell(check, cause) {
    const failure = check?.result?.failure;
    reasons.hidden = false;
    fill(why, check && h("p", {}, failure ? `The plan as it is breaks the change ${broken(failure)}.` : check.error ? `The plan as it is cannot be checked: ${check.error.error}` : "The plan as it is keeps the change."),
      cause && (cause.result ? explained(cause.result, differing) : refused({ fault: cause.error ?? { error: "the explanation was stopped" } })));
    say(`${price(documents[0], documents[1])} ${failure ? `The plan as it is breaks the change ${broken(failure)}. ` : ""}The reasons are below.`);
  }
  /** Shows the reasons that an address names, or offers to look for them: a link starts no job. @param {any[]} found @param {number} mine */
  async function recall(found, mine) {
    const known = await Promise.all(causes.map((id) => (id ? api.get("jobs/" + api.part(id)).then(outcome, () => null) : null)));
    if (mine !== round) return;
    if (known.some((job) => job)) {
      tell(known[0], known[1]);
      return;
    }
    causes = ["", ""];
    reasons.hidden = false;
    fill(why, h("button", { type: "button", onclick: async () => {
      begin(false);
      try {
        await reason(found, found[1].request, mine);
      } catch (x) {
        fill(why, refused(x));
      }
      if (mine === round) over();
    } }, "Look for the reasons"));
  }
  return {
    /** @param {URLSearchParams} params */
    async show(params) {
      const change = params.getAll("change");
      if (!change.length) extra.set([""]); // at once: later somebody may have begun to write
      await settings.problem.load();
      const known = [params.get("before") ?? "", params.get("after") ?? ""], same = jobs[0] !== "" && (known.every((j, i) => j === jobs[i]) || params.toString() === written);
      await settings.restore(params);
      if (change.length) extra.set(change);
      if (same || busy || !known[0] || !known[1]) {
        note();
        return;
      }
      [jobs, causes] = [known, [params.get("check") ?? "", params.get("why") ?? ""]];
      const mine = ++round;
      begin();
      try {
        const found = await Promise.all(jobs.map(async (j) => outcome(await api.get("jobs/" + api.part(j)))));
        if (mine !== round) return;
        old.answers(question(found[1].request));
        await show(found);
        await recall(found, mine);
        note();
      } catch (x) {
        if (mine === round) fill(trouble, refused(x));
      }
      if (mine === round) over();
    },
  };
}

/** What the change costs, in words. @param {any} a @param {any} b */
function price(a, b) {
  if (a.status === "infeasible") return b.status === "infeasible" ? "There is no plan of this length, with or without the change." : "Only with the change there is a plan.";
  if (b.status === "infeasible") return "With the change there is no plan of this length.";
  if (a.reward === null || b.reward === null) return "Nothing can be compared: a run ended without a plan.";
  const loss = a.reward - b.reward, proven = a.status === "optimal" && b.status === "optimal";
  const found = proven ? "" : " This is not proven: a run ended before its proof.";
  const moves = b.horizon === a.horizon ? "" : ` The plan has ${counted(b.horizon, "step")} instead of ${a.horizon}.`;
  if (loss === 0) return `The change costs nothing: the reward stays ${number(a.reward)}.${moves}${found}`;
  return `The change ${loss > 0 ? "costs" : "gains"} ${number(Math.abs(loss))}: the best reward goes from ${number(a.reward)} to ${number(b.reward)}.${moves}${found}`;
}
