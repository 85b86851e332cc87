import type { RunState } from "./run-state";

/** What a run is doing, in a few words that change only when that does: text that streams is not read out piece by piece. */
export function describeRunEnd(state: RunState | null, stopping: boolean): string {
  if (state === null) return "";
  if (stopping) return "Stopping";
  switch (state.detail.status) {
    case "running":
      return doing(state);
    case "waiting":
      return "Waiting for approval";
    case "succeeded":
      return "The response is complete";
    case "failed":
      return "The run failed";
    case "cancelled":
      return "Stopped";
    case "interrupted":
      return "The run was interrupted";
  }
}

function doing({ events, live }: RunState): string {
  if (live && live.text !== "") return "The model is answering";
  const last = events.at(-1);
  if (last?.type === "tool_started") return `Calling ${last.name}`;
  return "Waiting for the model";
}
