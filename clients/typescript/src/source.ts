// The connections for calls: node-postgres, postgres.js, or any other driver that sends a text and its parameters.
import { turnsOf } from "./turns.js";

/**
 * A `Pool`, a `Client` or a `PoolClient` of node-postgres, and every driver with such a method. Parameters and
 * results are texts, so that nothing depends on how a driver writes and reads other types.
 */
export interface Queryable {
  query(statement: string, values: (string | null)[]): PromiseLike<{ rows: object[] }>;
}

/** The `sql` of postgres.js, and the object that it passes to the callbacks of `begin` and `reserve`. */
export interface PostgresJs {
  unsafe(statement: string, values: (string | null)[]): PromiseLike<readonly object[]>;
}

export type Source = Queryable | PostgresJs;

/** The texts of a statement's only column. */
export type Ask = (statement: string, values: (string | null)[]) => Promise<(string | null)[]>;

/** The function that sends a statement to a source, after the transactions that other calls have begun on it. */
export function asking(source: Source): Ask {
  const { query } = unordered(source);
  return async (statement, values) => {
    // Without others the statement is sent at once, so that it comes before the caller's next one.
    const turns = turnsOf(source);
    if (turns !== undefined) await turns;
    return texts((await query(statement, values)).rows);
  };
}

/** The method `query` of any source, without waiting for other calls: for the statements of a transaction. */
export function unordered(source: Source): Queryable {
  // The sql of postgres.js is a function.
  const given: unknown = source;
  if (given !== null && (typeof given === "object" || typeof given === "function")) {
    if ("unsafe" in given && typeof given.unsafe === "function") {
      return {
        query: async (statement, values) => ({ rows: [...(await (source as PostgresJs).unsafe(statement, values))] }),
      };
    }
    if ("query" in given && typeof given.query === "function") {
      return { query: (statement, values) => (source as Queryable).query(statement, values) };
    }
  }
  throw new TypeError("a source is a Pool or Client of node-postgres, the sql of postgres.js, or has a method query");
}

// The column is named `value`; postgres.js may be configured to change names.
function texts(rows: readonly object[]): (string | null)[] {
  return rows.map((row) => (Object.values(row)[0] as string | null | undefined) ?? null);
}
