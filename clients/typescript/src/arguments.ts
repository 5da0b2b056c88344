// The arguments of the SQL functions: their names here, their SQL types, and the TypeScript types for these.
import type { JsonObject } from "./json.js";
import { nearest } from "./names.js";

/** The elements of an embedding. */
export type Embedding = readonly number[] | Float32Array | Float64Array;

/** An instant; a text may be anything that PostgreSQL accepts, including `infinity`. */
export type Time = Date | string;

/** The TypeScript type for an argument of an SQL type. */
interface Given {
  text: string;
  "text[]": readonly string[];
  uuid: string;
  "uuid[]": readonly string[];
  integer: number;
  bigint: number | bigint;
  "double precision": number;
  boolean: boolean;
  timestamptz: Time;
  interval: string;
  jsonb: JsonObject;
  list: readonly JsonObject[];
  embedding: Embedding;
}

export type SqlType = keyof Given;

/** Every argument by its name in camel case: `topKc` is `top_kc` in SQL. */
export const TYPES = {
  after: "text",
  agentId: "text",
  alias: "text",
  apply: "boolean",
  at: "timestamptz",
  before: "timestamptz",
  by: "text[]",
  channel: "text",
  clear: "text[]",
  context: "text",
  contextIds: "uuid[]",
  creationTime: "timestamptz",
  cursor: "text",
  delegate: "boolean",
  depth: "integer",
  detail: "text",
  dimensions: "integer",
  direction: "text",
  dryRun: "boolean",
  embedding: "embedding",
  enabled: "boolean",
  entities: "text[]",
  entity: "text",
  entries: "list",
  entryId: "uuid",
  // An array of any type, because ids of adopted tables have their own types.
  entryIds: "text[]",
  entryKey: "text",
  everything: "boolean",
  expiresAt: "timestamptz",
  feedback: "integer",
  filters: "jsonb",
  force: "boolean",
  fromEntry: "uuid",
  ifSimilar: "double precision",
  importance: "integer",
  judgements: "list",
  k: "integer",
  kind: "text",
  kinds: "text[]",
  language: "text",
  lines: "list",
  maxEntries: "integer",
  maxRows: "bigint",
  maxValues: "integer",
  memoryId: "text",
  memoryIds: "text[]",
  metadata: "jsonb",
  name: "text",
  newEntryId: "uuid",
  oldEntryId: "uuid",
  olderThan: "bigint",
  options: "jsonb",
  orderBy: "text",
  pageSize: "integer",
  partitions: "integer",
  prefix: "text",
  prefixes: "text[]",
  privileges: "text",
  query: "text",
  rawEntry: "text",
  role: "text",
  sessionId: "text",
  setting: "text",
  shardCount: "integer",
  sourceType: "text",
  store: "text",
  summary: "text",
  systemPrompt: "text",
  tags: "text[]",
  text: "text",
  tokenBudget: "integer",
  toEntry: "uuid",
  topKc: "integer",
  topKe: "integer",
  ttl: "interval",
  userId: "text",
  validAt: "timestamptz",
  validFrom: "timestamptz",
  validUntil: "timestamptz",
  weight: "double precision",
  wholeMemory: "boolean",
  withEmbeddings: "boolean",
} as const satisfies Record<string, SqlType>;

export type Name = keyof typeof TYPES;

/** Optional arguments with these names; for an omitted one, undefined or null, the function's default is used. */
type Optional<K extends Name> = { [name in K]?: Given[(typeof TYPES)[name]] | null | undefined };
type Named<T extends readonly Name[]> = Optional<T[number]>;

