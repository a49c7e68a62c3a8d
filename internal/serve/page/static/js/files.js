// Files of the server. A link or a picture cannot send the key of the session, so the page
// fetches them itself.

import * as api from "./api.js";
import { h, once } from "./dom.js";
import { refused } from "./field.js";

/**
 * A button that downloads a file.
 * @param {string} text @param {string} path below the interface @param {string} name of the file @param {any} [asked] sent, for a file that is made then
 */
export function download(text, path, name, asked) {
  const button = h("button", { type: "button", class: "small", onclick: once(async () => {
    try {
      const at = await api.file(path, asked);
      h("a", { href: at, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(at), 60_000);
    } catch (e) {
      button.after(refused(e));
    }
  }) }, text);
  return button;
}

/** A picture. @param {string} path below the interface @param {string} alt */
export function picture(path, alt) {
  const img = h("img", { alt, onload: () => URL.revokeObjectURL(img.src) });
  api.file(path).then((at) => { img.src = at; }, () => {}); // the text stands for it
  return img;
}
