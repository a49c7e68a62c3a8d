// The structure of a network: which inputs each output depends on.

import { fill, h, s, wide } from "./dom.js";
import { counted } from "./words.js";

const row = 30, span = 220, gap = 210, most = 120;

/**
 * Draws inputs on the left, outputs on the right, and a line where an output depends on an
 * input. Beyond some outputs the picture shows those that match a text.
 * @param {{depends: {output: string, inputs: string[]}[], inputs: string[], shape: string, neurons: number, edges: number}} network
 */
export function structure(network) {
  const place = h("div", { class: "stage long", tabindex: "0", role: "group", "aria-label": "Structure of the network" }), told = h("p", { class: "hint", "aria-live": "polite" });
  const search = h("input", { type: "search", "aria-label": "Find outputs", placeholder: "Find outputs", oninput: draw });
  function draw() {
    const text = search.value.trim().toLowerCase();
    const found = network.depends.filter((d) => d.output.toLowerCase().includes(text)), shown = found.slice(0, most);
    const used = new Set(shown.flatMap((d) => d.inputs)), inputs = network.inputs.filter((n) => used.has(n));
    const high = Math.max(inputs.length, shown.length) * row + 10, width = 2 * span + gap;
    const inY = (/** @type {number} */ i) => 5 + (i + 0.5) * (high - 10) / Math.max(1, inputs.length), outY = (/** @type {number} */ i) => 5 + (i + 0.5) * (high - 10) / Math.max(1, shown.length);
    const at = new Map(inputs.map((n, i) => [n, i]));
    const svg = s("svg", { class: "structure", width, height: high, viewBox: `0 0 ${width} ${high}`, role: "group", "aria-label": "Inputs on the left, outputs on the right" });
    const lines = shown.map((d, o) => d.inputs.map((n) => {
      const y0 = inY(at.get(n) ?? 0), y1 = outY(o);
      const line = s("path", { class: "edge", d: `M${span} ${y0}C${span + gap / 2} ${y0} ${span + gap / 2} ${y1} ${span + gap} ${y1}` });
      svg.append(line);
      return { line, input: n };
    }));
    const light = (/** @type {(o: number, input: string) => boolean} */ on) => lines.forEach((all, o) => all.forEach((l) => l.line.classList.toggle("on", on(o, l.input))));
    const box = (/** @type {string} */ name, /** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ title, /** @type {(o: number, input: string) => boolean} */ on) => s("g", { class: "bit", tabindex: "0", role: "img", "aria-label": title,
      onmouseenter: () => light(on), onmouseleave: () => light(() => false), onfocus: () => light(on), onblur: () => light(() => false) },
    s("title", {}, title), s("rect", { x, y: y - 12, width: span, height: 24, rx: 5 }), s("text", { x: x + 8, y: y + 4 }, name.length > 29 ? name.slice(0, 28) + "…" : name));
    inputs.forEach((n, i) => {
      const read = shown.filter((d) => d.inputs.includes(n)).map((d) => d.output);
      svg.append(box(n, 0, inY(i), `${n}, read by ${read.join(", ")}`, (_, input) => input === n));
    });
    shown.forEach((d, o) => svg.append(box(d.output + "'", span + gap, outY(o), `next ${d.output} depends on ${d.inputs.join(", ") || "nothing"}`, (k) => k === o)));
    fill(place, svg);
    told.textContent = found.length > shown.length ? `${shown.length} of ${found.length} outputs are drawn. Find others by name.` : "";
  }
  draw();
  search.hidden = network.depends.length < 12;
  return h("div", {}, h("p", {}, `Shape ${network.shape}: ${counted(network.neurons, "neuron")}, ${counted(network.edges, "edge")}. Point at a name, or move to it with Tab, to see its lines.`), search, told, place,
    h("details", {}, h("summary", {}, "The same as a table"), wide("Inputs of each output", h("table", { class: "table" }, h("caption", { class: "hidden" }, "Inputs of each output"), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Output"), h("th", { scope: "col" }, "Inputs"))),
      h("tbody", {}, network.depends.slice(0, 500).map((d) => h("tr", {}, h("th", { scope: "row" }, d.output), h("td", {}, d.inputs.join(", ") || "none"))))))));
}
