// The methods of a memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Memories, Memory } from "memory-search";
import { all, byBothDrivers, EAST, fill, keyed, near, NORTH, pool, sql, WEST } from "./server.js";

byBothDrivers(({ source, store, memory }) => {
  test("a search answers entries and contexts", async () => {
    await memory.add("a hotel at the sea", { embedding: NORTH, context: "planning", metadata: { stars: 4 } });
    const answer = await memory.search("hotel", {
      k: 1, topKc: 1, embedding: NORTH, filters: { metadata: { stars: { $gte: 4 } } },
    });
    const [entry] = answer.entries;
    assert.deepEqual([answer.count, answer.latestContext, entry?.rawEntry], [1, "planning", "a hotel at the sea"]);
    assert.ok(near(entry?.scores["semantic"], 1));
    assert.ok(entry?.creationTime instanceof Date);
    assert.ok(answer.latestContextTimestamp instanceof Date);
  });

  test("k is the number of entries, and entries() has more than a search may", async () => {
    await fill(memory);
    assert.equal((await memory.search("", { k: 2, embedding: NORTH })).entries.length, 2);
    await assert.rejects(memory.search("", { k: 1000, embedding: NORTH }), { code: "22023" });
    const [first, ...others] = await memory.entries("north", { k: 1000, embedding: NORTH });
    assert.deepEqual([first?.rank, first?.rawEntry, first?.tags, others.length], [1, "north", ["cold"], 2]);
    assert.ok(near(first?.semantic, 1) && first!.recencyFactor > 0.9);
  });

  test("further fields of an option are there, and fields that are left out are not", async () => {
    await memory.add("far south", { embedding: EAST, sessionId: "s" });
    await memory.add("north", { embedding: NORTH, sessionId: "s" });
    const options = { diagnostics: true, snippets: true, cursor: true, neighbours: { before: 1 } };
    const answer = await memory.search("north", { k: 1, embedding: NORTH, options });
    assert.ok(answer.diagnostics && answer.nextCursor && answer.entries[0]?.snippet);
    assert.ok(answer.entries[0]?.neighbours?.[0]?.creationTime instanceof Date);
    const [entry] = (await memory.search("", { k: 1, embedding: NORTH, options: { fields: ["rawEntry"] } })).entries;
    assert.deepEqual([entry?.rawEntry, entry?.tags], ["north", undefined]);
  });

  test("explain gives the reason for a missing entry", async () => {
    await fill(memory);
    const { entryId } = await keyed(memory, "w");
    const [candidate, ...others] = await memory.explain("", { k: 1, embedding: NORTH, entryId });
    assert.deepEqual([candidate?.entryId, candidate?.place === 1, others], [entryId, false, []]);
  });

  test("context is text of a prompt", async () => {
    await fill(memory);
    const given = { k: 1, embedding: NORTH, systemPrompt: "You are kind.", tokenBudget: 500 };
    const text = await memory.context("north", given);
    assert.ok(text.startsWith("You are kind.") && text.includes("north"));
  });

  test("several memories are one ranking, and none find nothing", async () => {
    await fill(memory);
    await store.memory("trip.2").add("further north", { embedding: NORTH });
    const found = await store.memories(["trip", "trip.2"]).entries("", { k: 2, embedding: NORTH });
    assert.deepEqual(found.map((one) => one.memoryId).sort(), ["trip", "trip.2"]);
    const prefixed = new Memories(source, [], { prefixes: ["trip."], store: "client" });
    assert.deepEqual((await prefixed.search("", { embedding: NORTH })).entries.map((one) => one.memoryId), ["trip.2"]);
    assert.deepEqual((await prefixed.explain("", { embedding: NORTH })).map((one) => one.memoryId), ["trip.2"]);
    assert.deepEqual((await store.memories([]).search("north", { embedding: NORTH })).entries, []);
  });

  test("recall, touch and feedback count", async () => {
    await fill(memory);
    await memory.recall("", { k: 1, embedding: NORTH });
    const counts = (await all(memory.list())).map((one) => [one.entryKey, one.accessCount]);
    assert.deepEqual(Object.fromEntries(counts), { n: 1, e: 0, w: 0 });
    const ids = (await memory.search("", { embedding: NORTH })).entries.map((one) => one.entryId);
    assert.deepEqual([await memory.touch(ids), await memory.feedback(ids.slice(1), 1)], [3, 2]);
    assert.equal(await memory.touch([]), 0);
  });

  test("add gives the id, and get the entry as it was given", async () => {
    const made = new Date("2026-05-01T10:00:00.123Z");
    const entryId = await memory.add("text", {
      summary: "s", tags: [], metadata: { a: [1, null] }, importance: 0, embedding: EAST, userId: "u", agentId: "a",
      sessionId: "se", sourceType: "note", creationTime: made, validFrom: made, ttl: "9999 days",
    });
    const [entry] = await memory.get([entryId], { options: { includeEmbedding: true } });
    assert.equal(entry?.entryId, entryId);
    assert.deepEqual([entry.summary, entry.tags, entry.metadata, entry.importance], ["s", [], { a: [1, null] }, 0]);
    assert.deepEqual([entry.userId, entry.agentId, entry.sessionId, entry.sourceType], ["u", "a", "se", "note"]);
    assert.deepEqual([entry.creationTime, entry.validFrom, entry.validUntil], [made, made, null]);
    assert.deepEqual(entry.embedding, EAST);
    assert.ok(entry.expiresAt!.getTime() > Date.now() + 9998 * 86_400_000);
  });

  test("upsert changes the entry with the key, and a missing key makes no new entry", async () => {
    const first = await memory.upsert("k", "old", { embedding: EAST });
    assert.equal(await memory.upsert("k", "new", { embedding: NORTH }), first);
    assert.deepEqual((await all(memory.list())).map((one) => one.rawEntry), ["new"]);
    await assert.rejects(memory.upsert(null as unknown as string, "x"), TypeError);
  });

  test("addMany gives the outcome of each", async () => {
    await fill(memory);
    const made = await memory.addMany([
      { rawEntry: "north", entryKey: "n", embedding: new Float32Array(NORTH), summary: null },
      { rawEntry: "south", entryKey: "s", ttl: "1 day", creationTime: new Date(), userId: undefined },
    ]);
    assert.deepEqual(made.map((one) => [one.ordinality, one.status]), [[1, "changed"], [2, "added"]]);
    assert.deepEqual(await memory.addMany([]), []);
  });

  test("update changes given columns and clears named ones", async () => {
    await fill(memory);
    const { entryId } = await keyed(memory, "n");
    const given = { rawEntry: "far north", embedding: NORTH, clear: ["tags"], summary: null };
    assert.equal(await memory.update(entryId, given), 1);
    const north = await keyed(memory, "n");
    assert.deepEqual([north.rawEntry, north.tags, north.importance], ["far north", [], 90]);
  });

  test("entities are stored, changed, cleared, and asked for by any way to write them", async () => {
    const first = await memory.add("Ana is in Porto", { entities: ["Ana", "Porto"], embedding: NORTH });
    const second = await memory.add("ANA called José", { entities: ["ANA", "José"], embedding: NORTH });
    await memory.addMany([{ rawEntry: "nobody", embedding: EAST, entities: [] }]);
    const answer = await memory.search("", { embedding: NORTH, filters: { entities: { $all: ["jose", "ana"] } } });
    assert.deepEqual(answer.entries.map((one) => one.entities), [["ANA", "José"]]);
    assert.ok(!("entities" in (await memory.search("", { k: 1, embedding: EAST })).entries[0]!));
    assert.equal(await memory.count({ entities: "aná" }), 2);
    await memory.update(first, { entities: ["Ben"] });
    await memory.update(second, { clear: ["entities"] });
    assert.deepEqual((await memory.get([first, second])).map((one) => one.entities), [["Ben"], []]);
    await assert.rejects(memory.add("x", { entities: "Ana" as never }), TypeError);
  });

  test("entities are listed, told about in the order of time, and counted", async () => {
    const may = [1, 2, 3].map((day) => new Date(Date.UTC(2026, 4, day)));
    await memory.addMany([
      { rawEntry: "Ana is in Porto", entities: ["Ana", "Porto"], tags: ["t"], embedding: NORTH, creationTime: may[0] },
      { rawEntry: "ANA called José", entities: ["ANA", "José"], embedding: NORTH, creationTime: may[1] },
      { rawEntry: "nobody", embedding: EAST, creationTime: may[2] },
    ]);
    const [ana, ...others] = await memory.entities();
    assert.deepEqual([ana?.entity, ana?.entries, ana?.occursWith.sort()], ["Ana", 2, ["José", "Porto"]]);
    assert.deepEqual([ana?.firstSeen, ana?.lastSeen, others.length], [may[0], may[1], 2]);
    assert.deepEqual((await memory.entities("por")).map((one) => one.entity), ["Porto"]);
    assert.equal((await memory.entities(null, { maxRows: 1, options: { asOf: may[1] } })).length, 1);
    const told = await memory.about("ana");
    assert.deepEqual(told.map((one) => one.rawEntry), ["Ana is in Porto", "ANA called José"]);
    assert.deepEqual([told[1]?.entities, told[1]?.creationTime, told[1]?.tokens], [["ANA", "José"], may[1], 4]);
    assert.deepEqual((await memory.about("Ana", { tokenBudget: 5 })).map((one) => one.rawEntry), ["ANA called José"]);
    assert.deepEqual((await memory.about("Ana", { filters: { tags: "t" } })).map((one) => one.tokens), [4]);
    await assert.rejects(memory.about(undefined as never), { code: "22004" });
    const counts = async (...given: Parameters<typeof memory.facets>) =>
      (await memory.facets(...given)).map((one) => `${one.facet} ${one.value} ${one.entries}`);
    assert.deepEqual(await counts(), ["tags t 1"]);
    const by = ["month", "entities"];
    assert.deepEqual(await counts(null, { by, maxValues: 1 }), ["month 2026-05 3", "entities Ana 2"]);
    assert.deepEqual(await counts("", { by: ["day"], k: 1, embedding: EAST }), ["day 2026-05-03 1"]);
    const options = { strategy: "keyword", fallback: false };
    assert.deepEqual(await counts("Porto", { by: ["tags"], options }), ["tags t 1"]);
    await assert.rejects(memory.facets(null, { by: "tags" as never }), TypeError);
  });

  test("supersede hides, null takes it back, and a missing id does not", async () => {
    await fill(memory);
    const [old, young] = [(await keyed(memory, "e")).entryId, (await keyed(memory, "w")).entryId];
    assert.deepEqual([await memory.supersede(old, young), await memory.count()], [1, 2]);
    await assert.rejects(memory.supersede(old, undefined as unknown as null), TypeError);
    assert.deepEqual([await memory.supersede(old, null), await memory.count()], [1, 3]);
    const at = new Date(Date.now() - 1000);
    assert.equal(await memory.supersede(old, young, { at }), 1);
    assert.deepEqual((await memory.get([old], { options: { asOf: at } }))[0]?.validUntil ?? at, at);
  });

  test("delete and restore", async () => {
    await fill(memory);
    const ids = (await all(memory.list())).map((one) => one.entryId);
    assert.deepEqual([await memory.delete(ids.slice(0, 2)), await memory.count()], [2, 1]);
    assert.deepEqual([await memory.restore(ids), await memory.count()], [2, 3]);
    assert.deepEqual([await memory.deleteAll(), await memory.count(), await memory.restoreAll()], [3, 0, 3]);
  });

  test("deleting an empty list, or without ids, deletes nothing", async () => {
    await fill(memory);
    assert.equal(await memory.delete([]), 0);
    await assert.rejects(memory.delete(undefined as unknown as string[]), { code: "22004" });
    await assert.rejects(memory.deleteWhere(undefined as unknown as {}, { dryRun: false }), { code: "22004" });
    await assert.rejects(memory.deleteWhere({}, { dryRun: false }), { code: "22023" });
    assert.equal(await memory.count(), 3);
  });

  test("deleteWhere looks first", async () => {
    await fill(memory);
    assert.deepEqual((await memory.deleteWhere({ userId: "ana" })).map((one) => one.deleted), [false]);
    const gone = await memory.deleteWhere({ userId: "ana" }, { dryRun: false });
    assert.deepEqual([gone.map((one) => one.deleted), await memory.count()], [[true], 2]);
  });

  test("list goes through all pages", async () => {
    await fill(memory);
    const keys = async (given: object) => (await all(memory.list(null, given))).map((one) => one.entryKey);
    assert.deepEqual((await keys({ pageSize: 1 })).sort(), ["e", "n", "w"]);
    assert.equal((await keys({ orderBy: "-importance", pageSize: 2 }))[0], "n");
    const [first] = await memory.page(null, { orderBy: "-importance", pageSize: 1 });
    const next = await memory.page(null, { orderBy: "-importance", pageSize: 5, cursor: first!.cursor });
    assert.deepEqual([first?.entryKey, next.length], ["n", 2]);
    assert.deepEqual([await memory.count(), await memory.count({ tags: ["cold"] })], [3, 1]);
  });

  test("a page size of nothing is refused, and not a list of nothing", async () => {
    await assert.rejects(all(memory.list(null, { pageSize: 0 })), { code: "22023" });
  });

  test("contexts are put, deleted and restored", async () => {
    await fill(memory);
    const contextId = await memory.putContext("planning");
    const latest = async () => (await memory.search("", { embedding: NORTH })).latestContext;
    assert.equal(await latest(), "planning");
    assert.deepEqual([await memory.deleteContexts([contextId]), await latest()], [1, ""]);
    assert.deepEqual([await memory.restoreContexts([contextId]), await latest()], [1, "planning"]);
  });

  test("an export can be imported", async () => {
    await fill(memory);
    const copy = store.memory("copy");
    await memory.upsert("n", "north", { embedding: NORTH, creationTime: "2026-05-01T10:00:00.123456Z" });
    assert.equal(await copy.importLines(await memory.export()), 3);
    const times = (await copy.export()).map((line) => String(line["creationTime"]));
    assert.ok(times.some((time) => time.includes("10:00:00.123456")), times.join());
    assert.deepEqual((await all(copy.list())).map((one) => one.entryKey).sort(), ["e", "n", "w"]);
    assert.ok((await memory.export({ withEmbeddings: false })).every((line) => !("embedding" in line)));
  });

  test("history has the changes, page by page", async () => {
    await store.keepHistory();
    const entryId = await memory.add("old", { embedding: EAST });
    await memory.update(entryId, { rawEntry: "new", embedding: NORTH });
    const [latest] = await memory.history(entryId, { pageSize: 1 });
    const [first] = await memory.history(entryId, { olderThan: latest!.historyId });
    const happened = [latest?.operation, latest?.before?.["raw_entry"], first?.operation];
    assert.deepEqual(happened, ["changed", "old", "added"]);
    assert.ok(latest?.recordedAt instanceof Date);
  });

  test("links lead to related entries", async () => {
    const [one, two, three] = await Promise.all(["one", "two", "three"].map((text) => memory.add(text, { embedding: EAST })));
    const made = await memory.link(one!, two!, { kind: "derived_from", weight: 0.5, metadata: { page: 7 } });
    const changed = await memory.link(one!, two!, { kind: "derived_from", weight: 0.25, validUntil: "2999-01-01Z" });
    assert.deepEqual([made, changed, await memory.link(two!, three!)], [true, false, true]);
    const [link] = await memory.links(one!, { kinds: ["derived_from"], direction: "from", maxRows: 5 });
    assert.deepEqual([link?.fromEntry, link?.toEntry, link?.weight, link?.metadata], [one, two, 0.25, {}]);
    assert.ok(link?.validUntil instanceof Date && link.creationTime instanceof Date && link.validFrom === null);
    assert.deepEqual(await memory.links(one!, { validAt: new Date("2999-01-02Z") }), []);
    const found = await memory.related(one!, { depth: 2, maxEntries: 10 });
    assert.deepEqual(found.map((entry) => [entry.entryId, entry.hops, entry.via, entry.isCut]),
      [[two, 1, one, false], [three, 2, two, false]]);
    assert.deepEqual([await memory.unlink(one!, two!, { kind: "x" }), await memory.unlink(one!, two!)], [0, 1]);
  });

  test("an alias is another name", async () => {
    assert.deepEqual([await memory.alias("Mum", "Anna"), await memory.alias("MUM", "Anna")], [true, false]);
    assert.deepEqual((await memory.aliases()).map((one) => [one.alias, one.entity]), [["mum", "Anna"]]);
    assert.deepEqual([await memory.unalias("mum"), await memory.unalias("mum")], [true, false]);
  });

  test("the server's errors come as they are, with code and hint", async () => {
    await assert.rejects(memory.search("north", { embedding: NORTH, options: { strateg: "hybrid" } }), {
      code: "22023", hint: 'Did you mean "strategy"?',
    });
    await assert.rejects(memory.addMany([{ rawEntri: "x" } as never]), { code: "22023" });
    await assert.rejects(new Memory(source, null as unknown as string, { store: "client" }).count(), { code: "22004" });
  });

  test("an argument that no method has is refused before it is sent", async () => {
    const wrong = (value: object) => value as never;
    const said = /add\(\) has no argument "importanc"; did you mean "importance"\?/;
    await assert.rejects(memory.add("x", wrong({ importanc: 3 })), said);
    for (const other of ["topKe", "top_ke", "top_k", "limit"]) {
      const meant = new RegExp(`search\\(\\) has no argument "${other}"; did you mean "k"\\?`);
      await assert.rejects(memory.search("x", wrong({ [other]: 3 })), meant);
    }
    await assert.rejects(memory.search("x", wrong({ store: "other" })), TypeError);
    await assert.rejects(memory.search("x", 5 as never), TypeError);
    await assert.rejects(memory.add("x", wrong({ 'a" => 1); DROP TABLE client.entries; --': 1 })), TypeError);
    await assert.rejects(all(memory.list({}, wrong({ cursor: "x" }))), TypeError);
    await assert.rejects(memory.search("x", wrong({ top_kc: 3 })), /did you mean "topKc"/);
    await assert.rejects(memory.search("x", wrong({ somethingElse: 3 })), /it has k, embedding, filters, options/);
    assert.throws(() => new Memory(source, "trip", wrong({ stor: "x" })), /no argument "stor"/);
    await assert.rejects(memory.addMany(wrong({ rawEntry: "x" })), TypeError);
    await assert.rejects(memory.importLines(wrong({ kind: "entry" })), TypeError);
    assert.equal(await memory.count(), 0);
  });
});

