"use client";

import { type ReactNode, useState } from "react";
import { useExecutionLogs } from "@/app/_components/live/live-provider";
import { StatusBadge } from "@/app/_ui/status-badge";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { ExecutionDetail } from "@/lib/contract";
import { formatBytes, formatDuration } from "@/lib/format";
import { LogView } from "./log-view";
import { ModelViewPanel } from "./model-view";
import { OriginalStrip } from "./original-strip";
import { RawResult, ResultValue } from "./result-value";
import { RunningPanel } from "./running-panel";
import { TimingBar, TimingView } from "./timing-view";

export const RESULT_TABS = ["result", "raw", "model", "timing", "log"] as const;
export type ResultTab = (typeof RESULT_TABS)[number];

const LABELS: Record<ResultTab, string> = {
  result: "Result",
  raw: "Raw",
  model: "Model view",
  timing: "Timing",
  log: "Log",
};

export interface ResultPanelProps {
  execution: ExecutionDetail;
  /** The call that this one repeats: the difference is said in a line, with a way to the comparison. */
  original?: ExecutionDetail;
  /** Its accessible name, where a page has more than one. */
  label?: string;
  /** Buttons for the header. */
  actions?: ReactNode;
  /** The open tab, where it is kept outside (the URL); else the panel keeps it. */
  tab?: ResultTab;
  onTabChange?: (tab: ResultTab) => void;
}

/** What came of a call: while it runs how far it is, then result, raw text, model's view, timing and log. */
export function ResultPanel({ execution, original, label = "Result", actions, tab, onTabChange }: ResultPanelProps) {
  const [ownTab, setOwnTab] = useState<ResultTab>("result");
  const heard = useExecutionLogs(execution.id);
  const shownTab = tab ?? ownTab;
  const running = execution.status === "running";
  const lines = execution.logs.length > 0 ? execution.logs : heard.lines;
  const tabs = RESULT_TABS.map((value) => ({
    value,
    label: LABELS[value],
    ...(value === "log" && lines.length > 0 ? { count: lines.length } : {}),
  }));

  return (
    <section aria-label={label} className="flex min-h-0 min-w-0 flex-col bg-panel">
      <ResultHeader execution={execution} actions={actions} />
      {original && <OriginalStrip execution={execution} original={original} />}
      {running && <RunningPanel execution={execution} progress={heard.progress} />}
      <TabList label={`Views: ${label}`} size="sm" tabs={tabs} value={shownTab} onChange={onTabChange ?? setOwnTab}>
        <div className="min-h-0 min-w-0 flex-1 overflow-auto p-3.5">
          <TabPanel value="result" active={shownTab}>
            {running ? <p className="text-mute">The result appears here.</p> : <ResultValue execution={execution} />}
          </TabPanel>
          <TabPanel value="raw" active={shownTab}>
            {running ? <p className="text-mute">The result appears here.</p> : <RawResult execution={execution} />}
          </TabPanel>
          <TabPanel value="model" active={shownTab}>
            <ModelViewPanel execution={execution} />
          </TabPanel>
          <TabPanel value="timing" active={shownTab}>
            <TimingView execution={execution} />
          </TabPanel>
          <TabPanel value="log" active={shownTab}>
            <LogView lines={lines} running={running} />
          </TabPanel>
        </div>
      </TabList>
      {!running && shownTab === "result" && (
        <footer className="border-line border-t px-3.5 py-2.5">
          <TimingBar execution={execution} />
        </footer>
      )}
    </section>
  );
}

function ResultHeader({ execution, actions }: { execution: ExecutionDetail; actions: ReactNode }) {
  const ended = execution.status !== "running" && execution.status !== "waiting";
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-x-2.5 gap-y-1.5 border-line border-b px-3.5 py-1.5">
      <span role="status" className="flex items-center gap-2.5">
        <StatusBadge status={execution.status} />
        {ended && (
          <span className="font-mono text-mute text-xs tabular-nums">{formatDuration(execution.executionTimeMs)}</span>
        )}
      </span>
      {execution.resultBytes !== null && (
        <span className="font-mono text-mute text-xs">
          <span className="sr-only">Result size: </span>
          {formatBytes(execution.resultBytes)}
        </span>
      )}
      {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-1.5">{actions}</div>}
    </header>
  );
}
