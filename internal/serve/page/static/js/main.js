// The page of fdplan serve: opens a session, and shows the view that the address names.

import * as address from "./address.js";
import * as api from "./api.js";
import { fill, h } from "./dom.js";
import { input, refused } from "./field.js";
import { frame } from "./frame.js";
import * as help from "./help.js";
import * as learn from "./learn.js";
import * as plan from "./plan.js";
import * as results from "./results.js";
import * as run from "./run.js";
import * as whatif from "./whatif.js";

/** @typedef {{show: (params: URLSearchParams) => Promise<void>}} View */

const views = /** @type {Object<string, {view: (root: HTMLElement, server: any) => View, title: string}>} */ ({
  plan: { view: plan.view, title: "Plan" }, whatif: { view: whatif.view, title: "What if" }, learn: { view: learn.view, title: "Learn" },
  run: { view: run.view, title: "Run" }, results: { view: results.view, title: "Results" }, help: { view: help.view, title: "Help" },
});

const main = frame();

/** @type {Map<string, {root: HTMLElement, view: View}>} */
const open = new Map();

/** @param {any} server */
async function show(server) {
  const place = address.read(), name = views[place.view] ? place.view : "plan";
  if (name !== place.view) {
    history.replaceState(null, "", "#plan");
    return show(server);
  }
  let shown = open.get(name);
  if (!shown) {
    const root = h("div", { id: "view-" + name });
    shown = { root, view: views[name].view(root, server) };
    open.set(name, shown);
    main.append(root);
  }
  const left = [...open.values()].find(({ root }) => root !== shown?.root && root.contains(document.activeElement));
  for (const [other, { root }] of open) root.hidden = other !== name;
  if (left) { // by a link in it, whose focus goes along
    const head = /** @type {HTMLElement} */ (shown.root.querySelector("h1"));
    head.tabIndex = -1;
    head.focus();
  }
  document.title = views[name].title + " – fdplan";
  for (const a of document.querySelectorAll("#views a")) {
    if (/** @type {HTMLElement} */ (a).dataset.view === name) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  try {
    await shown.view.show(place.params);
  } catch (e) {
    shown.root.prepend(refused(e));
  }
  address.links();
}

/** Exchanges the code of the address for a session, and removes it from the address. */
async function enter() {
  const code = /^#code=([^&?]+)(?:&(.*))?$/.exec(location.hash);
  if (code) history.replaceState(null, "", "#" + (code[2] || "plan"));
  if (api.known()) {
    try {
      return await api.get("server");
    } catch (e) {
      if (!code || /** @type {any} */ (e).status !== 401) throw e;
    }
  }
  if (code) await api.enter({ code: decodeURIComponent(code[1]) });
  return api.get("server");
}

/** Asks for the token. */
function ask() {
  const token = input("Token", "fdplan serve printed it after the page's address, or it is in the file of --token-file.", { maxlength: 200, type: "password" });
  const form = h("form", { class: "card", "aria-label": "Token", onsubmit: async (/** @type {Event} */ e) => {
    e.preventDefault();
    try {
      const text = token.get(), code = /#code=([^&?]+)/.exec(text);
      await api.enter(code ? { code: code[1] } : { token: text });
      fill(main);
      await begin();
    } catch (x) {
      token.fail(/** @type {any} */ (x).message + ".");
    }
  } }, h("h1", {}, "This page needs a token"), token.element, h("button", { type: "submit", class: "primary" }, "Open"));
  fill(main, form);
  token.control.focus();
}

async function begin() {
  let server;
  try {
    server = await enter();
  } catch (e) {
    if (/** @type {any} */ (e).status === 401) ask();
    else fill(main, h("h1", {}, "fdplan"), refused(e), h("button", { type: "button", onclick: () => { fill(main); begin(); } }, "Try again"));
    return;
  }
  addEventListener("hashchange", () => show(server));
  leave.hidden = false;
  await show(server);
}

const leave = /** @type {HTMLButtonElement} */ (document.getElementById("leave"));
leave.addEventListener("click", async () => {
  await api.leave().catch(() => {}); // it has ended then, or the server has
  location.hash = "";
  location.reload();
});

begin();
