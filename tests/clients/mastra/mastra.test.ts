// Mastra: the promises of its interface of a vector store, and its own memory with semantic recall on our store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InMemoryStore } from "@mastra/core/storage";
import { Memory } from "@mastra/memory";
import { Store } from "memory-search";
import { MemorySearchVector } from "memory-search/mastra";
import { byBothDrivers, EAST, NORTH, pool, WEST } from "./server.js";

const ids = (found: { id: string }[]) => found.map((one) => one.id);

byBothDrivers(({ source, store }) => {
  const vector = () => new MemorySearchVector({ id: "v", source, store: "client" });
  const filled = async () => {
    const made = vector();
    await made.createIndex({ indexName: "docs", dimension: 3 });
    await made.upsert({
      indexName: "docs", ids: ["n", "e", "w"], vectors: [NORTH, EAST, WEST],
      metadata: [
        { text: "about north", page: 1, tags: ["a", "b"], author: { name: "Ana" }, due: "2026-05-01T10:00:00Z" },
        { page: 2, tags: ["b"], author: { name: "Ben" }, gone: null },
        { page: 3, tags: ["c"], due: "2026-07-01T12:00:00+02:00" },
      ],
    });
    return made;
  };

  test("an index is there from when it is made until it is deleted, also for another process", async () => {
    await Promise.all([1, 2, 3].map(() => vector().createIndex({ indexName: "docs", dimension: 3, metric: "cosine" })));
    await vector().createIndex({ indexName: "docs_2", dimension: 3 });
    assert.deepEqual(await vector().listIndexes(), ["docs", "docs_2"]);
    assert.deepEqual(await vector().describeIndex({ indexName: "docs" }), { dimension: 3, count: 0, metric: "cosine" });
    assert.deepEqual(await vector().query({ indexName: "docs", queryVector: NORTH }), []);
    const one = await filled();
    assert.equal((await vector().describeIndex({ indexName: "docs" })).count, 3);
    await one.deleteIndex({ indexName: "docs" });
    assert.deepEqual(await one.listIndexes(), ["docs_2"]);
    await assert.rejects(one.query({ indexName: "docs", queryVector: NORTH }), /there is no index docs/);
    await filled();
    assert.equal((await vector().describeIndex({ indexName: "docs" })).count, 3);
  });

  test("other dimensions, another measure and a missing index are refused", async () => {
    const one = await filled();
    await assert.rejects(one.createIndex({ indexName: "big", dimension: 4 }), /3 dimensions.*big would have 4: name another store/);
    await assert.rejects(one.createIndex({ indexName: "big", dimension: 3, metric: "euclidean" }), /cosine/);
    const indexName = "dcos";
    for (const call of [
      () => one.query({ indexName, queryVector: NORTH }),
      () => one.upsert({ indexName, vectors: [NORTH] }),
      () => one.describeIndex({ indexName }),
      () => one.deleteIndex({ indexName }),
      () => one.updateVector({ indexName, id: "n", update: { metadata: {} } }),
      () => one.deleteVector({ indexName, id: "n" }),
      () => one.deleteVectors({ indexName, filter: { page: 1 } }),
    ]) await assert.rejects(call, /there is no index dcos in the store "client"/);
    assert.deepEqual(await one.listIndexes(), ["docs"]);
  });

  test("vectors are found by similarity alone, with metadata and, on request, with their numbers", async () => {
    const one = await filled();
    const [north, ...others] = await one.query({ indexName: "docs", queryVector: [0.1, 1, 0] });
    assert.deepEqual([north!.id, others.length, north!.vector], ["n", 2, undefined]);
    assert.ok(Math.abs(north!.score - 0.995) < 1e-3);
    assert.deepEqual(north!.metadata!["author"], { name: "Ana" });
    const [same] = await one.query({ indexName: "docs", queryVector: NORTH, topK: 1, includeVector: true });
    assert.deepEqual(same!.vector, NORTH);
    await one.upsert({ indexName: "docs", ids: ["near"], vectors: [[0.1, 1, 0]] });
    const memory = store.memory("docs");
    for (const { entryId, entryKey } of await memory.page()) {
      await memory.update(entryId, entryKey === "near" ? { importance: 100 } : { importance: 0, creationTime: "2001-01-01Z" });
    }
    assert.deepEqual(ids(await one.query({ indexName: "docs", queryVector: NORTH, topK: 2 })), ["n", "near"]);
    for (const topK of [0, -5, 1.5, 1001]) {
      await assert.rejects(one.query({ indexName: "docs", queryVector: NORTH, topK }), /topK is from 1 to 1000/);
    }
    await assert.rejects(one.query({ indexName: "docs", queryVector: [1, 0] }), /dimension/);
    await assert.rejects(one.query({ indexName: "docs", queryVector: NORTH, sparseVector: {} as never }), TypeError);
  });

  test("a text in metadata is what a search of the memory finds by its words", async () => {
    await filled();
    const [best] = (await store.memory("docs").search("about north", { options: { strategy: "keyword" } })).entries;
    assert.deepEqual([best!.entryKey, best!.rawEntry], ["n", "about north"]);
  });

  test("filters have the meaning that MongoDB gives them", async () => {
    const one = await filled();
    const cases: [object, string][] = [
      [{ page: 2 }, "e"], [{ page: { $gte: 2 } }, "e w"], [{ page: { $gt: 1, $lt: 3 } }, "e"], [{ page: { $ne: 2 } }, "n w"],
      [{ page: { $in: [1, 3] } }, "n w"], [{ page: [1, 3] }, "n w"], [{ page: { $nin: [1, 3] } }, "e"],
      [{ tags: "b" }, "e n"], [{ tags: { $all: ["a", "b"] } }, "n"], [{ tags: { $contains: "c" } }, "w"],
      [{ "author.name": "Ben" }, "e"], [{ author: { name: { $ne: "Ben" } } }, "n w"], [{ author: { $exists: false } }, "w"],
      [{ $or: [{ page: 1 }, { tags: "c" }] }, "n w"], [{ $and: [{ tags: "b" }, { page: 2 }] }, "e"],
      [{ $nor: [{ page: 1 }, { page: 2 }] }, "w"], [{ $not: { page: 1 } }, "e w"], [{ page: { $not: { $gt: 1 } } }, "n"],
      [{ gone: null }, "e n w"], [{ due: null }, "e"], [{ due: { $ne: null } }, "n w"], [{ due: { $eq: null } }, "e"],
      [{ due: { $lt: new Date("2026-07-01T09:59:00Z") } }, "n"], [{ due: { $gte: new Date("2026-07-01T10:00:00Z") } }, "w"],
      [{ "author.name": "Ana", author: { name: { $in: ["Ana", "Ben"] } } }, "n"], [{}, "e n w"],
    ];
    for (const [filter, wanted] of cases) {
      const found = await one.query({ indexName: "docs", queryVector: NORTH, filter: filter as never });
      assert.equal(ids(found).sort().join(" "), wanted, JSON.stringify(filter));
    }
    const wrong = [{ page: { $regex: "x" } }, { page: { $size: 1 } }, { page: undefined }, { $gt: 1 }, { $or: [] }, { $or: {} },
      { page: /x/ }, { tags: { $elemMatch: { $gt: 1 } } }, [], "page"];
    for (const filter of wrong) {
      await assert.rejects(one.query({ indexName: "docs", queryVector: NORTH, filter: filter as never }), Error);
    }
    const listed = await one.query({ indexName: "docs", filter: { page: { $gte: 2 } } } as never);
    assert.deepEqual(listed.map(({ id, score }) => `${id} ${score}`).sort(), ["e 0", "w 0"]);
    await assert.rejects(one.query({ indexName: "docs" } as never), /no condition/);
  });

  test("vectors with known ids are replaced, and none if one vector is wrong", async () => {
    const one = await filled();
    const [id] = await one.upsert({ indexName: "docs", vectors: [EAST] });
    assert.match(id!, /^[0-9a-f-]{36}$/);
    await one.upsert({ indexName: "docs", ids: ["n"], vectors: [WEST], metadata: [{ page: 9 }] });
    const [again] = await one.query({ indexName: "docs", queryVector: WEST, filter: { page: 9 } });
    assert.deepEqual([again!.id, again!.metadata, again!.score > 0.99], ["n", { page: 9 }, true]);
    for (const wrong of [
      { vectors: [NORTH, [1, 0]] }, { vectors: [NORTH], ids: ["a", "b"] }, { vectors: [NORTH], metadata: [] },
      { vectors: [] }, { vectors: ["x"] }, { vectors: [[1, NaN, 0]] }, { vectors: [NORTH], sparseVectors: [] },
      { vectors: [[1, 0]], deleteFilter: { page: { $gt: 0 } } }, { vectors: [NORTH], deleteFilter: {} },
    ]) await assert.rejects(one.upsert({ indexName: "docs", ...(wrong as any) }), Error, JSON.stringify(wrong));
    assert.equal((await one.describeIndex({ indexName: "docs" })).count, 4);
    await one.upsert({ indexName: "docs", ids: ["x"], vectors: [NORTH], deleteFilter: { page: { $gt: 0 } } });
    assert.deepEqual(ids(await one.query({ indexName: "docs", queryVector: NORTH })).sort(), [id, "x"].sort());
  });

  test("a vector is changed by its id or by a filter, and keeps what is not given", async () => {
    const one = await filled();
    await one.updateVector({ indexName: "docs", id: "n", update: { metadata: { text: "now this", page: 7 } } });
    const [north] = await one.query({ indexName: "docs", queryVector: NORTH, topK: 1, includeVector: true });
    assert.deepEqual([north!.id, north!.vector, north!.metadata], ["n", NORTH, { text: "now this", page: 7 }]);
    assert.equal((await store.memory("docs").page({ entryKey: ["n"] }))[0]!.rawEntry, "now this");
    await one.updateVector({ indexName: "docs", id: "n", update: { vector: WEST } });
    const [west] = await one.query({ indexName: "docs", queryVector: WEST, filter: { page: 7 } });
    assert.ok(west!.score > 0.99 && west!.metadata!["text"] === "now this");
    await one.updateVector({ indexName: "docs", filter: { tags: { $in: ["b", "c"] } }, update: { metadata: { done: true } } });
    assert.deepEqual(ids(await one.query({ indexName: "docs", filter: { done: true } } as never)).sort(), ["e", "w"]);
    const update = { metadata: {} };
    for (const wrong of [
      { update }, { id: "n", filter: { page: 1 }, update }, { id: "n", update: {} }, { filter: {}, update },
      { id: "none", update }, { id: "n", update: { vector: [1] } },
    ]) await assert.rejects(one.updateVector({ indexName: "docs", ...wrong } as never), Error, JSON.stringify(wrong));
  });

  test("vectors are deleted by ids or by a filter, and never without a condition", async () => {
    const one = await filled();
    for (const wrong of [{}, { ids: ["n"], filter: { page: 1 } }, { filter: {} }, { filter: { page: undefined } }]) {
      await assert.rejects(one.deleteVectors({ indexName: "docs", ...wrong } as never), TypeError);
    }
    await one.deleteVectors({ indexName: "docs", ids: [] });
    assert.equal((await one.describeIndex({ indexName: "docs" })).count, 3);
    await one.deleteVector({ indexName: "docs", id: "n" });
    await one.deleteVectors({ indexName: "docs", filter: { page: { $gt: 2 } } });
    assert.deepEqual(ids(await one.query({ indexName: "docs", queryVector: NORTH })), ["e"]);
  });

  test("Mastra's memory recalls by meaning what was said in another thread, and of no other resource", async () => {
    const words = ["train", "hotel", "tea"];
    const doEmbed = async ({ values }: { values: string[] }) => ({
      embeddings: values.map((text) => words.map((word) => 0.01 + text.split(word).length - 1)), warnings: [],
    });
    const embedder = {
      specificationVersion: "v2", provider: "test", modelId: "words", maxEmbeddingsPerCall: 100, supportsParallelCalls: true,
      doEmbed,
    } as const;
    const memory = new Memory({
      storage: new InMemoryStore(), vector: vector(), embedder: embedder as never,
      options: { lastMessages: 1, semanticRecall: { topK: 1, messageRange: 0, scope: "resource" } },
    });
    const say = async (threadId: string, resourceId: string, texts: string[]) => {
      await memory.saveThread({ thread: { id: threadId, resourceId, createdAt: new Date(), updatedAt: new Date() } as never });
      await memory.saveMessages({ messages: texts.map((text, n) => ({
        id: `${threadId}-${n}`, role: "user", threadId, resourceId, createdAt: new Date(2026, 0, 1, 0, n), type: "text",
        content: { format: 2, parts: [{ type: "text", text }], content: text },
      })) as never });
    };
    await say("monday", "ana", ["the train leaves at nine", "a quiet hotel, please", "tea with milk"]);
    await say("other", "ben", ["my hotel is loud, hotel hotel"]);
    await say("tuesday", "ana", ["hello"]);
    const found = await memory.recall({ threadId: "tuesday", resourceId: "ana", vectorSearchString: "which hotel?" });
    const texts = found.messages.map((one) => one.id);
    assert.ok(texts.includes("monday-1") && !texts.includes("other-0") && !texts.includes("monday-0"), texts.join());
    const [index] = await vector().listIndexes();
    assert.match(index!, /^memory_messages/);
    await memory.deleteThread("monday");
    // It forgets vectors after it has answered.
    for (let wait = 0; wait < 50 && (await vector().describeIndex({ indexName: index! })).count > 2; wait++) {
      await new Promise((done) => setTimeout(done, 20));
    }
    assert.equal((await vector().describeIndex({ indexName: index! })).count, 2);
  });
});

test("the first index makes its store, though several begin at once", async () => {
  const vector = new MemorySearchVector({ id: "v", source: pool, store: "made by an index" });
  const own = new Store(pool, "made by an index");
  try {
    assert.deepEqual(await vector.listIndexes(), []);
    await assert.rejects(vector.createIndex({ indexName: "a", dimension: 0 }), /dimensions/);
    await Promise.all(["a", "b", "a"].map((indexName) => vector.createIndex({ indexName, dimension: 5 })));
    assert.deepEqual(await vector.listIndexes(), ["a", "b"]);
    assert.equal((await vector.describeIndex({ indexName: "a" })).dimension, 5);
  } finally {
    await own.drop({ force: true });
  }
  assert.throws(() => new MemorySearchVector({ id: "v", pool } as never), /no argument "pool"/);
});
