// The results of the SQL functions: a field for each column, or for each key of a JSON answer.
import { parseJson, type Json } from "./json.js";
import { camel } from "./names.js";
import { dateOf } from "./times.js";

type JsonMap = { [key: string]: Json };

/** An entry next to a found one, by the option `neighbours`. */
export interface Neighbour {
  place: number;
  entryId: string;
  userId: string | null;
  agentId: string | null;
  summary: string | null;
  rawEntry: string;
  creationTime: Date | null;
}

/** An entry of an answer; with the option `fields` it has only those. */
export interface AnswerEntry {
  entryId: string;
  memoryId: string;
  rawEntry: string;
  score: number;
  scores: { [signal: string]: number | null };
  strategy: string;
  userId: string | null;
  agentId: string | null;
  sessionId: string | null;
  entryKey: string | null;
  summary: string | null;
  sourceType: string | null;
  tags: string[];
  metadata: JsonMap;
  importance: number | null;
  accessCount: number;
  creationTime: Date | null;
  validFrom?: Date;
  validUntil?: Date;
  supersededBy?: string;
  /** Omitted if the entry names none. */
  entities?: string[];
  snippet?: { text: string; ranges: [number, number][] };
  neighbours?: Neighbour[];
  embedding?: number[] | null;
}

/** A context of an answer. */
export interface AnswerContext {
  contextId: string;
  memoryId: string;
  context: string;
  creationTime: Date | null;
  score: number;
}

/** The answer of `memory_search` and `memory_recall`. */
export interface Answer {
  entries: AnswerEntry[];
  count: number;
  latestContext: string;
  latestContextTimestamp: Date | null;
  contexts: AnswerContext[];
  nextCursor?: string | null;
  diagnostics?: JsonMap;
}

/** A row of `memory_search_entries`. */
export interface RankedEntry {
  rank: number;
  entryId: string;
  memoryId: string;
  rawEntry: string;
  userId: string | null;
  agentId: string | null;
  summary: string | null;
  tags: string[];
  metadata: JsonMap;
  sourceType: string | null;
  importance: number | null;
  accessCount: number;
  creationTime: Date | null;
  strategy: string;
  score: number;
  semantic: number | null;
  keyword: number | null;
  bm25: number | null;
  relevance: number;
  recencyFactor: number;
  importanceFactor: number;
  popularityFactor: number;
}

/** A row of `memory_get`. */
export interface Entry {
  entryId: string;
  memoryId: string;
  rawEntry: string;
  userId: string | null;
  agentId: string | null;
  sessionId: string | null;
  entryKey: string | null;
  summary: string | null;
  context: string | null;
  tags: string[];
  metadata: JsonMap;
  sourceType: string | null;
  importance: number | null;
  accessCount: number;
  creationTime: Date | null;
  expiresAt: Date | null;
  validFrom: Date | null;
  validUntil: Date | null;
  ttl: string | null;
  supersededBy: string | null;
  deletionScheduledTime: Date | null;
  embedding: number[] | null;
  entities: string[];
}

/** A row of `memory_list`. */
export interface ListedEntry extends Entry {
  cursor: string;
}

/** A row of `memory_explain`; `memoryId` is set for several memories. */
export interface Candidate {
  place: number | null;
  outcome: string;
  score: number | null;
  semantic: number | null;
  keyword: number | null;
  recency: number | null;
  importance: number | null;
  popularity: number | null;
  related: number | null;
  entry: string | null;
  entryId: string | null;
  details: JsonMap | null;
  memoryId?: string | null;
}

/** A row of `memory_add_many`. */
export interface Added {
  ordinality: number;
  entryId: string;
  status: "added" | "changed";
}

/** A row of `memory_delete_where`. */
export interface Deleted {
  entryId: string;
  deleted: boolean;
}

/** A row of `memory_history`; `before` is a row of the table, with its names of columns. */
export interface Change {
  historyId: number;
  operation: string;
  recordedAt: Date;
  sessionRole: string;
  effectiveRole: string;
  userId: string | null;
  before: JsonMap | null;
}

