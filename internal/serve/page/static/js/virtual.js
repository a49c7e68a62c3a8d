// Long lists and tables. Only what is visible is in the document, so that a table of 1,000
// steps and 500 variables scrolls as easily as a short one.

import { h, id } from "./dom.js";

/** Browsers limit the height of an element; beyond, lists would end early. */
const maxHeight = 8_000_000;

/**
 * @typedef {Object} List
 * @property {HTMLElement} element
 * @property {(count: number) => void} resize sets the number of items and draws again
 * @property {() => void} redraw
 * @property {(index: number) => void} refresh draws an item again, if it is shown
 * @property {(index: number) => void} reveal scrolls an item into view
 */

/**
 * A list of items of one height.
 * @param {{label: string, height: number, render: (index: number, item: HTMLElement) => void, role?: string, attributes?: Object<string, any>}} options
 * @returns {List}
 */
export function list(options) {
  const item = options.role === "listbox" ? "option" : "listitem";
  const space = h("div", { class: "space", role: "presentation" });
  const element = h("div", { class: "list", role: options.role ?? "list", "aria-label": options.label, tabindex: "0", ...options.attributes }, space);
  /** @type {Map<number, HTMLElement>} */
  const shown = new Map();
  let count = 0;
  function draw(all = false) {
    const top = element.scrollTop, height = element.clientHeight || 400;
    const from = Math.max(0, Math.floor(top / options.height) - 4), to = Math.min(count, Math.ceil((top + height) / options.height) + 4);
    for (const [i, row] of shown) {
      if (i < from || i >= to || all) {
        row.remove();
        shown.delete(i);
      }
    }
    for (let i = from; i < to; i++) {
      if (shown.has(i)) continue;
      const row = h("div", { class: "item", role: item, id: id(), "aria-setsize": count, "aria-posinset": i + 1, "data-index": i });
      row.style.top = i * options.height + "px";
      row.style.height = options.height + "px";
      options.render(i, row);
      const next = [...shown.keys()].filter((k) => k > i).sort((a, b) => a - b)[0];
      space.insertBefore(row, next === undefined ? null : shown.get(next) ?? null);
      shown.set(i, row);
    }
  }
  element.addEventListener("scroll", () => draw(), { passive: true });
  new ResizeObserver(() => draw()).observe(element);
  return {
    element,
    resize(n) {
      count = n;
      space.style.height = Math.min(maxHeight, n * options.height) + "px";
      draw(true);
    },
    redraw: () => draw(true),
    refresh(i) {
      shown.get(i)?.remove();
      if (shown.delete(i)) draw();
    },
    reveal(i) {
      const top = i * options.height;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + options.height > element.scrollTop + element.clientHeight) element.scrollTop = top + options.height - element.clientHeight;
      draw();
    },
  };
}

/**
 * @typedef {Object} Cell
 * @property {string} text
 * @property {string} [kind] classes: true, off, differs
 * @property {string} [title]
 */

/**
 * @typedef {Object} GridData
 * @property {number} rows
 * @property {number} columns
 * @property {(row: number) => string} name
 * @property {(column: number) => string} head
 * @property {(row: number, column: number) => Cell} cell
 */

const rowHeight = 28, columnWidth = 64;

/**
 * A table with a fixed head and fixed names of rows.
 * @param {string} label
 * @param {string} corner what the names of rows are
 * @returns {{element: HTMLElement, show: (data: GridData) => void, mark: (column: number) => void}}
 */
