// Vercel's AI SDK: calls of the tools by models, and the middleware's context for them, with a model that follows a
// script.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { asSchema, generateText, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Memory } from "memory-search";
import { memoryMiddleware, memoryTools, type MemoryTools } from "memory-search/ai";
import { byBothDrivers, EAST, fill, keyed, NORTH, pool, WEST } from "./server.js";

const DIRECTIONS: Record<string, number[]> = { north: NORTH, east: EAST, west: WEST };
const embed = async (text: string) => DIRECTIONS[text.split(" ").at(-1)!] ?? [0, 0, 1];

type Calls = [tool: string, input: object][];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 },
};
type Said = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
const saying = (text: string): Said =>
  ({ content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] });

/** A model that calls these tools, each in a step of its own, and then says that it is done. */
function scripted(calls: Calls) {
  const results = calls.map(([toolName, input], step): Said => ({
    content: [{ type: "tool-call", toolCallId: `${step}`, toolName, input: JSON.stringify(input) }],
    finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage, warnings: [],
  }));
  return new MockLanguageModelV4({ doGenerate: [...results, saying("done")] });
}

/** The answers of the tools; for a refusal its text. */
async function called(tools: MemoryTools, calls: Calls): Promise<any[]> {
  const done = await generateText({
    model: scripted(calls), tools, stopWhen: stepCountIs(calls.length + 1), prompt: "do it", maxRetries: 0,
  });
  assert.equal(done.text, "done");
  return done.steps.flatMap((step) => step.content).flatMap((part) =>
    part.type === "tool-result" ? [part.output] : part.type === "tool-error" ? [String(part.error)] : []);
}