test("the extension's schema can be named", async () => {
  const client = await pool.connect();
  try {
    await client.query("SET search_path = pg_catalog");
    assert.equal(await new Memory(client, "trip", { schema: "public" }).count().catch((error) => error.code), "42704");
    assert.equal(await new Memory(client, "trip").count().catch((error) => error.code), "42883");
  } finally {
    client.release(true);
  }
});

test("transactions are the caller's", async () => {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT memory_create_store('undone', dimensions => 3)");
    const memory = new Memory(client, "trip", { store: "undone" });
    await memory.add("south", { embedding: WEST });
    assert.equal(await memory.count(), 1);
    await client.query("ROLLBACK");
    await assert.rejects(memory.count(), { code: "42704" });
  } finally {
    client.release();
  }
  const undone = sql.begin(async (transaction) => {
    await transaction`SELECT memory_create_store('undone', dimensions => 3)`;
    const memory = new Memory(transaction, "trip", { store: "undone" });
    await memory.add("south", { embedding: WEST });
    throw new Error(`there is ${await memory.count()}`);
  });
  await assert.rejects(undone, /there is 1/);
  await assert.rejects(new Memory(sql, "trip", { store: "undone" }).count(), { code: "42704" });
});

test("what is no source is refused at once", () => {
  for (const wrong of [undefined, null, "postgresql://", {}]) {
    assert.throws(() => new Memory(wrong as never, "trip"), TypeError);
  }
});
