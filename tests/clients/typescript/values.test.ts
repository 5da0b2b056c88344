// The sending and reading of values, and the text of statements.
import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { Memory, Store, type Queryable } from "memory-search";
import { all, byBothDrivers, EAST, near, NORTH, pool } from "./server.js";

byBothDrivers(({ source, store, memory }) => {
  test("embeddings are lists of numbers or typed arrays", async () => {
    for (const embedding of [NORTH, Float32Array.from(NORTH), Float64Array.from(NORTH), [1e-7, 1, 0]]) {
      await memory.add("north", { embedding });
      await memory.addMany([{ rawEntry: "north again", embedding }]);
      assert.ok((await memory.entries("", { embedding })).every((entry) => near(entry.semantic, 1)));
    }
    for (const wrong of ["[1,0,0]", [1, 0, "0"], [[1, 0, 0]], { 0: 1 }, new Uint8Array(3).buffer]) {
      await assert.rejects(memory.search("x", { embedding: wrong as never }), TypeError);
    }
    await assert.rejects(memory.search("x", { embedding: [1, NaN, 0] }), { code: "22023" });
    await assert.rejects(memory.search("x", { embedding: [1, 0] }), { code: "22000" });
  });

  test("an embedding comes back as it was stored", async () => {
    // A store of its own keeps halves of numbers, which have these.
    const embedding = Float32Array.from([0.5, -0.25, 0.75]);
    const id = await memory.add("x", { embedding });
    const [entry] = await memory.get([id], { options: { includeEmbedding: true } });
    assert.deepEqual(Float32Array.from(entry!.embedding!), embedding);
  });

  test("integers beyond 2^53 are what they are, in metadata and in filters", async () => {
    const metadata = { long: 9007199254740993n, short: 7, list: [-9007199254740993n, 0.5, "9007199254740993"],
      text: '12345678901234567890\\"1', "12345678901234567890": 1.5, fraction: 1234567890123456.5 };
    await memory.add("x", { embedding: EAST, metadata });
    await memory.add("y", { embedding: EAST, metadata: { long: 9007199254740992n } });
    const [entry, ...others] = await all(memory.list({ metadata: { long: { $gte: 9007199254740993n } } }));
    assert.deepEqual([entry?.metadata, others], [metadata, []]);
    const filters = { metadata: { long: 9007199254740993n } };
    const answer = await memory.search("x", { k: 1, embedding: EAST, filters });
    assert.deepEqual(answer.entries[0]?.metadata, metadata);
    const copy = store.memory("copy");
    await copy.importLines(await memory.export());
    assert.deepEqual((await copy.page({ metadata: { short: 7 } }))[0]?.metadata, metadata);
    const maxRows = 9007199254740993n;
    assert.equal(await store.purge({ maxRows }), 0);
  });

  test("filters may hold times, and a time is an instant in any zone", async () => {
    await memory.add("old", { creationTime: new Date("2020-01-01T00:00:00Z"), embedding: EAST });
    await memory.add("new", { creationTime: "2026-01-01 00:00+01", embedding: EAST });
    const before = await all(memory.list({ createdAt: { $lt: new Date("2021-01-01T00:00:00Z") } }));
    assert.deepEqual(before.map((one) => one.rawEntry), ["old"]);
    const [entry] = await memory.page({ createdAt: { $gt: new Date("2021-01-01T00:00:00Z") } });
    assert.equal(entry?.creationTime?.toISOString(), "2025-12-31T23:00:00.000Z");
    await assert.rejects(memory.add("x", { creationTime: new Date(NaN) }), RangeError);
    await assert.rejects(memory.add("x", { creationTime: 5 as never }), TypeError);
  });

  test("values that JSON lacks are refused, instead of becoming null or being left out", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const value of [NaN, Infinity, () => 1, Symbol("x"), new Map(), [undefined], circle]) {
      await assert.rejects(memory.add("x", { metadata: { value } }), /JSON/);
    }
    await assert.rejects(memory.add("x", { metadata: [] as never }), TypeError);
    assert.equal(await memory.count(), 0);
  });

  test("a condition that is undefined is refused by its name, since left out it would pass everything", async () => {
    await memory.add("x", { embedding: EAST, userId: "ana", tags: ["a"] });
    const nobody: { id?: string } = {};
    for (const [filters, name] of [
      [{ userId: nobody.id }, /the condition on userId is undefined/],
      [{ tags: ["a"], userId: { $in: undefined } }, /userId\.\$in/],
      [{ metadata: { place: { city: undefined, country: "PT" } } }, /metadata\.place\.city/],
      [{ $or: [{ tags: "a" }, { userId: undefined }] }, /\$or\[1\]\.userId/],
      [{ $not: { userId: undefined } }, /\$not\.userId/],
      [{ userId: [undefined] }, /userId\[0\]/],
    ] as [object, RegExp][]) {
      for (const call of [
        () => memory.search("x", { embedding: EAST, filters: { ...filters } }),
        () => memory.entries("x", { embedding: EAST, filters: { ...filters } }),
        () => memory.page({ ...filters }),
        () => memory.count({ ...filters }),
        () => memory.about("Ana", { filters: { ...filters } }),
        () => memory.facets(null, { filters: { ...filters } }),
        () => memory.deleteWhere({ tags: ["a"], ...filters }, { dryRun: false }),
      ]) await assert.rejects(call, { name: "TypeError", message: name });
    }
    assert.equal(await memory.count(undefined, { options: { asOf: undefined } }), 1);
    assert.equal(await memory.count({ userId: null }), 1);
  });

  test("a value of another type is refused, and not taken for its text", async () => {
    const wrong: object[] = [
      { summary: 5 }, { tags: "rail" }, { tags: [5] }, { importance: "60" }, { metadata: "{}" }, { entryKey: {} },
      { ttl: 5 }, { userId: true },
    ];
    for (const given of wrong) await assert.rejects(memory.add("x", given), TypeError, JSON.stringify(given));
    await assert.rejects(memory.get("abc" as never), TypeError);
    await assert.rejects(memory.deleteWhere({ tags: ["x"] }, { dryRun: 0 as never }), TypeError);
    await assert.rejects(memory.add("x", { importance: 2.5 }), { code: "22P02" });
    await assert.rejects(memory.add("x", { tags: ["a", null as never], embedding: EAST }), { code: "22023" });
    assert.equal(await memory.count(), 0);
  });

  test("texts are always values", async () => {
    const text = "Robert'); DROP TABLE \"x\"; -- $1 %s {a,NULL} \\ \\\\ 北京 \n";
    const own = store.memory(text);
    await own.add(text, { embedding: EAST, metadata: { [text]: text }, tags: [text, "NULL", ""], entryKey: text });
    const [entry] = await all(own.list({ tags: [text] }));
    assert.deepEqual(
      [entry?.memoryId, entry?.rawEntry, entry?.metadata, entry?.tags, entry?.entryKey],
      [text, text, { [text]: text }, [text, "NULL", ""], text]);
    assert.equal((await store.memories([text]).entries("", { embedding: EAST })).length, 1);
    await assert.rejects(new Memory(source, "x", { schema: 'a".b' }).count(), { code: "3F000" });
  });

  test("a source that gives no row where there is one is no success", async () => {
    const deaf = new Memory({ query: async () => ({ rows: [] }) }, "trip");
    await assert.rejects(deaf.add("x"), /the source gave 0 rows/);
    await assert.rejects(deaf.count(), /the source gave 0 rows/);
  });

  test("half of a pair of surrogates is refused, where the driver would send another character", async () => {
    await assert.rejects(memory.add("a\ud800", { embedding: EAST }), TypeError);
    await assert.rejects(memory.add("a", { embedding: EAST, tags: ["\udc00b"] }), TypeError);
    await memory.add("\u{1f600}", { embedding: EAST, tags: ["\u{1f600}"] });
    assert.deepEqual((await memory.page()).map((one) => [one.rawEntry, one.tags]), [["\u{1f600}", ["\u{1f600}"]]]);
  });

  test("an infinite time does not keep the others from being read", async () => {
    await memory.add("x", { embedding: EAST, creationTime: "infinity", expiresAt: "infinity" });
    await memory.add("y", { embedding: EAST });
    assert.deepEqual((await memory.search("", { embedding: EAST })).count, 2);
    const listed = await all(memory.list(null, { pageSize: 1 }));
    const times = listed.map((one) => Number.isNaN(one.creationTime?.getTime()));
    assert.deepEqual(times, [true, false]);
  });

  test("keys of metadata stay as they are", async () => {
    const metadata = { creation_time: "2026-01-01T00:00:00Z", creationTime: "2026-01-01T00:00:00Z", a_b: { c_d: 1 } };
    await memory.add("x", { embedding: EAST, metadata });
    assert.deepEqual((await memory.page())[0]?.metadata, metadata);
    assert.deepEqual((await memory.search("x", { embedding: EAST })).entries[0]?.metadata, metadata);
  });

  test("ids of an adopted table are what they are", async () => {
    const ids = ["00000000000040008000000000000002", "A"];
    await pool.query("CREATE TABLE notes (id text PRIMARY KEY, body text)");
    try {
      await pool.query("INSERT INTO notes SELECT unnest($1::text[]), 'x'", [ids]);
      await pool.query("SELECT memory_adopt_table('adopted', 'notes', " +
        `'{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}')`);
      const adopted = new Store(source, "adopted").memory("m");
      for (const id of ids) assert.deepEqual((await adopted.get([id])).map((one) => one.entryId), [id]);
      assert.deepEqual((await adopted.explain("x", { entryId: "A" })).map((one) => one.entryId), ["A"]);
      assert.equal(await adopted.touch(ids.slice(0, 1)), 1);
      await new Store(source, "adopted").drop({ force: true });
    } finally {
      await pool.query("DROP TABLE notes CASCADE");
    }
  });
});

