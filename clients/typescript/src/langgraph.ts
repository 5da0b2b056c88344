// LangGraph.js: its BaseStore. A namespace is a memory whose id is its labels joined by dots. An item is an entry under
// its key; if several of its texts are embedded, each further one is an entry next to it. The Python adapter stores
// items in the same way.
import {
  BaseStore, type GetOperation, type IndexConfig, type Item, type ListNamespacesOperation, type Operation,
  type OperationResults, type PutOperation, type SearchItem, type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { rowsOf, type Entry } from "./answers.js";
import { checked, type NewEntry } from "./arguments.js";
import { quoted } from "./call.js";
import { byLabels, check, conditionOf, isItem, itemOf, latest, meets, OF_ITEMS, PART, type Kept } from "./items.js";
import type { JsonObject } from "./json.js";
import { Memory } from "./memory.js";
import { asking, type Source } from "./source.js";
import { Store } from "./store.js";
import { textsAt } from "./texts.js";
import { within } from "./transactions.js";
import { sent } from "./values.js";

// A search guarantees only the order of similarity, and finds an item once, by the best of its texts.
const BY_SIMILARITY = {
  strategy: "semantic",
  fallback: false,
  boosts: { recency: 0, importance: 0, author: 0, date: 0, length: 0 },
  atMost: { "metadata.key": 1 },
};
// The most entries that one call finds or lists, or keys that it takes.
const MOST = 1000;

export interface StoreInput {
  /** A Pool or Client of node-postgres, or the sql of postgres.js. */
  source: Source;
  store?: string | null | undefined;
  schema?: string | null | undefined;
  /** The model for embeddings of items' texts; without one, a search with a query lists the latest items. */
  index?: IndexConfig | null | undefined;
}

/** Items in a store of memory_search. */
export class MemorySearchStore extends BaseStore {
  readonly #source: Source;
  readonly #store: string;
  readonly #schema: string | null | undefined;
  readonly #index: IndexConfig | null | undefined;

  constructor(input: StoreInput) {
    super();
    const { source, store, schema, index } = checked(input, ["source", "store", "schema", "index"], "MemorySearchStore");
    asking(source);
    this.#source = source;
    this.#store = store ?? "langgraph";
    this.#schema = schema;
    this.#index = index;
  }

  /** Makes the extension and the store, if they do not exist. */
  async setup(): Promise<void> {
    const ask = asking(this.#source);
    await ask("CREATE EXTENSION IF NOT EXISTS memory_search CASCADE", []);
    const name = `${quoted(this.#store)}.entries`;
    const [there] = await ask("SELECT pg_catalog.to_regclass($1::text)::text AS value", [name]);
    if (there === null) {
      await new Store(this.#source, this.#store, { schema: this.#schema }).create({ dimensions: this.#index?.dims });
    }
  }

  /** Reads in the order of the operations, then writes, all in one transaction. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    for (const operation of operations) check(operation);
    const puts = operations.filter((operation) => "value" in operation) as PutOperation[];
    // The model is called before the transaction, which would wait for it.
    const entries = await Promise.all([...latest(puts)].map((put) => this.#entriesOf(put)));
    const embedded = await Promise.all(operations.map((operation) => this.#embedded(operation)));
    const answers = await within(this.#source, async (source) => {
      const found: unknown[] = [];
      for (const [place, operation] of operations.entries()) {
        if ("namespacePrefix" in operation) found.push(await this.#search(source, operation, embedded[place]));
        else if ("value" in operation) found.push(undefined);
        else if ("key" in operation) found.push(await this.#get(source, operation));
        else found.push(await this.#listNamespaces(source, operation));
      }
      if (puts.length > 0) await this.#put(source, entries);
      return found;
    });
    return answers as OperationResults<Op>;
  }

  // --- Reading ------------------------------------------------------------------------------------

  async #get(source: Source, { namespace, key }: GetOperation): Promise<Item | null> {
    const [entry] = await this.#memory(source, namespace).page({ entryKey: key }, { pageSize: 1 });
    return entry === undefined || !isItem(entry) ? null : itemOf(entry);
  }

  async #embedded(operation: Operation): Promise<number[] | undefined> {
    if (!("namespacePrefix" in operation) || !operation.query) return undefined;
    return this.#index?.embeddings.embedQuery(operation.query);
  }

  async #search(source: Source, operation: SearchOperation, embedding?: number[]): Promise<SearchItem[]> {
    const { namespacePrefix, filter, query } = operation;
    const [limit, offset] = [operation.limit ?? 10, operation.offset ?? 0];
    const count = limit + offset;
    if (!(count <= MOST)) throw new RangeError(`limit and offset go up to ${MOST} together, not ${count}`);
    if (count === 0) return [];
    // Here a label `*` means a label of that name.
    const memories = (await this.#memories(source, namespacePrefix)).filter((memory) =>
      namespacePrefix.every((label, place) => memory.split(".")[place] === label));
    const conditions = Object.entries(filter ?? {}).map(([key, asked]) => [key, conditionOf(asked)]);
    const value = conditions.length > 0 ? { value: Object.fromEntries(conditions) as JsonObject } : {};
    const filters: JsonObject = { ...OF_ITEMS, ...value };
    const values = [
      sent("memoryIds", memories), sent("k", count), sent("store", this.#store), sent("k", limit), sent("k", offset),
    ];
    const called = `SELECT pg_catalog.to_jsonb(f)::text AS value FROM pg_catalog.unnest($1::text::text[]) m (id)
      CROSS JOIN LATERAL ${this.#schema == null ? "" : `${quoted(this.#schema)}.`}`;
    const page = "LIMIT $4::text::bigint OFFSET $5::text::bigint";
    const bySimilarity = `${called}memory_search_entries(m.id, k => $2::text::integer, store => $3::text,
        filters => $6::text::jsonb, query => $7::text, embedding => $8::text::double precision[],
        options => $9::text::jsonb) f
      ORDER BY f.semantic DESC, f.memory_id, f.rank ${page}`;
    const byTime = `${called}memory_list(m.id, page_size => $2::text::integer, store => $3::text,
        filters => $6::text::jsonb) f
      ORDER BY f.creation_time DESC, f.memory_id ${page}`;
    const texts = embedding === undefined
      ? await asking(source)(byTime, [...values, sent("filters", { metadata: { ...filters, part: 0 } })])
      : await asking(source)(bySimilarity, [
          ...values, sent("filters", { metadata: filters }), sent("query", query), sent("embedding", embedding),
          sent("options", BY_SIMILARITY),
        ]);
    const rows = rowsOf<Entry & { semantic?: number }>(texts).filter(isItem);
    return rows.map((row): SearchItem =>
      row.semantic === undefined ? itemOf(row) : { ...itemOf(row), score: row.semantic });
  }

  async #listNamespaces(source: Source, operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions, maxDepth, limit, offset } = operation;
    const conditions = matchConditions ?? [];
    const plain = conditions.filter((one) => one.matchType === "prefix" && !one.path.includes("*"));
    const [longest] = plain.map((one) => one.path).sort((a, b) => b.join(".").length - a.join(".").length);
    const found = (await this.#memories(source, longest ?? [])).filter((memory) =>
      conditions.every((one) => meets(memory.split("."), one)));
    const namespaces = new Set(found.map((memory) => memory.split(".").slice(0, maxDepth).join(".")));
    const sorted = [...namespaces].map((namespace) => namespace.split(".")).sort(byLabels);
    return sorted.slice(offset ?? 0, (offset ?? 0) + (limit ?? sorted.length));
  }

  /** The ids of the memories that begin with these labels, or with letters of the last. */
  async #memories(source: Source, prefix: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    const given = { prefix: prefix.join(".") || null, pageSize: MOST };
    for await (const { memoryId } of this.#of(source).listMemories(given)) found.push(memoryId);
    return found;
  }

  // --- Putting ------------------------------------------------------------------------------------

  async #put(source: Source, items: readonly [PutOperation, NewEntry[]][]): Promise<void> {
    const ask = asking(source);
    const setting = "memory_search.embed_on_write";
    // The application makes the embeddings: an item without one stays so. Before the library is loaded, a setting
    // that nobody has set is null: its default is on. The transaction may be the caller's, and continue.
    const [before] = await ask("SELECT pg_catalog.current_setting($1::text, true) AS value", [setting]);
    const set = "SELECT pg_catalog.set_config($1::text, $2::text, true) AS value";
    await ask(set, [setting, "off"]);
    for (const namespace of new Set(items.map(([put]) => put.namespace.join(".")))) {
      const memory = this.#memory(source, namespace.split("."));
      const ofMemory = items.filter(([put]) => put.namespace.join(".") === namespace);
      await this.#add(memory, ofMemory.flatMap(([, entries]) => entries));
      for (const [put, entries] of ofMemory) {
        // Deleted items, and further texts that an item had before. Entries that are no items may have a key, too.
        const further = put.value === null ? {} : { part: { $gte: entries.length } };
        const gone: JsonObject = { ...OF_ITEMS, key: put.key, ...further };
        if (put.value === null || this.#index) await memory.deleteWhere({ metadata: gone }, { dryRun: false });
      }
    }
    await ask(set, [setting, before ?? "on"]);
  }

  // The time of an entry is the time of the last put, by which lists are ordered; metadata has the time of the first.
  async #add(memory: Memory, entries: readonly NewEntry[]): Promise<void> {
    const creationTime = new Date();
    for (let from = 0; from < entries.length; from += MOST) {
      const batch = entries.slice(from, from + MOST);
      const there = await memory.page({ entryKey: batch.map((one) => one.entryKey!) }, { pageSize: batch.length });
      const items = there.filter(isItem);
      const created = new Map(items.map((one) => [one.entryKey, (one.metadata as unknown as Kept).created]));
      await memory.addMany(batch.map((one) => ({
        ...one,
        creationTime,
        metadata: {
          ...one.metadata, created: created.get(one.metadata!["key"] as string) ?? creationTime.toISOString(),
        },
      })));
    }
  }

  /** The entry of an item, and one for each further text to embed. */
  async #entriesOf(put: PutOperation): Promise<[PutOperation, NewEntry[]]> {
    const { key, value, index } = put;
    if (value === null) return [put, []];
    const paths = this.#index == null || index === false ? [] : (index ?? this.#index.fields ?? ["$"]);
    const texts = paths.flatMap((path) => textsAt(value, path)).filter((text) => text !== "");
    const embeddings = texts.length > 0 ? await this.#index!.embeddings.embedDocuments(texts) : [undefined];
    return [put, embeddings.map((embedding, part): NewEntry => ({
      entryKey: part === 0 ? key : `${key}${PART}${part}`,
      rawEntry: texts[part] ?? key,
      embedding,
      metadata: { key, value, part },
    }))];
  }

  #memory(source: Source, namespace: readonly string[]): Memory {
    return this.#of(source).memory(namespace.join("."));
  }

  #of(source: Source): Store {
    return new Store(source, this.#store, { schema: this.#schema });
  }
}
