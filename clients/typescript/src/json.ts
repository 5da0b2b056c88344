// JSON from the server: integers of any length, which JavaScript's own reader would round silently.

/** The values of a JSON document from the server; an integer beyond the range of number is a bigint. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** A JSON object, which may also contain a Date, a bigint, a Float32Array and objects with `toJSON`. */
export type JsonObject = Readonly<Record<string, unknown>>;

// jsonb holds no NUL, so no string from the server begins with one.
const MARK = "\u0000";
// A whole string, which is skipped, or an integer of 16 digits or more that is no part of a fraction.
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d{16,}(?![\d.eE])|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Reads JSON. */
export function parseJson(text: string): Json {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Json;
  const marked = text.replace(STRING_OR_LONG_INTEGER, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"\\u0000${token}"` : token,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(1)) : value,
  ) as Json;
}

/**
 * Writes JSON. Values that JSON does not have are refused, where JavaScript's own writer would write null or omit
 * them; an undefined value of an object is omitted.
 */
export function toJson(value: unknown): string {
  return written(value, [], null);
}

/** Writes filters. An undefined condition is refused: if it were omitted, every entry would pass. */
export function filtersToJson(filters: unknown): string {
  return written(filters, [], "");
}

// The path is that of a condition; null if no value is one.
function written(value: unknown, within: readonly object[], path: string | null): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      if (!Number.isFinite(value)) throw new RangeError(`${value} has no form in JSON`);
      return String(value);
    case "object":
      return value === null ? "null" : writtenObject(value, within, path);
    default:
      if (value === undefined && path !== null) throw new TypeError(`the condition on ${path} is undefined`);
      throw new TypeError(`a value of type ${typeof value} has no form in JSON`);
  }
}

function writtenObject(value: object, within: readonly object[], path: string | null): string {
  if (within.includes(value)) throw new TypeError("an object that contains itself has no form in JSON");
  const inside = [...within, value];
  if (Array.isArray(value)) return list(value, inside, path);
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    return list(value as unknown as Iterable<unknown>, inside, path);
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return written(value.toJSON(), inside, path);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype as object) !== null) {
    throw new TypeError(`a ${value.constructor.name} has no form in JSON`);
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined || path !== null);
  const texts = members.map(([key, member]) => {
    const place = path === null ? null : path === "" ? key : `${path}.${key}`;
    return `${JSON.stringify(key)}:${written(member, inside, place)}`;
  });
  return `{${texts.join(",")}}`;
}

function list(value: Iterable<unknown>, inside: readonly object[], path: string | null): string {
  const texts = Array.from(value, (element, place) =>
    written(element, inside, path === null ? null : `${path}[${place}]`));
  return `[${texts.join(",")}]`;
}
