/**
 * One change at a time: each looks at what there is before it writes, and what it saw must still hold afterwards. A change
 * that fails does not keep the next ones from their turn.
 */
export function createMutex(): <T>(change: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (change) => {
    const mine = last.then(change);
    last = mine.catch(() => undefined);
    return mine;
  };
}

export type KeyedMutex = <T>(key: string, change: () => Promise<T>) => Promise<T>;

/** Creates a mutex with a separate queue for each key. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return (key, change) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(change);
    const settled = mine
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === settled) last.delete(key);
      });
    last.set(key, settled);
    return mine;
  };
}
