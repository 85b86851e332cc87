import { parseAsStringLiteral, useQueryState } from "nuqs";
import { type ReactNode, Suspense, useMemo } from "react";
import { RunQuestions } from "@/app/_components/interactions/call-questions";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { cx } from "@/app/_ui/class-names";
import { lazyPart } from "@/app/_ui/on-demand";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import { addLaterEvents } from "@/lib/run/run-figures";
import { isLive, type RunState } from "./run-state";
import type { OlderEvents } from "./use-run";

const TimelineView = lazyPart(() => import("./timeline-view"), "TimelineView");

const LENSES = ["conversation", "timeline"] as const;

interface RunLensesProps {
  /** Null before there is a run, which only has a conversation. */
  state: RunState | null;
  older: OlderEvents;
  children: ReactNode;
}

/** One run as a talk and on a time axis. */
export function RunLenses({ state, older, children }: RunLensesProps) {
  const [chosen, setLens] = useQueryState("view", parseAsStringLiteral(LENSES).withDefault("conversation"));
  const lens = state === null ? "conversation" : chosen;
  const going = state !== null && isLive(state.detail.status);
  return (
    <>
      {going && lens !== "conversation" && (
        <RunQuestions runId={state.detail.id} className="max-h-3/5 shrink-0 overflow-y-auto px-4 py-3" />
      )}
      <TabList
        label="Views"
        className={cx("shrink-0 bg-panel", state === null && "hidden")}
        tabs={[
          { value: "conversation", label: "Conversation" },
          { value: "timeline", label: "Timeline" },
        ]}
        value={lens}
        onChange={setLens}
      >
        <TabPanel value="conversation" active={lens} className="flex min-h-0 flex-1 flex-col">
          {children}
        </TabPanel>
        <TabPanel value="timeline" active={lens} className="min-h-0 flex-1 overflow-auto">
          {state !== null && <Timeline state={state} older={older} />}
        </TabPanel>
      </TabList>
    </>
  );
}

function Timeline({ state: { detail, events }, older }: { state: RunState; older: OlderEvents }) {
  const figures = useMemo(() => addLaterEvents(detail, events), [detail, events]);
  return (
    <Suspense fallback={<ViewSkeleton of="runTab" />}>
      <TimelineView detail={detail} figures={figures} events={events} older={older} />
    </Suspense>
  );
}
