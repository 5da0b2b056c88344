// The conversion of values: each is sent as a text, which its SQL type reads. A value of another type is refused here,
// because as a text it might have another meaning.
import { TYPES, type Name, type SqlType } from "./arguments.js";
import { filtersToJson, toJson } from "./json.js";

/** The type to which the text of a parameter is cast. */
export function castOf(type: SqlType): string {
  switch (type) {
    case "text":
      return "::text";
    case "embedding":
      return "::text::double precision[]";
    case "list":
      return "::text::jsonb";
    default:
      return `::text::${type}`;
  }
}

// Half of a surrogate pair, which UTF-8 cannot encode: drivers send U+FFFD.
const HALF = /\p{Surrogate}/u;

/** The text of a value. */
export function sent(name: Name, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = textOf(name, value, TYPES[name]);
  if (HALF.test(text)) throw new TypeError(`${name} has half of a pair of surrogates, which is no character`);
  return text;
}

function textOf(name: Name, value: unknown, type: SqlType): string {
  switch (type) {
    case "text":
    case "uuid":
    case "interval":
      return typeof value === "string" ? value : refuse(name, "a string", value);
    case "text[]":
    case "uuid[]":
      if (!Array.isArray(value)) refuse(name, "a list of strings", value);
      return arrayOf(value.map((one: unknown) => elementOf(name, one)));
    case "integer":
    case "bigint":
    case "double precision":
      return typeof value === "number" || typeof value === "bigint" ? String(value) : refuse(name, "a number", value);
    case "boolean":
      return typeof value === "boolean" ? String(value) : refuse(name, "true or false", value);
    case "timestamptz":
      if (value instanceof Date) return value.toISOString();
      return typeof value === "string" ? value : refuse(name, "a Date or a string", value);
    case "embedding":
      return embeddingOf(name, value);
    case "jsonb":
      if (typeof value !== "object" || Array.isArray(value)) refuse(name, "an object", value);
      return name === "filters" ? filtersToJson(value) : toJson(value);
    case "list":
      return Array.isArray(value) ? toJson(value) : refuse(name, "a list of objects", value);
  }
}

function elementOf(name: Name, element: unknown): string | null {
  // The server refuses a null among tags.
  if (element === null || typeof element === "string") return element;
  return refuse(name, "a list of strings", element);
}

function embeddingOf(name: Name, value: unknown): string {
  if (!Array.isArray(value) && !(value instanceof Float32Array) && !(value instanceof Float64Array)) {
    refuse(name, "a list of numbers", value);
  }
  return arrayOf(
    Array.from(value as ArrayLike<unknown>, (element) =>
      typeof element === "number" ? String(element) : refuse(name, "a list of numbers", element),
    ),
  );
}

function arrayOf(elements: readonly (string | null)[]): string {
  const quoted = elements.map((one) => (one === null ? "NULL" : `"${one.replace(/["\\]/g, "\\$&")}"`));
  return `{${quoted.join(",")}}`;
}

function refuse(name: Name, wanted: string, value: unknown): never {
  const got = value === null ? "null" : Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
  throw new TypeError(`${name} must be ${wanted}, not ${got}`);
}
