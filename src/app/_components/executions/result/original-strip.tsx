import { EyeOff, TriangleAlert } from "lucide-react";
import { ApprovalBadge } from "@/app/_components/approvals/summary/approval-badge";
import { formatDecider } from "@/app/_components/approvals/summary/approval-words";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ApprovalFacts } from "@/lib/contract/approval";
import type { ExecutionDetail, LogLine } from "@/lib/contract/execution";
import { formatPlural } from "@/lib/format";
import { useJsonDiff } from "../diff/use-json-diff";
import { compareDurations, SAME_DURATION } from "./time-ratio";

interface OriginalStripProps {
  execution: ExecutionDetail;
  original: ExecutionDetail;
  /** False where the panel has its own button to compare. */
  withCompare: boolean;
}

/** One line: how a call ended, compared with the call that it repeats. */
export function OriginalStrip({ execution, original, withCompare }: OriginalStripProps) {
  const difference = useDifference(original, execution);
  const verdict = compareDurations(original.durationMs, execution.durationMs);
  const time = verdict === SAME_DURATION ? "duration about the same" : verdict;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b bg-rail px-3.5 py-1.5 text-xs">
      <span className="text-mute">vs.</span>
      <Link href={`/executions/${original.id}`} className="font-mono underline">
        {original.id}
      </Link>
      <span className="text-mute">{[difference, time].filter((part) => part !== null).join(" · ")}</span>
      {withCompare && (
        <ButtonLink href={`/compare?left=${original.id}&right=${execution.id}`} className="ml-auto">
          Compare
        </ButtonLink>
      )}
    </div>
  );
}

/** Null while one of them runs, and until long results have been compared. */
function useDifference(original: ExecutionDetail, execution: ExecutionDetail): string | null {
  const isOpen = [execution, original].some(({ status }) => status === "running" || status === "waiting");
  const hasOtherStatus = execution.status !== original.status;
  const before = original.resultText ?? original.error ?? "";
  const after = execution.resultText ?? execution.error ?? "";
  const isCompared = !isOpen && !hasOtherStatus && before !== after;
  const diff = useJsonDiff(isCompared ? before : null, isCompared ? after : null);
  if (isOpen) return null;
  if (hasOtherStatus) return `${original.status} then, ${execution.status} now`;
  if (before === after || diff?.identical === true) return "same result";
  if (diff === null) return null;
  return execution.resultText === null ? "another error" : "another result";
}

interface ReceivedStripProps {
  execution: ExecutionDetail;
  /** Null where the page has no tab for what models receive. */
  onShowModel: (() => void) | null;
}

/** One line: rules withhold parts of the result from callers. */
export function ReceivedStrip({ execution, onShowModel }: ReceivedStripProps) {
  const isBlocked = execution.received?.resultText === null;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b bg-rail px-3.5 py-1.5 text-xs">
      <EyeOff aria-hidden size={13} strokeWidth={1.6} className="text-mute" />
      <span className="min-w-0 flex-1 basis-40">
        {isBlocked
          ? "Rules keep this result from callers: only the execution has it."
          : "Callers receive this result redacted: only the execution has all of it."}
      </span>
      {onShowModel !== null && (
        <Button className="ml-auto" onClick={onShowModel}>
          What callers receive
        </Button>
      )}
    </div>
  );
}

/** One line: a user was asked before the tool ran, and how that ended. The call's own page has the details. */
export function ApprovalStrip({ approval }: { approval: ApprovalFacts }) {
  const { status, decidedAt, reason, requestedArgumentsText } = approval;
  const byUser = status === "approved" || status === "rejected";
  return (
    <section
      aria-label="Approval"
      className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-0.5 border-line border-b bg-rail px-3.5 py-1.5 text-xs"
    >
      <ApprovalBadge status={status} />
      <span className="min-w-0 text-mute [overflow-wrap:anywhere]">
        {byUser && `by ${formatDecider(approval)} `}
        {decidedAt !== null && <RelativeTime at={decidedAt} />}
        {status === "approved" && requestedArgumentsText !== null && ", with changed arguments"}
        {reason !== null && reason !== "" && (
          <>
            : <bdi>{reason.slice(0, MAX_REASON_CHARS)}</bdi>
          </>
        )}
      </span>
    </section>
  );
}

const MAX_REASON_CHARS = 300;

/** The warnings and errors of the log, above the result; renders nothing without any. */
export function WarningStrip({ lines, onShowLog }: { lines: readonly LogLine[]; onShowLog: () => void }) {
  const errors = lines.filter((line) => line.level === "error");
  const warnings = lines.filter((line) => line.level === "warn");
  const first = errors[0] ?? warnings[0];
  if (first === undefined) return null;
  const counts = [
    errors.length > 0 ? formatPlural(errors.length, "error") : null,
    warnings.length > 0 ? formatPlural(warnings.length, "warning") : null,
  ].filter((part) => part !== null);
  return (
    <section
      aria-label="Warnings"
      className="flex shrink-0 items-start gap-2 border-line border-b bg-warn-bg px-3.5 py-1.5 text-xs"
    >
      <TriangleAlert size={14} className="mt-0.5 shrink-0 text-warn" />
      <p className="line-clamp-3 min-w-0 flex-1 [overflow-wrap:anywhere]" title={first.message.slice(0, 1_000)}>
        <span className="font-medium text-warn">{counts.join(", ")}</span> in the log: {first.message.slice(0, 500)}
      </p>
      <Button variant="ghost" onClick={onShowLog} className="h-5!">
        Show log
      </Button>
    </section>
  );
}
