"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { lazy, Suspense, useMemo } from "react";
import { RunQuestions } from "@/app/_components/interactions/call-questions";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { ActionProblem } from "@/app/_ui/action-problem";
import { ErrorState } from "@/app/_ui/error-state";
import { onDemand } from "@/app/_ui/on-demand";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import { addLaterEvents } from "@/lib/run/run-figures";
import { Conversation } from "./conversation";
import { ConversationScroll } from "./conversation-scroll";
import { RunHeader } from "./run-header";
import { isLive, type RunState } from "./run-state";
import { useRerun } from "./use-rerun";
import { type OlderEvents, useRun } from "./use-run";
import { useRunActions } from "./use-run-actions";

const RunAllowances = onDemand(() =>
  import("@/app/_components/approvals/summary/run-allowances").then((module) => module.RunAllowances),
);
const TimelineView = lazy(() => import("./timeline-view").then((module) => ({ default: module.TimelineView })));
const RawView = lazy(() => import("./raw-view").then((module) => ({ default: module.RawView })));

const LENSES = ["conversation", "timeline", "raw"] as const;

/** One run, whole: as a talk, on a time axis, and as the messages that were sent. */
export function RunView({ id }: { id: string }) {
  const { state, error, refetch, older } = useRun(id);
  if (state === null) {
    if (error === null) return <ViewSkeleton of="run" />;
    return (
      <ErrorState
        heading="h1"
        title="Couldn't load the run"
        message={error.message}
        onRetry={() => {
          void refetch();
        }}
      />
    );
  }
  return <KnownRun state={state} older={older} />;
}

function KnownRun({ state, older }: { state: RunState; older: OlderEvents }) {
  const { detail, events } = state;
  const going = isLive(detail.status);
  const actions = useRunActions(detail.id, going);
  const [lens, setLens] = useQueryState("view", parseAsStringLiteral(LENSES).withDefault("conversation"));
  const { rerun, dialog } = useRerun(detail);
  const figures = useMemo(() => addLaterEvents(detail, events), [detail, events]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <RunHeader state={state} figures={figures} actions={actions} />
      <RunAllowances runId={detail.id} />
      {actions.problem !== null && (
        <div className="px-4 pt-3">
          <ActionProblem problem={actions.problem} onDismiss={actions.dismiss} />
        </div>
      )}
      {going && lens !== "conversation" && (
        <RunQuestions runId={detail.id} className="max-h-3/5 shrink-0 overflow-y-auto px-4 py-3" />
      )}
      <TabList
        label="Views"
        className="shrink-0 bg-panel"
        tabs={[
          { value: "conversation", label: "Conversation" },
          { value: "timeline", label: "Timeline" },
          { value: "raw", label: "Raw messages" },
        ]}
        value={lens}
        onChange={(next) => void setLens(next)}
      >
        <TabPanel value="conversation" active={lens} className="flex min-h-0 flex-1 flex-col">
          <ConversationScroll follow={going} state={state} stopping={actions.stopping}>
            <Conversation state={state} older={older} actions={actions} onRerun={rerun} />
          </ConversationScroll>
        </TabPanel>
        <TabPanel value="timeline" active={lens} className="min-h-0 flex-1 overflow-auto">
          <Suspense fallback={<ViewSkeleton of="runTab" />}>
            <TimelineView detail={detail} figures={figures} events={events} older={older} />
          </Suspense>
        </TabPanel>
        <TabPanel value="raw" active={lens} className="min-h-0 flex-1 overflow-auto">
          <Suspense fallback={<ViewSkeleton of="runTab" />}>
            <RawView detail={detail} events={events} onRerun={going ? undefined : rerun} />
          </Suspense>
        </TabPanel>
      </TabList>
      {dialog}
    </div>
  );
}
