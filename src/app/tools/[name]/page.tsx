import { notFound } from "next/navigation";
import { createLoader, type SearchParams } from "nuqs/server";
import { toRecentCalls } from "@/app/_components/tools/detail/recent-calls-query";
import { periodParser, toStatisticsInput } from "@/app/_components/tools/detail/statistics-period";
import { ToolView } from "@/app/_components/tools/detail/tool-view";
import { forwardOldTab } from "@/app/_kit/forward-old-tab";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { isUnknown } from "@/app/_trpc/is-unknown";
import { type NamedPageProps, readName, titleByName } from "@/app/_trpc/named-page";
import { fetchNow, HydrateClient, prefetch, readTimeZone, trpc } from "@/app/_trpc/server";

export const generateMetadata = titleByName("Tools");

export default async function ToolPage(props: NamedPageProps) {
  const name = await readName(props);
  const asked = await props.searchParams;
  forwardOldTab("/executions", asked, { history: { tool: name } });
  forwardOldTab(`/tools/${encodeURIComponent(name)}`, asked, OLD_TABS);
  try {
    await fetchNow(trpc.tools.get.queryOptions({ name }));
  } catch (error) {
    if (isUnknown(error)) notFound();
    throw error;
  }
  await Promise.all([prefetchTab(name, asked), prefetch(trpc.executions.toolStats.queryOptions({ name }))]);
  return (
    <HydrateClient>
      <QueryBoundary title={`Couldn't load the tool ${name}`} skeleton={<ViewSkeleton of="tool" />}>
        <ToolView name={name} />
      </QueryBoundary>
    </HydrateClient>
  );
}

/** Tabs of earlier versions, which links elsewhere still name. */
const OLD_TABS = {
  formats: { tab: "definition", provider: "openai" },
  lens: { tab: "model" },
};

/** Requests the data that the open tab reads with suspense, before the tab is rendered here. */
async function prefetchTab(name: string, asked: SearchParams): Promise<void> {
  if (asked.tab === "definition") {
    const isSent = typeof asked.provider === "string" && asked.provider !== "definition";
    await prefetch(isSent && trpc.tools.providerFormats.queryOptions({ name }));
  } else if (asked.tab === "statistics") {
    const { period } = createLoader({ period: periodParser })(asked);
    const input = toStatisticsInput(name, period, await readTimeZone());
    await prefetch(trpc.executions.toolStatistics.queryOptions(input));
  } else if (asked.tab === "versions") await prefetch(trpc.tools.versions.infiniteQueryOptions({ name }, BY_CURSOR));
  else {
    await prefetch(
      trpc.executions.list.queryOptions(toRecentCalls(name)),
      typeof asked.from === "string" && trpc.executions.get.queryOptions({ id: asked.from }),
    );
  }
}
