import type { RunContext } from "./run-context";

/** Whether the run ended as cancelled; null for a run without an active turn. */
export async function stopHere({ activeRuns }: RunContext, id: string): Promise<boolean | null> {
  const stopped = activeRuns.stop(id, new DOMException("Stopped by a person", "AbortError"));
  return stopped === null ? null : (await stopped).status === "cancelled";
}

export async function stopRun(context: RunContext, id: string): Promise<{ stopped: boolean }> {
  const stopped = await stopHere(context, id);
  if (stopped !== null) return { stopped };
  const { status } = await context.find(id);
  if ((await context.calls?.cancel("run", id))?.status === "done") return { stopped: true };
  // It waits for approval since before the last restart.
  if (status !== "waiting" || !(await context.store.take(id, ["waiting"], "running"))) {
    return { stopped: false };
  }
  await context.endWithoutTurn(id, "cancelled", null);
  return { stopped: true };
}
