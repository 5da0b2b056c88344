// LangGraph.js: the promises of its interface of a store, and the same answers as its own store in memory.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import { AsyncBatchedStore, InMemoryStore, type BaseStore, type SearchItem } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { Store, type Source } from "memory-search";
import { MemorySearchStore } from "memory-search/langgraph";
import { pool, sql } from "./server.js";

/** An embedding by which letters are in a text: the same for the same text, near for texts alike. */
class Letters extends FakeEmbeddings {
  asked = 0;
  override async embedQuery(text: string): Promise<number[]> {
    return [..."abcdefgh"].map((letter) => 0.01 + text.split(letter).length - 1);
  }
  override async embedDocuments(texts: string[]): Promise<number[][]> {
    this.asked += texts.length;
    return Promise.all(texts.map((text) => this.embedQuery(text)));
  }
}

const embeddings = new Letters({});
const index = { dims: 8, embeddings, fields: ["text"] };
const client = new pg.Client({
  host: process.env["PGHOST"], port: Number(process.env["PGPORT"]), user: process.env["PGUSER"]!,
  database: process.env["PGDATABASE"]!, options: "-c client_min_messages=error",
});
before(() => client.connect());
after(() => client.end());

const plain = (items: SearchItem[]) => items.map(({ namespace, key, value }) => ({ namespace, key, value }));
const path = ({ namespace, key }: { namespace: string[]; key: string }) => [...namespace, key].join(" ");
const byKey = (items: SearchItem[]) => plain(items).sort((a, b) => (path(a) < path(b) ? -1 : 1));
// Embeddings are stored in half precision.
const alike = (items: SearchItem[], others: SearchItem[]) =>
  items.length === others.length && items.every((item, place) => Math.abs(item.score! - others[place]!.score!) < 2e-3);

