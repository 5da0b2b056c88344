// The compiler checks calls: each line below @ts-expect-error would be an error, and has to be one.
import { test } from "node:test";
import type pg from "pg";
import type { Sql, TransactionSql } from "postgres";
import { Memory, type Answer, type Source } from "memory-search";

declare const memory: Memory;
declare const drivers: [pg.Pool, pg.Client, pg.PoolClient, Sql, TransactionSql, Sql<{ bigint: bigint }>];

// Never called: it is the compiler that reads it.
export async function calls(): Promise<void> {
  const sources: Source[] = drivers;
  new Memory(sources[0]!, "m", { store: "s" });
  await memory.add("x", { tags: ["a"] as const, creationTime: new Date(), embedding: new Float32Array(3) });
  await memory.add("x", { summary: undefined, context: null });
  const answer: Answer = await memory.search("x", { k: 1, filters: { minImportance: 50 } });
  const when: Date | null | undefined = answer.entries[0]?.creationTime;
  for await (const entry of memory.list({ tags: ["a"] }, { pageSize: 10 })) entry.cursor.toUpperCase();
  await memory.history("id", { olderThan: 5n });

  // @ts-expect-error an unknown argument
  await memory.add("x", { importanc: 1 });
  // @ts-expect-error the name in SQL
  await memory.search("x", { top_ke: 1 });
  // @ts-expect-error a number as a text
  await memory.search("x", { k: "1" });
  // @ts-expect-error the text lacks
  await memory.addMany([{ entryKey: "k" }]);
  // @ts-expect-error no source
  new Memory("postgresql://", "m");
  // @ts-expect-error null has to be looked for
  when.getTime();
}

test("the types are as the compiler was asked", () => {});
