/** The same store, which calls `record` after each of these methods has written, before the method resolves. */
export function recordChanges<Store extends object>(
  store: Store,
  methods: readonly (keyof Store)[],
  record: () => Promise<void>,
): Store {
  const recording = { ...store };
  for (const name of methods) {
    const method = store[name];
    if (typeof method !== "function") continue;
    const write = async (...given: unknown[]): Promise<unknown> => {
      const result: unknown = await Reflect.apply(method, store, given);
      await record();
      return result;
    };
    recording[name] = write as Store[keyof Store];
  }
  return recording;
}