byBothDrivers(({ source, store, memory }) => {
  const input = { source, memoryId: "trip", store: "client", embed };
  const tools = memoryTools({ ...input, userId: "ana", agentId: "planner", sessionId: "monday" });

  test("a model remembers, finds, lists and forgets, and what it adds is of its user, agent and session", async () => {
    const [{ id }, , found, listed, context] = await called(tools, [
      ["memory_remember", { rawEntry: "the sun sets in the west", tags: ["sun"], entities: ["The Sun"], importance: 80 }],
      ["memory_put_context", { context: "all about the north" }],
      ["memory_search", { query: "where does it set? west", top_ke: 1 }],
      ["memory_list", { filters: { tags: ["sun"] }, orderBy: "-importance" }],
      ["memory_latest_context", {}],
    ]);
    assert.deepEqual(found.entries.map((one: any) => [one.id, one.text]), [[id, "the sun sets in the west"]]);
    assert.deepEqual([found.latestContext.text, context.text], ["all about the north", "all about the north"]);
    assert.deepEqual([listed.entries.length, listed.nextCursor], [1, undefined]);
    assert.match(found.entries[0].time, /^\d{4}-\d\d-\d\dT/);
    const [entry] = await memory.get([id]);
    assert.deepEqual([entry!.userId, entry!.agentId, entry!.sessionId], ["ana", "planner", "monday"]);
    const [about, whole, gone, after] = await called(tools, [
      ["memory_about", { entity: "the sun" }], ["memory_get", { entryIds: [id] }],
      ["memory_forget", { entryIds: [id] }], ["memory_search", { query: "west" }],
    ]);
    assert.deepEqual(about.entries.map((one: any) => one.id), [id]);
    const { tags, entities, importance } = whole.entries[0];
    assert.deepEqual([tags, entities, importance, "summary" in whole.entries[0]], [["sun"], ["The Sun"], 80, false]);
    assert.deepEqual([gone, after.entries], [{ forgotten: 1 }, []]);
  });

  test("related entries come nearest first, and an answer that is cut says so", async () => {
    await fill(memory);
    const [north, east, west] = await Promise.all(["n", "e", "w"].map((key) => keyed(memory, key)));
    await memory.link(north!.entryId, east!.entryId, { kind: "because" });
    await memory.link(west!.entryId, east!.entryId, { kind: "derived_from" });
    const entryId = north!.entryId;
    const [all, near, cut, refused, none] = await called(tools, [
      ["memory_related", { entryId }], ["memory_related", { entryId, depth: 1, kinds: ["because"] }],
      ["memory_related", { entryId, maxEntries: 1 }], ["memory_related", { entryId, maxEntries: 101 }],
      ["memory_related", { entryId, kinds: ["none"] }],
    ]);
    const told = all.entries.map(({ id, text, hops, kind, via }: any) => [id, text, hops, kind, via]);
    assert.deepEqual(told, [
      [east!.entryId, "east", 1, "because", entryId], [west!.entryId, "west", 2, "derived_from", east!.entryId],
    ]);
    assert.deepEqual([near.entries.length, near.isCut, cut.entries.length, cut.isCut], [1, undefined, 1, true]);
    assert.match(refused, /maxEntries is from 1 to 100, not 101/);
    assert.deepEqual(none, { entries: [] });
  });

  test("a list goes on by its cursor", async () => {
    await fill(memory);
    const [first] = await called(tools, [["memory_list", { pageSize: 2, orderBy: "-importance" }]]);
    const [second, refused] = await called(tools, [
      ["memory_list", { pageSize: 2, orderBy: "-importance", cursor: first.nextCursor }],
      ["memory_list", { pageSize: 0 }],
    ]);
    assert.deepEqual([first.entries.length, first.entries[0].text, second.entries.length], [2, "north", 1]);
    assert.equal(second.nextCursor, undefined);
    assert.match(refused, /pageSize is from 1 to 100/);
  });

  test("a correction takes over omitted values, and is whole or absent: no half of one is kept", async () => {
    await fill(memory);
    const old = await keyed(memory, "w");
    const [{ id }, found] = await called(tools, [
      ["memory_correct", { entryId: old.entryId, rawEntry: "no, the west" }], ["memory_search", { query: "west" }],
    ]);
    assert.deepEqual([found.entries[0].id, found.entries.some((one: any) => one.id === old.entryId)], [id, false]);
    const [corrected] = await memory.get([id]);
    assert.deepEqual([corrected!.userId, corrected!.agentId], ["ana", "planner"]);
    const [from, until] = [new Date("2026-01-02T00:00:00Z"), new Date("2090-01-01T00:00:00Z")];
    const over = new Date("2026-01-03T00:00:00Z");
    const temporary = await memory.add("a fair", { embedding: NORTH, validFrom: from, validUntil: until, ttl: "9 days" });
    const past = await memory.add("a storm", { embedding: NORTH, validFrom: from, validUntil: over, expiresAt: until });
    const [held, ended] = await called(tools, [
      ["memory_correct", { entryId: temporary, rawEntry: "a market" }],
      ["memory_correct", { entryId: past, rawEntry: "a breeze" }],
    ]);
    const [market, breeze] = await memory.get([held.id, ended.id]);
    assert.deepEqual([market!.validFrom, market!.validUntil, market!.ttl], [from, until, "P0Y0M9DT0H0M0S"]);
    assert.deepEqual([breeze!.validFrom, breeze!.validUntil, breeze!.expiresAt], [from, null, until]);
    const before = await memory.count(null, { options: { includeSuperseded: true } });
    const [wrongTime, nobody] = await called(tools, [
      ["memory_correct", { entryId: id, rawEntry: "x", since: "someday" }],
      ["memory_correct", { entryId: "00000000-0000-4000-8000-000000000000", rawEntry: "x" }],
    ]);
    assert.match(wrongTime, /someday/);
    assert.match(nobody, /there is no entry 00000000/);
    assert.equal(await memory.count(null, { options: { includeSuperseded: true } }), before);
  });

  test("an argument that a model may not choose is refused, and the refusal has a hint", async () => {
    await store.memory("other").add("north of another", { embedding: NORTH });
    const [elsewhere, misspelt, lacking, filter] = await called(tools, [
      ["memory_search", { query: "north", memoryId: "other" }],
      ["memory_remember", { rawEntri: "x" }],
      ["memory_forget", {}],
      ["memory_search", { query: "north", filters: { tag: ["x"] } }],
    ]);
    assert.match(elsewhere, /memory_search\(\) has no argument "memoryId"; it has query, top_ke, filters/);
    assert.match(misspelt, /did you mean "rawEntry"\?/);
    assert.match(lacking, /memory_forget\(\) needs "entryIds"/);
    assert.match(filter, /unknown key "tag" in filters - Did you mean "tags"\?/);
  });

  test("numbers beyond 2^53 and the time infinity are nothing that an answer breaks by", async () => {
    const metadata = { number: 12345678901234567890n, list: [1] };
    const id = await memory.add("north", { embedding: NORTH, metadata, validUntil: "infinity" });
    const [got] = await called(tools, [["memory_get", { entryIds: [id] }]]);
    assert.deepEqual(got.entries[0].metadata, { number: "12345678901234567890", list: [1] });
    assert.equal("validUntil" in got.entries[0], false);
  });

  test("a stream calls the tools too", async () => {
    await fill(memory);
    const parts = (chunks: object[]) => ({
      stream: new ReadableStream({ start(to) { chunks.forEach((one) => to.enqueue(one)); to.close(); } }),
    });
    const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
    const call = { type: "tool-call", toolCallId: "1", toolName: "memory_search", input: '{"query":"east","top_ke":1}' };
    const model = new MockLanguageModelV4({ doStream: [
      parts([call, { ...finish, finishReason: { unified: "tool-calls", raw: "x" } }]), parts([finish]),
    ] as never });
    const result = streamText({ model, tools, prompt: "where?", stopWhen: stepCountIs(2) });
    const [first] = await result.steps;
    assert.deepEqual((first!.toolResults[0] as any).output.entries.map((one: any) => one.text), ["east"]);
  });

  test("the middleware tells the model what the memory knows of the last question, behind the system prompt", async () => {
    await fill(memory);
    await memory.putContext("all about directions", { embedding: EAST });
    const asked = (k = 1) => {
      const model = new MockLanguageModelV4({ doGenerate: [saying("a"), saying("b")] });
      const middleware = memoryMiddleware({ memory, k, embed, options: { strategy: "semantic" } });
      return { model, wrapped: wrapLanguageModel({ model, middleware }) };
    };
    const told = ({ model }: ReturnType<typeof asked>) => model.doGenerateCalls[0]!.prompt;
    const first = asked();
    await generateText({ model: first.wrapped, system: "Be brief.", messages: [
      { role: "user", content: "and north" }, { role: "assistant", content: "yes" }, { role: "user", content: "to the east" },
    ] });
    const [system, ...others] = told(first);
    assert.match(system!.content as string, /^Be brief\.\n\n[^]*importance 50\] east\n[^]*all about directions/);
    assert.doesNotMatch(system!.content as string, /north/);
    assert.deepEqual(others.map((one) => one.role), ["user", "assistant", "user"]);
    const second = asked();
    await generateText({ model: second.wrapped, prompt: "to the east" });
    assert.deepEqual(told(second).map((one) => one.role), ["system", "user"]);
    const picture = asked();
    const image = { type: "file" as const, data: new Uint8Array([1]), mediaType: "image/png" };
    await generateText({ model: picture.wrapped, messages: [{ role: "user", content: [image] }] });
    assert.deepEqual(told(picture).map((one) => one.role), ["user"]);
  });

  test("the ends of a long message are the question, and no character in it prevents the call", async () => {
    await fill(memory);
    const questions: string[] = [];
    const middleware = memoryMiddleware({ memory, k: 1, embed: async (text) => (questions.push(text), EAST) });
    const model = new MockLanguageModelV4({ doGenerate: [saying("a"), saying("b")] });
    const wrapped = wrapLanguageModel({ model, middleware });
    await generateText({ model: wrapped, prompt: `first ${"\u{1f600}x".repeat(100_000)} last` });
    await generateText({ model: wrapped, prompt: "half \ud83d and nul \0 of it" });
    assert.deepEqual([[...questions[0]!].length, questions[0]!.slice(0, 5), questions[0]!.slice(-4)], [4001, "first", "last"]);
    assert.equal(questions[1], "half   and nul   of it");
    assert.ok(model.doGenerateCalls.every((call) => /\] east\n/.test(call.prompt[0]!.content as string)));
  });

  test("with an empty memory the call is unchanged, and if the memory fails the call fails", async () => {
    const model = new MockLanguageModelV4({ doGenerate: [saying("a"), saying("b")] });
    const empty = wrapLanguageModel({ model, middleware: memoryMiddleware({ memory, embed }) });
    await generateText({ model: empty, system: "Be brief.", prompt: "to the east" });
    assert.equal(model.doGenerateCalls[0]!.prompt[0]!.content, "Be brief.");
    const nowhere = new Memory(source, "trip", { store: "none" });
    const failing = wrapLanguageModel({ model, middleware: memoryMiddleware({ memory: nowhere, embed }) });
    await assert.rejects(generateText({ model: failing, prompt: "to the east", maxRetries: 0 }), /none/);
    assert.equal(model.doGenerateCalls.length, 1);
  });

  test("what describes memory_search is as the extension describes it", async () => {
    const spec = await store.toolSpec("mcp") as any;
    assert.equal(tools.memory_search.description, spec.description);
    const { memoryId, ...properties } = spec.inputSchema.properties;
    const schema = await asSchema(tools.memory_search.inputSchema).jsonSchema as any;
    assert.deepEqual(Object.keys(schema.properties).sort(), Object.keys(properties).sort());
    const { filters, top_ke } = schema.properties;
    assert.deepEqual(filters, properties.filters);
    assert.deepEqual([top_ke.minimum, top_ke.maximum], [properties.top_ke.minimum, properties.top_ke.maximum]);
    assert.match(top_ke.description, new RegExp(`\\b${properties.top_ke.default} by default`));
  });
});

