// The descriptions of the tools for a model, and their results. The descriptions are those of `memory-search mcp`.
import type { AnswerEntry, Entry, EntryAbout, RelatedEntry } from "./answers.js";
import { checked } from "./arguments.js";
import type { Json } from "./json.js";

const text = (description: string) => ({ type: "string", description }) as const;
const texts = (description: string) => ({ type: "array", items: { type: "string" }, description }) as const;
const time = (description: string) => ({ type: "string", format: "date-time", description }) as const;
const count = (description: string, minimum: number, maximum: number) =>
  ({ type: "integer", minimum, maximum, description }) as const;
const object = <P extends object>(properties: P, ...required: (keyof P & string)[]) =>
  ({ type: "object" as const, properties, required, additionalProperties: false });

const entryIds = { ...texts("Entries, as searches and listings name them"), minItems: 1, maxItems: 100 } as const;
const filters = {
  type: "object",
  properties: {
    createdAfter: time("Only entries from then on"),
    createdBefore: time("Only entries until then"),
    tags: texts("Only entries with one of these tags"),
    sourceType: texts("Only entries from these sources"),
  },
} as const;

/** The JSON schemas of the arguments. */
export const PLAIN = {
  memory_search: object({
    query: text("The question in natural language, names and codes verbatim; empty for the newest entries"),
    top_ke: count("How many entries; 5 by default", 0, 10),
    filters,
  }, "query"),
  memory_list: object({
    filters,
    orderBy: {
      type: "string" as const,
      enum: ["createdAt", "importance", "accessCount", "expiresAt"].flatMap((field) => [`-${field}`, field]),
      description: "What orders them; a minus begins with the greatest. The newest come first by default",
    },
    pageSize: count("How many entries; 20 by default", 1, 100),
    cursor: text("nextCursor of the page before; filters and order must be the same"),
  }),
  memory_get: object({ entryIds }, "entryIds"),
  memory_about: object({
    entity: text("The name; case, accents and blanks make no difference"),
    filters,
    tokenBudget: { type: "integer" as const, minimum: 0, description: "How long the answer may be; 8000 by default" },
  }, "entity"),
  memory_related: object({
    entryId: text("The entry, as searches and listings name it"),
    depth: count("How many links away; 2 by default", 1, 4),
    kinds: { ...texts("Only links of these kinds, for example derived_from"), maxItems: 100 },
    maxEntries: count("How many entries to return; 20 by default", 1, 100),
  }, "entryId"),
  memory_latest_context: object({}),
  memory_remember: object({
    rawEntry: text("The text to remember"),
    tags: texts("Labels, to filter by"),
    entities: texts("Names of the people, places and things that it is about"),
    importance: count("0 trivial to 100 vital; 50 by default", 0, 100),
    sourceType: text("Where it comes from: chat, email, document"),
    creationTime: time("When it was said or happened; now by default"),
    validUntil: time("Until when it holds"),
  }, "rawEntry"),
  memory_correct: object({
    entryId: text("The entry to correct, as searches and listings name it"),
    rawEntry: text("What is right, complete by itself"),
    since: time("Where the old one was right until then: from when the new one holds"),
  }, "entryId", "rawEntry"),
  memory_forget: object({ entryIds }, "entryIds"),
  memory_put_context: object({ context: text("The summary, complete by itself") }, "context"),
} as const;

export const described: { readonly [name in keyof typeof PLAIN]: string } = {
  memory_search:
    "Searches the long-term memory for what is relevant to a question. Returns the best entries first, and what the " +
    "memory is about now. Entries can contradict each other: the newer one usually holds.",
  memory_list:
    "Lists entries in an order, a page at a time, without a question. To find what is relevant to something use " +
    "memory_search.",
  memory_get: "Returns entries by their ids, with all that is remembered of them.",
  memory_about:
    "Returns what is remembered of a person, place or thing, in the order of time. It finds entries that name it " +
    "among their entities; for a question use memory_search.",
  memory_related:
    "Returns the entries that links lead to from an entry, either way, the nearest first: its sources, reasons and " +
    "consequences. Use it to learn where an entry comes from and which entries depend on it.",
  memory_latest_context:
    "Returns what the memory is about now, as it was last summarised, and when. What was remembered after that is " +
    "news to it.",
  memory_remember:
    "Remembers a fact, preference, decision or event for later conversations. One statement a call, complete by " +
    "itself: names instead of pronouns, dates instead of \"today\". Search first: what is remembered already needs " +
    "no second entry, and what has changed is corrected with memory_correct.",
  memory_correct:
    "Replaces an entry that is wrong or holds no more by a new one. Searches find the new one only; the old one is " +
    "kept, and shown on request. The new one takes over tags, entities, importance, metadata and the time of expiry, " +
    "and without since also the time in which the old one holds, unless that is over.",
  memory_forget:
    "Forgets entries: searches find them no more. Use it when somebody asks for it, or for what should never have " +
    "been remembered; what has changed is corrected with memory_correct instead.",
  memory_put_context:
    "Says what the memory is about now, for the next conversation to begin with: a summary of the state of things in " +
    "some sentences. It replaces the latest context, which is kept as an older one.",
};

/** Answers a call. A refusal includes its hint, so that the model can correct the call. */
export async function heard<I extends object, O>(
  name: keyof typeof PLAIN, asked: I, answer: (asked: I) => Promise<O>,
): Promise<O> {
  const { properties, required } = PLAIN[name];
  const given = checked(asked, Object.keys(properties), name);
  for (const argument of required) {
    if ((given as Record<string, unknown>)[argument] == null) throw new TypeError(`${name}() needs "${argument}"`);
  }
  try {
    return await answer(given);
  } catch (error) {
    const { hint } = error as { hint?: unknown };
    if (!(error instanceof Error) || typeof hint !== "string" || hint === "") throw error;
    throw new Error(`${error.message} - ${hint}`, { cause: error });
  }
}

/** An entry in the form for a model. */
export interface SaidEntry {
  id: string;
  text: string;
  time?: string;
  validFrom?: string;
  validUntil?: string;
}

/** An entry that links lead to, as a model reads it: how far it is, and by which link of which entry. */
export interface SaidRelated extends SaidEntry {
  hops: number;
  kind: string;
  via: string;
}

export function said(entry: AnswerEntry | Entry | EntryAbout | RelatedEntry): SaidEntry {
  return {
    id: entry.entryId,
    text: entry.rawEntry,
    ...timeSaid("time", entry.creationTime),
    ...("validFrom" in entry ? timeSaid("validFrom", entry.validFrom) : {}),
    ...("validUntil" in entry ? timeSaid("validUntil", entry.validUntil) : {}),
  };
}

/** A time under its name, if there is one: `infinity` is no valid Date, and a model does not need it. */
export function timeSaid<N extends string>(name: N, at: Date | null | undefined): { [name in N]?: string } {
  if (at == null || Number.isNaN(at.getTime())) return {};
  return { [name]: at.toISOString() } as { [name in N]?: string };
}

/** JSON in the SDK's notation, which cannot express a bigint: it becomes the text of its digits. */
export function writable(value: Json): Json {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(writable);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, writable(member)]));
}
