// Vercel's AI SDK: tools by which a model uses a memory, and a middleware that adds relevant entries to each call.
// The tools are those of `memory-search mcp`, with the same names and arguments. The model chooses neither the memory
// nor the store nor the user.
import { jsonSchema, tool, type Tool } from "ai";
import type { Entry } from "./answers.js";
import { checked, type Embedding } from "./arguments.js";
import { described, heard, PLAIN, said, timeSaid, writable, type SaidEntry, type SaidRelated } from "./ai_words.js";
import { Memory } from "./memory.js";
import type { Source } from "./source.js";
import { within } from "./transactions.js";

export { memoryMiddleware, type MemoryMiddlewareInput } from "./ai_middleware.js";

export interface MemoryToolsInput {
  /** A Pool or Client of node-postgres, or the sql of postgres.js. */
  source: Source;
  memoryId: string;
  store?: string | null | undefined;
  schema?: string | null | undefined;
  /** The user, agent and session of added entries. */
  userId?: string | null | undefined;
  agentId?: string | null | undefined;
  sessionId?: string | null | undefined;
  /** The model for embeddings of texts; without one, the server's embedder makes them. */
  embed?: ((text: string) => PromiseLike<Embedding>) | undefined;
  /** Only the tools that read. */
  readOnly?: boolean | undefined;
}

const INPUT = [
  "source", "memoryId", "store", "schema", "userId", "agentId", "sessionId", "embed", "readOnly",
] as const;

/** The filters in a model's schema; the other filters of memory_search are accepted as well. */
type Filters = { createdAfter?: string; createdBefore?: string; tags?: string[]; sourceType?: string[] };
type Asked = { query: string; top_ke?: number; filters?: Filters };
type Page = { filters?: Filters; orderBy?: string; pageSize?: number; cursor?: string };
type Ids = { entryIds: string[] };
type Remembered = {
  rawEntry: string; tags?: string[]; entities?: string[]; importance?: number; sourceType?: string;
  creationTime?: string; validUntil?: string;
};
type Correction = { entryId: string; rawEntry: string; since?: string };
type About = { entity: string; filters?: Filters; tokenBudget?: number };
type Related = { entryId: string; depth?: number; kinds?: string[]; maxEntries?: number };
type Nothing = Record<string, never>;
type SaidContext = { text: string; time?: string };

/** The tools that read. */
export type MemoryReadingTools = {
  memory_search: Tool<Asked, { entries: SaidEntry[]; latestContext?: SaidContext }>;
  memory_list: Tool<Page, { entries: SaidEntry[]; nextCursor?: string }>;
  memory_get: Tool<Ids, { entries: SaidEntry[] }>;
  memory_about: Tool<About, { entries: SaidEntry[] }>;
  memory_related: Tool<Related, { entries: SaidRelated[]; isCut?: true }>;
  memory_latest_context: Tool<Nothing, SaidContext>;
};

type WritingTools = {
  memory_remember: Tool<Remembered, { id: string }>;
  memory_correct: Tool<Correction, { id: string }>;
  memory_forget: Tool<Ids, { forgotten: number }>;
  memory_put_context: Tool<{ context: string }, { id: string }>;
};

/** All tools, for `tools` of `generateText`, `streamText` and agents. */
export type MemoryTools = MemoryReadingTools & WritingTools;
export type { SaidEntry, SaidRelated };

export function memoryTools(given: MemoryToolsInput & { readOnly: true }): MemoryReadingTools;
export function memoryTools(given: MemoryToolsInput): MemoryTools;
export function memoryTools(given: MemoryToolsInput): MemoryReadingTools | MemoryTools {
  const input = checked(given, INPUT, "memoryTools");
  const memory = memoryOf(input, input.source);
  return input.readOnly === true ? reading(input, memory) : { ...reading(input, memory), ...writing(input, memory) };
}

function memoryOf({ memoryId, store, schema }: MemoryToolsInput, source: Source): Memory {
  if (typeof memoryId !== "string") throw new TypeError("memoryTools() needs a memoryId, which is a string");
  return new Memory(source, memoryId, { store, schema });
}

