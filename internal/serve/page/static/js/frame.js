// The frame of the page: light or dark, the link to the content, and a focus that is never lost.

const key = "fdplan-theme";

/** Light or dark: as the system is, unless chosen here. @param {HTMLSelectElement} choice */
function theme(choice) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  function apply() {
    const chosen = choice.value;
    document.documentElement.dataset.theme = chosen === "auto" ? (dark.matches ? "dark" : "light") : chosen;
  }
  try {
    choice.value = localStorage.getItem(key) ?? "auto";
  } catch { /* storage is turned off */ }
  choice.addEventListener("change", () => {
    try {
      localStorage.setItem(key, choice.value);
    } catch { /* the choice lasts until the page is left */ }
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}

/** When what has the focus is removed or hidden, the nearest part of the page around it gets it. @param {HTMLElement} main */
function keep(main) {
  /** @type {HTMLElement[]} what has the focus, and what that is in */
  let around = [];
  document.addEventListener("focusin", (e) => {
    around = [];
    for (let x = /** @type {HTMLElement|null} */ (e.target); x && x !== document.body; x = x.parentElement) around.push(x);
  });
  // Whoever presses beside all controls means to leave them.
  document.addEventListener("pointerdown", (e) => { if (!document.activeElement?.contains(/** @type {Node} */ (e.target))) around = []; });
  function check() {
    if (document.activeElement !== document.body || !around.length) return;
    const near = around.find((x) => x.isConnected && x.getClientRects().length > 0 && x !== around[0]), to = /** @type {HTMLElement} */ (near?.tagName === "DETAILS" ? near.querySelector("summary") : near) ?? main;
    if (to.tabIndex < 0) to.tabIndex = -1;
    to.focus({ preventScroll: true });
  }
  new MutationObserver(check).observe(main, { childList: true, subtree: true, attributeFilter: ["hidden", "disabled", "open"] });
  document.addEventListener("focusout", (e) => { if (!e.relatedTarget) setTimeout(check); });
}

/** Brings the frame to life. @returns {HTMLElement} the place of the content */
export function frame() {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  document.getElementById("skip")?.addEventListener("click", (e) => {
    e.preventDefault(); // the fragment is the state of the view
    main.focus();
  });
  theme(/** @type {HTMLSelectElement} */ (document.getElementById("theme")));
  keep(main);
  return main;
}
