// The HTTP interface of the server, which /api/v1/openapi.json describes.

const root = "/api/v1/";

/**
 * A refused request or a failed job.
 * @typedef {{error: string, file?: string, line?: number, column?: number, hint?: string, bug?: boolean}} Fault
 */

/** Refusal is thrown where the server refuses a request or cannot be reached. */
class Refusal extends Error {
  /** @param {number} status 0 if there was no answer @param {Fault} fault */
  constructor(status, fault) {
    super(fault.error);
    this.status = status;
    this.fault = fault;
  }
}

/** Encodes a part of a path. @param {string} part */
export const part = (part) => encodeURIComponent(part);

/**
 * Returns the full path of an operation, for links.
 * @param {string} path
 */
export const address = (path) => root + path;

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
async function request(path, options) {
  let answer;
  try {
    answer = await fetch(root + path, { credentials: "same-origin", ...options });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new Refusal(0, { error: "the server does not answer", hint: "Check that fdplan serve is still running, then try again." });
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  /** @type {Fault} */
  let fault = { error: `the server answered with status ${answer.status}` };
  try {
    const said = JSON.parse(text);
    if (typeof said.error === "string") fault = said;
  } catch { /* no JSON: the status has to do */ }
  throw new Refusal(answer.status, fault);
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function get(path, signal) {
  return (await request(path, { signal })).json();
}

/** @param {string} path @param {AbortSignal} [signal] */
export async function text(path, signal) {
  return (await request(path, { signal })).text();
}

/** @param {string} path @param {any} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function post(path, body, signal) {
  const answer = await request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
  return answer.status === 204 ? null : answer.json();
}

/** @param {string} path @param {FormData} form @returns {Promise<any>} */
export async function upload(path, form) {
  return (await request(path, { method: "POST", body: form })).json();
}

/** @param {string} path */
export async function remove(path) {
  const answer = await request(path, { method: "DELETE" });
  return answer.status === 204 ? null : answer.json();
}

/** The kinds of events of jobs and journals. */
const kinds = ["state", "log", "phase", "plan", "bound", "simulation", "iteration", "landmark", "planned", "step", "episode", "epoch", "prune", "cell", "output", "rows", "unit",
  "unit done", "warning", "run", "done"];

/**
 * Follows a stream of server-sent events. The browser reconnects by itself and asks for what
 * it missed.
 * @param {string} path
 * @param {(event: any, kind: string) => void} receive
 * @param {(lost: boolean) => void} [connection] is told when the connection breaks and returns
 * @returns {() => void} ends the stream
 */
export function follow(path, receive, connection = () => {}) {
  const source = new EventSource(root + path);
  for (const kind of kinds) {
    source.addEventListener(kind, (e) => {
      const event = JSON.parse(/** @type {MessageEvent} */ (e).data);
      if (kind === "done") source.close();
      receive(event, kind);
    });
  }
  source.addEventListener("open", () => connection(false));
  source.addEventListener("error", () => connection(true));
  return () => source.close();
}