function reading(input: MemoryToolsInput, memory: Memory): MemoryReadingTools {
  return {
    memory_search: tool({
      description: described.memory_search,
      inputSchema: jsonSchema<Asked>(PLAIN.memory_search),
      execute: (asked) =>
        heard("memory_search", asked, async ({ query, top_ke: k, filters }) => {
          const embedding = query === "" ? undefined : await input.embed?.(query);
          const found = await memory.search(query, { k, filters, embedding });
          const latestContext = contextOf(found.latestContext, found.latestContextTimestamp);
          return { entries: found.entries.map(said), ...(found.latestContext === "" ? {} : { latestContext }) };
        }),
    }),

    memory_list: tool({
      description: described.memory_list,
      inputSchema: jsonSchema<Page>(PLAIN.memory_list),
      execute: (asked) =>
        heard("memory_list", asked, async ({ filters, pageSize, ...page }) => {
          const size = pageSize ?? 20;
          if (!(size >= 1 && size <= 100)) throw new RangeError(`pageSize is from 1 to 100, not ${size}`);
          // One more than on the page, to know whether there is a next page.
          const rows = await memory.page(filters, { ...page, pageSize: size + 1 });
          const nextCursor = rows.length > size ? rows[size - 1]?.cursor : undefined;
          return { entries: rows.slice(0, size).map(said), ...(nextCursor === undefined ? {} : { nextCursor }) };
        }),
    }),

    memory_get: tool({
      description: described.memory_get,
      inputSchema: jsonSchema<Ids>(PLAIN.memory_get),
      execute: (asked) =>
        heard("memory_get", asked, async ({ entryIds }) => {
          const entries = await memory.get(entryIds);
          return { entries: entries.map((entry) => ({ ...said(entry), ...restOf(entry) })) };
        }),
    }),

    memory_about: tool({
      description: described.memory_about,
      inputSchema: jsonSchema<About>(PLAIN.memory_about),
      execute: (asked) =>
        heard("memory_about", asked, async ({ entity, ...given }) => ({
          entries: (await memory.about(entity, given)).map(said),
        })),
    }),

    memory_related: tool({
      description: described.memory_related,
      inputSchema: jsonSchema<Related>(PLAIN.memory_related),
      execute: (asked) =>
        heard("memory_related", asked, async ({ entryId, maxEntries = 20, ...given }) => {
          if (!(maxEntries >= 1 && maxEntries <= 100)) {
            throw new RangeError(`maxEntries is from 1 to 100, not ${maxEntries}`);
          }
          const rows = await memory.related(entryId, { ...given, maxEntries });
          const entries = rows.map((row) => ({ ...said(row), hops: row.hops, kind: row.kind, via: row.via }));
          return { entries, ...(rows.some((row) => row.isCut) ? { isCut: true } : {}) };
        }),
    }),

    memory_latest_context: tool({
      description: described.memory_latest_context,
      inputSchema: jsonSchema<Nothing>(PLAIN.memory_latest_context),
      execute: (asked) =>
        heard("memory_latest_context", asked, async () => {
          const { latestContext, latestContextTimestamp } = await memory.search("", { k: 0 });
          return contextOf(latestContext, latestContextTimestamp);
        }),
    }),
  };
}

function writing(input: MemoryToolsInput, memory: Memory): WritingTools {
  const { userId, agentId, sessionId } = input;
  return {
    memory_remember: tool({
      description: described.memory_remember,
      inputSchema: jsonSchema<Remembered>(PLAIN.memory_remember),
      execute: (asked) =>
        heard("memory_remember", asked, async ({ rawEntry, ...entry }) => {
          const embedding = await input.embed?.(rawEntry);
          return { id: await memory.add(rawEntry, { ...entry, embedding, userId, agentId, sessionId }) };
        }),
    }),

    memory_correct: tool({
      description: described.memory_correct,
      inputSchema: jsonSchema<Correction>(PLAIN.memory_correct),
      execute: (asked) =>
        heard("memory_correct", asked, async ({ entryId, rawEntry, since }) => {
          const embedding = await input.embed?.(rawEntry);
          // Both or neither: an entry that corrects nothing would be stored next to the wrong one.
          return within(input.source, async (source) => {
            const inside = memoryOf(input, source);
            const [old] = await inside.get([entryId]);
            if (old === undefined) throw new Error(`there is no entry ${entryId}`);
            const id = await inside.add(rawEntry, {
              embedding, tags: old.tags, entities: old.entities, metadata: old.metadata, importance: old.importance,
              sourceType: old.sourceType, userId: old.userId, sessionId: old.sessionId, agentId: agentId ?? old.agentId,
              ...(old.ttl ? { ttl: old.ttl } : { expiresAt: old.expiresAt }),
              // An end in the past would hide the correction.
              ...(since ? {} : { validFrom: old.validFrom, validUntil: future(old.validUntil) }),
            });
            await inside.supersede(entryId, id, { at: since });
            return { id };
          });
        }),
    }),

    memory_forget: tool({
      description: described.memory_forget,
      inputSchema: jsonSchema<Ids>(PLAIN.memory_forget),
      execute: (asked) =>
        heard("memory_forget", asked, async ({ entryIds }) => ({ forgotten: await memory.delete(entryIds) })),
    }),

    memory_put_context: tool({
      description: described.memory_put_context,
      inputSchema: jsonSchema<{ context: string }>(PLAIN.memory_put_context),
      execute: (asked) =>
        heard("memory_put_context", asked, async ({ context }) => ({
          id: await memory.putContext(context, { userId, embedding: await input.embed?.(context) }),
        })),
    }),
  };
}

function future(time: Date | null): Date | null {
  return time !== null && time > new Date() ? time : null;
}

function contextOf(text: string, at: Date | null): SaidContext {
  return { text, ...timeSaid("time", at) };
}

// All fields of an entry, without empty ones and defaults.
function restOf(entry: Entry): { [name: string]: unknown } {
  const { userId, agentId, sessionId, entryKey, summary, context, sourceType } = entry;
  const { tags, entities, importance, metadata } = entry;
  const rest = {
    userId, agentId, sessionId, entryKey, summary, context, sourceType,
    // In an adopted table these may be null.
    tags: (tags ?? []).length > 0 ? tags : null,
    entities: (entities ?? []).length > 0 ? entities : null,
    importance: importance === 50 ? null : importance,
    metadata: Object.keys(metadata ?? {}).length > 0 ? writable(metadata) : null,
  };
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
}
