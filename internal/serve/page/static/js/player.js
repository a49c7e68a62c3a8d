// The picture of a plan, one step at a time, with the controls to play it.

import { drawn, fill, h, id, s, say } from "./dom.js";
import { list } from "./virtual.js";

/** @typedef {{x: number, y: number, width: number, height: number, title: string, values: string[]}} Choice */
/**
 * A picture in parts, as the server draws it.
 * @typedef {Object} Frames
 * @property {string} title
 * @property {number} width
 * @property {number} height
 * @property {string} base
 * @property {{step: string, text: string, markup: string}[]} frames
 * @property {Choice[]} choices
 * @property {string[]} notes
 */

/** From this width on, in pixels, pictures scroll rather than shrink. */
const long = 700;

/**
 * A place for a picture.
 * @param {string} label
 * @param {(values: string[]) => void} [choose] called with the initial values that were clicked
 */
export function stage(label, choose) {
  const notes = h("div", {});
  const place = h("div", { class: "stage", tabindex: "0", role: "group", "aria-label": label });
  const element = h("div", {}, place);
  /** @type {Frames|null} */
  let picture = null;
  let moving = s("g", {}), title = s("title", {});
  /** @type {any} */
  let root = null;
  /** Scrolls a wide picture to what marks the state. */
  function follow() {
    const now = moving.querySelector("[data-thing=now]");
    if (!now) return;
    const mark = now.getBoundingClientRect(), seen = place.getBoundingClientRect();
    if (mark.left < seen.left + mark.width || mark.right > seen.right - mark.width) place.scrollLeft += (mark.left + mark.right - seen.left - seen.right) / 2;
  }
  return {
    element, notes,
    /** @param {Frames|null} frames @param {HTMLElement|string} [otherwise] shown if there is no picture */
    show(frames, otherwise = "") {
      picture = frames;
      element.hidden = !frames && !otherwise;
      if (!frames) {
        fill(place, otherwise);
        fill(notes);
        return;
      }
      const focused = root ? [...root.querySelectorAll(".choice")].indexOf(document.activeElement) : -1;
      moving = s("g", {});
      title = s("title", {}, frames.title);
      const size = { width: frames.width, height: frames.height, viewBox: `0 0 ${frames.width} ${frames.height}` };
      root = s("svg", { ...size, role: choose && frames.choices.length ? "group" : "img", "aria-label": frames.title }, title, drawn(frames.base), moving);
      if (choose) root.append(choices(frames.choices, choose));
      place.classList.toggle("long", frames.width > long);
      fill(place, root);
      if (focused >= 0) root.querySelectorAll(".choice")[focused]?.focus(); // it was replaced
      fill(notes, choose && frames.choices.length > 0 && h("p", { class: "hint" }, "Click a cell to start there. With the keyboard: Tab to the cells, arrow keys, Enter."), frames.notes.map((n) => h("p", { class: "hint" }, n)));
      this.go(0);
    },
    /** @param {number} k number of the state, 0 for the start */
    go(k) {
      if (!picture || !root) return;
      const frame = picture.frames[Math.min(k, picture.frames.length - 1)];
      moving.replaceChildren(drawn(frame.markup));
      title.textContent = `${picture.title}, ${frame.step}: ${frame.text}`;
      root.setAttribute("aria-label", title.textContent);
      if (place.scrollWidth > place.clientWidth) follow();
    },
  };
}

/**
 * The areas that can be clicked, or reached with the arrow keys.
 * @param {Choice[]} all
 * @param {(values: string[]) => void} choose
 */
function choices(all, choose) {
  const areas = all.map((c, i) => s("rect", { class: "choice", x: c.x, y: c.y, width: c.width, height: c.height, rx: 5, role: "button", tabindex: i ? -1 : 0, "aria-label": c.title,
    onclick: () => choose(c.values),
    onkeydown: (/** @type {KeyboardEvent} */ e) => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        e.stopPropagation();
        choose(c.values);
        return;
      }
      const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key] ?? [0, 0];
      if (!dx && !dy) return;
      e.preventDefault();
      e.stopPropagation();
      let best = -1, nearest = Infinity;
      all.forEach((o, k) => {
        const along = (o.x - c.x) * dx + (o.y - c.y) * dy, aside = Math.abs((o.x - c.x) * dy) + Math.abs((o.y - c.y) * dx);
        if (along > 0 && along + 3 * aside < nearest) [best, nearest] = [k, along + 3 * aside];
      });
      if (best < 0) return;
      areas[i].setAttribute("tabindex", "-1");
      areas[best].setAttribute("tabindex", "0");
      areas[best].focus();
    } }, s("title", {}, c.title)));
  return s("g", { role: "group", "aria-label": "Cells to start in" }, areas);
}

/**
 * @typedef {Object} Step
 * @property {string} name the actions that lead to the state
 * @property {string} [text] the state in words
 * @property {string} [kind] classes: fails, changed
 */

/** The player that the keyboard's shortcuts are for: the one that was used last. @type {any} */
let current = null;

