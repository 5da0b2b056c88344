// The middleware for models of the AI SDK: the model gets the memory's entries about the question with the call.
import type { LanguageModelMiddleware } from "ai";
import { checked, type Embedding } from "./arguments.js";
import type { JsonObject } from "./json.js";
import type { Memories, Memory } from "./memory.js";

export interface MemoryMiddlewareInput {
  memory: Memory | Memories;
  /** The most entries. */
  k?: number | null | undefined;
  filters?: JsonObject | null | undefined;
  options?: JsonObject | null | undefined;
  /** The greatest length of the text; four characters count as a token. */
  tokenBudget?: number | null | undefined;
  /** The model for the question's embedding; without one, the server's embedder makes it. */
  embed?: ((text: string) => PromiseLike<Embedding>) | undefined;
}

const INPUT = ["memory", "k", "filters", "options", "tokenBudget", "embed"] as const;

// The last line of every text from memory_build_context, with entries or without.
const LAST_HEADING = "## CURRENT CONVERSATION";

/**
 * For `wrapLanguageModel`: before each call, `memory_build_context` gets the user's last text, and its result follows
 * the system prompt. If nothing is found, or the user sent no text, the call is not changed.
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

// For a longer text, this many characters from both ends are the question: pasted text is between them.
const END = 2000;
// Characters that PostgreSQL does not have, and halves of pairs, which no valid text has.
const NO_CHARACTER = /[\0\p{Surrogate}]/gu;

// In later steps, results of tools come after it.
function lastSaid(prompt: Prompt): string {
  const message = [...prompt].reverse().find((one) => one.role === "user");
  if (message?.role !== "user") return "";
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const said = [...texts.join("\n").replace(NO_CHARACTER, " ").trim()];
  if (said.length <= 2 * END) return said.join("");
  return `${said.slice(0, END).join("")}\n${said.slice(-END).join("")}`;
}
