import type { Actor } from "../../../lib/contract/actor";
import { createExecutionRequests } from "./execution-calls";
import type { ExecutionServicePorts } from "./execution-ports";
import { createExecutionReads } from "./execution-reads";

export type ExecutionService = ReturnType<typeof createExecutionService>;

/** Runs tools for people and reads, replays and cancels executions. */
export function createExecutionService(ports: ExecutionServicePorts) {
  const { calls, running, withdrawApproval } = ports;
  const { find, ...reads } = createExecutionReads(ports);
  const requests = createExecutionRequests({ ...ports, find, readDetail: reads.get });
  calls?.handle("execution", async (id) => (await running.cancel(id)) === true);

  return {
    ...reads,
    run: requests.run,
    replay: requests.replay,

    /** For callers beside the console. Like the executor's own it never rejects. */
    execute: running.execute,

    /** False when it had ended already. */
    async cancel(actor: Actor, id: string): Promise<{ cancelled: boolean }> {
      const cancelled = await running.cancel(id);
      if (cancelled !== null) return { cancelled };
      const { status } = await find(id);
      if (status === "waiting" && (await withdrawApproval?.(actor, id)) === true) return { cancelled: true };
      return { cancelled: (await calls?.cancel("execution", id))?.status === "done" };
    },

    isRunning: running.has,
    ended: running.ended,
    stop: running.stop,
  };
}
