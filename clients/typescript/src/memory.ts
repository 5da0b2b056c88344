// A memory, or several that are searched together.
import * as args from "./arguments.js";
import * as answers from "./answers.js";
import { run, type Call, type Values } from "./call.js";
import { parseJson, type Json, type JsonObject } from "./json.js";
import { asking, type Ask, type Source } from "./source.js";

type Texts = (string | null)[];

/** The common methods of one memory and several. */
class Searches {
  readonly #ask: Ask;
  readonly #schema: string | null | undefined;
  protected readonly where: Values;

  protected constructor(source: Source, where: Values, schema: string | null | undefined) {
    this.#ask = asking(source);
    this.#schema = schema;
    this.where = where;
  }

  protected call(call: Call): Promise<Texts> {
    const required = ["memoryId", "memoryIds", ...(call.required ?? [])] as args.Name[];
    return run(this.#ask, { ...call, values: { ...this.where, ...call.values }, required }, this.#schema);
  }

  /** `memory_search`: the best entries, the latest context, and older ones. */
  async search(query: string, given?: args.AnswerArguments): Promise<answers.Answer> {
    return answers.answerOf(await this.#found("memory_search", query, args.checked(given, args.ANSWER, "search")));
  }

  /** `memory_recall`: the same answer, and counts a use of each entry. */
  async recall(query: string, given?: args.AnswerArguments): Promise<answers.Answer> {
    return answers.answerOf(await this.#found("memory_recall", query, args.checked(given, args.ANSWER, "recall")));
  }

  /** `memory_search_entries`: entries as rows, each part of the score a field; `k` goes up to 1,000. */
  async entries(query: string, given?: args.SearchArguments): Promise<answers.RankedEntry[]> {
    const values = { query, ...args.checked(given, args.SEARCH, "entries") };
    return answers.rowsOf(
      await this.call({ function: "memory_search_entries", values, required: ["query"], rows: true }),
    );
  }

  /** `memory_explain`: why each candidate ranks where it does. */
  async explain(query: string, given?: args.ExplainArguments): Promise<answers.Candidate[]> {
    const values = args.checked(given, args.EXPLAIN, "explain");
    return answers.rowsOf(await this.#found("memory_explain", query, values, true));
  }

  /** `memory_build_context`: the found entries as text of a prompt. */
  async context(query: string, given?: args.PromptArguments): Promise<string> {
    const [text] = await this.#found("memory_build_context", query, args.checked(given, args.PROMPT, "context"));
    return text ?? "";
  }

  // These functions call k top_ke.
  #found(name: string, query: string, given: args.SearchArguments, rows = false): Promise<Texts> {
    const { k, ...others } = given;
    return this.call({ function: name, values: { query, topKe: k, ...others }, required: ["query"], rows });
  }
}

export interface MemoriesOptions {
  /** Memories whose ids begin with these texts are searched too. */
  prefixes?: readonly string[] | null | undefined;
  store?: string | null | undefined;
  /** The extension's schema, if it is not on the search path. */
  schema?: string | null | undefined;
}

/** Several memories in one ranking: by their ids, and by the beginnings of their ids. */
export class Memories extends Searches {
  constructor(source: Source, memoryIds: readonly string[] = [], options?: MemoriesOptions) {
    const { prefixes, store, schema } = args.checked(options, ["prefixes", "store", "schema"], "Memories");
    super(source, { memoryIds, prefixes, store }, schema);
  }
}

export interface MemoryOptions {
  store?: string | null | undefined;
  /** The extension's schema, if it is not on the search path. */
  schema?: string | null | undefined;
}

/** One memory. */
export class Memory extends Searches {
  constructor(source: Source, memoryId: string, options?: MemoryOptions) {
    const { store, schema } = args.checked(options, ["store", "schema"], "Memory");
    super(source, { memoryId, store }, schema);
  }

  // --- Adding and changing ------------------------------------------------------------------------

  /** `memory_add`; the entry's id. */
  async add(rawEntry: string, given?: args.EntryArguments): Promise<string> {
    return this.#text("memory_add", { rawEntry, ...args.checked(given, args.ENTRY, "add") }, ["rawEntry"]);
  }

  /** `memory_add` under a key: an existing entry with the key is changed. */
  async upsert(entryKey: string, rawEntry: string, given?: args.UpsertArguments): Promise<string> {
    // Without a key it would be another entry each time.
    if (typeof entryKey !== "string") throw new TypeError("upsert() needs a key, which is a string");
    const values = { entryKey, rawEntry, ...args.checked(given, args.UPSERT, "upsert") };
    return this.#text("memory_add", values, ["rawEntry"]);
  }

  /** `memory_add_many`: all or none. */
  async addMany(entries: Iterable<args.NewEntry>): Promise<answers.Added[]> {
    // Spread, because Array.from would treat an object that is no list as an empty one.
    const given = [...entries].map((entry) => {
      if (typeof entry !== "object" || entry === null) throw new TypeError("addMany() takes a list of objects");
      return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
    });
    return answers.rowsOf(await this.call({ function: "memory_add_many", values: { entries: given }, rows: true }));
  }

  /** `memory_update`; 1, or 0 if there is no such entry. */
  async update(entryId: string, given: args.UpdateArguments): Promise<number> {
    return this.#number("memory_update", { entryId, ...args.checked(given, args.UPDATE, "update") }, ["entryId"]);
  }

  /** `memory_supersede`; with null for the new entry, the old one is reinstated. */
  async supersede(oldEntryId: string, newEntryId: string | null, given?: args.SupersedeArguments): Promise<number> {
    // If it were omitted by mistake, it would undo a correction.
    if (newEntryId === undefined) throw new TypeError("supersede() needs the new entry's id, or null");
    const values = { oldEntryId, newEntryId, ...args.checked(given, args.SUPERSEDE, "supersede") };
    return this.#number("memory_supersede", values, ["oldEntryId", "newEntryId"]);
  }

  /** `memory_put_context`; the context's id. */
  async putContext(context: string, given?: args.ContextArguments): Promise<string> {
    const values = { context, ...args.checked(given, args.CONTEXT, "putContext") };
    return this.#text("memory_put_context", values, ["context"]);
  }

  /** `memory_touch`: counts a use of each. */
  async touch(entryIds: readonly string[]): Promise<number> {
    return this.#number("memory_touch", { entryIds }, ["entryIds"]);
  }

  /** `memory_feedback`: 1 if the entries helped, -1 if they did not. */
  async feedback(entryIds: readonly string[], feedback: number): Promise<number> {
    return this.#number("memory_feedback", { entryIds, feedback }, ["entryIds", "feedback"]);
  }

  // --- Links and names ----------------------------------------------------------------------------

  /** `memory_link`: whether the link is new. */
  async link(fromEntry: string, toEntry: string, given?: args.LinkArguments): Promise<boolean> {
    const values = { fromEntry, toEntry, ...args.checked(given, args.LINK, "link") };
    return this.#boolean("memory_link", values, ["fromEntry", "toEntry"]);
  }

  /** `memory_unlink`: the number of removed links. */
  async unlink(fromEntry: string, toEntry: string, given?: args.UnlinkArguments): Promise<number> {
    const values = { fromEntry, toEntry, ...args.checked(given, args.UNLINK, "unlink") };
    return this.#number("memory_unlink", values, ["fromEntry", "toEntry"]);
  }

  /** `memory_links`: the links of an entry, the heaviest first. */
  async links(entryId: string, given?: args.LinksArguments): Promise<answers.Link[]> {
    const values = { entryId, ...args.checked(given, args.LINKS, "links") };
    return answers.rowsOf(await this.call({ function: "memory_links", values, required: ["entryId"], rows: true }));
  }

  /** `memory_related`: the entries that links lead to, the nearest first. */
  async related(entryId: string, given?: args.RelatedArguments): Promise<answers.RelatedEntry[]> {
    const values = { entryId, ...args.checked(given, args.RELATED, "related") };
    return answers.rowsOf(await this.call({ function: "memory_related", values, required: ["entryId"], rows: true }));
  }

  /** `memory_alias`: whether the alias is new. */
  async alias(alias: string, entity: string): Promise<boolean> {
    return this.#boolean("memory_alias", { alias, entity }, ["alias", "entity"]);
  }

  /** `memory_unalias`: whether the alias existed. */
  async unalias(alias: string): Promise<boolean> {
    return this.#boolean("memory_unalias", { alias }, ["alias"]);
  }

  /** `memory_aliases`: the aliases, ordered by the names that they stand for. */
  async aliases(): Promise<answers.Alias[]> {
    return answers.rowsOf(await this.call({ function: "memory_aliases", values: {}, rows: true }));
  }

  // --- Deleting -----------------------------------------------------------------------------------

  /** `memory_delete`: hides these entries. */
  async delete(entryIds: readonly string[]): Promise<number> {
    return this.#number("memory_delete", { entryIds }, ["entryIds"]);
  }

  /** `memory_delete(whole_memory => true)`. */
  async deleteAll(): Promise<number> {
    return this.#number("memory_delete", { wholeMemory: true });
  }

  /** `memory_delete_where`: the entries that would be deleted; with `dryRun: false` they are. */
  async deleteWhere(filters: JsonObject, given?: args.DeleteWhereArguments): Promise<answers.Deleted[]> {
    const values = { filters, ...args.checked(given, args.DELETE_WHERE, "deleteWhere") };
    return answers.rowsOf(
      await this.call({ function: "memory_delete_where", values, required: ["filters"], rows: true }),
    );
  }

  /** `memory_restore` of these entries. */
  async restore(entryIds: readonly string[]): Promise<number> {
    return this.#number("memory_restore", { entryIds }, ["entryIds"]);
  }

  /** `memory_restore(whole_memory => true)`. */
  async restoreAll(): Promise<number> {
    return this.#number("memory_restore", { wholeMemory: true });
  }

  /** `memory_delete_contexts`. */
  async deleteContexts(contextIds: readonly string[]): Promise<number> {
    return this.#number("memory_delete_contexts", { contextIds }, ["contextIds"]);
  }

  /** `memory_restore_contexts`. */
  async restoreContexts(contextIds: readonly string[]): Promise<number> {
    return this.#number("memory_restore_contexts", { contextIds }, ["contextIds"]);
  }

  // --- Reading without a query --------------------------------------------------------------------

  /** `memory_get`: entries by their ids, in their order. */
  async get(entryIds: readonly string[], given?: args.GetArguments): Promise<answers.Entry[]> {
    const values = { entryIds, ...args.checked(given, args.GET, "get") };
    return answers.rowsOf(await this.call({ function: "memory_get", values, required: ["entryIds"], rows: true }));
  }

  /** `memory_list`: one page; the cursor of its last entry leads to the next page. */
  async page(filters?: JsonObject | null, given?: args.PageArguments): Promise<answers.ListedEntry[]> {
    const values = { filters, ...args.checked(given, args.PAGE, "page") };
    return answers.rowsOf(await this.call({ function: "memory_list", values, rows: true }));
  }

  /** `memory_list`, page after page until the end. */
  async *list(filters?: JsonObject | null, given?: args.ListArguments): AsyncGenerator<answers.ListedEntry, void> {
    const { pageSize, ...others } = args.checked(given, args.LIST, "list");
    const size = pageSize ?? 100;
    for (let cursor: string | null = null; ; ) {
      const entries: answers.ListedEntry[] = await this.page(filters, { ...others, pageSize: size, cursor });
      yield* entries;
      const last = entries.at(-1);
      if (last === undefined || entries.length < size) return;
      cursor = last.cursor;
    }
  }

  /** `memory_count`. */
  async count(filters?: JsonObject | null, given?: args.GetArguments): Promise<number> {
    return this.#number("memory_count", { filters, ...args.checked(given, args.GET, "count") });
  }

  /** `memory_entities`: the people, places and things that the entries name, the most frequent first. */
  async entities(prefix?: string | null, given?: args.EntitiesArguments): Promise<answers.Entity[]> {
    const values = { prefix, ...args.checked(given, args.ENTITIES, "entities") };
    return answers.rowsOf(await this.call({ function: "memory_entities", values, rows: true }));
  }

  /** `memory_about`: the newest entries that name an entity, in the order of time. */
  async about(entity: string, given?: args.AboutArguments): Promise<answers.EntryAbout[]> {
    const values = { entity, ...args.checked(given, args.ABOUT, "about") };
    return answers.rowsOf(await this.call({ function: "memory_about", values, required: ["entity"], rows: true }));
  }

  /** `memory_facets`: the number of entries for each value, of all entries or, with a query, of the found ones. */
  async facets(query?: string | null, given?: args.FacetArguments): Promise<answers.FacetCount[]> {
    const values = { query, ...args.checked(given, args.FACETS, "facets") };
    return answers.rowsOf(await this.call({ function: "memory_facets", values, rows: true }));
  }

  /** `memory_history`: the changes of an entry, the newest first. */
  async history(entryId: string, given?: args.HistoryArguments): Promise<answers.Change[]> {
    const values = { entryId, ...args.checked(given, args.HISTORY, "history") };
    return answers.rowsOf(await this.call({ function: "memory_history", values, required: ["entryId"], rows: true }));
  }

  /** `memory_export`: the whole memory as lines of JSON. */
  async export(given?: args.ExportArguments): Promise<{ [key: string]: Json }[]> {
    const texts = await this.call({
      function: "memory_export",
      values: args.checked(given, args.EXPORT, "export"),
    });
    return texts.map((text) => parseJson(text ?? "null") as { [key: string]: Json });
  }

  /** `memory_import`: adds such lines unchanged; the number of rows. */
  async importLines(lines: Iterable<JsonObject>): Promise<number> {
    return this.#number("memory_import", { lines: [...lines] });
  }

  async #text(name: string, values: Values, required: readonly args.Name[]): Promise<string> {
    return answers.only(await this.call({ function: name, values, required }));
  }

  async #boolean(name: string, values: Values, required: readonly args.Name[]): Promise<boolean> {
    return answers.booleanOf(await this.call({ function: name, values, required }));
  }

  async #number(name: string, values: Values, required: readonly args.Name[] = []): Promise<number> {
    return answers.numberOf(await this.call({ function: name, values, required }));
  }
}
