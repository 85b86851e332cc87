import type { ReactNode } from "react";
import { CallQuestions } from "@/app/_components/interactions/call-questions";
import { useWaitsForInput } from "@/app/_components/interactions/summary/use-waits-for-input";
import { CancelButton } from "@/app/_kit/cancel-button";
import { useNow } from "@/app/_kit/use-now";
import type { LiveExecution } from "@/app/_live/live-provider";
import { trpc } from "@/app/_trpc/client";
import { onDemand } from "@/app/_ui/on-demand";
import { Skeleton } from "@/app/_ui/skeleton";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";
import { formatDuration } from "@/lib/format";
import { ProgressBar } from "./progress-bar";

const TICK_MS = 100;

interface RunningPanelProps {
  execution: ExecutionDetail;
  progress?: LiveExecution["progress"];
  /** False where the button that ran it cancels it. */
  cancelable?: boolean;
}

/** A running call: elapsed time, progress, its server's requests and the cancel button. */
export function RunningPanel({ execution, progress = null, cancelable = true }: RunningPanelProps) {
  const now = useNow(TICK_MS);
  const isMcp = execution.implementationType === "mcp" || getKind(execution) !== "tool";
  const paused = useWaitsForInput({ executionId: execution.id }, isMcp);
  const elapsedMs = now === null ? null : Math.max(0, now - (execution.startedAt ?? execution.queuedAt));
  return (
    <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="font-mono text-lg tabular-nums">{elapsedMs === null ? "…" : formatElapsed(elapsedMs)}</span>
        {execution.timeoutMs !== null && !paused && (
          <span className="text-mute">Times out after {formatDuration(execution.timeoutMs)}</span>
        )}
        {cancelable && (
          <span className="ml-auto">
            <CancelCall id={execution.id} />
          </span>
        )}
      </div>
      {progress && <ProgressBar progress={progress} />}
      {isMcp && <CallQuestions execution={execution} />}
    </div>
  );
}

/** Tenths of a second, of a steady width, so that the number does not jump about. */
function formatElapsed(ms: number): string {
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : formatDuration(ms);
}

/** Stops a call that runs, or withdraws one that waits for a user. */
function CancelCall({ id }: { id: string }) {
  return <CancelButton needs="run" mutation={trpc.executions.cancel} id={id} label="Cancel call" />;
}

const ApprovalCard = onDemand(() => import("@/app/_components/approvals/detail/approval-card"), "ApprovalCard", {
  fallback: <Skeleton className="h-40" />,
});

interface WaitingPanelProps {
  execution: Pick<ExecutionDetail, "id" | "status">;
  /** False where the button that ran it cancels it. */
  cancelable: boolean;
}

/** A call that asks a user first, right where it is watched; it stays to say what became of the question. */
export function WaitingPanel({ execution, cancelable }: WaitingPanelProps) {
  return (
    <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-3.5">
      <ApprovalCard executionId={execution.id} compact />
      {execution.status === "waiting" && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <p className="text-mute text-xs">The tool has not run. Cancelling withdraws this request.</p>
          {cancelable && (
            <span className="ml-auto">
              <CancelCall id={execution.id} />
            </span>
          )}
        </div>
      )}
    </div>
  );
}

interface IdlePanelProps {
  /** Its accessible name, where a page has more than one. */
  label?: string;
  /** How to run it from the page. */
  children?: ReactNode;
}

/** Stands where a result will be. */
export function IdlePanel({ label = "Result", children }: IdlePanelProps) {
  return (
    <section aria-label={label} className="flex min-h-0 min-w-0 flex-col">
      <header className="flex min-h-11 items-center border-line border-b px-3.5">
        <StatusBadge status="idle" label="No result yet" />
      </header>
      <div className="px-3.5 py-6 text-mute">
        {children ?? "Fill in the arguments and run the tool. The result appears here and stays in Executions."}
      </div>
    </section>
  );
}