/** A row of `memory_links`. */
export interface Link {
  fromEntry: string;
  toEntry: string;
  kind: string;
  weight: number;
  validFrom: Date | null;
  validUntil: Date | null;
  metadata: JsonMap;
  creationTime: Date;
}

/** A row of `memory_related`. */
export interface RelatedEntry {
  entryId: string;
  hops: number;
  weight: number;
  kind: string;
  via: string;
  rawEntry: string;
  summary: string | null;
  creationTime: Date | null;
  isCut: boolean;
}

/** A row of `memory_aliases`. */
export interface Alias {
  alias: string;
  entity: string;
  creationTime: Date;
}

/** A row of `memory_entities`. */
export interface Entity {
  entity: string;
  aliases: string[];
  entries: number;
  firstSeen: Date | null;
  lastSeen: Date | null;
  occursWith: string[];
}

/** A row of `memory_about`. */
export interface EntryAbout {
  entryId: string;
  summary: string | null;
  rawEntry: string;
  entities: string[];
  creationTime: Date | null;
  tokens: number;
}

/** A row of `memory_facets`: the number of entries that have a value. */
export interface FacetCount {
  facet: string;
  value: string;
  entries: number;
}

/** A row of `memory_list_memories`. */
export interface MemorySummary {
  memoryId: string;
  entries: number;
  contexts: number;
  firstCreated: Date | null;
  lastCreated: Date | null;
  lastUsed: Date | null;
}

/** The row of `memory_stats`. */
export interface Stats {
  memories: number;
  entries: number;
  visible: number;
  deleted: number;
  expired: number;
  superseded: number;
  withoutEmbedding: number;
  contexts: number;
  tableBytes: number;
  indexBytes: number;
}

/** A row of `memory_doctor`. */
export interface Check {
  name: string;
  status: "ok" | "warning" | "error";
  detail: string;
  fix: string | null;
}

// --- Reading them -----------------------------------------------------------------------------------

const TIMES = new Set([
  "creationTime", "deletionScheduledTime", "expiresAt", "firstCreated", "firstSeen", "lastCreated", "lastSeen",
  "lastUsed", "latestContextTimestamp", "recordedAt", "validFrom", "validUntil",
]);

/** The rows, a field for each column. */
export function rowsOf<T>(texts: readonly (string | null)[]): T[] {
  return texts.map((text) => {
    const row = parseJson(text ?? "{}") as JsonMap;
    return withTimes(Object.fromEntries(Object.entries(row).map(([column, value]) => [camel(column), value]))) as T;
  });
}

/** The JSON answer of a search. */
export function answerOf(texts: readonly (string | null)[]): Answer {
  const answer = parseJson(only(texts)) as JsonMap;
  const entries = (answer["entries"] as JsonMap[]).map((entry) => {
    const neighbours = entry["neighbours"] as JsonMap[] | undefined;
    return withTimes(neighbours === undefined ? entry : { ...entry, neighbours: neighbours.map(withTimes) as Json });
  });
  const contexts = (answer["contexts"] as JsonMap[]).map(withTimes);
  return { ...withTimes(answer), entries, contexts } as unknown as Answer;
}

function withTimes(fields: JsonMap): JsonMap {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      TIMES.has(key) && typeof value === "string" ? (dateOf(value) as unknown as Json) : value,
    ]),
  );
}

/** The value of a function that returns one. */
export function only(texts: readonly (string | null)[]): string {
  if (texts.length !== 1) throw new Error(`the source gave ${texts.length} rows where the function gives one`);
  return texts[0] ?? "null";
}

export function booleanOf(texts: readonly (string | null)[]): boolean {
  return parseJson(only(texts)) as boolean;
}

export function numberOf(texts: readonly (string | null)[]): number {
  return parseJson(only(texts)) as number;
}
