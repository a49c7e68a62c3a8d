// The columns of a log: what is in them, and what they are used for.

import { course, frequencies, histogram } from "./chart.js";
import { fill, h } from "./dom.js";
import { input, select } from "./field.js";
import { counted, number, percent } from "./words.js";

/** A column as the server describes it. @typedef {any} Column */

/**
 * The list of columns with the choices of a new problem.
 * @param {{changed: () => void}} options
 */
export function columns(options) {
  const element = h("div", {});
  /** @type {{column: Column, use: any, bins: any, draw: () => void}[]} */
  let rows = [];

  /** @param {Column} c */
  function row(c) {
    const use = select(`Use of ${c.column}`, [["state", "state"], ["action", "action: planned"], ["input", "input: given, not decided"], ["entity", "name of the device"], ["episode", "number of the episode"], ["ignore", "not used"]]);
    use.set(c.use === "dropped" || c.use === "time" || c.use === "reward" ? "ignore" : c.use);
    if (c.use === "time") use.control.append(h("option", { value: "time", selected: true }, "time"));
    if (c.use === "reward") use.control.append(h("option", { value: "reward", selected: true }, "reward"));
    const bins = c.type === "real" ? input(`Bin edges of ${c.column}`, "In increasing order; the first bin begins at the first edge.") : null;
    bins?.set((c.edges ?? []).join(", "));
    const picture = h("div", {});
    function draw() {
      const cuts = bins ? edges(bins.get()) ?? [] : [];
      fill(picture, c.course && course({ label: `${c.column} through the log`, values: c.course, lo: c.min, hi: c.max, unit: c.unit }), c.histogram?.counts?.length ? histogram({ label: `How often values of ${c.column} occur`, edges: c.histogram.edges, counts: c.histogram.counts, cuts }) :
        c.frequent?.length ? frequencies(`How often values of ${c.column} occur`, c.frequent) : null);
    }
    const changed = () => {
      bins?.fail(bins.get() && !edges(bins.get()) ? "These are not increasing numbers." : null, "Write numbers with commas between them, such as 0, 200, 400.");
      draw();
      options.changed();
    };
    use.control.addEventListener("change", changed);
    bins?.control.addEventListener("change", changed);
    draw();
    rows.push({ column: c, use, bins, draw });
    const range = c.min === null || c.min === undefined ? "" : `, ${number(c.min)} to ${number(c.max)}${c.unit ? " " + c.unit : ""}`;
    return h("div", { class: "log-column" }, h("div", {}, h("h3", {}, c.column), h("p", { class: "facts" }, `${kinds[c.type ?? ""] ?? "not used"}${range}; ${counted(c.distinct, "distinct value")}`),
      h("p", { class: "facts" }, c.missing ? h("strong", {}, `${c.missing} missing (${percent(c.missing / Math.max(1, c.rows))})`) : "none missing"), c.note && h("p", { class: "facts" }, h("strong", {}, "Why: "), c.note)),
    h("div", {}, use.element, bins?.element), picture);
  }
  return {
    element,
    /** @param {Column[]} all */
    show(all) {
      rows = [];
      fill(element, all.map(row));
    },
    /** The choices as a request for a problem; null if a field is wrong. */
    get() {
      const of = (/** @type {string} */ u) => rows.filter((r) => r.use.get() === u).map((r) => r.column.column);
      /** @type {Object<string, number[]>} */
      const bins = {};
      for (const r of rows) {
        if (!r.bins || r.use.get() === "ignore") continue;
        const own = edges(r.bins.get());
        if (!own && r.bins.get()) {
          r.bins.control.focus();
          return null;
        }
        if (own && own.join() !== (r.column.edges ?? []).join()) bins[r.column.column] = own;
      }
      /** @type {Object<string, any>} */
      const out = { actions: of("action") };
      const dropped = rows.filter((r) => r.use.get() === "ignore" && r.column.use !== "dropped").map((r) => r.column.column);
      if (dropped.length) out.ignore = dropped;
      if (of("input").length) out.input = of("input");
      for (const one of ["episode", "entity"]) if (of(one).length) out[one] = of(one)[0];
      if (Object.keys(bins).length) out.bins = bins;
      return out;
    },
    /** What the columns are taken for, in words. */
    told() {
      const names = (/** @type {string} */ u) => rows.filter((r) => r.use.get() === u).map((r) => r.column.column);
      return [["Time", "time"], ["Device", "entity"], ["Episode", "episode"], ["States", "state"], ["Actions", "action"], ["Inputs", "input"], ["Reward", "reward"], ["Not used", "ignore"]]
        .map(([words, u]) => ({ words, names: names(u) })).filter((x) => x.names.length || x.words === "Actions");
    },
    /** Removes the errors that are shown. */
    clear() {
      for (const r of rows) for (const f of [r.use, r.bins]) f?.fail(null);
    },
    /** Shows a refusal beside the column that it names; false if it names none. @param {string} text */
    fail(text) {
      const found = rows.find((r) => new RegExp(`(^|[^\\w])${r.column.column.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}([^\\w]|$)`).test(text));
      (found?.bins && /bin|edge/.test(text) ? found.bins : found?.use)?.fail(text);
      found?.use.control.focus();
      return Boolean(found);
    },
  };
}

const kinds = /** @type {Object<string, string>} */ ({ bool: "true or false", int: "whole numbers", enum: "names", real: "a quantity" });

/** Reads increasing numbers; null if they are none. @param {string} text */
function edges(text) {
  const out = text.split(/[,;\s]+/).filter((t) => t).map(Number);
  return out.length > 1 && out.every((x, i) => Number.isFinite(x) && (i === 0 || x > out[i - 1])) ? out : null;
}
