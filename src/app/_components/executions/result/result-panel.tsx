import { type ReactNode, useMemo, useState } from "react";
import { isOneText, readToolAnswer, type ToolAnswer } from "@/app/_components/content/result-content";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { formatStoredSize } from "@/app/_components/executions/summary/stored-size";
import { useExecutionLogs } from "@/app/_live/live-provider";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { type TabItem, TabList, TabPanel } from "@/app/_ui/tab-list";
import { getUiResource } from "@/lib/apps/tool-app";
import { type CallPhase, splitTotal } from "@/lib/contract/call-times";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";
import { formatDuration } from "@/lib/format";
import { FailureView } from "./failure-view";
import { ContentView, LogView, ModelViewPanel } from "./model-view";
import { ApprovalStrip, OriginalStrip, ReceivedStrip, WarningStrip } from "./original-strip";
import { ResultValue } from "./result-value";
import { RunningPanel, WaitingPanel } from "./running-panel";

const LOOKS: Record<CallPhase, { fill: string; dot: string; meaning: string }> = {
  Validation: { fill: "fill-faint", dot: "bg-faint", meaning: "The arguments are checked" },
  Recording: { fill: "fill-line2", dot: "bg-line2", meaning: "The start is recorded, before the tool runs" },
  Waiting: { fill: "fill-warn", dot: "bg-warn", meaning: "For a user's approval or input" },
  Duration: { fill: "fill-accent", dot: "bg-accent", meaning: "The tool itself" },
};

const BAR_WIDTH = 1_000;
/** The least width, so that a very short phase is visible. */
const LEAST_WIDTH = 4;

const AppPanel = onDemand(() => import("@/app/_components/apps/app-panel"), "AppPanel");

/** `app` and `content` only stand among them where the tool has an App, or the result is the answer of an MCP tool. */
export const RESULT_TABS = ["app", "content", "result", "model", "log"] as const;
type ResultTab = (typeof RESULT_TABS)[number];

const LABELS: Record<ResultTab, string> = {
  app: "App",
  content: "Content",
  result: "Result",
  model: "Model view",
  log: "Log",
};

interface ResultPanelProps {
  execution: ExecutionDetail;
  /** The call that this one repeats: one line says what differs and links to the comparison. */
  original?: ExecutionDetail;
  /** Its accessible name, where a page has more than one. */
  label?: string;
  /** The page shows the outcome of the call's approval in another place. */
  withoutApproval?: boolean;
  actions?: ReactNode;
  /** The open tab, if the caller keeps it (in the URL); null for the default. Otherwise the panel keeps it. */
  tab?: ResultTab | null;
  onTabChange?: (tab: ResultTab) => void;
  /** False where the page's header shows the status. */
  withStatus?: boolean;
  /** False where the button that ran it cancels it: there is one Cancel. */
  cancelable?: boolean;
  /** False where the page has a tab for what models receive. */
  withModelView?: boolean;
  /** The user has just run the tool, so its App opens without a click. */
  opensApp?: boolean;
}

