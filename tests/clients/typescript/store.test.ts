// The methods of a store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "memory-search";
import { all, byBothDrivers, EAST, NORTH, pool } from "./server.js";

byBothDrivers(({ source, store, memory }) => {
  test("a store lists its memories page by page", async () => {
    for (const name of ["a.1", "a.2", "b"]) await store.memory(name).add("x", { embedding: EAST });
    assert.deepEqual((await all(store.listMemories({ pageSize: 1 }))).map((one) => one.memoryId), ["a.1", "a.2", "b"]);
    const found = await all(store.listMemories({ prefix: "a." }));
    const summaries = found.map((one) => [one.memoryId, one.entries, one.lastUsed]);
    assert.deepEqual(summaries, [["a.1", 1, null], ["a.2", 1, null]]);
    assert.ok(found[0]?.firstCreated instanceof Date);
  });

  test("stats count the contents of a store; purge and forgetUser return the number of removed rows", async () => {
    await memory.add("x", { embedding: EAST, userId: "ana" });
    await memory.delete([await memory.add("y", { embedding: NORTH })]);
    const stats = await store.stats();
    assert.deepEqual([stats.memories, stats.entries, stats.visible, stats.deleted], [1, 2, 1, 1]);
    assert.deepEqual([await store.purge({ before: new Date(0) }), await store.purge({ maxRows: 10n })], [0, 1]);
    assert.deepEqual([await store.forgetUser("ana"), (await store.stats()).entries], [1, 0]);
  });

  test("the doctor looks", async () => {
    const checks = await store.doctor();
    assert.ok(checks.length > 5 && checks.every((check) => check.status !== "error"));
  });

  test("weights are learned from judgements", async () => {
    const entryId = await memory.add("x", { embedding: EAST });
    await memory.add("y", { embedding: NORTH });
    const request = { memoryId: "trip", query: "x", embedding: EAST };
    const report = (await store.learn([{ request, helpful: [entryId] }])) as Record<string, unknown>;
    assert.deepEqual([report.verdict, report.used, report.applied], ["too few questions", 1, false]);
    await assert.rejects(store.learn([], { apply: true }), /applied nothing/);
  });

  test("a role is granted to read, rows are secured, and changes notified", async () => {
    await store.grant("public", "reader");
    await store.enableRowSecurity("app.user");
    await store.notify({ channel: "client_changes" });
    await store.notify({ enabled: false });
    const { rows } = await pool.query(
      "SELECT has_table_privilege('public', oid, 'SELECT') AS may, relrowsecurity FROM pg_class" +
        " WHERE oid = 'client.entries'::regclass");
    assert.deepEqual(rows, [{ may: true, relrowsecurity: true }]);
  });

  test("a store that holds memories, or has no name, is not dropped by accident", async () => {
    await memory.add("x", { embedding: EAST });
    await assert.rejects(store.drop(), { code: "55000" });
    await assert.rejects(new Store(source).drop({ force: true }), { code: "22004" });
    assert.equal(await memory.count(), 1);
  });

  test("a store is distributed only if there is a cluster", async () => {
    await assert.rejects(store.distribute({ shardCount: 4 }), { code: "0A000" });
  });

  test("the server's embedder embeds", async () => {
    const embedded = new Store(source, "embedded");
    await embedded.create({ language: "simple" });
    try {
      await pool.query("INSERT INTO embedded.entries (memory_id, raw_entry) VALUES ('trip', 'the sea')");
      const embedding = await embedded.embed("a hotel at the sea");
      assert.ok(embedding.length > 3 && embedding.every((element) => typeof element === "number"));
      assert.deepEqual(
        [await embedded.embedPending({ maxRows: 9 }), await embedded.reembed({ memoryId: "trip", everything: false })],
        [1, 0]);
      assert.equal((await embedded.memory("trip").search("sea", { embedding })).count, 1);
    } finally {
      await embedded.drop({ force: true });
    }
  });

  test("a long text has passages", async () => {
    const passages = await store.passages("A heron sat there. ".repeat(80));
    assert.ok(passages.length > 1);
    assert.equal(passages.join(" "), "A heron sat there. ".repeat(80).trim());
    assert.deepEqual(await store.passages("short"), []);
  });

  test("a tool is described", async () => {
    assert.equal((await store.toolSpec("mcp") as { name: string }).name, "memory_search");
  });
});
