// The fixtures of the tests: the runner's database by both drivers, and a store of three dimensions.
import { after, afterEach, beforeEach, describe } from "node:test";
import pg from "pg";
import postgres from "postgres";
import { Memory, Store, type Source } from "memory-search";

export const NORTH = [0, 1, 0];
export const EAST = [1, 0, 0];
export const WEST = [-1, 0, 0];

export const pool = new pg.Pool({
  host: process.env["PGHOST"], port: Number(process.env["PGPORT"]), user: process.env["PGUSER"]!,
  database: process.env["PGDATABASE"]!, options: "-c client_min_messages=error", max: 3,
});

export const sql = postgres({
  path: `${process.env["PGHOST"]}/.s.PGSQL.${process.env["PGPORT"]}`, user: process.env["PGUSER"]!,
  database: process.env["PGDATABASE"]!, max: 3, onnotice: () => {},
});

after(async () => {
  await pool.end();
  await sql.end();
});

export interface Given {
  source: Source;
  store: Store;
  memory: Memory;
}

/** The tests by each driver, with an empty store for each test. */
export function byBothDrivers(tests: (given: Given) => void): void {
  for (const [driver, source] of [["node-postgres", pool], ["postgres.js", sql]] as [string, Source][]) {
    describe(driver, () => {
      const store = new Store(source, "client");
      beforeEach(() => store.create({ dimensions: 3 }));
      afterEach(() => store.drop({ force: true }));
      tests({ source, store, memory: store.memory("trip") });
    });
  }
}

/** Three entries, by their keys. */
export async function fill(memory: Memory): Promise<void> {
  await memory.addMany([
    { rawEntry: "north", entryKey: "n", embedding: NORTH, tags: ["cold"], importance: 90 },
    { rawEntry: "east", entryKey: "e", embedding: EAST, metadata: { page: 2 } },
    { rawEntry: "west", entryKey: "w", embedding: WEST, userId: "ana" },
  ]);
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The only entry with a key. */
export async function keyed(memory: Memory, entryKey: string) {
  return (await memory.page({ entryKey }))[0]!;
}

export function near(value: number | null | undefined, wanted: number): boolean {
  return value != null && Math.abs(value - wanted) < 1e-5;
}
