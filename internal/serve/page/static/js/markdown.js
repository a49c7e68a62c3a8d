// The Markdown of fdplan's reports, as elements.

import { h, wide } from "./dom.js";
import { download, picture } from "./files.js";

/**
 * Renders headings, with sections folded, paragraphs, lists, tables, code, links and pictures.
 * @param {string} source
 * @param {(path: string) => string} file the address of a file that the text names
 * @returns {HTMLElement}
 */
export function markdown(source, file) {
  const out = h("div", { class: "report" });
  /** @type {HTMLElement} where the next element goes: a section is folded */
  let place = out, title = "Table";
  const lines = source.replace(/<!--[\s\S]*?-->/g, "").split("\n");
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    const block = [];
    if (!line.trim()) i++;
    else if (heading) {
      title = plain(heading[2]);
      if (heading[1].length < 3) {
        place = heading[1].length === 1 ? out : h("details", {}, h("summary", {}, inline(heading[2], file)));
        if (place !== out) out.append(place);
        else out.append(h("h3", {}, inline(heading[2], file)));
      } else place.append(h("h4", {}, inline(heading[2], file)));
      i++;
    } else if (line.startsWith("```")) {
      for (i++; i < lines.length && !lines[i].startsWith("```"); i++) block.push(lines[i]);
      i++;
      place.append(h("pre", { class: "code wide", tabindex: "0" }, block.join("\n")));
    } else if (line.startsWith("|")) {
      for (; i < lines.length && lines[i].startsWith("|"); i++) block.push(lines[i]);
      place.append(table(block, file, title));
    } else if (/^[-*] /.test(line)) {
      for (; i < lines.length && /^([-*] | {2,}\S)/.test(lines[i]); i++) {
        if (/^[-*] /.test(lines[i])) block.push(lines[i].slice(2));
        else block[block.length - 1] += " " + lines[i].trim();
      }
      place.append(h("ul", {}, block.map((t) => h("li", {}, inline(t, file)))));
    } else {
      for (; i < lines.length && lines[i].trim() && !/^(#{1,6} |```|\||[-*] )/.test(lines[i]); i++) block.push(lines[i]);
      place.append(h("p", {}, inline(block.join(" "), file)));
    }
  }
  return out;
}

/** @param {string[]} lines @param {(path: string) => string} file @param {string} title */
function table(lines, file, title) {
  const rows = lines.map((l) => l.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((c) => c.trim().replace(/\\\|/g, "|")));
  const right = rows[1]?.map((c) => c.endsWith(":")) ?? [];
  const cells = (/** @type {string} */ tag, /** @type {string[]} */ row) => h("tr", {}, row.map((c, i) => h(tag, { class: right[i] ? "number" : null, scope: tag === "th" ? "col" : null }, inline(c, file))));
  return wide(title, h("table", { class: "table" }, h("caption", { class: "hidden" }, title), h("thead", {}, cells("th", rows[0])), h("tbody", {}, rows.slice(2).map((r) => cells("td", r)))));
}

const marks = /!\[([^\]]*)\]\(([^)\s]+)[^)]*\)|\[([^\]]*)\]\(([^)\s]+)[^)]*\)|`([^`]+)`|\*\*([^*]+)\*\*|<sup>(.*?)<\/sup>/g;

/** @param {string} text @param {(path: string) => string} file @returns {(Node|string)[]} */
function inline(text, file) {
  /** @type {(Node|string)[]} */
  const out = [];
  let end = 0;
  for (const m of text.matchAll(marks)) {
    out.push(plain(text.slice(end, m.index)));
    end = m.index + m[0].length;
    if (m[2] !== undefined) out.push(/^[a-z]+:/.test(m[2]) ? m[1] : picture(file(m[2]), plain(m[1])));
    else if (m[4] !== undefined) out.push(link(plain(m[3]), m[4], file));
    else if (m[5] !== undefined) out.push(h("code", {}, m[5]));
    else if (m[6] !== undefined) out.push(h("strong", {}, inline(m[6], file)));
    else out.push(h("sup", {}, plain(m[7].replace(/<[^>]*>/g, ""))));
  }
  out.push(plain(text.slice(end)));
  return out;
}

/** A link to the web, or to a file of the report; links within the report are plain text. @param {string} text @param {string} to @param {(path: string) => string} file */
function link(text, to, file) {
  if (to.startsWith("#")) return text;
  if (/^https?:/.test(to)) return h("a", { href: to, rel: "noreferrer", target: "_blank" }, text);
  return /^[a-z]+:/.test(to) ? text : download(text, file(to), to.split("/").pop() ?? "");
}

/** @param {string} text */
function plain(text) {
  const names = /** @type {Object<string, string>} */ ({ lt: "<", gt: ">", amp: "&", quot: "\"", nbsp: "\u00a0" });
  return text.replace(/&(lt|gt|amp|quot|nbsp);/g, (_, n) => names[n]).replace(/<a id="[^"]*"><\/a>|<\/?(?:sub|small|br)\s*\/?>/g, "").replace(/\\([|*_`])/g, "$1");
}
