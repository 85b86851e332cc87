import type { ConformanceRun, ConformanceRunDetail } from "@/lib/contract/conformance";
import type { ConformanceGroup, ConformanceOutcome, ConformanceParts } from "@/lib/contract/conformance-outcome";
import type { ServerDetail } from "@/lib/contract/server";
import { formatPlural } from "@/lib/format";

export const OUTCOME_WORDS: Record<ConformanceOutcome, string> = {
  failed: "Failed",
  warning: "Warnings",
  passed: "Passed",
  skipped: "Skipped",
};

export const GROUP_WORDS: Record<ConformanceGroup, string> = {
  transport: "Transport",
  "json-rpc": "JSON-RPC",
  oauth: "Sign-in",
  suite: "Official suite",
};

export const PARTS_WORDS: Record<ConformanceParts, string> = {
  all: "All checks",
  own: "Without the official suite",
  suite: "Official suite only",
};

/** Why the server cannot be tested; null where it can. */
export function explainUntestable({ transport, credentials, enabled }: ServerDetail): string | null {
  if (transport === "sse") return "It uses the transport of 2024-11-05, which the checks do not cover.";
  if (credentials === "personal")
    return "Each user has a credential of their own. Test its address on the command line.";
  return enabled ? null : "It is disabled. Enable it first.";
}

/** How the checks reach the server. */
export const describeReach = ({ transport }: Pick<ServerDetail, "transport">): string =>
  transport === "stdio"
    ? "Toolroom starts the program in processes of its own and bridges them to HTTP for the suite. Checks of HTTP itself are skipped."
    : "Toolroom connects to the server directly, beside its usual connection. The suite reaches it through a loopback address that adds the server's headers and sign-in.";

/** `2 new failures, 1 fixed since the run before`; null for a run without one. */
export function describeComparison({ comparison }: Pick<ConformanceRunDetail, "comparison">): string | null {
  if (comparison === null || comparison.before === null) return null;
  const { newFailures, fixed } = comparison;
  if (newFailures.length + fixed.length === 0) return "Same failures as in the run before";
  return `${formatPlural(newFailures.length, "new failure")}, ${fixed.length} fixed since the run before`;
}

/** A run in the list of runs. */
export function describeRun({ status, counts, parts }: ConformanceRun): string {
  const outcome = status === "finished" ? `${counts.failed} failed, ${counts.passed} passed` : status;
  return parts === "all" ? outcome : `${outcome} (${PARTS_WORDS[parts].toLowerCase()})`;
}
