// Several calls in one transaction, on any source.
import { unordered, type Queryable, type Source } from "./source.js";
import { inTurn } from "./turns.js";

/** A `Pool` of node-postgres. */
interface Lending {
  connect(): Promise<Client>;
  totalCount: number;
}

interface Client extends Queryable {
  release?(error?: Error): void;
}

/** The `sql` of postgres.js (`begin`), and the object that `sql.begin` passes on (`savepoint`). */
interface Beginning {
  begin?(work: (transaction: Source) => Promise<unknown>): Promise<unknown>;
  savepoint?(work: (transaction: Source) => Promise<unknown>): Promise<unknown>;
}

/**
 * Works in a transaction, or in a savepoint of the caller's: then a failure rolls back to the savepoint. `work` uses
 * only the source that it gets: on the one outside, if that is a single connection, it would wait for itself.
 */
export async function within<T>(source: Source, work: (source: Source) => Promise<T>): Promise<T> {
  const { begin, savepoint } = source as Beginning;
  if (typeof savepoint === "function") return inTurn(source, async () => (await savepoint.call(source, work)) as T);
  if (typeof begin === "function") return (await begin.call(source, work)) as T;
  if ("connect" in source && "totalCount" in source) {
    const client = await (source as unknown as Lending).connect();
    let failed: Error | undefined;
    try {
      return await onOne(client, work);
    } catch (error) {
      failed = error as Error;
      throw error;
    } finally {
      // After an error of the connection the pool makes another one; after an error of the server it keeps this one.
      client.release?.(failed !== undefined && !("severity" in failed) ? failed : undefined);
    }
  }
  return inTurn(source, () => onOne(unordered(source), work));
}

async function onOne<T>(client: Queryable, work: (source: Source) => Promise<T>): Promise<T> {
  const inside = await isInTransaction(client);
  if (!inside) await client.query("BEGIN", []);
  try {
    const done = await work(client);
    await client.query(inside ? "RELEASE SAVEPOINT memory_search" : "COMMIT", []);
    return done;
  } catch (error) {
    // A lost connection has rolled it back already.
    const undo = inside ? "ROLLBACK TO SAVEPOINT memory_search" : "ROLLBACK";
    await Promise.resolve(client.query(undo, [])).catch(() => undefined);
    throw error;
  }
}

// A client does not say whether its caller has begun; outside of a transaction a savepoint is refused (25P01).
async function isInTransaction(client: Queryable): Promise<boolean> {
  try {
    await client.query("SAVEPOINT memory_search", []);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "25P01") return false;
    throw error;
  }
}
