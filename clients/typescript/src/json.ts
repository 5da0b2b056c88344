// JSON as the server has it: integers of any length, which JavaScript's own reader would round in silence.

/** What a JSON document from the server consists of; an integer that a number cannot hold is a bigint. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** An object of JSON, in which a Date, a bigint, a Float32Array and what has `toJSON` may stand too. */
export type JsonObject = Readonly<Record<string, unknown>>;

// jsonb holds no NUL, so no string from the server begins with one.
const MARK = "\u0000";
// A whole string, which is passed over, or an integer of 16 digits or more that is no part of a fraction.
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
 * Writes JSON. What JSON has not is refused, where JavaScript's own writer would write null or leave it out; of an
 * object what is undefined is left out.
 */
export function toJson(value: unknown): string {
  return written(value, [], null);
}

/** The same of filters, where a condition that is undefined is refused: left out it would pass everything. */
export function filtersToJson(filters: unknown): string {
  return written(filters, [], "");
}

// The path is that of a condition; null where no value is one.
function written(value: unknown, within: readonly object[], path: string | null): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      if (!Number.isFinite(value)) throw new RangeError(`${value} is no number that JSON has`);
      return String(value);
    case "object":
      return value === null ? "null" : writtenObject(value, within, path);
    default:
      if (value === undefined && path !== null) throw new TypeError(`the condition on ${path} is undefined`);
      throw new TypeError(`what is of type ${typeof value} is nothing that JSON has`);
  }
}

function writtenObject(value: object, within: readonly object[], path: string | null): string {
  if (within.includes(value)) throw new TypeError("an object that holds itself is nothing that JSON has");
  const inside = [...within, value];
  if (Array.isArray(value)) return list(value, inside, path);
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    return list(value as unknown as Iterable<unknown>, inside, path);
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return written(value.toJSON(), inside, path);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype as object) !== null) {
    throw new TypeError(`a ${value.constructor.name} is nothing that JSON has`);
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
