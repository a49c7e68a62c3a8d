// Small charts, drawn by hand as SVG.

import { h, s } from "./dom.js";
import { number } from "./words.js";

/** @typedef {{name: string, points: [number, number][], stairs?: boolean}} Line */

const width = 560, height = 190, left = 54, right = 12, top = 10, bottom = 40;

/** Round values between two numbers, about n of them. @param {number} lo @param {number} hi @param {number} n */
function ticks(lo, hi, n) {
  const rough = (hi - lo) / Math.max(1, n) || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((m) => m >= rough) ?? unit;
  const out = [];
  for (let x = Math.ceil(lo / step - 1e-9) * step; x <= hi + step * 1e-6; x += step) out.push(Number(x.toPrecision(10)));
  return out;
}

/**
 * Draws lines over a common axis.
 * @param {{label: string, x: string, lines: Line[], zero?: boolean, until?: number}} chart
 * @returns {HTMLElement}
 */
export function lines(chart) {
  const used = chart.lines.filter((l) => l.points.length > 0);
  const xs = used.flatMap((l) => l.points.map((p) => p[0])), ys = used.flatMap((l) => l.points.map((p) => p[1]));
  let [x0, x1] = [Math.min(0, ...xs), Math.max(...xs, chart.until ?? 0)], [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  if (!used.length) [x0, x1, y0, y1] = [0, 1, 0, 1];
  if (chart.zero) y0 = Math.min(0, y0);
  if (x1 === x0) x1 = x0 + 1;
  const spare = (y1 - y0) * 0.08 || Math.max(1, Math.abs(y1) * 0.1);
  if (!chart.zero) y0 -= spare;
  y1 += spare;
  const X = (/** @type {number} */ x) => left + ((x - x0) / (x1 - x0)) * (width - left - right);
  const Y = (/** @type {number} */ y) => height - bottom - ((y - y0) / (y1 - y0)) * (height - top - bottom);
  const last = used.map((l) => `${l.name} ${number(l.points[l.points.length - 1][1])}`).join(", ");
  const out = s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${chart.label}: ${last || "nothing yet"}` }, s("title", {}, chart.label));
  for (const y of ticks(y0, y1, 4)) out.append(s("path", { class: "axis", d: `M${left} ${Y(y)}H${width - right}` }), s("text", { x: left - 6, y: Y(y) + 4, "text-anchor": "end" }, number(y)));
  for (const x of ticks(x0, x1, 5)) out.append(s("text", { x: X(x), y: height - bottom + 16, "text-anchor": "middle" }, number(x)));
  out.append(s("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, chart.x));
  chart.lines.forEach((l, i) => {
    if (!l.points.length) return;
    let d = "", before = 0;
    l.points.forEach(([x, y], k) => {
      d += k === 0 ? `M${X(x)} ${Y(y)}` : l.stairs ? `H${X(x)}V${Y(y)}` : `L${X(x)} ${Y(y)}`;
      before = Y(y);
    });
    if (l.stairs) d += `H${X(x1)}`;
    out.append(s("path", { class: `line line${i}`, d }));
    if (l.points.length === 1 || l.stairs) out.append(s("circle", { class: `dot${i}`, cx: l.stairs ? X(x1) : X(l.points[0][0]), cy: before, r: 2.5, fill: "none", "stroke-width": 2 }));
  });
  const names = h("ul", { class: "legend", "aria-hidden": "true" }, chart.lines.map((l, i) =>
    h("li", {}, s("svg", { class: "chart-key chart", width: 26, height: 8, viewBox: "0 0 26 8" }, s("path", { class: `line line${i}`, d: "M1 4H25" })), l.name)));
  return h("figure", { class: "plot" }, out, names);
}

/**
 * Draws a histogram, with lines where bins are cut.
 * @param {{label: string, edges: number[], counts: number[], cuts?: number[]}} data
 */
export function histogram(data) {
  const w = 320, hgt = 78, foot = 16, highest = Math.max(1, ...data.counts);
  const lo = data.edges[0], hi = data.edges[data.edges.length - 1], X = (/** @type {number} */ x) => ((x - lo) / (hi - lo || 1)) * w;
  const out = s("svg", { class: "chart", viewBox: `0 0 ${w} ${hgt}`, role: "img", "aria-label": data.label }, s("title", {}, data.label));
  data.counts.forEach((n, i) => {
    const x = X(data.edges[i]), next = X(data.edges[i + 1]), high = (n / highest) * (hgt - foot - 4);
    out.append(s("rect", { class: "bar", x: x + 0.5, width: Math.max(0.5, next - x - 1), y: hgt - foot - high, height: high },
      s("title", {}, `${number(data.edges[i])} to ${number(data.edges[i + 1])}: ${n} rows`)));
  });
  for (const c of data.cuts ?? []) if (c > lo && c < hi) out.append(s("path", { class: "cut", d: `M${X(c)} 0V${hgt - foot}` }));
  out.append(s("text", { x: 0, y: hgt - 3 }, number(lo)), s("text", { x: w, y: hgt - 3, "text-anchor": "end" }, number(hi)));
  return out;
}

/**
 * Draws how a number goes through a log, with gaps where there is none.
 * @param {{label: string, values: (number|null)[], lo: number, hi: number, unit?: string}} data
 */
export function course(data) {
  const w = 320, hgt = 56, { lo, hi } = data, n = Math.max(1, data.values.length - 1);
  const range = `${number(lo)} to ${number(hi)}${data.unit ? " " + data.unit : ""}`;
  let d = "", pen = "M";
  data.values.forEach((x, i) => {
    if (x !== null) d += `${pen}${((i / n) * w).toFixed(1)} ${(hgt - 4 - ((x - lo) / (hi - lo || 1)) * (hgt - 8)).toFixed(1)}`;
    pen = x === null ? "M" : "L";
  });
  return s("svg", { class: "chart", viewBox: `0 0 ${w} ${hgt}`, role: "img", "aria-label": `${data.label}: ${range}` }, s("title", {}, `${data.label}: ${range}`), s("path", { class: "line line0", d }));
}

/**
 * Draws how often each value occurs.
 * @param {string} label
 * @param {{value: string, count: number}[]} values
 */
export function frequencies(label, values) {
  const row = 18, shown = values.slice(0, 6), highest = Math.max(1, ...shown.map((v) => v.count));
  const out = s("svg", { class: "chart", viewBox: `0 0 320 ${row * shown.length + 2}`, role: "img", "aria-label": `${label}: ${shown.map((v) => `${v.value} ${v.count}`).join(", ")}` }, s("title", {}, label));
  shown.forEach((v, i) => {
    out.append(s("text", { x: 0, y: row * i + 13 }, v.value.length > 14 ? v.value.slice(0, 13) + "…" : v.value),
      s("rect", { class: "bar", x: 110, y: row * i + 3, height: row - 6, width: Math.max(1, (v.count / highest) * 140) }),
      s("text", { x: 256, y: row * i + 13 }, String(v.count)));
  });
  return out;
}
