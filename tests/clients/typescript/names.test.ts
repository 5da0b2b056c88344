// Names that must agree with other places: the extension's version, its functions and their arguments, columns of
// answers.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as client from "memory-search";
import { pool } from "./server.js";

const repository = process.env["MEMORY_SEARCH_REPO"]!;
const folder = `${repository}/clients/typescript`;
const read = (path: string) => readFileSync(path, "utf8");
const source = readdirSync(`${folder}/src`).map((file) => read(`${folder}/src/${file}`)).join("\n");
const functions = read(`${repository}/docs/reference/functions.md`);
const response = read(`${repository}/docs/reference/response.md`);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

test("the version is the extension's", async () => {
  const { rows } = await pool.query("SELECT extversion FROM pg_extension WHERE extname = 'memory_search'");
  assert.deepEqual(rows, [{ extversion: client.VERSION }]);
  assert.equal(JSON.parse(read(`${folder}/package.json`)).version, client.VERSION);
});

test("every function has a method", async () => {
  const { rows } = await pool.query(
    "SELECT DISTINCT proname FROM pg_proc JOIN pg_depend d ON d.objid = pg_proc.oid AND d.deptype = 'e'" +
      " AND d.classid = 'pg_proc'::regclass JOIN pg_extension e ON e.oid = d.refobjid" +
      " WHERE extname = 'memory_search' AND proname LIKE 'memory\\_%' AND proname <> 'memory_embedding'");
  const listed = rows.map((row) => row.proname as string)
    .filter((name) => functions.includes(`\n### ${name}\n`));
  assert.ok(listed.length > 30);
  // Functions without a method: SQL calls those that take the name of a table and those that an index uses, and nodes
  // of a cluster call memory_search_sent.
  const without = [
    "memory_adopt_table", "memory_entity_keys", "memory_import_table", "memory_index_check", "memory_search_sent",
  ];
  assert.deepEqual(listed.filter((name) => !source.includes(`"${name}"`)).sort(), without);
});

/** The arguments of a function, by all of its forms but that of a JSON request. */
function argumentsOf(name: string): Set<string> {
  const forms = [...functions.matchAll(new RegExp(`^${name}\\(\n(.*?)\n\\) RETURNS`, "gms"))];
  assert.ok(forms.length > 0, name);
  const lines = forms.flatMap((form) => form[1]!.trim().split("\n"));
  return new Set(lines.map((line) => line.trim().split(/\s+/)[0]!).filter((argument) => argument !== "request"));
}

