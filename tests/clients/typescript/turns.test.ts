// Calls at the same time on one connection: no statement becomes part of the transaction of another call.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type { PoolClient } from "pg";
import type { ReservedSql, TransactionSql } from "postgres";
import { Memory, Store, type PostgresJs, type Queryable, type Source } from "memory-search";
import { memoryTools } from "memory-search/ai";
import { NORTH, pool, sql } from "./server.js";

const NOBODY = "00000000-0000-4000-8000-000000000000";
const options = { toolCallId: "1", messages: [] };
const outside = new Store(pool, "client");
beforeEach(() => outside.create({ dimensions: 3 }));
afterEach(() => outside.drop({ force: true }));

/** The source, and a promise of the moment at which a transaction has read for the first time on it. */
function watched(source: Source): [Source, Promise<void>] {
  let tell: () => void;
  const read = new Promise<void>((resolve) => { tell = resolve; });
  const told = (statement: string) => { if (statement.includes("memory_get")) tell(); };
  if ("query" in source) {
    return [{ query: (statement, values) => { told(statement); return source.query(statement, values); } }, read];
  }
  const given: PostgresJs & { savepoint?: (work: (inner: Source) => unknown) => unknown } = source;
  const unsafe: PostgresJs["unsafe"] = (statement, values) => {
    told(statement);
    return given.unsafe(statement, values);
  };
  if (given.savepoint === undefined) return [{ unsafe }, read];
  const savepoint = (work: (inner: Source) => unknown) => given.savepoint!((inner) => {
    const [seen, readInside] = watched(inner);
    void readInside.then(tell);
    return work(seen);
  });
  return [{ unsafe, savepoint } as PostgresJs, read];
}

/** Adds an entry while a correction of an unknown entry, which is rolled back, is under way. */
async function addBesideFailure(source: Source): Promise<void> {
  const [seen, read] = watched(source);
  const { memory_correct, memory_remember } = memoryTools({
    source: seen, memoryId: "trip", store: "client", embed: async () => NORTH,
  });
  const corrected = Promise.resolve(memory_correct.execute!({ entryId: NOBODY, rawEntry: "x" }, options as never));
  const failed = assert.rejects(corrected, /there is no entry 00000000/);
  await Promise.race([read, failed]);
  const remembered = memory_remember.execute!({ rawEntry: "kept" }, options as never);
  await Promise.all([failed, remembered]);
  const texts = (await new Memory(seen, "trip", { store: "client" }).page()).map((entry) => entry.rawEntry);
  assert.deepEqual(texts, ["kept"]);
}

async function onClient(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await work(client);
  } finally {
    client.release(true);
  }
}

test("on a client an entry that is added beside a failing transaction is kept", () => onClient(async (client) => {
  await addBesideFailure(client);
  assert.equal(await outside.memory("trip").count(), 1);
}));

test("the same in a transaction of the caller, which decides about all of it", () => onClient(async (client) => {
  await client.query("BEGIN");
  await addBesideFailure(client);
  await client.query("ROLLBACK");
  assert.equal(await outside.memory("trip").count(), 0);
}));

test("on a connection that postgres.js has reserved, too", async () => {
  const reserved: ReservedSql = await sql.reserve();
  try {
    await addBesideFailure(reserved as unknown as Source);
    assert.equal(await outside.memory("trip").count(), 1);
  } finally {
    reserved.release();
  }
});

test("and in a transaction of postgres.js", async () => {
  await sql.begin((transaction: TransactionSql) => addBesideFailure(transaction as unknown as Source));
  assert.equal(await outside.memory("trip").count(), 1);
});

test("a call that is alone is sent before the next statement of the caller", () => onClient(async (client) => {
  await client.query("BEGIN");
  const added = new Memory(client, "trip", { store: "client" }).add("kept", { embedding: NORTH });
  await client.query("COMMIT");
  await client.query("ROLLBACK");
  await added;
  assert.equal(await outside.memory("trip").count(), 1);
}));
