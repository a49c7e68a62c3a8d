// The languages of a problem's files: their words, and the names that files declare, for completion.

/** @typedef {{text: string, detail: string}} Word */

/** @param {string} detail @param {string} texts @returns {Word[]} */
const words = (detail, texts) => texts.split(" ").map((text) => ({ text, detail }));

const expressions = [...words("word of RDDL", "if then else switch case default otherwise true false"), ...words("quantifier", "forall_ exists_ sum_ prod_ min_ max_ avg_ argmin_ argmax_"),
  ...words("function", "min max abs sgn round floor ceil div mod fmod pow sqrt exp atan tanh sin cos tan asin acos sinh cosh ln lngamma gamma log hypot"),
  ...words("distribution", "Bernoulli KronDelta DiracDelta Uniform Normal Exponential Poisson Weibull Gamma Beta Geometric Binomial NegativeBinomial Student Gumbel Laplace Cauchy Gompertz Pareto Kumaraswamy ChiSquare Discrete UnnormDiscrete")];

const known = /** @type {Object<string, Word[]>} */ ({
  rddl: [...words("section", "domain instance non-fluents requirements types objects pvariables cpfs reward action-preconditions state-invariants state-action-constraints termination init-state max-nondef-actions horizon discount terminal"),
    ...words("kind of fluent", "state-fluent action-fluent non-fluent interm-fluent derived-fluent observ-fluent"), ...words("type", "bool int real object"), ...words("number", "pos-inf neg-inf"), ...expressions],
  pddl: [...words("section", "define domain problem :requirements :types :constants :predicates :functions :derived :action :parameters :precondition :effect :domain :objects :init :goal :metric"),
    ...words("requirement", ":strips :typing :negative-preconditions :disjunctive-preconditions :equality :existential-preconditions :universal-preconditions :quantified-preconditions :conditional-effects :adl :derived-predicates :action-costs :fluents :numeric-fluents :object-types"),
    ...words("condition", "and or not imply forall exists"), ...words("effect", "when increase decrease assign scale-up scale-down"), ...words("metric", "minimize maximize total-cost"), ...words("type", "object number")],
  toml: [...words("file", "domain instance network"), ...words("what must hold after the last step", "goal"), ...words("number of steps", "horizon"), ...words("fluents that a network predicts", "learned"), ...words("what the network reads", "inputs"),
    ...words("conditions that always hold", "rules"), ...words("sum for each step", "reward"), ...words("states in which no step begins", "final"), ...words("table of values at the start", "[initial]"), ...words("table of LO..HI by fluent", "[ranges]"),
    ...words("table of bins by fluent", "[discretize]"), ...words("table of names of bits", "[files]"), ...words("table of the log's columns", "[log]"), ...words("a fluent", "[[state]] [[action]] [[input]]"), ...words("a device", "[[entity]]"), ...words("what is drawn", "[[chance]]"),
    ...words("key of a fluent", "name range decimals values lo hi bits edges unit initial default listed lag outside"), ...words("key of a lag", "of by"), ...words("key of the log", "delimiter episode entity next ends time gap derive missing columns"), ...words("key of chance", "draw blocked context when outcomes")],
});

/** Text from an opening parenthesis or brace to the one that closes it. @param {string} text @param {number} from */
function inside(text, from) {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "(" || text[i] === "{") depth++;
    else if ((text[i] === ")" || text[i] === "}") && --depth === 0) return text.slice(from + 1, i);
  }
  return text.slice(from + 1);
}

/** What RDDL declares. @param {string} text @returns {Word[]} */
function ofRDDL(text) {
  const out = [...text.matchAll(/([A-Za-z][\w-]*)\s*(\([^)]*\))?\s*:\s*\{\s*([a-z]+)-fluent\s*,\s*([@\w-]+)/g)].map(([, name, of = "", kind, type]) => ({ text: name, detail: `${kind} fluent${of && " of " + of.slice(1, -1)}, ${type}` }));
  for (const m of text.matchAll(/\b(types|objects)\s*\{/g)) {
    for (const [, name, list] of inside(text, m.index + m[0].length - 1).matchAll(/([A-Za-z][\w-]*)\s*:\s*(?:object|\{([^}]*)\})/g)) {
      if (m[1] === "types") out.push({ text: name, detail: "type" });
      for (const [of] of (list ?? "").matchAll(/@?[\w-]+/g)) out.push({ text: of, detail: (of[0] === "@" ? "value of " : "object of ") + name });
    }
  }
  return out;
}

