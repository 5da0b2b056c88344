// A call of an SQL function: its name, its arguments by name, and what is made of its answer.
import { TYPES, type Name } from "./arguments.js";
import { snake } from "./names.js";
import type { Ask } from "./source.js";
import { castOf, sent } from "./values.js";

export type Values = { readonly [name in Name]?: unknown };

export interface Call {
  readonly function: string;
  /** What is null or left out is left to the function's default. */
  readonly values: Values;
  /** Arguments that are sent also where they are null: those without a default. */
  readonly required?: readonly Name[];
  /** A row each, as JSON; else its value. */
  readonly rows?: boolean;
}

/** The SQL, the only place that writes it, and its parameters. */
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

/** The texts that the server answers, one a row. */
export function run(ask: Ask, call: Call, schema?: string | null): Promise<(string | null)[]> {
  return ask(...statementOf(call, schema));
}

/** An identifier as SQL has it. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
