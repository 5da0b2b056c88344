// A call of an SQL function: its name, its arguments by name, and the conversion of its answer.
import { TYPES, type Name } from "./arguments.js";
import { snake } from "./names.js";
import type { Ask } from "./source.js";
import { castOf, sent } from "./values.js";

export type Values = { readonly [name in Name]?: unknown };

export interface Call {
  readonly function: string;
  /** For an argument that is null or omitted, the function's default is used. */
  readonly values: Values;
  /** Arguments that are also sent if they are null: those without a default. */
  readonly required?: readonly Name[];
  /** Whether the answer is a row for each result, as JSON; else it is one value. */
  readonly rows?: boolean;
}

/** The SQL and its parameters; SQL is written only here. */
export function statementOf(call: Call, schema?: string | null): [statement: string, values: (string | null)[]] {
  const values: (string | null)[] = [];
  const given: string[] = [];
  for (const [name, value] of Object.entries(call.values) as [Name, unknown][]) {
    const text = sent(name, value);
    if (text === null && !call.required?.includes(name)) continue;
    values.push(text);
    given.push(`${snake(name)} => $${values.length}${castOf(typeOf(call, name))}`);
  }
  const called = `${schema == null ? "" : `${quoted(schema)}.`}${call.function}(${given.join(", ")})`;
  const statement = call.rows
    ? `SELECT pg_catalog.to_jsonb(r)::text AS value FROM ${called} AS r`
    : `SELECT ${called}::text AS value`;
  return [statement, values];
}

function typeOf(call: Call, name: Name): (typeof TYPES)[Name] {
  // The id of an adopted table's entry may be one.
  if (call.function === "memory_explain" && name === "entryId") return "text";
  if (call.function === "memory_entities" && name === "maxRows") return "integer";
  return TYPES[name];
}

/** The texts of the server's answer, one for each row. */
export function run(ask: Ask, call: Call, schema?: string | null): Promise<(string | null)[]> {
  return ask(...statementOf(call, schema));
}

/** A quoted SQL identifier. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