/** What PDDL declares. @param {string} text @returns {Word[]} */
function ofPDDL(text) {
  const out = [...text.matchAll(/:action\s+([\w-]+)/g)].map(([, name]) => ({ text: name, detail: "action" }));
  for (const m of text.matchAll(/\(:(predicates|functions|types|constants|objects)\b/g)) {
    const body = inside(text, m.index).slice(m[0].length - 1);
    if (m[1] === "predicates" || m[1] === "functions") for (const [, name, of] of body.matchAll(/\(\s*([\w-]+)([^)]*)/g)) out.push({ text: name, detail: (m[1] === "predicates" ? "predicate" : "number") + (of.trim() && " of " + of.trim()) });
    else for (const [, list, type] of body.matchAll(/([^-][\w\s-]*?)(?:\s-\s+([\w-]+|\(either[^)]*\))|$)/g)) for (const [name] of list.matchAll(/[A-Za-z][\w-]*/g)) out.push({ text: name, detail: m[1] === "types" ? "type" : "object" + (type ? " of " + type : "") });
  }
  return out;
}

/** What a task declares without RDDL. @param {string} text @returns {Word[]} */
function ofTask(text) {
  const out = [];
  for (const [, kind, body] of text.matchAll(/^\[\[(state|action|input)\]\]([^[]*(?:\[(?!\[)[^[]*)*)/gm)) {
    const name = /^\s*name\s*=\s*"([^"]+)"/m.exec(body)?.[1];
    if (name) out.push({ text: name, detail: kind });
    for (const [, value] of (/^\s*values\s*=\s*\[([^\]]*)/m.exec(body)?.[1] ?? "").matchAll(/"([^"]+)"/g)) out.push({ text: "@" + value, detail: `value of ${name ?? kind}` });
  }
  return out;
}

/** @param {string} file */
const ending = (file) => file.slice(file.lastIndexOf(".") + 1);

/** What files declare, the last with a name first. @param {Object<string, string>} texts by the name of the file @param {string} language */
function declared(texts, language) {
  const of = /** @type {Object<string, (text: string) => Word[]>} */ ({ rddl: ofRDDL, pddl: ofPDDL, toml: ofTask });
  return Object.entries(texts).flatMap(([name, text]) => (language === "toml" || ending(name) === language ? of[ending(name)]?.(text) ?? [] : []));
}

const comments = /** @type {Object<string, string>} */ ({ rddl: "//", pddl: ";", toml: "#" });

/** At most so many are offered. */
const most = 50;

/**
 * What may replace the word at a place of a file.
 * @param {string} file its name
 * @param {Object<string, string>} texts of all files, by name
 * @param {number} at
 * @param {boolean} [forced] also where no word is begun
 * @returns {import("./completions.js").Offer|null}
 */
export function offers(file, texts, at, forced = false) {
  const text = texts[file], language = ending(file), line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  if (line.replace(/"[^"]*"/g, "").includes(comments[language])) return null;
  const quoted = language === "toml" && line.split('"').length % 2 === 0;
  const typed = (quoted || language !== "toml" ? /[?@:]?[\w-]*$/ : /\[{0,2}[\w-]*$/).exec(line)?.[0] ?? "";
  if (!known[language] || (!typed && !forced) || /^[0-9-]/.test(typed)) return null;
  if (language === "toml" && !quoted && /=\s*[^,{]*$/.test(line)) return null; // a value that is no text
  const own = language === "toml" && !quoted ? [] : declared(texts, language), parameters = [...new Set(text.match(/\?[A-Za-z][\w-]*/g) ?? [])].filter((p) => p !== typed).map((p) => ({ text: p, detail: "parameter" }));
  const all = [...own, ...(quoted || language !== "toml" ? parameters : []), ...(quoted ? expressions : known[language])], wanted = typed.toLowerCase();
  const begins = all.filter((w) => w.text.toLowerCase().startsWith(wanted)), contains = wanted.length > 1 ? all.filter((w) => w.text.toLowerCase().indexOf(wanted) > 0) : [];
  const items = [...new Map([...begins, ...contains].map((w) => [w.text, w]).reverse()).values()].reverse().slice(0, most); // of equal ones the first
  return { from: at - typed.length, to: at + (typed ? /^(?:\w|-(?=\w))*/.exec(text.slice(at))?.[0].length ?? 0 : 0), items };
}