export function grid(label, corner) {
  const space = h("div", { class: "space", role: "presentation" });
  const element = h("div", { class: "grid", role: "table", "aria-label": label, tabindex: "0" }, space);
  /** @type {GridData} */
  let data = { rows: 0, columns: 0, name: () => "", head: () => "", cell: () => ({ text: "" }) };
  let now = -1, nameWidth = 160, width = columnWidth;
  /** @param {string} role @param {string} kind @param {string} text @param {number} x @param {number} y @param {number} w @param {string} [title] */
  function box(role, kind, text, x, y, w, title) {
    const c = h("div", { role, class: "cell " + kind, title }, text);
    c.style.transform = `translate(${x}px, ${y}px)`;
    c.style.width = w + "px";
    return c;
  }
  let waiting = false;
  // What is in the document: a step that is played moves the view by a column, and most cells stay.
  /** @type {Map<number, {row: HTMLElement, name: HTMLElement, cells: Map<number, HTMLElement>}>} by row; the head is -1 */
  const drawn = new Map();
  /** @param {number} r @param {number} c */
  function fresh(r, c) {
    const cell = r < 0 ? { text: data.head(c), kind: "head", title: undefined } : data.cell(r, c);
    const b = box(r < 0 ? "columnheader" : "cell", (cell.kind ?? "") + (c === now ? " now" : ""), cell.text, nameWidth + c * width, (r + 1) * rowHeight, width, cell.title);
    b.setAttribute("aria-colindex", c + 2);
    return b;
  }
  /** @param {number} r */
  function freshRow(r) {
    const name = r < 0 ? box("columnheader", "head corner", corner, 0, 0, nameWidth) : box("rowheader", "name", data.name(r), 0, 0, nameWidth, data.name(r));
    return { row: h("div", { role: "row", "aria-rowindex": r + 2 }, name), name, cells: new Map() };
  }
  function draw() {
    waiting = false;
    const left = element.scrollLeft, top = element.scrollTop;
    const firstColumn = Math.max(0, Math.floor(left / width) - 1), lastColumn = Math.min(data.columns, Math.ceil((left + element.clientWidth - nameWidth) / width) + 1);
    const firstRow = Math.max(0, Math.floor(top / rowHeight) - 1), lastRow = Math.min(data.rows, Math.ceil((top + element.clientHeight) / rowHeight));
    for (const [r, of] of drawn) {
      if (r < 0 || (r >= firstRow && r < lastRow)) continue;
      of.row.remove();
      drawn.delete(r);
    }
    let below = /** @type {HTMLElement|null} */ (null);
    for (let r = lastRow - 1; r >= firstRow - 1; r--) {
      const at = r < firstRow ? -1 : r, of = drawn.get(at) ?? freshRow(at);
      for (const [c, cell] of of.cells) {
        if (c >= firstColumn && c < lastColumn) continue;
        cell.remove();
        of.cells.delete(c);
      }
      let after = /** @type {HTMLElement|null} */ (null);
      for (let c = lastColumn - 1; c >= firstColumn; c--) {
        let cell = of.cells.get(c);
        if (!cell) {
          cell = fresh(at, c);
          of.row.insertBefore(cell, after);
          of.cells.set(c, cell);
        }
        after = cell;
        if (at < 0) cell.style.transform = `translate(${nameWidth + c * width}px, ${top}px)`;
      }
      of.name.style.transform = `translate(${left}px, ${at < 0 ? top : (at + 1) * rowHeight}px)`;
      if (!drawn.has(at)) {
        space.insertBefore(of.row, below);
        drawn.set(at, of);
      }
      below = of.row;
    }
  }
  function soon() {
    if (!waiting) requestAnimationFrame(draw);
    waiting = true;
  }
  element.addEventListener("scroll", soon, { passive: true });
  new ResizeObserver(soon).observe(element);
  return {
    element,
    show(d) {
      data = d;
      drawn.clear();
      space.replaceChildren();
      let longest = corner.length, widest = 4;
      for (let r = 0; r < Math.min(d.rows, 2000); r++) longest = Math.max(longest, d.name(r).length);
      for (let r = 0; r < Math.min(d.rows, 60); r++) for (let c = 0; c < Math.min(d.columns, 12); c++) widest = Math.max(widest, d.cell(r, c).text.length);
      nameWidth = Math.min(Math.max(90, longest * 7.4 + 16), Math.max(120, (element.clientWidth || 600) * 0.4));
      width = Math.min(180, Math.max(58, widest * 7.6 + 16));
      space.style.width = nameWidth + width * d.columns + "px";
      space.style.height = rowHeight * (d.rows + 1) + "px";
      element.style.height = Math.min(416, rowHeight * (d.rows + 1) + 18) + "px";
      element.setAttribute("aria-rowcount", String(d.rows + 1));
      element.setAttribute("aria-colcount", String(d.columns + 1));
      soon();
    },
    mark(column) {
      for (const { cells } of drawn.values()) {
        cells.get(now)?.classList.remove("now");
        cells.get(column)?.classList.add("now");
      }
      now = column;
      const x = column * width;
      if (x < element.scrollLeft) element.scrollLeft = x;
      else if (x + width > element.scrollLeft + element.clientWidth - nameWidth) element.scrollLeft = x + width - element.clientWidth + nameWidth;
      soon();
    },
  };
}
