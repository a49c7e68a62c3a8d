// What was learned, beside what the log says.

import { lines } from "./chart.js";
import { fill, h, wide } from "./dom.js";
import { select } from "./field.js";
import { counted, number, percent } from "./words.js";

/**
 * Predicted and logged values, row by row.
 * @param {{lines: number[], fluents: any[]}} courses of a document of `fdplan test --json`
 */
export function compared(courses) {
  const differing = (/** @type {any} */ f) => f.logged.filter((/** @type {number} */ x, /** @type {number} */ i) => x !== f.predicted[i]).length;
  const all = courses.fluents.map((f) => ({ ...f, wrong: differing(f) })).sort((a, b) => b.wrong - a.wrong), rows = courses.lines.length;
  const which = select("Fluent", all.map((f, i) => [String(i), `${f.fluent}: ${f.wrong ? `${f.wrong} of ${rows} differ` : "as logged"}`]));
  const place = h("div", {});
  function draw() {
    const f = all[Number(which.get())], points = (/** @type {number[]} */ values) => values.map((y, i) => /** @type {[number, number]} */ ([i + 1, y]));
    fill(place, lines({ label: `${f.fluent}: logged and predicted`, x: `row, from line ${courses.lines[0]} to line ${courses.lines[rows - 1]} of the log`, lines: [{ name: "logged", points: points(f.logged) }, { name: "predicted from the row before", points: points(f.predicted) }] }),
      f.values && h("p", { class: "hint" }, f.values.map((/** @type {string} */ v, /** @type {number} */ i) => `${i} is ${v}`).join(", ") + "."), f.unit && h("p", { class: "hint" }, `In ${f.unit}.`));
  }
  which.control.addEventListener("change", draw);
  draw();
  return h("div", {}, h("h3", {}, "Predicted and logged"), h("p", {}, `The last ${counted(rows, "row")} of the log, each predicted from the one before. The network may have learned from them; the share of errors in rows held out is above.`), which.element, place);
}

/** What the log tells about a next value. */
const readings = /** @type {Object<string, string>} */ ({
  noise: "noisy: some records seem wrong", "hidden state": "disputed: something that is not recorded seems to decide", chance: "random", drawn: "random: drawn from all its values", drift: "changes in the course of the log",
});

/**
 * What the log disputes, does not show, or leaves to chance.
 * @param {any} t a document of `fdplan train --json`
 */
export function doubts(t) {
  const outputs = t.structure?.outputs ?? [], open = outputs.filter((/** @type {any} */ o) => o.verdict !== "exact" || (o.possible > 0 && o.cells < o.possible)), drift = t.structure?.drift;
  const told = [t.contradictory > 0 && `Disputed: ${counted(t.contradictory, "pair")} of a state and an action had several next states.`,
    t.chance && `${t.chance.reading === "chance" ? "Random" : t.chance.reading === "undecided" ? "Random, noisy or not recorded" : "Noisy"}: ${t.chance.fluents.join(", ")}; ${counted(t.chance.deviations, "row")} had another than the most likely value.`,
    t.structure?.noisy && "Noise: some records do not follow what was found.", drift && "The system seems to change in the course of the log.",
    t.incomplete > 0 && `Unknown: ${counted(t.incomplete, "row")} with an empty cell.`, t.dropped_rows > 0 && `Left out: ${counted(t.dropped_rows, "row")} of the log${t.dropped_why ? `: ${t.dropped_why}` : ""}.`].filter((x) => x);
  const table = (/** @type {string} */ caption, /** @type {string[]} */ head, /** @type {any[][]} */ rows) => rows.length > 0 && wide(caption, h("table", { class: "table" }, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((x) => h("th", { scope: "col" }, x)))), h("tbody", {}, rows.slice(0, 100).map(([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((c) => h("td", {}, c)))))));
  const error = (/** @type {any} */ e, /** @type {number} */ i) => number(e?.[i] === undefined || e[i] === null ? null : Number(e[i].toPrecision(3)));
  return h("div", {}, h("h3", {}, "What the log leaves open"), told.length ? h("ul", {}, told.map((x) => h("li", {}, x))) : h("p", {}, "No row disputes another, and none was left out."),
    table("Next values that the log disputes, or has not shown for all values that they depend on", ["Next value", "Reading", "Rows that deviate", "Cases seen"], open.map((/** @type {any} */ o) => [o.values, readings[o.verdict] ?? "", `${o.wrong} of ${o.rows}`, o.possible ? `${o.cells} of ${o.possible} (${percent(o.cells / o.possible)})` : ""])),
    table("Quantities: root mean square errors on held-out time", ["Quantity", "Next value", "One step ahead", "If nothing changed", "Several steps ahead", "If nothing changed"], (t.quantities ?? []).map((/** @type {any} */ q) =>
      [q.fluent, q.function, error(q.held_out.function, 0), error(q.held_out.unchanged, 0), error(q.held_out.function, 1), error(q.held_out.unchanged, 1)])));
}
