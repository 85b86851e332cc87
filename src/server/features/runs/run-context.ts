import type { AppContext } from "../../../lib/contract/app";
import type { RunEventBody } from "../../../lib/contract/run";
import { AppError } from "../../platform/shared/app-error";
import { createActiveRuns } from "./active-runs";
import { reviveRun } from "./execute-run";
import { settleOpenCalls } from "./open-calls";
import type { RunServicePorts } from "./run-ports";
import type { StoredRun } from "./run-store";

/** The statuses of a run whose turn has ended. */
export const ENDED_STATUSES: readonly StoredRun["status"][] = ["succeeded", "failed", "cancelled", "interrupted"];

export type RunContext = ReturnType<typeof createRunContext>;

/** What the parts of the run service share. */
export function createRunContext(ports: RunServicePorts) {
  const { store } = ports;
  const activeRuns = createActiveRuns(ports);

  /** @throws AppError NOT_FOUND */
  async function find(id: string): Promise<StoredRun> {
    const found = await store.find(id);
    if (found === null) throw new AppError("NOT_FOUND", `Run '${id}' not found`);
    return found;
  }

  return {
    ...ports,
    activeRuns,
    find,

    /** Ends a run that has no turn. */
    async endWithoutTurn(id: string, status: "cancelled" | "failed" | "interrupted", error: string | null) {
      const run = reviveRun(ports, await find(id), await store.events(id));
      if (status !== "interrupted") await settleOpenCalls(run, ports, "give_up");
      await run.end(status, error, activeRuns.stopped);
    },
  };
}

export function toUserMessage(
  text: string,
  appContext: readonly AppContext[] = [],
): Extract<RunEventBody, { type: "user_message" }> {
  const message = { role: "user" as const, contents: [{ type: "text" as const, text }] };
  return { type: "user_message", message, ...(appContext.length === 0 ? {} : { appContext }) };
}

/** The tools of a model check no longer exist. */
export function refuseCheck({ source }: StoredRun): void {
  if (source === "check") throw new AppError("INVALID", "This run belongs to a model check and cannot be resumed");
}