test("what a session's settings and a driver's own types change, changes nothing", async () => {
  const host = process.env["PGHOST"];
  const connection = {
    DateStyle: "German, DMY", TimeZone: "Europe/Amsterdam", IntervalStyle: "sql_standard", extra_float_digits: -3,
    client_min_messages: "error",
  };
  const other = postgres({
    path: `${host}/.s.PGSQL.${process.env["PGPORT"]}`, user: process.env["PGUSER"]!,
    database: process.env["PGDATABASE"]!, max: 1, onnotice: () => {},
    connection: connection as never, transform: { ...postgres.camel, undefined: null },
  });
  const store = new Store(other, "other_settings");
  await store.create({ dimensions: 3 });
  try {
    const memory = store.memory("m");
    const [then, long] = [new Date("2026-05-01T10:00:00.123Z"), new Date("1850-01-01T00:00:00Z")];
    await memory.upsert("a", "north", { embedding: NORTH, creationTime: then });
    await memory.upsert("b", "east", { embedding: EAST, creationTime: long });
    const times = (await all(memory.list(null, { orderBy: "-createdAt" }))).map((one) => one.creationTime);
    assert.deepEqual(times, [then, long]);
    const answer = await memory.search("", { embedding: NORTH });
    assert.deepEqual(answer.entries.map((one) => one.creationTime), [then, long]);
    assert.equal((await memory.entries("", { embedding: [0.6, 0.8, 0] }))[0]?.semantic?.toFixed(2), "0.80");
  } finally {
    await store.drop({ force: true });
    await other.end();
  }
});