const sources: [string, Source][] = [["a pool", pool], ["a client", client], ["postgres.js", sql]];
for (const [driver, source] of sources) {
  describe(`by ${driver}`, () => {
    const store = new MemorySearchStore({ source, index, store: "graph" });
    beforeEach(() => store.setup());
    afterEach(() => new Store(source, "graph").drop({ force: true }));

    test("an item is there as it was put, with the times when it was put first and last", async () => {
      const value = { text: "abc", deep: { list: [1, null, { yes: true }] }, "quote'\"": "日本 \u2028" };
      await store.put(["users", "ana"], "it's", value);
      const first = await store.get(["users", "ana"], "it's");
      assert.deepEqual([first?.value, first?.key, first?.namespace], [value, "it's", ["users", "ana"]]);
      await store.setup();
      await store.put(["users", "ana"], "it's", { text: "b" });
      const second = await store.get(["users", "ana"], "it's");
      assert.deepEqual([second?.value, second?.createdAt], [{ text: "b" }, first?.createdAt]);
      assert.ok(second!.updatedAt > first!.updatedAt);
      assert.equal(await store.get(["users"], "it's"), null);
      await store.delete(["users", "ana"], "it's");
      await store.delete(["users", "ana"], "never there");
      assert.equal(await store.get(["users", "ana"], "it's"), null);
    });

    test("items are found by similarity below a namespace, each once, and filtered by their values", async () => {
      await store.put(["docs", "a"], "1", { text: "aaa", page: 1 });
      await store.put(["docs", "b"], "2", { text: "aab", page: 2 });
      await store.put(["docs2"], "3", { text: "aaa", page: 3 });
      await store.put(["docs"], "unseen", { text: "aaa" }, false);
      const found = await store.search(["docs"], { query: "aaa" });
      assert.deepEqual(found.map((item) => item.key), ["1", "2"]);
      assert.ok(found[0]!.score! > 0.999 && found[1]!.score! < 0.99);
      const filtered = await store.search(["docs"], { query: "aaa", filter: { page: { $gt: 1 } } });
      assert.deepEqual(filtered.map((item) => item.key), ["2"]);
      const second = await store.search([], { query: "aaa", limit: 1, offset: 2 });
      assert.deepEqual(second.map((item) => item.key), ["2"]);
      assert.deepEqual((await store.search([])).map((item) => item.key), ["unseen", "3", "2", "1"]);
      await assert.rejects(store.search([], { limit: 1001 }), RangeError);
    });

    test("an item of which several texts are embedded is one item, and loses what it lost", async () => {
      await store.put(["d"], "k", { list: [{ of: "aaa" }, { of: "ccc" }] }, ["list[*].of"]);
      assert.deepEqual((await store.search(["d"], { query: "ccc" })).map((item) => item.key), ["k"]);
      assert.deepEqual((await store.search(["d"])).length, 1);
      await store.put(["d"], "k", { list: [{ of: "aaa" }] }, ["list[0].of", "{none,other}"]);
      const [one] = await store.search(["d"], { query: "ccc" });
      assert.ok(one!.score! < 0.1);
      await store.delete(["d"], "k");
      assert.deepEqual([await store.search(["d"], { query: "ccc" }), await store.search(["d"])], [[], []]);
    });

    test("an item is kept as the Python client keeps it, and one that it wrote is read", async () => {
      await store.put(["users", "ana"], "k", { text: "aa", other: "bb" }, ["text", "other"]);
      const memory = new Store(source, "graph").memory("users.ana");
      const entries = await memory.page(null, { orderBy: "createdAt" });
      const created = (await store.get(["users", "ana"], "k"))!.createdAt.toISOString();
      const value = { text: "aa", other: "bb" };
      assert.deepEqual(entries.map((one) => [one.entryKey, one.rawEntry, one.metadata]).sort(), [
        ["k\u001f1", "bb", { key: "k", value, part: 1, created }], ["k", "aa", { key: "k", value, part: 0, created }],
      ]);
      const theirs = { key: "p", value: { n: 1 }, part: 0, created: "2026-01-01T00:00:00.123456+00:00", ttl: 5 };
      await memory.add("x", { entryKey: "p", metadata: theirs, embedding: Array(8).fill(1) });
      const item = await store.get(["users", "ana"], "p");
      assert.deepEqual([item?.value, item?.createdAt.toISOString()], [{ n: 1 }, "2026-01-01T00:00:00.123Z"]);
    });

    test("a failure in a batch undoes all of it, and leaves the caller's transaction as it was", async () => {
      const wrong = [
        { namespace: ["n"], key: "good", value: { text: "a" } },
        { namespace: ["n"], key: "bad", value: { text: "nul \0" } },
      ];
      await assert.rejects(store.batch(wrong));
      assert.equal(await store.get(["n"], "good"), null);
      await assert.rejects(store.batch([{ namespace: ["n.m"], key: "k", value: {} }]), /periods/);
      await assert.rejects(store.put(["n"], "", {}), TypeError);
      await assert.rejects(store.put(["n"], "k", [] as never), TypeError);
      await assert.rejects(store.put(["n"], "k", { text: "a", odd: () => 1 }), TypeError);
      await assert.rejects(store.put(["n"], "k", { text: "a" }, ["list["]), RangeError);
    });

    test("calls at the same time are all done", async () => {
      const many = Array.from({ length: 20 }, (_, n) => store.put(["many"], `${n}`, { n }));
      await Promise.all([...many, assert.rejects(store.put(["many"], "x", { text: "nul \0" }))]);
      assert.equal((await store.search(["many"], { limit: 100 })).length, 20);
      const batched = new AsyncBatchedStore(store);
      batched.start();
      await Promise.all([batched.put(["late"], "a", { n: 1 }), batched.put(["late"], "b", { n: 2 })]);
      assert.deepEqual((await batched.get(["late"], "b"))?.value, { n: 2 });
      batched.stop();
    });

    test("a label that is a star is one, entries that are no items are passed over, and null is the default", async () => {
      await store.put(["*"], "star", { text: "a" });
      await store.put(["other"], "k", { text: "a" });
      const memory = new Store(source, "graph").memory("*");
      await memory.add("no item", { embedding: Array(8).fill(1), entryKey: "note" });
      await memory.add("no item", { embedding: Array(8).fill(1), entryKey: "part", metadata: { key: "x", part: 0 } });
      assert.equal(await store.get(["*"], "note"), null);
      for (const query of [undefined, "a"]) for (const limit of [null as never, 1]) {
        const found = await store.search(["*"], { limit, ...(query && { query }) });
        assert.deepEqual(found.map((item) => item.key), ["star"]);
      }
      // A put or a deletion of an item leaves them as they are.
      await store.put(["*"], "x", { text: "a" });
      await memory.add("no item", { embedding: Array(8).fill(1), entryKey: "more", metadata: { key: "x", part: 7 } });
      await store.put(["*"], "x", { text: "b" });
      await store.delete(["*"], "x");
      const left = await memory.page({ entryKey: ["note", "part", "more", "x"] });
      assert.deepEqual(left.map((entry) => entry.entryKey).sort(), ["more", "note", "part"]);
      // A put under its key makes it an item.
      await store.put(["*"], "note", { text: "b" });
      assert.ok((await store.get(["*"], "note"))!.createdAt.getTime() > 0);
      const wrong = [{ matchConditions: [{ matchType: "middle" as never, path: ["a"] }], limit: 1, offset: 0 }];
      await assert.rejects(store.batch(wrong), RangeError);
    });

    test("a condition that is undefined is refused by its name, since left out it would pass everything", async () => {
      await store.put(["docs"], "1", { text: "aaa", user: "ana" });
      for (const filter of [
        { user: undefined }, { text: "aaa", user: { $eq: undefined } }, { who: { user: undefined } },
        { user: { $in: [undefined] } }, { who: { $eq: { user: undefined } } },
      ]) {
        const refused = { name: "TypeError", message: /the condition on metadata\.value\.\S*user/ };
        await assert.rejects(store.search(["docs"], { filter }), refused);
        await assert.rejects(store.search(["docs"], { filter, query: "aaa" }), refused);
      }
      assert.equal((await store.search(["docs"], { filter: {} })).length, 1);
    });

    test("namespaces are listed by beginning, end and depth", async () => {
      const namespaces = [["a", "b", "c"], ["a", "b", "d"], ["a", "x", "c"], ["b"], ["ab", "c"]];
      const memory = new InMemoryStore();
      for (const one of [store, memory]) for (const namespace of namespaces) await one.put(namespace, "k", {});
      for (const asked of [
        {}, { prefix: ["a"] }, { suffix: ["c"] }, { prefix: ["a", "*", "c"] }, { maxDepth: 1 }, { maxDepth: 2, prefix: ["a"] },
        { limit: 2, offset: 1 }, { prefix: ["a"], suffix: ["d"] }, { prefix: ["none"] },
      ]) assert.deepEqual(await store.listNamespaces(asked), await memory.listNamespaces(asked), JSON.stringify(asked));
    });

    test("random operations have the answers of LangGraph's store in memory", async () => {
      const oracle = new InMemoryStore({ index });
      const stores: BaseStore[] = [store, oracle];
      let seed = 7;
      const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
      const word = () => Array.from({ length: 3 + random(5) }, () => "abcdefgh"[random(8)]).join("");
      for (let turn = 0; turn < 60; turn++) {
        const namespace = [["u"], ["u", "a"], ["u", "b"], ["v"]][random(4)]!;
        const key = `k${random(6)}`;
        const value = { text: word(), n: random(5), tag: "xyz"[random(3)] };
        if (random(5) === 0) for (const one of stores) await one.delete(namespace, key);
        else for (const one of stores) await one.put(namespace, key, value);
        const filter = [undefined, { n: { $gte: 2 } }, { tag: "x" }, { n: { $lt: 3, $ne: 1 }, tag: { $eq: "y" } },
          { tag: { $in: ["x", "z"] } }][random(5)];
        const prefix = [[], ["u"], ["u", "a"], ["v"]][random(4)]!;
        const asked = { limit: 50, ...(filter && { filter }) };
        const [listed, wanted] = await Promise.all(stores.map((one) => one.search(prefix, asked)));
        assert.deepEqual(byKey(listed!), byKey(wanted!), JSON.stringify([prefix, asked]));
        const [near, nearest] = await Promise.all(stores.map((one) => one.search(prefix, { ...asked, query: "abc" })));
        assert.ok(alike(near!, nearest!), JSON.stringify([near, nearest]));
        assert.deepEqual(byKey(near!), byKey(nearest!));
      }
    });
  });
}

