// The worker of the playground: runs the planner, whose standard input and output are messages of the
// page, and whose files are those that the page has sent.

import "./wasm_exec.js";

const fs = /** @type {any} */ (globalThis).fs;
const encoder = new TextEncoder(), decoder = new TextDecoder();

/** @type {Object<string, Uint8Array>} by name */
let files = {};
/** @type {Map<number, {bytes: Uint8Array, at: number}>} that are open, by descriptor */
const open = new Map();
let last = 2; // descriptor
let input = new Uint8Array(0); // that was not read yet
/** @type {(() => void)|null} */
let reader = null; // waits for input
let output = "";

/** @param {string} code */
const fault = (code) => Object.assign(new Error(code), { code });

/** @param {number} size */
const stat = (size) => ({
  dev: 0, ino: 0, mode: 0o100444, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512), atimeMs: 0, mtimeMs: 0, ctimeMs: 0,
  isDirectory: () => false,
});

/** The size of a file, or a fault. @param {string} path @param {(e: Error|null, s?: any) => void} done */
function named(path, done) {
  const bytes = files[path];
  if (bytes) done(null, stat(bytes.length));
  else done(fault("ENOENT"));
}

Object.assign(fs, {
  stat: named, lstat: named,
  fstat(/** @type {number} */ fd, /** @type {any} */ done) { done(null, stat(open.get(fd)?.bytes.length ?? 0)); },
  open(/** @type {string} */ path, /** @type {number} */ flags, /** @type {number} */ mode, /** @type {any} */ done) {
    if (!files[path]) return done(fault("ENOENT"));
    open.set(++last, { bytes: files[path], at: 0 });
    done(null, last);
  },
  close(/** @type {number} */ fd, /** @type {any} */ done) {
    open.delete(fd);
    done(null);
  },
  read(/** @type {number} */ fd, /** @type {Uint8Array} */ buffer, /** @type {number} */ offset, /** @type {number} */ length, /** @type {number|null} */ position, /** @type {any} */ done) {
    if (fd === 0) {
      if (!input.length) {
        reader = () => fs.read(fd, buffer, offset, length, position, done);
        return;
      }
      const n = Math.min(length, input.length);
      buffer.set(input.subarray(0, n), offset);
      input = input.slice(n);
      return done(null, n);
    }
    const file = open.get(fd);
    if (!file) return done(fault("EBADF"));
    const from = position ?? file.at, part = file.bytes.subarray(from, from + length);
    buffer.set(part, offset);
    if (position === null) file.at += part.length;
    done(null, part.length);
  },
  writeSync(/** @type {number} */ fd, /** @type {Uint8Array} */ bytes) {
    output += decoder.decode(bytes, { stream: true });
    const lines = output.split("\n");
    output = lines.pop() ?? "";
    for (const line of lines) {
      if (fd === 1) postMessage(JSON.parse(line));
      else console.error(line);
    }
    return bytes.length;
  },
});

addEventListener("message", async ({ data }) => {
  if (data.module) {
    const go = new /** @type {any} */ (globalThis).Go();
    go.run(await WebAssembly.instantiate(data.module, go.importObject)).then(() => postMessage({ ended: true }));
    return;
  }
  if (data.files) files = Object.fromEntries(Object.entries(data.files).map(([name, text]) => [name, encoder.encode(text)]));
  const line = encoder.encode(JSON.stringify(data.request) + "\n"), both = new Uint8Array(input.length + line.length);
  both.set(input);
  both.set(line, input.length);
  input = both;
  const waiting = reader;
  reader = null;
  waiting?.();
});
