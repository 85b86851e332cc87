import { type QueryKey, useQueryClient } from "@tanstack/react-query";

/** Queries that are read again: a key, or a procedure or a noun with all that was read of it. */
export type Stale = QueryKey | Procedure;
interface Procedure {
  pathKey(): QueryKey;
}

/** Marks queries as stale and waits until those in use are read again. */
export function useInvalidate(...stale: readonly Stale[]): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    const keys = stale.map((each) => (Array.isArray(each) ? each : (each as Procedure).pathKey()));
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  };
}
