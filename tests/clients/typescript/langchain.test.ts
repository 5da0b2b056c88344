// LangChain.js: the promises of its interface of a vector store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Document } from "@langchain/core/documents";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import { MemorySearchRetriever, MemorySearchVectorStore } from "memory-search/langchain";
import { byBothDrivers } from "./server.js";

const DIRECTIONS: Record<string, number[]> = {
  north: [0, 1, 0], east: [1, 0, 0], "north east": [0.6, 0.8, 0], "north by east": [0.1, 0.99, 0],
};

class Directions extends FakeEmbeddings {
  override async embedQuery(text: string): Promise<number[]> {
    return DIRECTIONS[text] ?? [0, 0, 1];
  }
  override async embedDocuments(texts: string[]): Promise<number[][]> {
    return Promise.all(texts.map((text) => this.embedQuery(text)));
  }
}

byBothDrivers(({ source, memory }) => {
  const input = { source, collection: "trip", store: "client" };
  const texts = ["north", "east", "north east"];
  const pages = texts.map((_, page) => ({ page }));
  const filled = () => MemorySearchVectorStore.fromTexts(texts, pages, new Directions(), input);

  test("documents are found by similarity, with their ids and metadata", async () => {
    const store = await filled();
    const again = new Document({ pageContent: "east", metadata: { again: true }, id: "my id" });
    const [id] = await store.addDocuments([again]);
    assert.equal(id, "my id");
    const found = await store.similaritySearchWithScore("north", 4);
    assert.deepEqual(found.slice(0, 2).map(([one, score]) => [one.pageContent, one.metadata, score.toFixed(3)]), [
      ["north", { page: 0 }, "1.000"], ["north east", { page: 2 }, "0.800"],
    ]);
    assert.ok(found.slice(2).some(([one]) => one.id === "my id"));
  });

  test("neither age nor importance changes the order of similarity", async () => {
    const store = await filled();
    await store.addDocuments([new Document({ pageContent: "north by east" })], { ids: ["young"] });
    const entries = await memory.page();
    for (const { entryId, rawEntry } of entries) {
      if (rawEntry === "north") await memory.update(entryId, { importance: 0, creationTime: "2001-01-01Z" });
      if (rawEntry === "north by east") await memory.update(entryId, { importance: 100 });
    }
    const found = await store.similaritySearch("north", 2);
    assert.deepEqual(found.map((one) => one.pageContent), ["north", "north by east"]);
  });

  test("a filter is one on metadata", async () => {
    const store = await filled();
    const found = await store.similaritySearch("north", 3, { page: { $gt: 0 } });
    assert.deepEqual(found.map((one) => one.pageContent), ["north east", "east"]);
    const [only] = await store.asRetriever({ k: 1, filter: { page: 1 } }).invoke("north");
    assert.equal(only?.pageContent, "east");
  });

  test("a condition that is undefined is refused by its name, since left out it would pass everything", async () => {
    const store = await filled();
    for (const filter of [{ page: undefined }, { page: 1, place: { page: undefined } }, { page: { $gt: undefined } }]) {
      const refused = { name: "TypeError", message: /the condition on metadata\.\S*page/ };
      await assert.rejects(store.similaritySearch("north", 3, filter), refused);
      await assert.rejects(store.maxMarginalRelevanceSearch("north", { k: 2, filter }), refused);
      await assert.rejects(store.asRetriever({ k: 1, filter }).invoke("north"), refused);
    }
    const retriever = new MemorySearchRetriever({ memory, filters: { userId: undefined } });
    await assert.rejects(retriever.invoke("north"), /the condition on userId is undefined/);
    assert.equal((await store.similaritySearch("north", 3, undefined)).length, 3);
  });

  test("adding under an id again changes the document, and deleting takes ids or says all", async () => {
    const store = await filled();
    await store.addDocuments([new Document({ pageContent: "north" })], { ids: ["a"] });
    await store.addDocuments([new Document({ pageContent: "east" })], { ids: ["a"] });
    assert.deepEqual([await memory.count(), (await memory.page({ entryKey: "a" }))[0]?.rawEntry], [4, "east"]);
    await store.delete({ ids: ["a"] });
    assert.equal(await memory.count(), 3);
    await assert.rejects(store.delete(), TypeError);
    await assert.rejects(store.delete({ ids: ["b"], deleteAll: true }), TypeError);
    await assert.rejects(store.addDocuments([new Document({ pageContent: "x" })], { ids: [] }), RangeError);
    assert.equal(await memory.count(), 3);
    await store.delete({ deleteAll: true });
    assert.equal(await memory.count(), 0);
  });

  test("by maximal marginal relevance the second differs from the first", async () => {
    const store = await filled();
    await store.addDocuments([new Document({ pageContent: "north", metadata: { twin: true } })]);
    const found = await store.maxMarginalRelevanceSearch("north", { k: 2, lambda: 0.1 });
    assert.deepEqual(found.map((one) => one.pageContent === "north"), [true, false]);
  });

  test("a retriever finds as the memory ranks", async () => {
    await filled();
    const retriever = new MemorySearchRetriever({ memory, k: 2, embeddings: new Directions() });
    const [first, ...others] = await retriever.invoke("north");
    assert.deepEqual([first?.pageContent, first?.metadata["page"], others.length], ["north", 0, 1]);
    assert.ok(first?.metadata["memory_search"].score > 0);
  });
});
