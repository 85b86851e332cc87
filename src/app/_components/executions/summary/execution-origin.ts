import type { ExecutionSummary } from "@/lib/contract/execution";

/** Where a call came from: `gateway · Claude Code`, `agent · Plan a trip`, `replay of …7hJ2qM`. */
export function formatExecutionOrigin(
  execution: Pick<ExecutionSummary, "source" | "client" | "parentId" | "runId" | "runTitle">,
): string {
  const { source, client, parentId, runId, runTitle } = execution;
  if (source === "replay" || (source === "console" && parentId !== null)) {
    return parentId === null ? "replay" : `replay of ${shortId(parentId)}`;
  }
  const origin =
    source === "check"
      ? client === "change-check"
        ? "replay of a change"
        : "eval"
      : source === "api"
        ? "API"
        : source === "import"
          ? "imported"
          : source;
  const detail =
    (client === "change-check" ? null : client) ??
    (source === "agent" || source === "check" ? runTitle || runId : null);
  return detail === null ? origin : `${origin} · ${detail}`;
}

/** Enough of an id to tell rows apart: its end, since ids of one minute begin alike. The whole is a click away. */
const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-6)}` : id);