// The optional arguments of each method. `k` is `topKe` for functions that call it so.
export const SEARCH = ["k", "embedding", "filters", "options"] as const;
export const ANSWER = [...SEARCH, "topKc"] as const;
export const EXPLAIN = [...SEARCH, "entryId"] as const;
export const FACETS = [...SEARCH, "by", "maxValues"] as const;
export const PROMPT = [...SEARCH, "systemPrompt", "tokenBudget"] as const;
const ENTRY_FIELDS = [
  "summary", "tags", "entities", "metadata", "importance", "embedding", "userId", "agentId", "sessionId", "sourceType",
  "creationTime", "expiresAt", "validFrom", "validUntil", "ttl",
] as const;
export const UPSERT = [...ENTRY_FIELDS, "context", "entryId", "ifSimilar"] as const;
export const ENTRY = [...UPSERT, "entryKey"] as const;
export const UPDATE = [...ENTRY_FIELDS, "rawEntry", "entryKey", "clear"] as const;
export const SUPERSEDE = ["at"] as const;
export const LINK = ["kind", "weight", "validFrom", "validUntil", "metadata"] as const;
export const UNLINK = ["kind"] as const;
export const LINKS = ["kinds", "direction", "maxRows", "validAt"] as const;
export const RELATED = ["depth", "kinds", "maxEntries"] as const;
export const CONTEXT = ["embedding", "userId", "creationTime"] as const;
export const DELETE_WHERE = ["dryRun"] as const;
export const GET = ["options"] as const;
export const LIST = ["orderBy", "pageSize", "options"] as const;
export const PAGE = [...LIST, "cursor"] as const;
export const ENTITIES = ["maxRows", "options"] as const;
export const ABOUT = ["tokenBudget", "filters", "options"] as const;
export const HISTORY = ["pageSize", "olderThan"] as const;
export const EXPORT = ["withEmbeddings"] as const;
export const CREATE = ["dimensions", "language", "partitions"] as const;
export const DROP = ["force"] as const;
export const DISTRIBUTE = ["shardCount", "delegate"] as const;
export const SWITCH = ["enabled"] as const;
export const NOTIFY = ["channel", ...SWITCH] as const;
export const MEMORIES = ["prefix", "pageSize"] as const;
export const LEARN = ["apply"] as const;
export const PURGE = ["before", "maxRows"] as const;
export const EMBED_PENDING = ["memoryId", "maxRows"] as const;
export const REEMBED = [...EMBED_PENDING, "everything"] as const;

export type SearchArguments = Named<typeof SEARCH>;
export type AnswerArguments = Named<typeof ANSWER>;
export type ExplainArguments = Named<typeof EXPLAIN>;
export type PromptArguments = Named<typeof PROMPT>;
export type UpsertArguments = Named<typeof UPSERT>;
export type EntryArguments = Named<typeof ENTRY>;
export type UpdateArguments = Named<typeof UPDATE>;
export type SupersedeArguments = Named<typeof SUPERSEDE>;
export type ContextArguments = Named<typeof CONTEXT>;
export type DeleteWhereArguments = Named<typeof DELETE_WHERE>;
export type GetArguments = Named<typeof GET>;
export type ListArguments = Named<typeof LIST>;
export type PageArguments = Named<typeof PAGE>;
export type LinkArguments = Named<typeof LINK>;
export type UnlinkArguments = Named<typeof UNLINK>;
export type LinksArguments = Named<typeof LINKS>;
export type RelatedArguments = Named<typeof RELATED>;
export type EntitiesArguments = Named<typeof ENTITIES>;
export type AboutArguments = Named<typeof ABOUT>;
export type FacetArguments = Named<typeof FACETS>;
export type HistoryArguments = Named<typeof HISTORY>;
export type ExportArguments = Named<typeof EXPORT>;
export type CreateArguments = Named<typeof CREATE>;
export type DropArguments = Named<typeof DROP>;
export type DistributeArguments = Named<typeof DISTRIBUTE>;
export type SwitchArguments = Named<typeof SWITCH>;
export type NotifyArguments = Named<typeof NOTIFY>;
export type MemoriesArguments = Named<typeof MEMORIES>;
export type LearnArguments = Named<typeof LEARN>;
export type PurgeArguments = Named<typeof PURGE>;
export type EmbedPendingArguments = Named<typeof EMBED_PENDING>;
export type ReembedArguments = Named<typeof REEMBED>;

/** A search with the ids of the entries that helped, for `memory_learn`. */
export type Judgement = { request: JsonObject; helpful: readonly string[] };

/** An entry for `memory_add_many`, whose keys are those of its JSON. */
export type NewEntry = {
  rawEntry: string;
  passageEmbeddings?: readonly (readonly number[])[] | null;
} & Optional<Exclude<(typeof ENTRY)[number], "ifSimilar">>;

/** Names that SQL functions, JSON requests and other libraries have for k. */
const OTHERS_OF_K = ["top_ke", "topKe", "top_k", "topK", "limit"];

/** The arguments of a method. Unknown ones are refused here: the server would say that there is no function. */
export function checked<T extends object>(given: T | null | undefined, known: readonly string[], method: string): T {
  if (given === undefined || given === null) return {} as T;
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new TypeError(`${method}() takes its arguments as an object: { ${known.join(", ")} }`);
  }
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) {
      // SQL functions and JSON requests call k top_ke: the nearest name would be topKc, which is another thing.
      const near = OTHERS_OF_K.includes(name) && known.includes("k") ? "k" : nearest(name, known);
      const hint = near === null ? `it has ${known.join(", ")}` : `did you mean "${near}"?`;
      throw new TypeError(`${method}() has no argument "${name}"; ${hint}`);
    }
  }
  return given;
}
