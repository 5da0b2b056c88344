/**
 * The client of the PostgreSQL extension memory_search: its SQL functions with JavaScript's types.
 *
 * Nothing is ranked, cached or checked here: each method is one call of the function that has its name.
 */
export type {
  Added, Alias, Answer, AnswerContext, AnswerEntry, Candidate, Change, Check, Deleted, Entity, Entry, EntryAbout,
  FacetCount, Link, ListedEntry, MemorySummary, Neighbour, RankedEntry, RelatedEntry, Stats,
} from "./answers.js";
export type {
  AboutArguments, AnswerArguments, ContextArguments, CreateArguments, DeleteWhereArguments, DistributeArguments,
  DropArguments, Embedding, EmbedPendingArguments, EntitiesArguments, EntryArguments, ExplainArguments,
  ExportArguments, FacetArguments, GetArguments, HistoryArguments, LinkArguments, LinksArguments, ListArguments,
  MemoriesArguments, NewEntry, NotifyArguments, PageArguments, PromptArguments, PurgeArguments, ReembedArguments,
  RelatedArguments, SearchArguments, SupersedeArguments, SwitchArguments, Time, UnlinkArguments, UpdateArguments,
  UpsertArguments,
} from "./arguments.js";
export type { Json, JsonObject } from "./json.js";
export { Memories, Memory, type MemoriesOptions, type MemoryOptions } from "./memory.js";
export type { PostgresJs, Queryable, Source } from "./source.js";
export { Store, type StoreOptions } from "./store.js";

/** The version of the extension. */
export const VERSION = "0.3.0";