test("within a transaction that is rolled back nothing was put, and the setting is as it was", async () => {
  const outside = new MemorySearchStore({ source: pool, index, store: "graph" });
  await outside.setup();
  const one = await pool.connect();
  try {
    await one.query("BEGIN");
    await one.query("SET LOCAL memory_search.embed_on_write = 'on'");
    const inside = new MemorySearchStore({ source: one, index, store: "graph" });
    await inside.put(["n"], "k", { text: "a" });
    await assert.rejects(inside.put(["n"], "l", { text: "\0" }));
    assert.equal((await inside.get(["n"], "k"))?.key, "k");
    const { rows: [row] } = await one.query("SHOW memory_search.embed_on_write");
    assert.deepEqual(Object.values(row), ["on"]);
    await one.query("ROLLBACK");
    assert.equal(await outside.get(["n"], "k"), null);
    await sql.begin(async (transaction) => {
      await new MemorySearchStore({ source: transaction, index, store: "graph" }).put(["n"], "k", { text: "a" });
      throw new Error("never mind");
    }).catch(() => undefined);
    assert.equal(await outside.get(["n"], "k"), null);
  } finally {
    one.release();
    await new Store(pool, "graph").drop({ force: true });
  }
});

test("without embeddings of the application an item has none, and a search lists what was put last", async () => {
  const store = new MemorySearchStore({ source: pool, store: "graph" });
  await store.setup();
  try {
    await store.put(["n"], "k", { text: "a" });
    await store.put(["n"], "l", { text: "b" });
    const [entry] = await new Store(pool, "graph").memory("n").page({ entryKey: "k" }, { options: { includeEmbedding: true } });
    assert.equal(entry!.embedding, null);
    assert.deepEqual((await store.search(["n"], { query: "a" })).map(({ key, score }) => [key, score]), [
      ["l", undefined], ["k", undefined],
    ]);
  } finally {
    await new Store(pool, "graph").drop({ force: true });
  }
});
