// The planner, which runs in a worker: a session of docs/session.md.

/** Failure is thrown where the planner refuses a request, or has ended. */
class Failure extends Error {
  /** @param {{error: string, file?: string, line?: number, column?: number}} fault */
  constructor(fault) {
    super(fault.error);
    this.fault = fault;
  }
}

/** The planner's program, which is compressed whatever the host does. @returns {Promise<WebAssembly.Module>} */
async function compile() {
  const answer = await fetch("fdplan.wasm.gzip");
  if (!answer.ok || !answer.body) throw new Failure({ error: `the planner cannot be loaded: the host answered with status ${answer.status}` });
  const program = answer.body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(program, { headers: { "Content-Type": "application/wasm" } }));
}

const program = compile();

/** @type {Worker|null} */
let worker = null;
/** @type {Map<number, {resolve: (result: any) => void, reject: (e: Error) => void}>} requests that are not answered, by id */
const waiting = new Map();
let last = 0;
let loaded = ""; // the problem that the worker has loaded, as a text

/** @param {string} error */
function end(error) {
  worker?.terminate();
  worker = null;
  loaded = "";
  for (const { reject } of waiting.values()) reject(new Failure({ error }));
  waiting.clear();
}

/** Stops what runs; it has no answer. */
export const stop = () => end("it was stopped");

/** @returns {Promise<Worker>} */
async function running() {
  if (worker) return worker;
  const module = await program;
  if (worker) return worker;
  const begun = worker = new Worker("worker.js", { type: "module" });
  begun.addEventListener("error", (e) => end("the planner has failed: " + e.message));
  begun.addEventListener("message", ({ data }) => {
    if (data.ended) return end("the planner has ended: it may need more memory than the browser gives");
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) asked?.reject(new Failure(data));
    else asked?.resolve(data.result);
  });
  begun.postMessage({ module });
  return begun;
}

/** Asks the planner. @param {string} method @param {any} [params] @param {Object<string, string>} [files] in place of those before @returns {Promise<any>} */
export async function ask(method, params = {}, files) {
  const to = await running(), id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    to.postMessage({ request: { id, method, params }, files });
  });
}

/**
 * Loads a problem, unless it is loaded.
 * @param {{ref: any, files: Object<string, string>}} problem
 */
export async function load(problem) {
  const text = JSON.stringify(problem);
  if (text === loaded) return null;
  const summary = await ask("load", problem.ref, problem.files);
  loaded = text;
  return summary;
}