test("the tools have the names and descriptions of those of memory-search mcp, and readOnly leaves those that read", () => {
  const page = readFileSync(join(process.env["MEMORY_SEARCH_REPO"]!, "docs/guide/mcp.md"), "utf-8");
  const table = /^## Tools\n([^]*?)^## /m.exec(page)?.[1] ?? "";
  const rows = [...table.matchAll(/^\| (`memory_.*?) \|/gm)].map((row) => row[1]!);
  const documented = rows.flatMap((row) => [...row.matchAll(/`(memory_\w+)`/g)].map((name) => name[1]!));
  const given = { source: pool, memoryId: "m" };
  assert.deepEqual(Object.keys(memoryTools(given)).sort(), documented.sort());
  const source = readFileSync(join(process.env["MEMORY_SEARCH_REPO"]!, "crates/core/src/output/memory_tools.rs"), "utf-8");
  for (const [name, { description }] of Object.entries(memoryTools(given))) {
    const found = new RegExp(`name: "${name}",\\s+title: ".*",\\s+description: "([^]*?)",\\n`).exec(source);
    const words = found?.[1]!.replace(/\\\n\s+/g, "").replaceAll('\\"', '"');
    assert.equal(name === "memory_search" ? undefined : description, words, name);
  }
  const reading = Object.keys(memoryTools({ ...given, readOnly: true }));
  assert.deepEqual(reading, [
    "memory_search", "memory_list", "memory_get", "memory_about", "memory_related", "memory_latest_context",
  ]);
  assert.throws(() => memoryTools({ source: pool, memory: "m" } as never), /has no argument "memory"; did you mean/);
  assert.throws(() => memoryTools({ source: pool } as never), /needs a memoryId/);
  assert.throws(() => memoryMiddleware({ memori: 1 } as never), /did you mean "memory"/);
});
