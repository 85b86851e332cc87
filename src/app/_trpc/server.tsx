import { setTimeout } from "node:timers/promises";
import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { cookies, headers } from "next/headers";
import { notFound } from "next/navigation";
import { cache, type ReactNode } from "react";
import { parseTimeZone, TIME_ZONE_COOKIE } from "@/app/_ui/time-zone-cookie";
import { toStorageName } from "@/lib/base-path";
import type { Principal } from "@/lib/contract/access";
import { createContext, readExposure, readLivePosition, readSignOn } from "@/server/main/api/context";
import type { AppRouter } from "@/server/main/api/root";
import { currentRouter } from "@/server/main/current-router";
import { isUnknown } from "./is-unknown";
import { makeQueryClient } from "./query-client";

const getQueryClient = cache(makeQueryClient);

let router: AppRouter;

const getContext = cache(async () => {
  // First, so that the page is not run at build, where there is no router.
  const sent = await headers();
  router = await currentRouter();
  return createContext({ headers: new Headers(sent) });
});

/** The procedures for server components: no HTTP in between, the same context as a request from outside. */
export const trpc = createTRPCOptionsProxy<AppRouter>({
  // Read once the context is there.
  get router() {
    return router;
  },
  ctx: getContext,
  queryClient: getQueryClient,
});

/** Null on the pages for users who are not signed in. */
export const fetchActor = async (): Promise<Principal | null> => (await getContext()).actor;

/** The identity provider that users sign in with, null without one, and whether it is the only way to sign in. */
export async function fetchSignOn(): Promise<{ name: string | null; only: boolean }> {
  // Called first, so that the page is not run at build, where there is no container.
  await headers();
  return readSignOn();
}

/** Why others may do everything on this server; null where they cannot. */
export async function fetchExposure(): Promise<string | null> {
  // Called first, so that the page is not run at build, where there is no container.
  await headers();
  return readExposure();
}

/** The live event that a page's stream starts after: call it before the page reads anything. */
export async function fetchLivePosition(): Promise<string> {
  // Called first, so that the page is not run at build, where there is no container.
  await headers();
  return readLivePosition();
}

/** The viewer's time zone, as the browser named it on an earlier page. */
export async function readTimeZone(): Promise<string> {
  return parseTimeZone((await cookies()).get(toStorageName(TIME_ZONE_COOKIE))?.value);
}

/** Reads that take longer are shown as a skeleton first. */
const PREFETCH_WAIT_MS = 150;

type Prefetch = { queryKey: readonly unknown[] } | false;

/**
 * Starts reads whose answers reach the browser inside the HTML, and waits for them a short while: React reveals what
 * streams in after the first frame up to 300 ms later.
 */
export async function prefetch(...reads: Prefetch[]): Promise<void> {
  const client = getQueryClient();
  const started = reads.map((options) => {
    if (options === false) return undefined;
    const type = (options.queryKey[1] as { type?: string } | undefined)?.type;
    return type === "infinite"
      ? client.prefetchInfiniteQuery(options as never)
      : client.prefetchQuery(options as never);
  });
  const waited = new AbortController();
  await Promise.race([
    Promise.all(started),
    setTimeout(PREFETCH_WAIT_MS, undefined, { signal: waited.signal }).catch(() => {}),
  ]);
  waited.abort();
}

/** Reads now, for titles and not-found decisions; the answer is reused by the components below. */
export async function fetchNow<T>(options: { queryKey: readonly unknown[]; queryFn?: unknown }): Promise<T> {
  return (await getQueryClient().fetchQuery(options as never)) as T;
}

/**
 * Reads before rendering what a component reads without suspense, so that the server and the browser render the same;
 * null where the read fails, and the component reads again.
 */
export async function fetchOrNull<T>(options: { queryKey: readonly unknown[]; queryFn?: unknown }): Promise<T | null> {
  return fetchNow<T>(options).catch(() => null);
}

/**
 * Reads the subject of a page, and ends in the not-found page where nothing has that id. After any other fault the view
 * reads again, says what is wrong and offers to retry.
 */
export async function fetchOrNotFound(options: { queryKey: readonly unknown[]; queryFn?: unknown }): Promise<void> {
  try {
    await fetchNow(options);
  } catch (error) {
    if (isUnknown(error)) notFound();
  }
}

/** Reads for this page alone, since the layout sends the data of the shared client to the browser. */
export async function readApart<T>(options: { queryKey: readonly unknown[]; queryFn?: unknown }): Promise<T> {
  return (await makeQueryClient().fetchQuery(options as never)) as T;
}

/** Reads the subject of a page like `fetchOrNotFound`. Null for a fault, after which the view reads again. */
export async function readOrNotFound<T>(options: {
  queryKey: readonly unknown[];
  queryFn?: unknown;
}): Promise<T | null> {
  try {
    return await readApart<T>(options);
  } catch (error) {
    if (isUnknown(error)) notFound();
    return null;
  }
}

/** Passes data that was read apart to the components below. */
export function handOver(options: { queryKey: readonly unknown[] }, data: unknown): void {
  getQueryClient().setQueryData(options.queryKey, data);
}

export function HydrateClient({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydrate(getQueryClient())}>{children}</HydrationBoundary>;
}