// The values that a method sends: each method is called with the values of its arguments, and a source records them.
test("methods send the arguments of their functions, and can send all of them", async () => {
  const seen = new Map<string, Set<string>>();
  const recording: client.Queryable = {
    query: async (statement) => {
      const name = /(memory_\w+)\(/.exec(statement)![1]!;
      const names = seen.get(name) ?? new Set<string>();
      for (const [, argument] of statement.matchAll(/(\w+) => /g)) names.add(argument!);
      seen.set(name, names);
      return { rows: [{ value: '{"entries": [], "contexts": []}' }] };
    },
  };
  const { Memory, Memories, Store } = client;
  const memory = new Memory(recording, "m", { store: "s" });
  const [now, embedding, filters, options] = [new Date(), [1], {}, {}];
  const search = { k: 1, embedding, filters, options };
  for (const one of [memory, new Memories(recording, ["m"], { prefixes: ["p"], store: "s" })]) {
    await one.search("q", { ...search, topKc: 1 });
    await one.recall("q", { ...search, topKc: 1 });
    await one.entries("q", search);
    await one.explain("q", { ...search, entryId: "e" });
    await one.context("q", { ...search, systemPrompt: "s", tokenBudget: 1 });
  }
  const entry = {
    summary: "s", tags: [], entities: [], metadata: {}, importance: 1, embedding, userId: "u", agentId: "a",
    sessionId: "s", sourceType: "t", creationTime: now, expiresAt: now, validFrom: now, validUntil: now, ttl: "1 day",
    entryKey: "k",
  };
  await memory.add("x", { ...entry, context: "c", entryId: "e", ifSimilar: 1 });
  await memory.addMany([]);
  await memory.update("e", { ...entry, rawEntry: "x", clear: [] });
  await memory.supersede("a", "b", { at: now });
  await memory.putContext("c", { embedding, userId: "u", creationTime: now });
  await memory.touch([]);
  await memory.feedback([], 1);
  await memory.link("a", "b", { kind: "k", weight: 1, validFrom: now, validUntil: now, metadata: {} });
  await memory.unlink("a", "b", { kind: "k" });
  await memory.links("a", { kinds: [], direction: "to", maxRows: 1, validAt: now });
  await memory.related("a", { depth: 1, kinds: [], maxEntries: 1 });
  await memory.alias("a", "b");
  await memory.unalias("a");
  await memory.aliases();
  await memory.delete([]);
  await memory.deleteAll();
  await memory.restore([]);
  await memory.restoreAll();
  await memory.deleteWhere({}, { dryRun: true });
  await memory.deleteContexts([]);
  await memory.restoreContexts([]);
  await memory.get([], { options });
  await memory.page({}, { orderBy: "o", pageSize: 1, cursor: "c", options });
  await memory.count({}, { options });
  await memory.entities("p", { maxRows: 1, options });
  await memory.about("e", { tokenBudget: 1, filters, options });
  await memory.facets("q", { ...search, by: [], maxValues: 1 });
  await memory.history("e", { pageSize: 1, olderThan: 1n });
  await memory.export({ withEmbeddings: true });
  await memory.importLines([]);
  const store = new Store(recording, "s");
  await store.create({ dimensions: 1, language: "l", partitions: 2 });
  await store.drop({ force: true });
  await store.grant("r", "reader");
  await store.enableRowSecurity("a.b");
  await store.distribute({ shardCount: 1, delegate: true });
  await store.keepHistory({ enabled: true });
  await store.notify({ channel: "c", enabled: true });
  // One row is the whole page; the next would come after its id, which the recorder cannot give.
  await store.listMemories({ prefix: "p", pageSize: 2 }).next();
  await store.stats();
  await store.doctor();
  await store.learn([], { apply: true });
  await store.purge({ before: now, maxRows: 1 });
  await store.forgetUser("u");
  await store.reembed({ memoryId: "m", everything: true, maxRows: 1 });
  await store.embedPending({ memoryId: "m", maxRows: 1 });
  await store.toolSpec("mcp");
  await store.embed("t");
  await store.passages("t");
  seen.get("memory_list_memories")!.add("after");
  assert.ok(seen.size > 30);
  for (const [name, names] of seen) assert.deepEqual([...names].sort(), [...argumentsOf(name)].sort(), name);
});

/** The names in the first column of the table below a heading. */
function fieldsOf(heading: string): string[] {
  const section = response.split(/^## /m).find((one) => one.startsWith(`${heading}\n`))!;
  const table = /<!-- generated.*?<!-- end -->/s.exec(section)![0];
  const cells = table.split("\n").filter((line) => line.startsWith("| `")).map((line) => line.split("|")[1]!);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map((found) => camel(found[1]!)));
}

/** The fields of an interface and of what it extends. */
function interfaceOf(name: string): string[] {
  const found = new RegExp(`^export interface ${name}(?: extends (\\w+))? \\{\n(.*?)^\\}`, "ms").exec(source)!;
  const own = [...found[2]!.matchAll(/^ {2}(\w+)\??:/gm)].map((field) => field[1]!);
  return found[1] === undefined ? own : [...own, ...interfaceOf(found[1])];
}

test("the fields of what comes back are those of the reference", () => {
  const kinds = {
    "Response": "Answer",
    "Fields of an entry": "AnswerEntry",
    "Fields of a context": "AnswerContext",
    "Columns of memory_search_entries": "RankedEntry",
    "Columns of memory_explain": "Candidate",
    "Columns of memory_get": "Entry",
    "Columns of memory_list": "ListedEntry",
    "Columns of memory_add_many": "Added",
    "Columns of memory_delete_where": "Deleted",
    "Columns of memory_history": "Change",
    "Columns of memory_links": "Link",
    "Columns of memory_related": "RelatedEntry",
    "Columns of memory_aliases": "Alias",
    "Columns of memory_entities": "Entity",
    "Columns of memory_about": "EntryAbout",
    "Columns of memory_facets": "FacetCount",
    "Columns of memory_list_memories": "MemorySummary",
    "Columns of memory_stats": "Stats",
    "Columns of memory_doctor": "Check",
  };
  for (const [heading, kind] of Object.entries(kinds)) {
    const wanted = heading === "Response" ? answer() : fieldsOf(heading);
    assert.deepEqual(interfaceOf(kind).sort(), wanted.sort(), kind);
  }
});

// The page's first table comes before the first heading of the second level.
function answer(): string[] {
  const table = /<!-- generated: response.*?<!-- end -->/s.exec(response)![0];
  return [...table.matchAll(/^\| `(\w+)`/gm)].map((found) => found[1]!);
}

test("every column that is a time is read as one", () => {
  const times = new Set<string>();
  for (const line of response.split("\n")) {
    const [, names, type] = line.split("|").map((cell) => cell.trim());
    if (/^timestamp/.test(type ?? "")) for (const [, name] of names!.matchAll(/`(\w+)`/g)) times.add(camel(name!));
  }
  const known = /const TIMES = new Set\(\[(.*?)\]\)/s.exec(source)![1]!;
  const read = new Set([...known.matchAll(/"(\w+)"/g)].map((found) => found[1]!));
  assert.deepEqual([...times].filter((name) => !read.has(name)), []);
});