test("a time that no Date holds is an invalid Date, and not another time", async () => {
  const text = async (time: string) => {
    const row = JSON.stringify({ entry_id: "x", creation_time: time });
    const source: Queryable = { query: async () => ({ rows: [{ value: row }] }) };
    return (await new Memory(source, "m").page())[0]!.creationTime;
  };
  assert.equal((await text("0044-03-15T12:00:00+00:00 BC"))?.toISOString(), "-000043-03-15T12:00:00.000Z");
  assert.equal((await text("12026-01-01T00:00:00.1-02:30"))?.toISOString(), "+012026-01-01T02:30:00.100Z");
  assert.equal((await text("0099-01-01T00:00:00.123456+00:17:30"))?.toISOString(), "0098-12-31T23:42:30.123Z");
  for (const wrong of ["infinity", "-infinity", "294276-12-31T23:59:59+00:00", "yesterday"]) {
    assert.ok(Number.isNaN((await text(wrong))!.getTime()), wrong);
  }
});

test("a call is a statement that anybody could write", async () => {
  const sent: [string, (string | null)[]][] = [];
  const source: Queryable = {
    query: async (statement, values) => {
      sent.push([statement, values]);
      return { rows: [{ value: "[]" }] };
    },
  };
  const memory = new Memory(source, "trip", { schema: 'my"ext' });
  await memory.count({ tags: ["sea"] }, { options: { includeDeleted: true, asOf: undefined } });
  await memory.supersede("a", null);
  await memory.page();
  assert.deepEqual(sent, [
    ['SELECT "my""ext".memory_count(memory_id => $1::text, filters => $2::text::jsonb,' +
      " options => $3::text::jsonb)::text AS value", ["trip", '{"tags":["sea"]}', '{"includeDeleted":true}']],
    ['SELECT "my""ext".memory_supersede(memory_id => $1::text, old_entry_id => $2::text::uuid,' +
      " new_entry_id => $3::text::uuid)::text AS value", ["trip", "a", null]],
    ['SELECT pg_catalog.to_jsonb(r)::text AS value FROM "my""ext".memory_list(memory_id => $1::text) AS r', ["trip"]],
  ]);
});

test("a name that is empty is one, and not left out", async () => {
  const statements: string[] = [];
  const source: Queryable = { query: async (statement) => (statements.push(statement), { rows: [{ value: "0" }] }) };
  await new Memory(source, "m", { schema: "", store: "" }).count();
  assert.deepEqual(statements, ['SELECT "".memory_count(memory_id => $1::text, store => $2::text)::text AS value']);
});
