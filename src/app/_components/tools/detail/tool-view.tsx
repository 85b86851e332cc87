"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { Suspense } from "react";
import { describeCalls } from "@/app/_components/executions/summary/call-classes";
import { ToolRowMenu } from "@/app/_components/tools/actions/tool-row-menu";
import { useToolActions } from "@/app/_components/tools/actions/use-tool-actions";
import { FavoriteButton } from "@/app/_components/tools/summary/favorite-button";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { ApprovalHint, HintBadges } from "@/app/_components/tools/summary/tool-badges";
import { ToolMarks, ToolNotices } from "@/app/_components/tools/summary/tool-marks";
import { OwnIcon } from "@/app/_kit/own-icon";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Link } from "@/app/_ui/link";
import { lazyPart } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { ToolDetail } from "@/lib/contract/catalog-tool";
import { formatDuration, formatPlural, formatRate } from "@/lib/format";
import { HeldBanner } from "./held-banner";
import { RunTab } from "./run-tab";

// Most visits run the tool.
const DefinitionTab = lazyPart(() => import("./definition-tab"), "DefinitionTab");
const VersionsTab = lazyPart(() => import("../versions/versions-tab"), "VersionsTab");
const StatisticsTab = lazyPart(() => import("./statistics-tab"), "StatisticsTab");
const LensTab = lazyPart(() => import("../lens/lens-tab"), "LensTab");
const TABS = ["run", "definition", "model", "versions", "statistics"] as const;
const PANEL = "flex min-h-0 flex-1 flex-col";

/** One tool: run it, read it, see what models are sent and what it has done. */
export function ToolView({ name }: { name: string }) {
  const { data: tool } = useSuspenseQuery(trpc.tools.get.queryOptions({ name }));
  const { data: stats } = useSuspenseQuery(trpc.executions.toolStats.queryOptions({ name }));
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("run"));
  const [from] = useQueryState("from", parseAsString);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="group/head shrink-0">
        <PageHeader
          title={tool.name}
          mono
          icon={<OwnIcon of="tool" name={tool.name} icon={tool.icon} />}
          badges={
            <>
              <Badge>{formatImplementation(tool.implementationType)}</Badge>
              <HintBadges annotations={tool.annotations} />
              <ApprovalHint tool={tool} />
              <ToolMarks tool={tool} />
              <FavoriteButton
                toolName={tool.name}
                className="opacity-0 focus-visible:opacity-100 group-hover/head:opacity-100 aria-pressed:opacity-100 [@media(hover:none)]:opacity-100"
              />
            </>
          }
          actions={
            <>
              <Link
                href={`/executions?tool=${encodeURIComponent(name)}`}
                title={describeCalls(stats)}
                className="rounded-xs text-mute text-xs tabular-nums hover:underline max-sm:hidden"
              >
                {stats.calls === 0
                  ? "No calls yet"
                  : `${formatPlural(stats.calls, "call")} all time · ${formatRate(stats.failed, stats.finished)} failed`}
              </Link>
              <ToolActionsMenu tool={tool} />
            </>
          }
        >
          <ToolFacts tool={tool} />
          <ToolNotices tool={tool} className="px-4 pt-2.5 pb-1.5" />
          {tool.heldChange !== null && (
            <div className="px-4 pt-2.5 pb-1.5">
              <HeldBanner change={tool.heldChange} />
            </div>
          )}
          <TabList
            label="Views of the tool"
            value={tab}
            onChange={setTab}
            tabs={[
              { value: "run", label: "Run" },
              { value: "definition", label: "Definition" },
              { value: "model", label: "Model view" },
              { value: "versions", label: "Versions" },
              { value: "statistics", label: "Statistics" },
            ]}
          />
        </PageHeader>
      </div>
      <TabPanel value="run" active={tab} label="Run" className={PANEL}>
        {from === null ? <RunTab tool={tool} from={null} /> : <RunTabFrom tool={tool} executionId={from} />}
      </TabPanel>
      <TabPanel value="definition" active={tab} label="Definition" className={PANEL}>
        <Suspense fallback={<ViewSkeleton of="tool" />}>
          <DefinitionTab tool={tool} />
        </Suspense>
      </TabPanel>
      <TabPanel value="versions" active={tab} label="Versions" className={PANEL}>
        <Suspense fallback={<ViewSkeleton of="tool" />}>
          <VersionsTab toolName={name} />
        </Suspense>
      </TabPanel>
      <TabPanel value="model" active={tab} label="Model view" className={PANEL}>
        <Suspense fallback={<ViewSkeleton of="tool" />}>
          <LensTab key={name} tool={tool} />
        </Suspense>
      </TabPanel>
      <TabPanel value="statistics" active={tab} label="Statistics" className={PANEL}>
        <Suspense fallback={<ViewSkeleton of="tool" />}>
          <StatisticsTab name={name} stats={stats} />
        </Suspense>
      </TabPanel>
    </div>
  );
}

/** The tool's purpose, location and timeout. The Definition tab has the rest. */
function ToolFacts({ tool: { description, server, timeoutMs } }: { tool: ToolDetail }) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 px-4 text-mute">
      <p dir="auto" title={description} className="line-clamp-2 min-w-0 basis-80 grow [overflow-wrap:anywhere]">
        {description}
      </p>
      <p className="text-xs">
        {server !== null && (
          <>
            Server{" "}
            <Link href={`/servers/${encodeURIComponent(server)}`} className="font-mono underline">
              {server}
            </Link>{" "}
            ·{" "}
          </>
        )}
        Times out after {formatDuration(timeoutMs)}
      </p>
    </div>
  );
}

function RunTabFrom({ tool, executionId }: { tool: Parameters<typeof RunTab>[0]["tool"]; executionId: string }) {
  const { data: from } = useSuspenseQuery(trpc.executions.get.queryOptions({ id: executionId }));
  return <RunTab tool={tool} from={from} />;
}

/** Edit, duplicate, switch, delete with undo: the list's menu, on the tool's own page. */
function ToolActionsMenu({ tool }: { tool: ToolDetail }) {
  const router = useRouter();
  const actions = useToolActions({
    report: "toast",
    onRemoved: () => router.push("/tools"),
    onRestored: (name) => router.push(`/tools/${encodeURIComponent(name)}`),
  });
  return <ToolRowMenu tool={tool} actions={actions} />;
}
