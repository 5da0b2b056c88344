// Mastra's filters, which are MongoDB's, as conditions on metadata. Most have the same form; the server refuses an
// operator that memory_search does not have ($regex, $elemMatch, $size), and names the existing ones.
import type { JsonObject } from "./json.js";

const COMPARISONS = ["$gt", "$gte", "$lt", "$lte"];

/** The conditions of a filter; undefined if it has none. */
export function conditionOf(filter: unknown): JsonObject | undefined {
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) {
    throw new TypeError("a filter is an object of conditions");
  }
  return joined(conditionsAt([], filter as Record<string, unknown>));
}

function joined(conditions: readonly JsonObject[]): JsonObject | undefined {
  return conditions.length > 1 ? { $and: conditions } : conditions[0];
}

function conditionsAt(path: readonly string[], node: Record<string, unknown>): JsonObject[] {
  return Object.entries(node).flatMap(([key, asked]): JsonObject[] => {
    // If it were omitted, every entry would pass the filter.
    if (asked === undefined) throw new TypeError(`the condition on ${[...path, key].join(".")} is undefined`);
    switch (key) {
      case "$and":
      case "$or":
        return [{ [key]: branches(path, key, asked) }];
      case "$nor":
        return [{ $not: branches(path, key, asked) }];
      case "$not":
        return [{ $not: joined(ofValue(path, asked)) ?? {} }];
      case "$all":
        if (!Array.isArray(asked)) throw new TypeError("$all takes a list");
        return asked.flatMap((one) => ofValue(path, one));
      case "$eq":
        return ofValue(path, asked);
      case "$ne":
        return [{ $not: joined(ofValue(path, asked)) ?? {} }];
      case "$in":
      case "$nin":
        return [within(path, { [key]: Array.isArray(asked) ? asked : [asked] })];
      default:
        if (COMPARISONS.includes(key)) return [within(path, { [key]: asked instanceof Date ? instant(asked) : asked })];
        return key.startsWith("$") ? [within(path, { [key]: asked })] : ofValue([...path, ...key.split(".")], asked);
    }
  });
}

function branches(path: readonly string[], key: string, asked: unknown): JsonObject[] {
  if (!Array.isArray(asked)) throw new TypeError(`${key} takes a list of conditions`);
  return asked.map((one) => joined(ofValue(path, one)) ?? {});
}

function ofValue(path: readonly string[], value: unknown): JsonObject[] {
  // As in MongoDB, null also matches a missing key.
  if (value === null) return [{ $or: [within(path, { $eq: null }), within(path, { $exists: false })] }];
  if (Array.isArray(value)) return [within(path, { $in: value })];
  if (value instanceof RegExp) throw new TypeError("a regular expression is not a condition: use $like or $ilike");
  if (value instanceof Date) return [within(path, { $eq: value })];
  if (typeof value === "object") return conditionsAt(path, value as Record<string, unknown>);
  return [within(path, { $eq: value })];
}

function within(path: readonly string[], condition: JsonObject): JsonObject {
  if (path.length === 0) throw new TypeError(`${Object.keys(condition).join()} needs a key of metadata before it`);
  return path.reduceRight((inner: JsonObject, key) => ({ [key]: inner }), condition);
}

// JSON has no times: their texts are compared as instants.
function instant(at: Date): JsonObject {
  return { $date: at };
}
