// The texts of an item that LangGraph embeds, by paths: `title`, `chapters[*].content`, `authors[-1]`, `{a,b.c}`, `*`,
// and `$` for the whole item.
import { toJson } from "./json.js";

/** The values at a path; empty if the path does not exist. */
export function textsAt(value: unknown, path: string): string[] {
  if (path === "$") return [toJson(value)];
  return at(value, tokensOf(path));
}

function at(value: unknown, tokens: readonly string[]): string[] {
  const [token, ...rest] = tokens;
  if (value === null || value === undefined) return [];
  if (token === undefined) return [typeof value === "object" ? toJson(value) : String(value)];
  if (token === "*") return typeof value === "object" ? Object.values(value).flatMap((one) => at(one, rest)) : [];
  if (token.startsWith("{")) {
    const paths = token.slice(1, -1).split(",");
    return paths.flatMap((path) => at(value, [...tokensOf(path.trim()), ...rest]));
  }
  if (token.startsWith("[")) {
    if (!Array.isArray(value)) return [];
    const index = token.slice(1, -1);
    return index === "*" ? value.flatMap((one) => at(one, rest)) : at(value.at(Number(index)), rest);
  }
  if (typeof value !== "object" || !Object.hasOwn(value, token)) return [];
  return at((value as Record<string, unknown>)[token], rest);
}

function tokensOf(path: string): string[] {
  const tokens = path.match(/\{[^}]*\}|\[(?:\*|-?\d+)\]|[^.[{]+/g) ?? [];
  if (path.replaceAll(".", "") !== tokens.join("").replaceAll(".", "") || tokens.length === 0) {
    throw new RangeError(`"${path}" is no path of an item: write title, chapters[*].content, authors[-1], {a,b} or $`);
  }
  return tokens;
}
