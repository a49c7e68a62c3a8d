// The HTTP interface of the server, which /api/v1/openapi.json describes.

const root = "/api/v1/";

/**
 * The half of the session that this page keeps; the other is a cookie, which every port of the
 * host receives. Storage belongs to the origin: other tabs of this server have it, and no
 * other port.
 */
const stored = "fdplan-key";

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

/** Reports whether this browser had a session. */
export const known = () => localStorage.getItem(stored) !== null;

/** Begins a session. @param {{code: string}|{token: string}} secret */
export async function enter(secret) {
  localStorage.setItem(stored, (await post("session", secret)).key);
}

/** Ends the session. */
export async function leave() {
  await remove("session");
  localStorage.removeItem(stored);
}

/**
 * @param {string} path
 * @param {{method?: string, headers?: Object<string, string>, body?: any, signal?: AbortSignal}} [options]
 * @returns {Promise<Response>}
 */
async function request(path, options) {
  let answer;
  try {
    answer = await fetch(root + path, { credentials: "same-origin", ...options, headers: { "Fdplan-Key": localStorage.getItem(stored) ?? "", ...options?.headers } });
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

/** What is sent as JSON. @param {any} body */
const sent = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** @param {string} path @returns {Promise<Blob>} */
export async function blob(path) {
  return (await request(path)).blob();
}

/** A file as an address within the page. @param {string} path @param {any} [body] */
export async function file(path, body) {
  return URL.createObjectURL(await (await request(path, body && sent(body))).blob());
}

/** @param {string} path @param {any} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function post(path, body, signal) {
  const answer = await request(path, { ...sent(body), signal });
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

/** A connection that broke is tried again after this time, in milliseconds. */
const again = 3000;

/**
 * Reads a stream of server-sent events. When the connection breaks it is made again, and the
 * server is asked for what was missed. (An EventSource sends no headers.)
 * @param {string} path @param {AbortSignal} signal @param {(lost: boolean) => void} connection
 */
async function* messages(path, signal, connection) {
  let last = "";
  for (;;) {
    try {
      const answer = await request(path, { signal, headers: last ? { "Last-Event-ID": last } : {} });
      connection(false);
      const reader = /** @type {ReadableStream} */ (answer.body).pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const fields = new Map(block.split("\n").map((line) => /** @type {[string, string]} */ (line.split(/: (.*)/s, 2))));
          if (!fields.has("data")) continue; // a comment
          last = fields.get("id") ?? last;
          yield { kind: fields.get("event") ?? "", event: JSON.parse(fields.get("data") ?? "") };
        }
      }
    } catch (e) {
      if (signal.aborted) return;
      const status = e instanceof Refusal ? e.status : 0;
      if (status >= 400 && status < 500) {
        connection(true);
        return;
      }
    }
    connection(true);
    await new Promise((resolve) => { setTimeout(resolve, again); });
    if (signal.aborted) return;
  }
}

/**
 * Follows a stream of server-sent events.
 * @param {string} path
 * @param {(event: any, kind: string) => void} receive
 * @param {(lost: boolean) => void} [connection] is told when the connection breaks and returns
 * @returns {() => void} ends the stream
 */
export function follow(path, receive, connection = () => {}) {
  const stop = new AbortController();
  (async () => {
    for await (const { event, kind } of messages(path, stop.signal, connection)) {
      if (stop.signal.aborted) return;
      receive(event, kind);
      if (kind === "done") break;
    }
    stop.abort();
  })();
  return () => stop.abort();
}
