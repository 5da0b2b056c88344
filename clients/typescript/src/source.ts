// The connections for calls: node-postgres, postgres.js, or any other driver that sends a text and its parameters.

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

/** The function that sends a statement to a source. */
export function asking(source: Source): Ask {
  // The sql of postgres.js is a function.
  const given: unknown = source;
  if (given !== null && (typeof given === "object" || typeof given === "function")) {
    if ("unsafe" in given && typeof given.unsafe === "function") {
      return async (statement, values) => texts(await (source as PostgresJs).unsafe(statement, values));
    }
    if ("query" in given && typeof given.query === "function") {
      return async (statement, values) => texts((await (source as Queryable).query(statement, values)).rows);
    }
  }
  throw new TypeError("a source is a Pool or Client of node-postgres, the sql of postgres.js, or has a method query");
}

// The column is named `value`; postgres.js may be configured to change names.
function texts(rows: readonly object[]): (string | null)[] {
  return rows.map((row) => (Object.values(row)[0] as string | null | undefined) ?? null);
}
