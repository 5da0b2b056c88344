// LangChain.js: a vector store and a retriever. A collection is a memory, a document's id an entry's key.
import { Document } from "@langchain/core/documents";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import { VectorStore, type MaxMarginalRelevanceSearchOptions } from "@langchain/core/vectorstores";
import type { AnswerEntry } from "./answers.js";
import { checked, type NewEntry } from "./arguments.js";
import type { JsonObject } from "./json.js";
import { Memories, Memory } from "./memory.js";
import type { Source } from "./source.js";

// A global of node and of browsers; this package does not need the types of either.
declare const crypto: { randomUUID(): string };

// A vector store guarantees only the order of similarity: none of the boosts and lifts of a search.
const BY_SIMILARITY = {
  strategy: "semantic",
  fallback: false,
  boosts: { recency: 0, importance: 0, author: 0, date: 0, length: 0 },
};

// The most entries that one call finds, or keys that it takes.
const MOST = 1000;

export interface VectorStoreInput {
  /** A Pool or Client of node-postgres, or the sql of postgres.js. */
  source: Source;
  collection: string;
  store?: string | null | undefined;
  schema?: string | null | undefined;
}

/** Documents of one collection, which the application embeds, found by their similarity. */
export class MemorySearchVectorStore extends VectorStore {
  // Filters on metadata have the form of the filter `metadata`.
  declare FilterType: JsonObject;
  readonly #memory: Memory;

  constructor(embeddings: EmbeddingsInterface, input: VectorStoreInput) {
    super(embeddings, {});
    const { source, collection, store, schema } = checked(
      input, ["source", "collection", "store", "schema"], "MemorySearchVectorStore",
    );
    this.#memory = new Memory(source, collection, { store, schema });
  }

  override _vectorstoreType(): string {
    return "memory_search";
  }

  /** A collection with these texts. */
  static override async fromTexts(
    texts: string[], metadatas: object[] | object, embeddings: EmbeddingsInterface, input: VectorStoreInput,
  ): Promise<MemorySearchVectorStore> {
    const documents = texts.map((pageContent, place) => {
      const metadata = ((Array.isArray(metadatas) ? metadatas[place] : metadatas) ?? {}) as Record<string, unknown>;
      return new Document({ pageContent, metadata });
    });
    return this.fromDocuments(documents, embeddings, input);
  }

  /** A collection with these documents. */
  static override async fromDocuments(
    documents: Document[], embeddings: EmbeddingsInterface, input: VectorStoreInput,
  ): Promise<MemorySearchVectorStore> {
    const made = new MemorySearchVectorStore(embeddings, input);
    await made.addDocuments(documents);
    return made;
  }

  /** Stores documents, each under its id or a new one; a document whose id exists is changed. All or none. */
  override async addDocuments(documents: Document[], options?: { ids?: string[] }): Promise<string[]> {
    const vectors = await this.embeddings.embedDocuments(documents.map((document) => document.pageContent));
    return this.addVectors(vectors, documents, options);
  }

  /** The same for documents with existing embeddings. */
  override async addVectors(
    vectors: number[][], documents: Document[], options?: { ids?: string[] },
  ): Promise<string[]> {
    const { ids } = checked(options, ["ids"], "addVectors");
    if (vectors.length !== documents.length || (ids !== undefined && ids.length !== documents.length)) {
      throw new RangeError("documents, vectors and ids must have the same length");
    }
    const entries = documents.map((document, place): NewEntry => ({
      rawEntry: document.pageContent,
      metadata: document.metadata,
      embedding: vectors[place],
      entryKey: ids?.[place] ?? document.id ?? crypto.randomUUID(),
    }));
    await this.#memory.addMany(entries);
    return entries.map((entry) => entry.entryKey!);
  }

  /** Hides the documents with these ids, or all with `deleteAll`; `memory_purge` removes them permanently. */
  override async delete(given?: { ids?: string[]; deleteAll?: boolean }): Promise<void> {
    const { ids, deleteAll } = checked(given, ["ids", "deleteAll"], "delete");
    if ((ids === undefined) === (deleteAll !== true)) {
      throw new TypeError("delete() needs either ids or deleteAll: true");
    }
    if (ids === undefined) await this.#memory.deleteAll();
    for (let from = 0; ids !== undefined && from < ids.length; from += MOST) {
      await this.#memory.deleteWhere({ entryKey: ids.slice(from, from + MOST) }, { dryRun: false });
    }
  }

  /** The documents nearest to an embedding with their cosine similarities. */
  override async similaritySearchVectorWithScore(
    query: number[], k: number, filter?: this["FilterType"],
  ): Promise<[Document, number][]> {
    return this.#nearest("", query, k, filter, BY_SIMILARITY);
  }

  /** The k best that differ from each other, by the option `mmr`. */
  override async maxMarginalRelevanceSearch(
    query: string, options: MaxMarginalRelevanceSearchOptions<this["FilterType"]>,
  ): Promise<Document[]> {
    const { k, fetchK = 20, lambda = 0.5, filter } = options;
    const embedding = await this.embeddings.embedQuery(query);
    const found = await this.#nearest(query, embedding, k, filter, {
      ...BY_SIMILARITY, mmr: lambda, candidates: Math.max(k, fetchK),
    });
    return found.map(([document]) => document);
  }

  async #nearest(
    query: string, embedding: number[], k: number, metadata: JsonObject | undefined, options: JsonObject,
  ): Promise<[Document, number][]> {
    const filters = metadata === undefined ? undefined : { metadata };
    const found = await this.#memory.entries(query, { k, embedding, filters, options });
    // Rows of a search have no key. Entries that were deleted meanwhile are left out.
    const rows = await this.#memory.get(found.map((entry) => entry.entryId));
    const keys = new Map(rows.map((row) => [row.entryId, row.entryKey]));
    return found.flatMap((entry): [Document, number][] => {
      const key = keys.get(entry.entryId);
      if (key === undefined) return [];
      const document = { pageContent: entry.rawEntry, metadata: entry.metadata, id: key ?? entry.entryId };
      return [[new Document(document), entry.semantic ?? 0]];
    });
  }
}

export interface RetrieverInput extends BaseRetrieverInput {
  memory: Memory | Memories;
  k?: number | null | undefined;
  filters?: JsonObject | null | undefined;
  options?: JsonObject | null | undefined;
  /** The model for embeddings of queries; without one, the server's embedder makes them. */
  embeddings?: EmbeddingsInterface | undefined;
}

/** The entries that `memory_search` finds in one or several memories: by meaning, words, recency and importance. */
export class MemorySearchRetriever extends BaseRetriever {
  lc_namespace = ["memory-search", "retrievers"];
  readonly #input: RetrieverInput;

  static override lc_name(): string {
    return "MemorySearchRetriever";
  }

  constructor(input: RetrieverInput) {
    super(input);
    this.#input = input;
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const { memory, k, filters, options, embeddings } = this.#input;
    const embedding = await embeddings?.embedQuery(query);
    return (await memory.search(query, { k, filters, options, embedding })).entries.map(documentOf);
  }
}

// The fields besides an entry's metadata are there under `memory_search`.
function documentOf(entry: AnswerEntry): Document {
  const { entryId, memoryId, score, creationTime } = entry;
  const about = { entryId, memoryId, score, creationTime };
  return new Document({
    pageContent: entry.rawEntry ?? "",
    metadata: { ...entry.metadata, memory_search: about },
    id: entry.entryKey ?? entryId,
  });
}
