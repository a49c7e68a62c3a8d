// Numbers and values as the page writes them.

/**
 * A number with at most six significant digits, or a dash for an unknown one.
 * @param {number|null|undefined} x
 */
export function number(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  return String(Number(x.toPrecision(6)));
}

/** @param {number|null|undefined} share in 0..1 */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  return number(Number((100 * share).toPrecision(3))) + " %";
}

/** @param {number} n @param {string} one @param {string} [many] */
export function counted(n, one, many = one + "s") {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 0.001) return "under 1 ms";
  if (seconds < 1) return Math.round(seconds * 1000) + " ms";
  if (seconds < 100) return Number(seconds.toPrecision(3)) + " s";
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let i = 0;
  while (bytes >= 1024 && i < units.length - 1) {
    bytes /= 1024;
    i++;
  }
  return Number(bytes.toPrecision(3)) + " " + units[i];
}

/**
 * A step's actions: Booleans by their name alone.
 * @param {Object<string, any>|null|undefined} action
 */
export function step(action) {
  const parts = Object.entries(action ?? {}).map(([name, value]) => (value === true ? name : value === false ? "not " + name : `${name} = ${value}`));
  return parts.length ? parts.join(", ") : "(nothing)";
}

/** @param {any} value */
export function shown(value) {
  if (value === true) return "true";
  if (value === false) return "false";
  return value === null || value === undefined ? "" : String(value);
}

/** The gap of a plan as a share. @param {number|null|undefined} reward @param {number|null|undefined} bound */
export function gap(reward, bound) {
  if (typeof reward !== "number" || typeof bound !== "number") return null;
  return (bound - reward) / Math.max(1, Math.abs(reward));
}

/** @param {string} iso */
export function moment(iso) {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}
