import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Suspense } from "react";
import { OFFERED_INPUT } from "@/app/_components/playground/offered-tools";
import { PLAYGROUND_PARAMS } from "@/app/_components/playground/playground-params";
import { PlaygroundView } from "@/app/_components/playground/playground-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { makeQueryClient } from "@/app/_trpc/query-client";
import { fetchOrNull, HydrateClient, trpc } from "@/app/_trpc/server";
import type { RunDetail } from "@/lib/contract/run";

export const metadata: Metadata = { title: "Playground" };

const readParams = createLoader(PLAYGROUND_PARAMS);

export default async function PlaygroundPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { run } = await readParams(searchParams);
  const [settingsText] = await Promise.all([
    loadSettingsText(run),
    fetchOrNull(trpc.models.choices.queryOptions()),
    fetchOrNull(trpc.tools.list.queryOptions(OFFERED_INPUT)),
  ]);
  return (
    <HydrateClient>
      <Suspense fallback={<PageSkeleton of="playground" />}>
        <PlaygroundView initialSettingsText={settingsText} />
      </Suspense>
    </HydrateClient>
  );
}

/**
 * The initial settings: of the current run, else of the newest one. As text, because React's encoding of a page's data
 * drops keys such as `__proto__`.
 */
async function loadSettingsText(runId: string | null): Promise<string | null> {
  const run =
    runId === null ? await newestRun() : await fetchOrNull<RunDetail>(trpc.runs.get.queryOptions({ id: runId }));
  return run === null ? null : JSON.stringify(run.settings);
}

/** Read beside the page's own cache: its log would travel into every new conversation. */
async function newestRun(): Promise<RunDetail | null> {
  const client = makeQueryClient();
  try {
    const page = await client.fetchQuery(trpc.runs.list.queryOptions({ filter: { source: ["agent"] }, limit: 1 }));
    const newest = page.items[0];
    return newest === undefined ? null : await client.fetchQuery(trpc.runs.get.queryOptions({ id: newest.id }));
  } catch {
    return null;
  }
}
