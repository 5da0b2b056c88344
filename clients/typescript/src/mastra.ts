// Mastra: its vector store. An index is a memory of a store, a vector an entry under its id.
import {
  MastraVector, type CreateIndexParams, type DeleteIndexParams, type DeleteVectorParams, type DeleteVectorsParams,
  type DescribeIndexParams, type IndexStats, type QueryResult, type QueryVectorParams, type UpdateVectorParams,
  type UpsertVectorParams,
} from "@mastra/core/vector";
import type { Entry } from "./answers.js";
import { checked } from "./arguments.js";
import { quoted } from "./call.js";
import { conditionOf } from "./mastra_filters.js";
import type { JsonObject } from "./json.js";
import type { Memory } from "./memory.js";
import { asking, type Source } from "./source.js";
import { Store } from "./store.js";
import { within } from "./transactions.js";

// A global of node and of browsers; this package does not need the types of either.
declare const crypto: { randomUUID(): string };

// A vector store guarantees only the order of similarity: none of the boosts and lifts of a search.
const BY_SIMILARITY = {
  strategy: "semantic",
  fallback: false,
  boosts: { recency: 0, importance: 0, author: 0, date: 0, length: 0 },
};

// The most entries that one call finds or lists, or keys that it takes.
const MOST = 1000;
const WITH_EMBEDDING = { options: { includeEmbedding: true } };

export interface MemorySearchVectorInput {
  /** Mastra's name for this store. */
  id: string;
  /** A Pool or Client of node-postgres, or the sql of postgres.js. */
  source: Source;
  store?: string | null | undefined;
  schema?: string | null | undefined;
}

/** Vectors in a store of memory_search, for Mastra's semantic recall and for RAG. */
export class MemorySearchVector extends MastraVector {
  readonly #source: Source;
  readonly #store: string;
  readonly #schema: string | null | undefined;
  readonly #seen = new Set<string>();

  constructor(input: MemorySearchVectorInput) {
    const { id, source, store, schema } = checked(input, ["id", "source", "store", "schema"], "MemorySearchVector");
    super({ id });
    asking(source);
    this.#source = source;
    this.#store = store ?? "mastra";
    this.#schema = schema;
  }

  /** Makes the index, and the store if it does not exist: all its vectors have the same dimension. */
  override async createIndex({ indexName, dimension, metric }: CreateIndexParams): Promise<void> {
    if (metric !== undefined && metric !== null && metric !== "cosine") {
      throw new RangeError(`similarity is cosine here, not ${String(metric)}`);
    }
    await within(this.#source, async (source) => {
      // One at a time: the second caller finds the store that the first has made.
      const lock = "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext($1::text))::text AS value";
      await asking(source)(lock, [`memory_search ${this.#store}`]);
      const there = await this.#dimension(source);
      if (there === null) await this.#of(source).create({ dimensions: dimension });
      else if (there > 0 && there !== dimension) {
        throw new RangeError(
          `vectors of the store "${this.#store}" have ${there} dimensions, but those of ${indexName} ` +
            `would have ${dimension}: name another store for this index`,
        );
      }
      // A memory exists from its first entry on; so an empty index exists as well.
      if (await this.#isThere(source, indexName)) return;
      await this.#memory(source, indexName).putContext(`Vectors of Mastra's index ${indexName}.`);
    });
  }

