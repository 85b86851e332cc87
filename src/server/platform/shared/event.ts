export type Listener<Args extends unknown[]> = (...args: Args) => unknown;

/** Something that happens: a service publishes it, and those that are constructed later follow it. */
export interface Event<Args extends unknown[] = []> {
  /** @returns the function that ends it */
  on(listener: Listener<Args>): () => void;
  /** Calls every listener at once; resolves when all of them have handled it. */
  emit(...args: Args): Promise<void>;
}

export function createEvent<Args extends unknown[] = []>(): Event<Args> {
  const listeners = new Set<Listener<Args>>();
  return {
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit: (...args) => Promise.all(Array.from(listeners, (listener) => listener(...args))).then(() => undefined),
  };
}
