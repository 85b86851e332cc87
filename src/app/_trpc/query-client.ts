import { defaultShouldDehydrateQuery, QueryCache, QueryClient, replaceEqualDeep } from "@tanstack/react-query";
import { findForeignAnswer } from "@/app/_ui/foreign-answer";
import { toAddress, toOwnPath } from "@/lib/base-path";
import { hasDigits, parseWithDigits, stringifyWithDigits } from "@/lib/json/number-digits";

/**
 * Refetches a query whose first fetch was running: the library keeps that response, although it may predate the change.
 */
class LiveQueryClient extends QueryClient {
  override async invalidateQueries(...[filters, options]: Parameters<QueryClient["invalidateQueries"]>): Promise<void> {
    const fetching = this.getQueryCache().findAll({ ...filters, fetchStatus: "fetching" });
    const first = fetching.filter(({ state }) => state.data === undefined);
    await super.invalidateQueries(filters, options);
    await Promise.all(first.map(({ queryKey }) => super.invalidateQueries({ queryKey, exact: true }, options)));
  }
}

/** Creates one client per request on the server, and one per tab in the browser. */
export function makeQueryClient(): QueryClient {
  return new LiveQueryClient({
    queryCache: new QueryCache({ onError: openSignInAfter }),
    defaultOptions: {
      queries: {
        // Changes arrive over the live subscription, which invalidates; polling on focus would only add noise.
        staleTime: 30_000,
        // Structural sharing would copy the changed values without the digits of their numbers.
        structuralSharing: (before, data) => (hasDigits(data) ? data : replaceEqualDeep(before, data)),
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // The server needs no retry: the service is in the same process.
        retry: (failures, error) => typeof window !== "undefined" && failures < 2 && !isRefusal(error),
      },
      // A change fails while the server does not answer: a delayed one could act after the user has left.
      mutations: { networkMode: "always" },
      dehydrate: {
        // Serialized as text: React's own encoding of a page's data drops keys such as `__proto__`.
        serializeData: (data: unknown) => stringifyWithDigits(data),
        shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === "pending",
      },
      hydrate: { deserializeData: (text: string): unknown => parseWithDigits(text) },
    },
  });
}

const getStatus = (error: unknown): number | undefined =>
  (error as { data?: { httpStatus?: number } | null }).data?.httpStatus ?? findForeignAnswer(error)?.status;

/** Whether a repeated request would get the same answer: 4xx. */
const isRefusal = (error: unknown): boolean => Math.floor((getStatus(error) ?? 0) / 100) === 4;

/** The session has ended. Not after a mutation, whose form would be lost. */
function openSignInAfter(error: unknown): void {
  if (typeof window !== "undefined" && getStatus(error) === 401) openSignIn();
}

let isSigningOut = false;

/** While a page signs out it decides itself where to go, also when its stream ends first. */
export function setSigningOut(signingOut: boolean): void {
  isSigningOut = signingOut;
}

/** Opens the sign-in page, which returns to this page. */
export function openSignIn(): void {
  if (isSigningOut) return;
  const { pathname, search } = window.location;
  window.location.assign(toAddress(`/sign-in?to=${encodeURIComponent(toOwnPath(pathname) + search)}`));
}
