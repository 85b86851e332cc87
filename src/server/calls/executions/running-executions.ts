import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { LogLine } from "../../../lib/contract/execution";
import type { ExecuteOptions, ToolExecutor } from "../../engine/executor/tool-executor";
import { ServerStopping } from "../../engine/failures";
import { withinMs } from "../../platform/shared/within-ms";

interface RunningCall {
  controller: AbortController;
  done: Promise<ExecutionEnvelope>;
  /** For approval: it can stop at once, since nothing runs yet. */
  waiting: boolean;
  /** What it has logged so far. */
  lines: LogLine[];
}

/** As many as are stored when a call ends. */
const MAX_LINES = 200;

export type RunningExecutions = ReturnType<typeof createRunningExecutions>;

interface RunningPorts {
  executor: Pick<ToolExecutor, "execute">;
  newId: () => string;
}

/** Placeholder when no call is running. */
const NOT_STARTED: Promise<ExecutionEnvelope> = new Promise(() => {});

/** The calls of this process, by execution id; those that wait here for approval count. */
export function createRunningExecutions({ executor, newId }: RunningPorts) {
  const running = new Map<string, RunningCall>();
  let stopping = false;

  return {
    /** Runs a call that can be cancelled by its id and that `stop` waits for. */
    execute(name: string, args: unknown, options: ExecuteOptions = {}): Promise<ExecutionEnvelope> {
      const executionId = options.executionId ?? newId();
      const controller = options.controller ?? new AbortController();
      const signal = options.controller === undefined ? options.signal : undefined;
      const onAbort = (): void => controller.abort(signal?.reason);
      if (stopping) controller.abort(new ServerStopping());
      else if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
      const call: RunningCall = { controller, done: NOT_STARTED, waiting: false, lines: [] };
      const done = executor.execute(name, args, {
        ...options,
        executionId,
        signal: controller.signal,
        onWaiting: (expiresAt) => {
          call.waiting = true;
          options.onWaiting?.(expiresAt);
          if (stopping) controller.abort(new ServerStopping());
        },
        onApproved: (edited) => {
          call.waiting = false;
          options.onApproved?.(edited);
        },
        onLog: (line, sent) => {
          if (call.lines.length < MAX_LINES) call.lines.push(line);
          options.onLog?.(line, sent);
        },
      });
      call.done = done;
      running.set(executionId, call);
      // execute never rejects, so neither does this.
      void done.then(() => {
        // An abandoned call may have been started again under the same id.
        if (running.get(executionId) === call) running.delete(executionId);
        signal?.removeEventListener("abort", onAbort);
      });
      return done;
    },

    has: (id: string): boolean => running.has(id),

    /** The log so far of a call that runs in this process; empty for others. */
    readLog: (id: string): LogLine[] => [...(running.get(id)?.lines ?? [])],

    /** Resolves when a running call of this process has ended and is stored; at once for others. */
    async ended(id: string): Promise<void> {
      await running.get(id)?.done;
    },

    /** Whether the call ended as cancelled; null where it does not run in this process. */
    async cancel(id: string): Promise<boolean | null> {
      const call = running.get(id);
      if (call === undefined) return null;
      call.controller.abort(new DOMException("Cancelled", "AbortError"));
      return (await call.done).status === "cancelled";
    },

    isStopping: (): boolean => stopping,

    /**
     * Gives running calls until `graceMs` to end, then records them as interrupted; later calls are interrupted at once.
     * Calls that wait for approval keep waiting until the next start.
     */
    async stop(graceMs: number): Promise<void> {
      stopping = true;
      for (const { controller, waiting } of running.values()) if (waiting) controller.abort(new ServerStopping());
      const all = (): Promise<unknown> => Promise.all(Array.from(running.values(), ({ done }) => done));
      await withinMs(all(), graceMs);
      for (const { controller } of running.values()) controller.abort(new ServerStopping());
      await all();
    },
  };
}
