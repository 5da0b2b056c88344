// Turns on a connection outside of a pool: without them a statement would be part of the transaction of another call,
// and be rolled back with it.
const last = new WeakMap<object, Promise<unknown>>();

/** Works as soon as the work that was given before on this connection has ended. */
export function inTurn<T>(connection: object, work: () => Promise<T>): Promise<T> {
  const mine = (last.get(connection) ?? Promise.resolve()).then(work);
  const ended = mine.then(() => undefined, () => undefined).then(() => {
    if (last.get(connection) === ended) last.delete(connection);
  });
  last.set(connection, ended);
  return mine;
}

/** The end of all work that was given on this connection, or undefined if it has ended. */
export function turnsOf(connection: object): Promise<unknown> | undefined {
  return last.get(connection);
}
