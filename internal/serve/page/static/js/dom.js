// Elements of the page. Text is always set as text, never parsed as HTML.

const svgSpace = "http://www.w3.org/2000/svg";

/** @typedef {Node|string|number|null|undefined|false} Child */

/**
 * Sets attributes: functions become listeners of the event after "on", true and false set and
 * omit an attribute, "value" and "checked" are properties.
 * @param {Element} element
 * @param {Object<string, any>} attributes
 */
function assign(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * Creates an HTML element.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Child|Child[])} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  element.append(...nodes(children));
  assign(element, attributes);
  return element;
}

/** What scrolls sideways where it is too wide, such as a table; keys scroll it, too. @param {string} label @param {...(Child|Child[])} children */
export const wide = (label, ...children) => h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label }, ...children);

/**
 * Creates an SVG element.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Child|Child[])} children
 * @returns {any}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(svgSpace, tag);
  element.append(...nodes(children));
  assign(element, attributes);
  return element;
}

/** @param {(Child|Child[])[]} children */
function nodes(children) {
  return children.flat().filter((c) => c !== null && c !== undefined && c !== false).map((c) => (c instanceof Node ? c : String(c)));
}

/**
 * Parses SVG elements that the server has drawn.
 * @param {string} markup elements without the svg element around them
 * @returns {Element} a group that contains them
 */
export function drawn(markup) {
  const parsed = new DOMParser().parseFromString(`<g xmlns="${svgSpace}">${markup}</g>`, "image/svg+xml");
  return /** @type {Element} */ (document.importNode(parsed.documentElement, true));
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child|Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * Announces a text to screen readers.
 * @param {string} text
 */
export function say(text) {
  const place = document.getElementById("say");
  if (place && place.textContent !== text) place.textContent = text;
}

/**
 * A listener that acts once at a time. A button that acts is not disabled meanwhile: it has the focus.
 * @param {(e: any) => Promise<any>} act
 */
export function once(act) {
  let acting = false;
  return async (/** @type {any} */ e) => {
    e.preventDefault();
    if (acting) return;
    const button = e.submitter ?? e.currentTarget;
    acting = true;
    button.setAttribute("aria-disabled", "true");
    await act(e).finally(() => {
      acting = false;
      button.removeAttribute("aria-disabled");
    });
  };
}

let names = 0;

/** Returns an identifier that no other element has. */
export function id() {
  names++;
  return "e" + names;
}

/**
 * Returns a function that calls f once, after it was not called for some time.
 * @template {any[]} T
 * @param {number} milliseconds
 * @param {(...args: T) => void} f
 */
export function calm(milliseconds, f) {
  let timer = 0;
  return (/** @type {T} */ ...args) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => f(...args), milliseconds);
  };
}

/**
 * Calls f at once, but where it was called fifty times within ten seconds not before it is left alone for a tenth of a second: a
 * browser takes only so many changes of the address.
 * @param {() => void} f
 */
export function sparing(f) {
  /** @type {number[]} */
  let calls = [];
  const later = calm(100, f);
  return () => {
    const now = performance.now();
    calls = calls.filter((at) => now - at < 10_000);
    if (calls.length >= 50) {
      later();
      return;
    }
    calls.push(now);
    f();
  };
}
