// A store, which holds memories.
import * as args from "./arguments.js";
import * as answers from "./answers.js";
import { run, type Values } from "./call.js";
import { parseJson, type Json } from "./json.js";
import { Memories, Memory } from "./memory.js";
import { asking, type Source } from "./source.js";

type Texts = (string | null)[];

export interface StoreOptions {
  /** The extension's schema, if it is not on the search path. */
  schema?: string | null | undefined;
}

/** A store by its name; without one, that of the setting `memory_search.store`. */
export class Store {
  readonly #source: Source;
  readonly #store: string | null | undefined;
  readonly #schema: string | null | undefined;

  constructor(source: Source, store?: string | null, options?: StoreOptions) {
    asking(source);
    this.#source = source;
    this.#store = store;
    this.#schema = args.checked(options, ["schema"], "Store").schema;
  }

  /** A memory of this store. */
  memory(memoryId: string): Memory {
    return new Memory(this.#source, memoryId, { store: this.#store, schema: this.#schema });
  }

  /** Several memories of this store, in one ranking. */
  memories(memoryIds: readonly string[] = [], given?: { prefixes?: readonly string[] | null | undefined }): Memories {
    const { prefixes } = args.checked(given, ["prefixes"], "memories");
    return new Memories(this.#source, memoryIds, { prefixes, store: this.#store, schema: this.#schema });
  }

  // --- The store itself ---------------------------------------------------------------------------

  /** `memory_create_store`. */
  async create(given?: args.CreateArguments): Promise<void> {
    await this.#ofStore("memory_create_store", args.checked(given, args.CREATE, "create"));
  }

  /** `memory_drop_store`, for which a store must be named. */
  async drop(given?: args.DropArguments): Promise<void> {
    await this.#ofStore("memory_drop_store", args.checked(given, args.DROP, "drop"));
  }

  /** `memory_grant`: a role becomes a `reader` or a `writer`. */
  async grant(role: string, privileges?: string | null): Promise<void> {
    await this.#ofStore("memory_grant", { role, privileges }, ["role"]);
  }

  /** `memory_enable_row_security`. */
  async enableRowSecurity(setting?: string | null): Promise<void> {
    await this.#ofStore("memory_enable_row_security", { setting });
  }

  /** `memory_distribute_store`, over the nodes of a Citus cluster. */
  async distribute(given?: args.DistributeArguments): Promise<void> {
    await this.#ofStore("memory_distribute_store", args.checked(given, args.DISTRIBUTE, "distribute"));
  }

  /** `memory_keep_history`. */
  async keepHistory(given?: args.SwitchArguments): Promise<void> {
    await this.#ofStore("memory_keep_history", args.checked(given, args.SWITCH, "keepHistory"));
  }

  /** `memory_notify`. */
  async notify(given?: args.NotifyArguments): Promise<void> {
    await this.#ofStore("memory_notify", args.checked(given, args.NOTIFY, "notify"));
  }

  // --- What it holds ------------------------------------------------------------------------------

  /** `memory_list_memories`, page after page until the end. */
  async *listMemories(given?: args.MemoriesArguments): AsyncGenerator<answers.MemorySummary, void> {
    const { prefix, pageSize } = args.checked(given, args.MEMORIES, "listMemories");
    const size = pageSize ?? 100;
    for (let after: string | null = null; ; ) {
      const values: Values = { prefix, after, pageSize: size };
      const texts = await this.#ofStore("memory_list_memories", values, [], true);
      const page: answers.MemorySummary[] = answers.rowsOf(texts);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < size) return;
      after = last.memoryId;
    }
  }

  /** `memory_stats`. */
  async stats(): Promise<answers.Stats> {
    return answers.rowsOf<answers.Stats>(await this.#ofStore("memory_stats", {}, [], true))[0]!;
  }

  /** `memory_doctor`. */
  async doctor(): Promise<answers.Check[]> {
    return answers.rowsOf(await this.#ofStore("memory_doctor", {}, [], true));
  }

  /** `memory_learn`: the weights that suit judgements, as a report. */
  async learn(judgements: Iterable<args.Judgement>, given?: args.LearnArguments): Promise<Json> {
    const values = { judgements: [...judgements], ...args.checked(given, args.LEARN, "learn") };
    return parseJson(answers.only(await this.#ofStore("memory_learn", values, ["judgements"])));
  }

  // --- Looking after it: each returns how many rows it wrote ----------------------------------------

  /** `memory_purge`: removes deleted and expired rows permanently. */
  async purge(given?: args.PurgeArguments): Promise<number> {
    return answers.numberOf(await this.#ofStore("memory_purge", args.checked(given, args.PURGE, "purge")));
  }

  /** `memory_forget_user`: erases a user. */
  async forgetUser(userId: string): Promise<number> {
    return answers.numberOf(await this.#ofStore("memory_forget_user", { userId }, ["userId"]));
  }

  /** `memory_reembed`. */
  async reembed(given?: args.ReembedArguments): Promise<number> {
    return answers.numberOf(await this.#ofStore("memory_reembed", args.checked(given, args.REEMBED, "reembed")));
  }

  /** `memory_embed_pending`. */
  async embedPending(given?: args.EmbedPendingArguments): Promise<number> {
    const values = args.checked(given, args.EMBED_PENDING, "embedPending");
    return answers.numberOf(await this.#ofStore("memory_embed_pending", values));
  }

  // --- What belongs to no store -------------------------------------------------------------------

  /** `memory_tool_spec`: describes `memory_search` to a language model, in short or in full. */
  async toolSpec(name = "openai", detail: "short" | "full" = "short"): Promise<Json> {
    return parseJson(answers.only(await this.#call("memory_tool_spec", { name, detail })));
  }

  /** `memory_embed`: the embedding of a text, by the server's embedder. */
  async embed(text: string): Promise<number[]> {
    return parseJson(answers.only(await this.#call("memory_embed", { text }, ["text"]))) as number[];
  }

  /** `memory_passages`: the passages of a long text, which have an embedding each; empty for a short one. */
  async passages(rawEntry: string): Promise<string[]> {
    const rows = await this.#call("memory_passages", { rawEntry }, ["rawEntry"], true);
    return answers.rowsOf<{ text: string }>(rows).map((row) => row.text);
  }

  // These have no default for their store: null is refused, or means the store of the setting in memory_grant.
  #ofStore(name: string, values: Values, required: readonly args.Name[] = [], rows = false): Promise<Texts> {
    const named = ["memory_drop_store", "memory_grant", "memory_distribute_store"].includes(name);
    return this.#call(name, { ...values, store: this.#store }, named ? [...required, "store"] : required, rows);
  }

  #call(name: string, values: Values, required: readonly args.Name[] = [], rows = false): Promise<Texts> {
    return run(asking(this.#source), { function: name, values, required, rows }, this.#schema);
  }
}