/** Shows the outcome of a call: progress while it runs, then content, result, model's view and log; below, where the time went. */
export function ResultPanel(props: ResultPanelProps) {
  const { execution, original, label = "Result", withoutApproval = false, actions, tab, onTabChange } = props;
  const { cancelable = true, opensApp = false, withModelView = true, withStatus = true } = props;
  const [ownTab, setOwnTab] = useState<ResultTab | null>(null);
  const answer = useToolAnswer(execution);
  const hasApp = execution.definition !== null && getUiResource(execution.definition) !== null;
  const opensFirst = hasApp && opensApp && execution.error === null ? "app" : answer !== null ? "content" : "result";
  const waiting = execution.status === "waiting";
  const running = execution.status === "running" || waiting;
  const heard = useExecutionLogs(running ? execution.id : null);
  // Lines that were read, followed by newer ones from live events.
  const lastMs = execution.logs.at(-1)?.atMs ?? -1;
  const lines = [...execution.logs, ...heard.lines.filter(({ atMs }) => atMs > lastMs)];
  // While a tool without an App runs, its log is the only output to show.
  const asked = tab ?? ownTab ?? (running && lines.length > 0 && opensFirst !== "app" ? "log" : opensFirst);
  const missing =
    (asked === "content" && answer === null) || (asked === "app" && !hasApp) || (asked === "model" && !withModelView);
  const shownTab = missing ? "result" : asked;
  // An App that was shown once runs on behind the other tabs.
  const [appShown, setAppShown] = useState<string | null>(null);
  if (shownTab === "app" && appShown !== execution.id) setAppShown(execution.id);
  const changeTab = onTabChange ?? setOwnTab;
  // A question that stood here stays, with its answer: the card must not go from under the pointer that pressed it.
  const [askedId, setAskedId] = useState<string | null>(null);
  if (waiting && askedId !== execution.id) setAskedId(execution.id);
  const askedHere = askedId === execution.id;

  return (
    <section aria-label={label} className="flex min-h-0 min-w-0 flex-col bg-panel">
      <ResultHeader execution={execution} actions={actions} withStatus={withStatus} />
      {original && <OriginalStrip execution={execution} original={original} withCompare={actions === undefined} />}
      {askedHere && <WaitingPanel execution={execution} cancelable={cancelable} />}
      {!askedHere && !withoutApproval && execution.approval !== null && <ApprovalStrip approval={execution.approval} />}
      {running && !waiting && <RunningPanel execution={execution} progress={heard.progress} cancelable={cancelable} />}
      {execution.received !== null && (
        <ReceivedStrip execution={execution} onShowModel={withModelView ? () => changeTab("model") : null} />
      )}
      <WarningStrip lines={lines} onShowLog={() => changeTab("log")} />
      <TabList
        label={`Views: ${label}`}
        size="sm"
        className="shrink-0"
        tabs={listTabs({ app: hasApp, content: answer !== null, model: withModelView }, answer, lines.length)}
        value={shownTab}
        onChange={changeTab}
      >
        <div className="min-h-12 min-w-0 flex-1 overflow-auto p-3.5">
          {hasApp && appShown === execution.id && (
            <div hidden={shownTab !== "app"}>
              <TabPanel value="app" active>
                <AppPanel key={execution.id} execution={execution} autoOpen={opensApp} />
              </TabPanel>
            </div>
          )}
          <TabPanel value="content" active={shownTab} className="flex flex-col gap-4">
            {execution.error !== null && <FailureView execution={execution} />}
            {answer !== null && !(execution.error !== null && isOneText(answer)) && <ContentView answer={answer} />}
          </TabPanel>
          <TabPanel value="result" active={shownTab}>
            {running ? <p className="text-mute">The result appears here.</p> : <ResultValue execution={execution} />}
          </TabPanel>
          <TabPanel value="model" active={shownTab} className="flex flex-col gap-3">
            <ReceivedView execution={execution} answer={answer} />
            <LensLink execution={execution} />
          </TabPanel>
          <TabPanel value="log" active={shownTab}>
            <LogView lines={lines} running={running} isIncomplete={running && heard.before > execution.logs.length} />
          </TabPanel>
        </div>
      </TabList>
      {!running && (
        <footer className="border-line border-t px-3.5 py-2.5">
          <TimingBar execution={execution} />
        </footer>
      )}
    </section>
  );
}

/** Shows what the caller received of a result that rules changed. */
function ReceivedView({ execution, answer }: { execution: ExecutionDetail; answer: ToolAnswer | null }) {
  const received = { ...execution, ...execution.received };
  const seen = useToolAnswer(received);
  if (execution.received === null) return <ModelViewPanel execution={execution} answer={answer} />;
  return <ModelViewPanel execution={received} answer={seen} />;
}

function useToolAnswer({ implementationType, resultText, resultTruncated }: ExecutionDetail): ToolAnswer | null {
  return useMemo(
    () => readToolAnswer({ implementationType, resultText, resultTruncated }),
    [implementationType, resultText, resultTruncated],
  );
}

