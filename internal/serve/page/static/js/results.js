// The view Results: benches with their journals and reports, and the jobs of the server.

import * as address from "./address.js";
import * as api from "./api.js";
import { fill, h, once, say, wide } from "./dom.js";
import { check, input, refused, sentence } from "./field.js";
import { download } from "./files.js";
import { ended, monitor } from "./job.js";
import { markdown } from "./markdown.js";
import { paramsOf } from "./setup.js";
import { list } from "./virtual.js";
import { counted, moment, number } from "./words.js";

/** Jobs are read again after this time, in milliseconds. */
const refresh = 3000;

/**
 * @param {HTMLElement} root
 * @param {any} server
 */
export function view(root, server) {
  let chosen = "", job = "";
  /** @type {() => void} */
  let close = () => {};
  const trouble = h("div", {}), benches = h("div", {}), jobs = h("div", {});
  const engines = input("Engines", `Such as search, pb. The server has ${server.engines.filter((/** @type {string} */ e) => e !== "auto").join(", ")}.`, { placeholder: "all" });
  const tables = input("Tables", "Such as figure1, engines.", { placeholder: "all" }), total = input("Time limit", "Such as 10m.", { placeholder: "none" });
  const quick = check("Quick", "Less than five minutes: short limits and the smaller problems.");
  quick.set("1");
  const begin = h("button", { type: "submit", class: "primary" }, "Start the bench");
  const form = h("form", { class: "card side", "aria-label": "Start a bench", novalidate: true, onsubmit: once(submit) }, h("h2", {}, "Start a bench"), h("p", { class: "hint" }, "The paper's experiments on this machine."), quick.element, engines.element, tables.element, total.element, trouble, h("div", { class: "row" }, begin));
  const live = monitor({ label: "Bench", several: true, done: async () => {
    await Promise.all([readBenches(), readJobs()]);
    if (chosen) await open(chosen); // its journal and report are complete now
  } });
  /** @type {any[]} */
  let runs = [];
  const rows = list({ label: "Runs", height: 34, render(i, item) {
    const r = runs[i];
    item.title = [r.id, r.error].filter((t) => t).join(": ");
    fill(item, h("span", { class: "at" }, i + 1), h("span", { class: "text" }, `${r.problem || (r.kind ?? "run")}${r.horizon ? " H " + r.horizon : ""} ${r.engine ?? r.recipe ?? ""}${r.encoding ? " " + r.encoding : ""}: ${r.status ?? "done"}${typeof r.reward === "number" ? ", reward " + number(r.reward) : ""}${typeof r.seconds === "number" && r.seconds > 0 ? `, ${number(r.seconds)} s` : ""}`));
  } });
  const count = h("p", { class: "hint", "aria-live": "polite" }), report = h("div", {});
  const detail = h("section", { class: "card", "aria-label": "Journal and report", hidden: true }, h("h2", {}, "Journal"), count, rows.element, report);
  fill(root, h("h1", {}, "Results"), h("p", { class: "intro" }, "Benches with their journals and reports, and every job of this server."),
    h("div", { class: "columns" }, form, h("div", {}, live.element, h("section", { class: "card", "aria-label": "Benches" }, h("h2", {}, "Benches"), benches), detail, h("section", { class: "card", "aria-label": "Jobs" }, h("h2", {}, "Jobs"), jobs))));

  function note() {
    const p = new URLSearchParams();
    if (chosen) p.set("result", chosen);
    if (job) p.set("job", job);
    address.write("results", p);
  }
  async function submit() {
    fill(trouble);
    const request = /** @type {Object<string, any>} */ ({ kind: "bench", quick: quick.get() === "1" });
    const words = (/** @type {any} */ f) => f.get().split(/[,\s]+/).filter((/** @type {string} */ t) => t);
    if (words(engines).length) request.engines = words(engines);
    if (words(tables).length) request.tables = words(tables);
    if (total.get()) request.total_time = total.get();
    for (const f of [engines, tables, total]) f.fail(null);
    try {
      job = (await live.begin(request)).job;
      note();
      await Promise.all([readBenches(), readJobs()]);
    } catch (x) {
      const said = String(/** @type {any} */ (x).message), f = /engine/.test(said) ? engines : /table/.test(said) ? tables : /time/.test(said) ? total : null;
      if (f) f.fail(sentence(said));
      else fill(trouble, refused(x));
    }
  }
  async function readBenches() {
    const all = (await api.get("results")).results;
    fill(benches, all.length ? wide("Benches", h("table", { class: "table" }, h("caption", { class: "hidden" }, "Benches"), h("thead", {}, h("tr", {}, ["Bench", "Runs", "Last change"].map((t, i) => h("th", { scope: "col", class: i === 1 ? "number" : null }, t)))), h("tbody", {}, all.map((/** @type {any} */ r) =>
      h("tr", {}, h("th", { scope: "row" }, h("a", { href: "#results?result=" + api.part(r.result), "aria-current": r.result === chosen ? "true" : null }, r.result), r.live && [" ", h("span", { class: "badge live" }, "running")]), h("td", { class: "number" }, r.runs), h("td", {}, moment(r.updated))))))) :
      h("p", { class: "hint" }, "There is none yet. Start one here, or start the server with the folder of a bench."));
  }
  async function readJobs() {
    const all = (await api.get("jobs?limit=100")).jobs;
    fill(jobs, all.length ? wide("Jobs", h("table", { class: "table" }, h("caption", { class: "hidden" }, "Jobs"), h("thead", {}, h("tr", {}, ["Job", "State", "Begun", "Action"].map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, all.map(jobRow)))) : h("p", { class: "hint" }, "There is none yet."));
  }
  /** @param {any} j */
  function jobRow(j) {
    const views = /** @type {Object<string, string>} */ ({ plan: j.request?.incremental ? "run" : "plan", run: "run", learn: "run", train: "learn", bench: "results" });
    const name = `${j.kind} ${j.problem ?? ""}${j.label ? ", " + j.label : ""}`.trim(), to = views[j.kind];
    const settings = paramsOf(j.request);
    settings.set("job", j.job);
    const place = to === "learn" ? `#learn?problem=${api.part(j.problem)}&train=${api.part(j.job)}` : to === "results" ? `#results?job=${api.part(j.job)}` : `#${to}?${settings}`;
    const over = ended(j);
    const act = h("button", { type: "button", class: "small", "aria-label": `${over ? "Remove" : "Stop"} ${name}`, onclick: once(async () => {
      try {
        await api.remove(`jobs/${api.part(j.job)}${over ? "?remove=true" : ""}`);
        say(over ? "The job was removed." : "The job was stopped.");
      } catch (x) {
        fill(trouble, refused(x));
      }
      await readJobs();
    }) }, over ? "Remove" : "Stop");
    const kind = j.status === "done" ? "good" : j.status === "failed" ? "bad" : over ? "" : "live";
    return h("tr", {}, h("th", { scope: "row" }, to ? h("a", { href: place }, name) : name), h("td", {}, h("span", { class: "badge " + kind }, j.status), " ", j.verdict ?? j.error?.error ?? ""), h("td", {}, moment(j.started ?? j.created)), h("td", {}, act));
  }
  /** @param {string} result */
  async function open(result) {
    close();
    runs = [];
    rows.resize(0);
    fill(report);
    detail.hidden = !result;
    if (!result) return;
    let offset = 0;
    for (;;) {
      const page = await api.get(`results/${api.part(result)}/runs?offset=${offset}&limit=1000`);
      runs.push(...page.runs);
      offset = page.next;
      if (page.complete || !page.runs.length) break;
    }
    told();
    rows.resize(runs.length);
    const known = (await api.get("results")).results.find((/** @type {any} */ r) => r.result === result);
    if (known?.live) {
      let seen = 0;
      const skip = runs.length;
      close = api.follow(`results/${api.part(result)}/events`, (run, kind) => {
        if (kind !== "run") return;
        seen++;
        if (seen <= skip) return;
        runs.push(run);
        told();
        rows.resize(runs.length);
      });
    }
    try {
      const text = await api.text(`results/${api.part(result)}/files/report.md`);
      fill(report, h("h2", {}, "Report"), h("div", { class: "row" }, download("The report as a page (html)", `results/${api.part(result)}/report`, result + ".html")), markdown(text, (path) => `results/${api.part(result)}/files/${api.part(path.split("/").pop() ?? "")}`));
    } catch (x) {
      fill(report, h("h2", {}, "Report"), refused(x));
    }
  }
  function told() {
    count.textContent = counted(runs.length, "run");
  }
  /** @param {URLSearchParams} params */
  async function show(params) {
    const before = chosen;
    chosen = params.get("result") ?? "";
    const wanted = params.get("job") ?? "";
    await Promise.all([readBenches(), readJobs()]);
    if (wanted && wanted !== job) {
      job = wanted;
      await live.resume(job).catch(() => live.clear());
    }
    note();
    if (chosen !== before || (chosen && detail.hidden)) await open(chosen).catch((x) => { detail.hidden = false; fill(report, refused(x)); });
  }
  setInterval(() => {
    if (root.hidden || document.hidden || jobs.contains(document.activeElement)) return;
    Promise.all([readJobs(), readBenches()]).catch(() => {}); // shown again when the server is back
  }, refresh);
  return { show };
}
