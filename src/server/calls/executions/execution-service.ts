import { setTimeout as wait } from "node:timers/promises";
import type { Actor } from "../../../lib/contract/actor";
import { createExecutionRequests } from "./execution-calls";
import type { ExecutionServicePorts } from "./execution-ports";
import { createExecutionReads } from "./execution-reads";
import { createReadableExecutions } from "./readable-executions";

export type ExecutionService = ReturnType<typeof createExecutionService>;

/** How often a call of another instance is looked at. */
const LOOK_AGAIN_MS = 200;

/** Runs tools for users, replays and cancels executions. Their contents are read through `readsFor`. */
export function createExecutionService(ports: ExecutionServicePorts) {
  const { calls, running, withdrawApproval, copies } = ports;
  const { find, contents, ...reads } = createExecutionReads(ports);
  const requests = createExecutionRequests({ ...ports, find, readDetail: contents.get });
  calls?.handle("execution", async (id) => (await running.cancel(id)) === true);

  return {
    ...reads,
    ...createReadableExecutions(contents, ports.privateCalls),
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

    /** Resolves when a call has ended that runs here, or that another instance of the server which lives has. */
    async ended(id: string): Promise<void> {
      await running.ended(id);
      if (copies === undefined || copies.list().length < 2) return;
      for (;;) {
        const owner = await ports.store.findOwner(id);
        if (owner === null || owner === copies.self.id || !copies.isLiving(owner)) return;
        await wait(LOOK_AGAIN_MS);
      }
    },
    stop: running.stop,
  };
}