  override async listIndexes(): Promise<string[]> {
    if ((await this.#dimension(this.#source)) === null) return [];
    const found: string[] = [];
    for await (const { memoryId } of this.#of(this.#source).listMemories({ pageSize: MOST })) found.push(memoryId);
    return found;
  }

  override async describeIndex({ indexName }: DescribeIndexParams): Promise<IndexStats> {
    const memory = await this.#index(this.#source, indexName);
    const dimension = Math.max(0, (await this.#dimension(this.#source)) ?? 0);
    const [entry] = dimension > 0 ? [] : await memory.page(null, { pageSize: 1, ...WITH_EMBEDDING });
    return { dimension: entry?.embedding?.length ?? dimension, count: await memory.count(), metric: "cosine" };
  }

  /** Hides all vectors of an index; `memory_purge` removes them permanently. */
  override async deleteIndex({ indexName }: DeleteIndexParams): Promise<void> {
    const memory = await this.#index(this.#source, indexName);
    this.#seen.delete(indexName);
    await memory.deleteAll();
  }

  /** Stores vectors, each under its id or a new one; a vector whose id exists is replaced. All or none. */
  override async upsert(params: UpsertVectorParams): Promise<string[]> {
    const { indexName, vectors, metadata, ids, sparseVectors, deleteFilter } = params;
    if (sparseVectors != null) throw new TypeError("sparse vectors are not stored: a search has its words from texts");
    if (!Array.isArray(vectors) || vectors.length === 0) throw new RangeError("upsert() needs vectors");
    for (const [name, list] of Object.entries({ metadata, ids })) {
      if (list != null && list.length !== vectors.length) {
        throw new RangeError(`there are ${vectors.length} vectors, and ${list.length} of ${name}`);
      }
    }
    const keys = ids ?? vectors.map(() => crypto.randomUUID());
    const conditions = deleteFilter == null ? undefined : needed(conditionOf(deleteFilter), "deleteFilter");
    await within(this.#source, async (source) => {
      const memory = await this.#index(source, indexName);
      if (conditions !== undefined) await memory.deleteWhere({ metadata: conditions }, { dryRun: false });
      await memory.addMany(vectors.map((embedding, place) => ({
        entryKey: keys[place],
        rawEntry: textOf(metadata?.[place]) ?? keys[place]!,
        embedding,
        metadata: metadata?.[place] ?? {},
      })));
    });
    return keys;
  }

  /** The vectors nearest to one, with cosine similarities; without one, those that pass the filter, with score 0. */
  override async query(params: QueryVectorParams): Promise<QueryResult[]> {
    const { indexName, queryVector, topK = 10, filter, includeVector = false, sparseVector } = params;
    if (sparseVector != null) throw new TypeError("sparse vectors are not searched: a search has its words from texts");
    if (!(Number.isInteger(topK) && topK >= 1 && topK <= MOST)) {
      throw new RangeError(`topK is from 1 to ${MOST}, not ${topK}`);
    }
    const conditions = filter == null ? undefined : conditionOf(filter);
    const filters = conditions === undefined ? undefined : { metadata: conditions };
    const memory = await this.#index(this.#source, indexName);
    const options = { includeEmbedding: includeVector };
    if (queryVector === undefined) {
      const rows = await memory.page({ metadata: needed(conditions, "filter") }, { pageSize: topK, options });
      return rows.map((row) => resultOf(row, 0, includeVector));
    }
    const found = await memory.entries("", { k: topK, embedding: queryVector, filters, options: BY_SIMILARITY });
    // Rows of a search have no key. Entries that were deleted meanwhile are left out.
    const rows = await memory.get(found.map((entry) => entry.entryId), { options });
    const byId = new Map(rows.map((row) => [row.entryId, row]));
    return found.flatMap((entry) => {
      const row = byId.get(entry.entryId);
      return row === undefined ? [] : [resultOf(row, entry.semantic ?? 0, includeVector)];
    });
  }

  /** Sets another vector, other metadata, or both, for one entry or for all that pass a filter. All or none. */
  override async updateVector(params: UpdateVectorParams): Promise<void> {
    const { vector, metadata } = params.update;
    if (vector === undefined && metadata === undefined) throw new TypeError("updateVector() needs something to update");
    const filters = chosen(params.id, params.filter, "updateVector", "id");
    await within(this.#source, async (source) => {
      const memory = await this.#index(source, params.indexName);
      const rows: Entry[] = [];
      for await (const row of memory.list(filters, { pageSize: MOST, ...WITH_EMBEDDING })) rows.push(row);
      if (rows.length === 0 && params.id !== undefined) {
        throw new RangeError(`there is no vector ${params.id} in ${params.indexName}`);
      }
      for (const row of rows) {
        // The text is taken from the metadata; its embedding is given, because the server would otherwise make one.
        const embedding = vector ?? row.embedding;
        const rawEntry = metadata === undefined ? undefined : (textOf(metadata) ?? row.entryKey);
        await memory.update(row.entryId, { rawEntry, metadata, embedding });
      }
    });
  }

  override async deleteVector({ indexName, id }: DeleteVectorParams): Promise<void> {
    await this.deleteVectors({ indexName, ids: [id] });
  }

  /** Hides vectors by their ids or by a filter; `memory_purge` removes them permanently. */
  override async deleteVectors({ indexName, ids, filter }: DeleteVectorsParams): Promise<void> {
    const all = ids ?? undefined;
    const filters = chosen(all, filter, "deleteVectors", "ids");
    const memory = await this.#index(this.#source, indexName);
    if (all === undefined) await memory.deleteWhere(filters, { dryRun: false });
    for (let from = 0; all !== undefined && from < all.length; from += MOST) {
      await memory.deleteWhere({ entryKey: all.slice(from, from + MOST) }, { dryRun: false });
    }
  }

  // --- Where it lies --------------------------------------------------------------------------------

  /** The dimension of the store's vectors, -1 if it accepts any; null if there is no store. */
  async #dimension(source: Source): Promise<number | null> {
    const statement = `SELECT atttypmod::text AS value FROM pg_catalog.pg_attribute
      WHERE attrelid = pg_catalog.to_regclass($1::text) AND attname = 'embedding'`;
    const [dimension] = await asking(source)(statement, [`${quoted(this.#store)}.entries`]);
    return dimension == null ? null : Number(dimension);
  }

  async #isThere(source: Source, indexName: string): Promise<boolean> {
    // In the order of ids, so that the memory whose id is the prefix itself comes first.
    for await (const { memoryId } of this.#of(source).listMemories({ prefix: indexName, pageSize: 1 })) {
      return memoryId === indexName;
    }
    return false;
  }

  /** The memory of an index. A misspelt name would mean an empty memory. */
  async #index(source: Source, indexName: string): Promise<Memory> {
    if (!this.#seen.has(indexName)) {
      if ((await this.#dimension(source)) === null || !(await this.#isThere(source, indexName))) {
        throw new RangeError(`there is no index ${indexName} in the store "${this.#store}": createIndex() makes one`);
      }
      this.#seen.add(indexName);
    }
    return this.#memory(source, indexName);
  }

  #memory(source: Source, indexName: string): Memory {
    return this.#of(source).memory(indexName);
  }

  #of(source: Source): Store {
    return new Store(source, this.#store, { schema: this.#schema });
  }
}

function resultOf(row: Entry, score: number, includeVector: boolean): QueryResult {
  const vector = includeVector && row.embedding !== null ? { vector: row.embedding } : {};
  return { id: row.entryKey ?? row.entryId, score, metadata: row.metadata, ...vector };
}

// By convention metadata has the embedded text, which searches by words use.
function textOf(metadata: Record<string, unknown> | null | undefined): string | undefined {
  const text = metadata?.["text"];
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

/** Filters for entries with an id or ids, or for those that pass a filter: one of the two. */
function chosen(ids: string | string[] | undefined, filter: unknown, method: string, name: string): JsonObject {
  if ((ids == null) === (filter == null)) throw new TypeError(`${method}() needs either ${name} or a filter`);
  if (ids != null) return { entryKey: ids };
  return { metadata: needed(conditionOf(filter), "filter") };
}

// A filter without conditions would change or delete everything.
function needed(conditions: JsonObject | undefined, name: string): JsonObject {
  if (conditions === undefined) throw new TypeError(`the ${name} has no condition`);
  return conditions;
}
