import { defaultShouldDehydrateQuery, QueryClient } from "@tanstack/react-query";

/** One a request on the server, one a tab in the browser. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Changes arrive over the live subscription, which invalidates; polling on focus would only add noise.
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        // On the server there is nothing to wait for: the service is in the same process.
        retry: (failures, error) => typeof window !== "undefined" && failures < 2 && !isRefusal(error),
      },
      dehydrate: {
        // As text: React's own encoding of a page's data drops keys such as `__proto__`.
        serializeData: (data: unknown) => JSON.stringify(data),
        shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === "pending",
      },
      hydrate: { deserializeData: (text: string): unknown => JSON.parse(text) },
    },
  });
}

/** An answer that asking again will not change: 4xx. */
function isRefusal(error: unknown): boolean {
  const status = (error as { data?: { httpStatus?: number } | null }).data?.httpStatus;
  return typeof status === "number" && status >= 400 && status < 500;
}