document.addEventListener("keydown", (e) => {
  const target = /** @type {HTMLElement} */ (e.target);
  if (!current || e.altKey || e.ctrlKey || e.metaKey || current.element.offsetParent === null) return;
  if (target.closest("input, select, textarea, [role=listbox], .grid, .stage, summary, nav")) return;
  if (e.key === " " && target.closest("button, a")) return;
  const keys = /** @type {Object<string, () => void>} */ ({
    ArrowLeft: () => current.step(-1), ArrowRight: () => current.step(1), Home: () => current.jump(0), End: () => current.jump(Infinity), " ": () => current.toggle(),
  });
  if (keys[e.key]) {
    e.preventDefault();
    keys[e.key]();
  }
});

/**
 * The controls of one or more stages, with the list of steps.
 * @param {string} label
 * @param {(k: number) => void} move shows state k
 */
export function player(label, move) {
  /** @type {Step[]} */
  let steps = [];
  let k = 0, was = 0, timer = 0; // was is the step that the list shows
  const caption = h("p", { class: "caption" });
  const button = (/** @type {string} */ text, /** @type {string} */ name, /** @type {() => void} */ act) => h("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
  const first = button("⇤", "To the start (Home)", () => jump(0)), back = button("←", "One step back (left arrow)", () => step(-1));
  const next = button("→", "One step on (right arrow)", () => step(1)), end = button("⇥", "To the end (End)", () => jump(Infinity));
  const play = h("button", { type: "button", class: "primary play", title: "Play or pause (space)", onclick: toggle }, "Play");
  const seek = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => jump(Number(seek.value)) });
  const speed = h("select", { "aria-label": "Speed", onchange: () => { if (timer) { stop(); toggle(); } } },
    h("option", { value: 1600 }, "slow"), h("option", { value: 800, selected: true }, "normal"), h("option", { value: 300 }, "fast"));
  const controls = h("div", { class: "controls", role: "toolbar", "aria-label": label }, first, back, play, next, end, seek, speed);
  const items = list({
    label: "Steps of the plan", height: 36, role: "listbox",
    render(i, item) {
      item.classList.add(...(i === k ? ["now"] : []), ...(steps[i].kind ? [steps[i].kind] : []));
      item.setAttribute("aria-selected", String(i === k));
      item.title = steps[i].name;
      fill(item, h("span", { class: "at" }, i || ""), h("span", { class: "text" }, steps[i].name));
      if (i === k) items.element.setAttribute("aria-activedescendant", item.id);
    },
    attributes: {
      onclick: (/** @type {MouseEvent} */ e) => {
        const at = /** @type {HTMLElement} */ (e.target).closest(".item");
        if (at) jump(Number(/** @type {HTMLElement} */ (at).dataset.index));
      },
      onkeydown: (/** @type {KeyboardEvent} */ e) => {
        const to = { ArrowDown: k + 1, ArrowRight: k + 1, ArrowUp: k - 1, ArrowLeft: k - 1, Home: 0, End: Infinity, PageDown: k + 10, PageUp: k - 10 }[e.key];
        if (to !== undefined) {
          e.preventDefault();
          jump(to);
        } else if (e.key === " ") {
          e.preventDefault();
          toggle();
        }
      },
    },
  });
  const self = { element: controls, controls, caption, items: items.element, show, step, jump, toggle, at: () => k };
  for (const part of [controls, items.element]) part.addEventListener("focusin", () => { current = self; });

  /** @param {boolean} quiet the reader has not asked for this step */
  function paint(quiet) {
    const at = steps[k];
    if (!at) return;
    const head = k === 0 ? "Start" : `Step ${k} of ${steps.length - 1}: ${at.name}`;
    fill(caption, h("strong", {}, head), at.text ?? "");
    if (!timer && !quiet) say(head + ". " + (at.text ?? ""));
    seek.value = k;
    seek.setAttribute("aria-valuetext", head);
    // Not disabled: a button that has the focus must keep it.
    for (const b of [first, back]) b.setAttribute("aria-disabled", String(k === 0));
    for (const b of [next, end]) b.setAttribute("aria-disabled", String(k === steps.length - 1));
    for (const i of [was, k]) items.refresh(i);
    was = k;
    items.reveal(k);
    move(k);
  }
  /** @param {number} to @param {boolean} [quiet] */
  function set(to, quiet = false) {
    k = Math.max(0, Math.min(steps.length - 1, to));
    paint(quiet);
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }
  function toggle() {
    current = self;
    if (timer) {
      stop();
      return;
    }
    if (k === steps.length - 1) set(0);
    play.textContent = "Pause";
    timer = window.setInterval(() => {
      set(k + 1);
      if (k === steps.length - 1) stop();
    }, Number(speed.value));
  }
  /** @param {number} to */
  function jump(to) {
    current = self;
    stop();
    set(to);
  }
  /** @param {number} by */
  function step(by) {
    jump(k + by);
  }
  /** @param {Step[]} all @param {number} [at] */
  function show(all, at = 0) {
    stop();
    steps = all;
    current = self;
    seek.max = Math.max(0, all.length - 1);
    items.resize(all.length);
    set(at, true); // what is said then is the verdict
  }
  controls.id = id();
  return self;
}
