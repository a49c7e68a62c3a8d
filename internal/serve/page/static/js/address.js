// The state of the page is in the fragment of its address, such as
// #plan?problem=navigation%2F3x3&horizon=4, so that a reload or a link shows the same.

/** @typedef {{view: string, params: URLSearchParams}} Place */

/** @type {Map<string, string>} the last parameters of each view */
const last = new Map();

/** @returns {Place} */
export function read() {
  const [view, query = ""] = location.hash.slice(1).split("?", 2);
  return { view, params: new URLSearchParams(query) };
}

/** @param {string} view @param {URLSearchParams} params */
function fragment(view, params) {
  const query = params.toString();
  return "#" + view + (query ? "?" + query : "");
}

/**
 * Records the parameters of a view, without a new entry in the history.
 * @param {string} view
 * @param {URLSearchParams} params
 */
export function write(view, params) {
  last.set(view, params.toString());
  if (read().view === view && location.hash !== fragment(view, params)) history.replaceState(null, "", fragment(view, params));
  links();
}

/** Lets the links to the views keep each view's state, and the problem that is chosen. */
export function links() {
  const problem = read().params.get("problem");
  for (const a of document.querySelectorAll("#views a")) {
    const view = /** @type {HTMLElement} */ (a).dataset.view ?? "";
    const params = new URLSearchParams(last.get(view) ?? "");
    if (problem && !["learn", "results", "help"].includes(view) && params.get("problem") !== problem) {
      for (const name of [...params.keys()]) params.delete(name);
      params.set("problem", problem);
    }
    a.setAttribute("href", fragment(view, params));
  }
}
