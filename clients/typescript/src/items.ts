// LangGraph's items, filters and namespaces in terms of memory_search, and back.
import {
  validateNamespace, type Item, type MatchCondition, type Operation, type PutOperation,
} from "@langchain/langgraph-checkpoint";
import type { Entry } from "./answers.js";

// The separator between the key of an item and the number of a further text.
export const PART = "\u001f";

// A condition on metadata that items meet: entries that are none must not take their places in a page.
export const OF_ITEMS = { key: { $exists: true }, value: { $exists: true }, created: { $exists: true } };

/** The parts of an item in its entry's metadata. */
export interface Kept {
  key: string;
  value: Record<string, unknown>;
  created: string;
  part: number;
}

/** Refuses operations that LangGraph does not have. */
export function check(operation: Operation): void {
  for (const { matchType } of "matchConditions" in operation ? (operation.matchConditions ?? []) : []) {
    if (!["prefix", "suffix"].includes(matchType)) {
      throw new RangeError(`matchType must be prefix or suffix, not "${matchType}"`);
    }
  }
  if ("namespacePrefix" in operation) {
    validateNamespace(operation.namespacePrefix, { allowEmpty: true, allowReservedRoot: true });
  } else if ("namespace" in operation) {
    validateNamespace(operation.namespace, { allowReservedRoot: true });
    if (typeof operation.key !== "string" || operation.key === "") throw new TypeError("a key is a string with text");
    if (operation.key.includes(PART)) throw new RangeError(`a key may not hold the character ${JSON.stringify(PART)}`);
    if ("value" in operation && (typeof operation.value !== "object" || Array.isArray(operation.value))) {
      throw new TypeError("an item's value is an object, or null to delete it");
    }
  }
}

/** The last put for each key. */
export function latest(puts: readonly PutOperation[]): Iterable<PutOperation> {
  return new Map(puts.map((put) => [`${put.namespace.join(".")}${PART}${put.key}`, put])).values();
}

/** Whether an entry is one of an item: a memory may contain other entries too. */
export function isItem({ metadata }: Entry): boolean {
  const { key, value, created } = metadata as { [name: string]: unknown };
  return typeof key === "string" && typeof value === "object" && value !== null && typeof created === "string";
}

/** The item of an entry. */
export function itemOf(row: Entry): Item {
  const { key, value, created } = row.metadata as unknown as Kept;
  const updatedAt = row.creationTime ?? new Date(NaN);
  return { namespace: row.memoryId.split("."), key, value, createdAt: new Date(created), updatedAt };
}

/** LangGraph's operators have the same form as filters of metadata; `$eq` of an object is the object. */
export function conditionOf(asked: unknown): unknown {
  if (typeof asked !== "object" || asked === null || Object.keys(asked).join() !== "$eq") return asked;
  const { $eq } = asked as { $eq: unknown };
  return typeof $eq === "object" && $eq !== null ? $eq : asked;
}

/** Whether a namespace begins or ends with these labels; `*` matches any label. */
export function meets(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const from = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, place) => label === "*" || label === namespace[from + place]);
}

/** The order of namespaces: by the first label in which they differ. */
export function byLabels(a: readonly string[], b: readonly string[]): number {
  const place = a.findIndex((label, at) => label !== b[at]);
  if (place === -1) return a.length - b.length;
  return b[place] === undefined || a[place]! > b[place]! ? 1 : -1;
}
