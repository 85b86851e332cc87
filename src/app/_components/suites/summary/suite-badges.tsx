import { StatusPill } from "@/app/_ui/status-badge";
import type { SuiteRun, TestResult, TestRun } from "@/lib/contract/suite";
import type { SuiteRunStatus } from "@/lib/contract/suite-run";
import { formatPlural } from "@/lib/format";
import { formatInterval } from "./run-words";

const OK = "bg-ok-bg text-ok";
const BAD = "bg-bad-bg text-bad";
const WARN = "bg-warn-bg text-warn";
const QUIET = "bg-line text-mute";

const RUNS: Record<SuiteRunStatus, [status: string, tone: string, label: string]> = {
  running: ["running", "bg-accent-bg text-accent", "running"],
  passed: ["succeeded", OK, "passed"],
  failed: ["failed", BAD, "failed"],
  finished: ["succeeded", QUIET, "finished"],
  cancelled: ["cancelled", QUIET, "cancelled"],
  interrupted: ["failed", BAD, "interrupted"],
};

/** The status of a run; of a replay, whether all outcomes are the same. */
export function RunBadge({ run: { status, kind } }: { run: Pick<SuiteRun, "status" | "kind"> }) {
  const [shown, tone, label] = RUNS[status];
  const word =
    kind === "replay" && status === "passed" ? "same" : kind === "replay" && status === "failed" ? "different" : label;
  return (
    <StatusPill status={shown} tone={tone} pulse={status === "running"}>
      {word}
    </StatusPill>
  );
}

const RESULTS: Record<TestResult["status"], [status: string, tone: string, suite: string, replay: string]> = {
  passed: ["succeeded", OK, "passed", "same"],
  failed: ["failed", BAD, "failed", "different"],
  error: ["failed", BAD, "error", "failed"],
  skipped: ["cancelled", WARN, "not run", "not called"],
};

export function TestResultBadge({ status, kind }: { status: TestResult["status"]; kind: TestRun["kind"] }) {
  const [shown, tone, suite, replay] = RESULTS[status];
  return (
    <StatusPill status={shown} tone={tone}>
      {kind === "tests" ? suite : replay}
    </StatusPill>
  );
}

/** `5 of 7 passed, 1 failed`; of a replay `5 same, 2 different`; of evals the rate with its interval. */
export function describeCounts(run: SuiteRun): string {
  if (run.kind === "evals") {
    const { status, passed, done, total } = run;
    return status === "running" ? `${done} of ${total} done` : `${formatInterval(passed, done)} passed`;
  }
  const { kind, total, passed, failed, errors, skipped } = run;
  const words =
    kind === "tests"
      ? [
          `${passed} of ${formatPlural(total, "test")} passed`,
          `${failed} failed`,
          `${errors} in error`,
          `${skipped} not run`,
        ]
      : [`${passed} of ${total} same`, `${failed} different`, `${errors} failed`, `${skipped} not called`];
  return words.filter((word, at) => at === 0 || !word.startsWith("0 ")).join(", ");
}
