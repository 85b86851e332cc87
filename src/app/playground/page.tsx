import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Suspense } from "react";
import { PLAYGROUND_PARAMS } from "@/app/_components/playground/playground-params";
import { PlaygroundSkeleton } from "@/app/_components/playground/playground-skeleton";
import { PlaygroundView } from "@/app/_components/playground/playground-view";
import { makeQueryClient } from "@/app/_trpc/query-client";
import { fetchNow, HydrateClient, trpc } from "@/app/_trpc/server";
import type { RunDetail } from "@/lib/contract";

export const metadata: Metadata = { title: "Playground" };

const readParams = createLoader(PLAYGROUND_PARAMS);

export default async function PlaygroundPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { run } = await readParams(searchParams);
  const [settingsText] = await Promise.all([
    settingsTextOf(run),
    quietly(fetchNow(trpc.models.choices.queryOptions())),
    quietly(fetchNow(trpc.tools.list.queryOptions())),
  ]);
  return (
    <HydrateClient>
      <Suspense fallback={<PlaygroundSkeleton />}>
        <PlaygroundView initialSettingsText={settingsText} />
      </Suspense>
    </HydrateClient>
  );
}

/**
 * Settings to begin with: of the conversation that goes on, or of the newest one. As text, since React's own encoding of
 * a page's data drops keys such as `__proto__`.
 */
async function settingsTextOf(runId: string | null): Promise<string | null> {
  const run =
    runId === null ? await newestRun() : await quietly(fetchNow<RunDetail>(trpc.runs.get.queryOptions({ id: runId })));
  return run === null ? null : JSON.stringify(run.settings);
}

/** Read beside the page's own cache: its log would travel into every new conversation. */
async function newestRun(): Promise<RunDetail | null> {
  const client = makeQueryClient();
  const list = trpc.runs.list.queryOptions({ filter: { source: ["agent"] }, limit: 1 });
  const page = await quietly(client.fetchQuery(list));
  const newest = page?.items[0];
  return newest === undefined ? null : quietly(client.fetchQuery(trpc.runs.get.queryOptions({ id: newest.id })));
}

/** What cannot be read now is asked for again by the view, which says what is wrong. */
async function quietly<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch {
    return null;
  }
}
