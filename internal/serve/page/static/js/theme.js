// Light or dark: as the system is, unless chosen here.

const key = "fdplan-theme";

/** @param {HTMLSelectElement} choice */
export function theme(choice) {
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
