// The middleware for models of the AI SDK: what a memory knows of the question goes to the model with it.
import type { LanguageModelMiddleware } from "ai";
import { checked, type Embedding } from "./arguments.js";
import type { JsonObject } from "./json.js";
import type { Memories, Memory } from "./memory.js";

export interface MemoryMiddlewareInput {
  memory: Memory | Memories;
  /** How many entries at the most. */
  k?: number | null | undefined;
  filters?: JsonObject | null | undefined;
  options?: JsonObject | null | undefined;
  /** How long the text may be; four characters count as a token. */
  tokenBudget?: number | null | undefined;
  /** How the question is embedded; without it the server's embedder does. */
  embed?: ((text: string) => PromiseLike<Embedding>) | undefined;
}

const INPUT = ["memory", "k", "filters", "options", "tokenBudget", "embed"] as const;

// memory_build_context ends so, whatever it found.
const LAST_HEADING = "## CURRENT CONVERSATION";

/**
 * For `wrapLanguageModel`: before each call `memory_build_context` is asked what the user said last, and its text goes
 * behind the system prompt. Where nothing is found, or the user said no text, the call is as it was.
 */
export function memoryMiddleware(given: MemoryMiddlewareInput): LanguageModelMiddleware {
  const { memory, k, filters, options, tokenBudget, embed } = checked(given, INPUT, "memoryMiddleware");
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const question = lastSaid(params.prompt);
      if (question === "") return params;
      const embedding = await embed?.(question);
      const known = await memory.context(question, { k, filters, options, tokenBudget, embedding });
      if (known.trim() === LAST_HEADING) return params;
      const [first, ...others] = params.prompt;
      const prompt: typeof params.prompt =
        first?.role === "system"
          ? [{ ...first, content: `${first.content}\n\n${known}` }, ...others]
          : [{ role: "system", content: known }, ...params.prompt];
      return { ...params, prompt };
    },
  };
}

type Prompt = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"]["prompt"];

// Of a longer text this many characters from either end are the question: what is pasted stands between.
const END = 2000;
// What PostgreSQL has no character for, and what no text has alone.
const NO_CHARACTER = /[\0\p{Surrogate}]/gu;

// In later steps results of tools come behind it.
function lastSaid(prompt: Prompt): string {
  const message = [...prompt].reverse().find((one) => one.role === "user");
  if (message?.role !== "user") return "";
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const said = [...texts.join("\n").replace(NO_CHARACTER, " ").trim()];
  if (said.length <= 2 * END) return said.join("");
  return `${said.slice(0, END).join("")}\n${said.slice(-END).join("")}`;
}
