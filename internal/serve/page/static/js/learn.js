// The view Learn: from a log to a trained network, with its errors.

import * as address from "./address.js";
import * as api from "./api.js";
import { lines } from "./chart.js";
import { columns } from "./columns.js";
import { compared, doubts } from "./compared.js";
import { fill, h, once, say, wide } from "./dom.js";
import { input, refused, select, sentence } from "./field.js";
import { leavings, monitor } from "./job.js";
import { planning } from "./learnplan.js";
import { dropped, listing, untrained } from "./problem.js";
import { question, stale } from "./stale.js";
import { structure } from "./structure.js";
import { counted, number, percent, size } from "./words.js";

/**
 * @param {HTMLElement} root
 * @param {any} server
 */
export function view(root, server) {
  const state = { log: "", problem: "", train: "", test: "", plan: "" };
  let shownLog = "";
  const trouble = { log: h("div", {}), make: h("div", {}), train: h("div", {}) };
  const limit = size(server.limits.upload_bytes);

  const file = h("input", { type: "file", "aria-label": "Open a log", accept: ".csv,.tsv,.txt,.parquet,.jsonl,.ndjson,.json", onchange: () => open([...(file.files ?? [])]) });
  const drop = h("div", { class: "drop" }, file, h("p", { class: "hint" }, `or drop a log here: CSV, Parquet or JSON lines, at most ${limit}. One row per moment, in the order of time.`));
  const earlier = select("Logs on the server", [["", "choose …"]]);
  dropped(drop, open);
  earlier.control.addEventListener("change", () => earlier.get() && chooseLog(earlier.get()));

  const table = columns({ changed: guess }), about = h("p", {}), taken = h("dl", { class: "taken", "aria-label": "What the columns are taken for" });
  const name = input("Name of the problem", undefined, { placeholder: "that of the log" });
  const goal = input("Goal", "An expression that has to hold after the last step, such as floor == 0. It may be empty."), reward = input("Reward of a step", "A sum, such as -(command ~= @wait). It may be empty.");
  const missing = select("Rows with missing values", [["", "leave out"], ["previous", "take the value before"], ["keep", "keep"], ["error", "refuse the log"]]);
  const makeButton = h("button", { type: "submit", class: "primary" }, "Make a problem of it");
  const make = h("form", { class: "card", "aria-label": "Columns", novalidate: true, hidden: true, onsubmit: once(create) }, h("h2", {}, "2. Columns"), about, taken, table.element,
    h("div", { class: "halves" }, h("div", {}, name.element, missing.element), h("div", {}, goal.element, reward.element)), trouble.make, h("div", { class: "row" }, makeButton));

  const which = select("Problem", []), what = h("p", { class: "hint" });
  const recipe = select("Recipe", [["", "structure: find the inputs of each output, build a small network"], ["dense", "dense: train all weights"]]);
  const epochs = input("Epochs", undefined, { inputmode: "numeric", placeholder: "the recipe's" }), hidden = input("Hidden layers", "For the dense recipe, such as 64, 64.", { placeholder: "the recipe's" }), seed = input("Seed", undefined, { inputmode: "numeric", placeholder: "0" });
  const trainButton = h("button", { type: "submit", class: "primary", disabled: true }, "Train");
  const train = h("form", { class: "card", "aria-label": "Training", novalidate: true, onsubmit: once(learn) }, h("h2", {}, "3. Training"), h("div", { class: "halves" }, h("div", {}, which.element, what, recipe.element), h("div", {}, hidden.element, h("div", { class: "pair" }, epochs.element, seed.element))),
    trouble.train, h("div", { class: "row" }, trainButton));
  which.control.addEventListener("change", () => chooseProblem(which.get()));

  /** @type {Map<string, [number, number][]>} */
  let curves = new Map();
  const plot = h("div", {});
  let timer = 0;
  const live = monitor({ label: "Training", event: curve, done: trained });
  live.element.append(plot);
  const result = h("section", { class: "card", "aria-label": "The network", hidden: true }), errors = h("section", { class: "card", "aria-label": "Errors by fluent", hidden: true }), rows = h("section", { class: "card", "aria-label": "Contradictory rows", hidden: true });
  const testing = monitor({ label: "Measuring errors", done: tested });
  const answers = h("div", {}, live.element, result, testing.element, errors);
  const old = stale({ place: answers, again: "Train", now: () => training(), valid: () => valid(), running: live.running, ask: (request) => { begin(request); }, back: () => { restore(live.current()?.request); } });
  for (const f of [recipe, epochs, hidden, seed]) f.control.addEventListener("input", old.check);
  const next = planning({ problem: () => state.problem, planned(job) { state.plan = job; note(); } });
  fill(root, h("h1", {}, "Learn"), h("p", { class: "intro" }, "From the log of a device to a network that predicts its next state, and to a plan."),
    h("section", { class: "card", "aria-label": "Log" }, h("h2", {}, "1. Log"), h("div", { class: "halves" }, drop, earlier.element), trouble.log), make, train, old.element, answers, rows, ...next.elements);

  function note() {
    const p = new URLSearchParams();
    for (const [k, v] of Object.entries(state)) if (v) p.set(k, v);
    address.write("learn", p);
  }
  /** Says what the columns are taken for. */
  function guess() {
    fill(taken, table.told().map(({ words, names }) => h("div", {}, h("dt", {}, words), h("dd", {}, names.length > 12 ? `${names.slice(0, 12).join(", ")}, …` : names.join(", ") || "none yet: choose below"))));
  }
  /** @param {File[]} files */
  async function open(files) {
    if (!files.length) return;
    fill(trouble.log);
    if (files[0].size > server.limits.upload_bytes) {
      fill(trouble.log, h("p", { class: "error", role: "alert" }, `${files[0].name} has ${size(files[0].size)}. Choose a log of at most ${limit}, or start the server with a higher limit.`));
      return;
    }
    const form = new FormData();
    form.append("file", files[0], files[0].name);
    say("Reading the log …");
    fill(trouble.log, h("p", { class: "hint" }, `Reading ${files[0].name}, ${size(files[0].size)} …`));
    try {
      const log = await api.upload("logs", form);
      fill(trouble.log);
      state.log = log.log;
      note();
      await logs();
      showLog(log);
    } catch (e) {
      fill(trouble.log, refused(e));
    }
    file.value = "";
  }
  async function logs() {
    const all = (await api.get("logs")).logs;
    fill(earlier.control, h("option", { value: "" }, all.length ? "choose …" : "none yet"), all.map((/** @type {any} */ l) => h("option", { value: l.log }, `${l.name}, ${counted(l.rows, "row")}`)));
    earlier.set(state.log);
  }
  /** @param {string} log */
  async function chooseLog(log) {
    fill(trouble.log);
    try {
      showLog(await api.get("logs/" + api.part(log)));
      state.log = log;
      note();
    } catch (e) {
      fill(trouble.log, refused(e));
    }
  }
  /** @param {any} log */
  function showLog(log) {
    make.hidden = false;
    shownLog = log.log;
    fill(about, `${log.name}: ${counted(log.rows, "row")}, ${log.format}, ${counted(log.columns.length, "column")}. What each is taken for, and why, stands beside it; change what is wrong.`,
      log.warnings.map((/** @type {string} */ w) => h("span", { class: "note warn" }, w)));
    table.show(log.columns);
    guess();
    say(`${log.name} was read: ${counted(log.columns.length, "column")}.`);
  }
  async function create() {
    fill(trouble.make);
    for (const f of [goal, reward, name]) f.fail(null);
    table.clear();
    const request = table.get();
    if (!request) return;
    if (!request.actions.length) {
      fill(trouble.make, h("p", { class: "error", role: "alert" }, "No column is an action. Choose “action” as the use of the columns that the planner may decide."));
      return;
    }
    for (const [key, f] of /** @type {[string, any][]} */ ([["name", name], ["goal", goal], ["reward", reward], ["missing", missing]])) if (f.get()) request[key] = f.get();
    try {
      const made = await api.post(`logs/${api.part(state.log)}/problem`, request);
      Object.assign(state, { problem: made.problem.problem, train: "", test: "", plan: "" });
      note();
      await chooseProblem(state.problem);
      say(`The problem ${state.problem} was made.`);
      train.scrollIntoView({ block: "start" });
      trainButton.focus({ preventScroll: true });
    } catch (x) {
      const said = String(/** @type {any} */ (x).message), names = (/** @type {any} */ x, /** @type {RegExp} */ flag) => flag.test(said) || (x.get() !== "" && said.includes(x.get()));
      const f = names(goal, /goal/) ? goal : names(reward, /reward/) ? reward : null;
      if (f) {
        f.fail(sentence(said.replace(`made: ${f.get()}: `, "")));
        f.control.focus();
      } else if (!table.fail(sentence(said))) fill(trouble.make, refused(x));
    }
  }
  async function problems() {
    const all = (await listing()).filter((p) => p.source === "uploaded" && p.network_file), chosen = all.find((p) => p.problem === state.problem);
    what.textContent = chosen ? `${chosen.state_bits} state bits, ${chosen.action_bits} action bits; ${chosen.network ? "network " + chosen.network : "no network yet"}${chosen.data ? "; data in " + chosen.data : ""}.` : "";
    fill(which.control, h("option", { value: "" }, all.length ? "choose …" : "none yet: make one of a log"), all.map((p) => h("option", { value: p.problem }, p.problem + (untrained(p) ? " (no network yet)" : ""))));
    which.set(state.problem);
    trainButton.disabled = !which.get();
    return chosen;
  }
  /** @param {string} problem */
  async function chooseProblem(problem) {
    if (problem !== state.problem) Object.assign(state, { train: "", test: "", plan: "" });
    state.problem = problem;
    note();
    for (const s of [result, errors, rows]) s.hidden = true;
    old.answers("");
    live.clear();
    testing.clear();
    const entry = await problems();
    if (!entry?.network) await next.show(null);
    if (!problem) return;
    await Promise.all([contradictions(), entry?.network ? network() : null]);
  }
  const widths = () => hidden.get().split(/[,;\s]+/).filter((/** @type {string} */ t) => t).map(Number);
  /** The request of a job with the settings of training. */
  const training = () => ({ kind: "train", problem: state.problem, ...(epochs.get() && { epochs: Number(epochs.get()) }), ...(seed.get() && { seed: Number(seed.get()) }), ...(recipe.get() && { recipe: recipe.get() }), ...(widths().length && { hidden: widths() }) });
  /** Checks numbers before they are sent. */
  function valid() {
    let ok = true;
    for (const f of [epochs, seed]) {
      const wrong = f.get() && !/^[0-9]+$/.test(f.get());
      f.fail(wrong ? `“${f.get()}” is not a whole number.` : null);
      ok &&= !wrong;
    }
    const wrong = widths().some((/** @type {number} */ n) => !Number.isInteger(n) || n < 1);
    hidden.fail(wrong ? "Write whole numbers with commas between them, such as 64, 64." : null);
    return ok && !wrong;
  }
  async function learn() {
    fill(trouble.train);
    if (!valid()) return;
    old.drop();
    await begin(training());
  }
  /** @param {any} request */
  async function begin(request) {
    old.answers(question(request), "form");
    curves = new Map();
    fill(plot);
    for (const s of [result, errors]) s.hidden = true;
    testing.clear();
    next.show(null);
    try {
      state.train = (await live.begin(request)).job;
      state.test = "";
      note();
    } catch (x) {
      const said = String(/** @type {any} */ (x).message), f = /epochs/.test(said) ? epochs : /hidden/.test(said) ? hidden : /seed/.test(said) ? seed : null;
      if (f) f.fail(sentence(said));
      else fill(trouble.train, refused(x));
    }
  }
  /** Sets the form as a job was asked. @param {any} request */
  function restore(request) {
    for (const [key, f] of /** @type {[string, any][]} */ ([["recipe", recipe], ["epochs", epochs], ["seed", seed], ["hidden", hidden]])) f.set(String(request[key] ?? ""));
    old.answers(question(training()), "form");
  }
  /** @param {any} event @param {string} kind */
  function curve(event, kind) {
    if (!["epoch", "cell", "output", "prune", "phase"].includes(kind)) return;
    const x = kind === "epoch" || kind === "cell" ? event.done ?? 0 : event.seconds ?? 0;
    const put = (/** @type {string} */ n, /** @type {any} */ y) => {
      if (typeof y !== "number") return;
      const points = curves.get(n) ?? [];
      points.push([x, y]);
      curves.set(n, points);
    };
    if (kind === "epoch" || kind === "cell") {
      put("loss", event.loss);
      if (event.rows) put("wrong rows, %", (100 * (event.wrong ?? 0)) / event.rows);
      if (typeof event.held_out === "number") put("wrong held-out rows, %", 100 * (1 - event.held_out));
    } else if (kind === "output") put("outputs found", event.done);
    timer ||= window.setTimeout(drawCurves, 150);
  }
  function drawCurves() {
    timer = 0;
    const one = (/** @type {string} */ label, /** @type {string} */ x, /** @type {string[]} */ names) => {
      const used = names.filter((n) => curves.get(n)?.length);
      return used.length ? lines({ label, x, zero: true, lines: used.map((n) => ({ name: n, points: curves.get(n) ?? [] })) }) : null;
    };
    fill(plot, one("Loss by epoch", "epochs", ["loss"]), one("Wrong rows by epoch", "epochs", ["wrong rows, %", "wrong held-out rows, %"]), one("Outputs found", "seconds", ["outputs found"]));
  }
  /** The reward that was learned, and what it misses. @param {any} r */
  function rewarded(r) {
    const examples = r.missed.slice(0, 3).map((/** @type {any} */ m) => `${m.reward} at line ${m.line}, not ${m.learned}`).join(", ");
    const says = r.wrong === null ? `it is off by ${number(r.error)} on average in ${counted(r.rows, "row")}` : r.wrong === 0 ? `it is that of all ${counted(r.rows, "row")}` : `${r.wrong} of ${counted(r.rows, "row")} have another: ${examples}`;
    return h("p", { class: "note " + (r.wrong === 0 ? "good" : "warn") }, h("strong", {}, "Learned reward: "), h("code", {}, r.reward), `; ${says}.`);
  }
  /** @param {any} job */
  async function trained(job) {
    drawCurves();
    if (job.result) await learned(job);
    old.ended();
  }
  /** Shows what a job has learned. @param {any} job */
  async function learned(job) {
    await problems();
    const t = job.result;
    const first = t.held_out ?? t.train;
    await network(h("div", {}, h("div", { class: "note " + (useless(first) ? "bad" : first.wrong || t.train.wrong ? "warn" : "good") },
      useless(first) && h("p", {}, h("strong", {}, "The network is no better than predicting that nothing changes.")),
      t.held_out ? h("p", {}, h("strong", {}, `Rows held out: ${errorsOf(t.held_out)}`)) : h("p", {}, `No row was held out, since ${t.held_out_why}.`),
      h("p", {}, `Training rows: ${errorsOf(t.train)}`)),
      t.reward && rewarded(t.reward), doubts(t), leavings(job)), job.command);
    say(`Training: Done. ${t.held_out ? "Rows held out" : "Training rows"}: ${errorsOf(first)}`);
    if (state.test) await testing.resume(state.test);
    else measure();
    await contradictions();
  }
  async function measure() {
    try {
      const data = (await listing()).find((p) => p.problem === state.problem)?.data;
      state.test = (await testing.begin({ kind: "test", problem: state.problem, ...(data ? { data } : {}) })).job;
      note();
    } catch (x) {
      fill(errors, h("h2", {}, "Errors by fluent"), refused(x));
      errors.hidden = false;
    }
  }
  /** @param {HTMLElement} [above] @param {string} [command] that has trained it */
  async function network(above, command) {
    try {
      await next.show((await listing()).find((p) => p.problem === state.problem), command);
      const n = await api.get(`problems/${api.part(state.problem)}/network`);
      fill(result, h("h2", {}, "4. What was learned"), above, h("div", { class: "row" }, h("a", { class: "button", href: "#plan?problem=" + api.part(state.problem) }, "Plan with it"),
        !above && h("button", { type: "button", onclick: measure }, "Measure its errors")), h("h3", {}, "Structure"), structure(n));
    } catch (x) {
      fill(result, h("h2", {}, "4. What was learned"), above, refused(x));
    }
    result.hidden = false;
  }
  /** @param {any} job */
  function tested(job) {
    if (!job.result) return;
    const r = job.result;
    const kinds = /** @type {[any, string][]} */ ([[r.rows === undefined ? null : r, "on the data"], [r.legal, "on all legal rows"], [r.drawn, "on legal rows drawn at random"]]);
    fill(errors, h("h2", {}, "Errors by fluent"), kinds.map(([m, words]) => {
      if (!m) return null;
      const fluents = /** @type {[string, any][]} */ (Object.entries(m.fluents)), far = fluents.some(([, f]) => f.rms !== undefined);
      const head = ["Fluent", "Wrong", "Best of any function", "If nothing changed", ...(far ? ["RMS error", "RMS if nothing changed", "95 % are below"] : [])];
      return wide(`Errors ${words}`, useless(m) && h("p", { class: "note bad" }, `The network is no better ${words} than predicting that nothing changes.`),
        h("table", { class: "table" }, h("caption", {}, `Errors ${words}: ${errorsOf(m)}`),
          h("thead", {}, h("tr", {}, head.map((t, i) => h("th", { scope: "col", class: i ? "number" : null }, t)))),
          h("tbody", {}, fluents.map(([name, f]) => h("tr", { class: f.wrong ? "differs" : "" }, h("th", { scope: "row" }, name),
            [f.wrong, f.floor, f.unchanged].map((n) => h("td", { class: "number" }, percent(n / m.rows))),
            far && [f.rms, f.rms_unchanged, f.p95].map((x) => h("td", { class: "number" }, x === undefined ? "" : `${number(Number(x.toPrecision(3)))} ${f.unit ?? ""}`)))))),
        m.out_of_range > 0 && h("p", { class: "note warn" }, `${counted(m.out_of_range, "row has", "rows have")} values out of range`,
          m.outside?.length ? ", such as " + m.outside.slice(0, 3).map((/** @type {any} */ o) => `${o.column} ${o.value} in line ${o.line} (expected ${o.expected})`).join("; ") : "", "."));
    }), r.courses && compared(r.courses), r.unlisted && h("p", { class: "hint" }, `All legal rows were not listed: ${r.unlisted}.`));
    errors.hidden = false;
  }
  async function contradictions() {
    try {
      const c = await api.get(`problems/${api.part(state.problem)}/contradictions`), all = c.contradictions ?? [];
      fill(rows, h("h2", {}, "Contradictory rows"), h("p", {}, all.length ? `${counted(all.length, "pair")} of a state and an action had different next states. No network can predict both; a missing column or a bin edge may tell them apart.` : "There are none: equal states and actions always had equal next states."),
        all.length > 0 && wide("Contradictory rows", h("table", { class: "table" }, h("caption", { class: "hidden" }, "Contradictory rows"), h("thead", {}, h("tr", {}, ["State and action", "Next states, with rows"].map((t) => h("th", { scope: "col" }, t)))),
          h("tbody", {}, all.slice(0, 100).map((/** @type {any} */ x) => h("tr", {}, h("td", {}, x.state), h("td", {}, x.next.map((/** @type {any} */ n) => h("p", {}, outcome(n)))))))))
        , all.length > 100 && h("p", { class: "hint" }, `The first 100 of ${number(all.length)} are shown.`));
      rows.hidden = false;
    } catch {
      rows.hidden = true; // the problem has no data
    }
  }
  return {
    /** @param {URLSearchParams} params */
    async show(params) {
      const before = { ...state };
      state.log = params.get("log") ?? state.log;
      await Promise.all([logs(), problems()]);
      if (state.log && state.log !== shownLog) await chooseLog(state.log);
      const problem = params.get("problem") ?? "";
      if (problem && problem !== before.problem) {
        await chooseProblem(problem);
        state.train = params.get("train") ?? "";
        state.test = params.get("test") ?? "";
        state.plan = params.get("plan") ?? "";
        note();
        if (state.train) await live.resume(state.train).then((j) => restore(j.request)).catch(() => live.clear());
        else if (state.test) await testing.resume(state.test).catch(() => testing.clear());
        if (state.plan) await next.recall(state.plan).catch(() => {}); // it was removed
      }
    },
  };
}

/** The errors on some rows in words. @param {any} m */
const errorsOf = (m) => `${percent(m.row_error)} of ${counted(m.rows, "row")} have a wrong next state. The best function of these columns has ${percent(m.floor / m.rows)}, predicting that nothing changes ${percent(m.unchanged / m.rows)}.`;

/** Whether a network is no better than predicting that nothing changes. @param {any} m */
const useless = (m) => m.wrong > 0 && m.wrong >= m.unchanged;

/** One of several next states, with how often it was seen. @param {{values: string, rows: number, lines: number[]}} n */
const outcome = (n) => `${n.values} (${counted(n.rows, "row")}: ${n.lines.slice(0, 5).join(", ")}${n.rows > 5 ? ", …" : ""})`;
