import { type QueryKey, useQueryClient } from "@tanstack/react-query";

/** Marks queries as stale and waits until those in use are read again. */
export function useInvalidate(...queryKeys: readonly QueryKey[]): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  };
}