function listTabs(
  shown: Partial<Record<ResultTab, boolean>>,
  answer: ToolAnswer | null,
  logLines: number,
): TabItem<ResultTab>[] {
  const counts: Partial<Record<ResultTab, number>> = { content: answer?.blocks.length ?? 0, log: logLines };
  return RESULT_TABS.filter((value) => shown[value] ?? true).map((value) => {
    const count = counts[value] ?? 0;
    return { value, label: LABELS[value], ...(count > (value === "content" ? 1 : 0) ? { count } : {}) };
  });
}

/** Links to the tab of the tool where its results are reduced, with this result as the example. */
function LensLink({ execution }: { execution: ExecutionDetail }) {
  const { id, toolName, definition, modelView } = execution;
  if (getKind(execution) !== "tool" || definition === null || modelView === null) return null;
  return (
    <Link
      href={`/tools/${encodeURIComponent(toolName)}?tab=model&result=${encodeURIComponent(id)}`}
      className="self-start rounded-xs text-xs underline"
    >
      {modelView.lens === undefined ? "Reduce what models receive" : "Edit the lens"}
    </Link>
  );
}

interface ResultHeaderProps {
  execution: ExecutionDetail;
  actions: ReactNode;
  withStatus: boolean;
}

function ResultHeader({ execution, actions, withStatus }: ResultHeaderProps) {
  const ended = execution.status !== "running" && execution.status !== "waiting";
  return (
    <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1.5 border-line border-b px-3.5 py-1.5">
      <span role="status" className="flex items-center gap-2.5">
        {withStatus && <ExecutionBadge execution={execution} />}
        {ended && (
          <span title="Duration: the tool itself" className="font-mono text-mute text-xs tabular-nums">
            <span className="sr-only">Duration: </span>
            {formatDuration(execution.durationMs)}
          </span>
        )}
      </span>
      {execution.resultBytes !== null && (
        <span className="font-mono text-mute text-xs">
          <span className="sr-only">Result size: </span>
          {formatStoredSize(execution)}
        </span>
      )}
      {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-1.5">{actions}</div>}
    </header>
  );
}

/** The parts of a call's total time, as a bar and in numbers. */
function TimingBar({ execution }: { execution: ExecutionDetail }) {
  const { phases, totalMs } = splitTotal(execution);
  if (phases.length === 0) return null;
  const figures = [...phases, { name: "Total" as const, ms: totalMs }];
  const widths = phases.map(({ ms }) => Math.max(LEAST_WIDTH, totalMs > 0 ? (ms / totalMs) * BAR_WIDTH : 0));
  const scale = BAR_WIDTH / widths.reduce((sum, width) => sum + width, 0);
  return (
    <div className="flex flex-col gap-1.5">
      <div aria-hidden className="flex flex-wrap gap-x-3 text-mute text-xs">
        {figures.map(({ name, ms }) => (
          <span
            key={name}
            title={name === "Total" ? "From request to response" : LOOKS[name].meaning}
            className={cx("flex items-center gap-1.5", name === "Total" && "ml-auto text-text")}
          >
            {name !== "Total" && <span className={`size-1.5 rounded-full ${LOOKS[name].dot}`} />}
            {name} <span className="font-mono tabular-nums">{formatDuration(ms)}</span>
          </span>
        ))}
      </div>
      <svg
        role="img"
        aria-label={`Timing: ${figures.map(({ name, ms }) => `${name} ${formatDuration(ms)}`).join(", ")}`}
        viewBox={`0 0 ${BAR_WIDTH} 6`}
        preserveAspectRatio="none"
        className="h-1.5 w-full rounded-full"
      >
        {phases.map(({ name }, at) => {
          const x = widths.slice(0, at).reduce((sum, width) => sum + width, 0) * scale;
          const width = (widths[at] ?? 0) * scale;
          return <rect key={name} x={x} y={0} width={width} height={6} className={LOOKS[name].fill} />;
        })}
      </svg>
    </div>
  );
}
