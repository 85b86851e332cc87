import { setTimeout as wait } from "node:timers/promises";
import type { Actor } from "../../../lib/contract/actor";
import type { ConformanceRun, ConformanceRunDetail, ConformanceSuite } from "../../../lib/contract/conformance";
import type { ConformanceParts } from "../../../lib/contract/conformance-outcome";
import { createBackgroundTasks } from "../../platform/coordination/background-tasks";
import { AppError } from "../../platform/shared/app-error";
import { type ConformancePorts, INTERRUPTED, MAX_RUN_MS, performRun } from "./conformance-runs";

const LOOK_AGAIN_MS = 150;

/** Runs of the conformance checks in the background: from their start to their stored end. */
export function createConformanceService(ports: ConformancePorts) {
  const { store, logger, now } = ports;
  const tasks = createBackgroundTasks({ kind: "conformance_run", what: "the checks", calls: ports.calls });

  async function find(id: string): Promise<ConformanceRunDetail> {
    const found = await store.find(id);
    if (found === null) throw new AppError("NOT_FOUND", `Run '${id}' not found`);
    return found;
  }

  return {
    list: (server: string): Promise<ConformanceRun[]> => store.list(server),
    suite: (): ConformanceSuite => ports.describeSuite(),

    /** Whether a run with these parts would install the official suite on this machine. */
    installsSuite: (parts: ConformanceParts): boolean => parts !== "own" && ports.describeSuite().state === "missing",

    /** Resolves once it is stored; it runs in the background. */
    async start(actor: Actor, server: string, parts: ConformanceParts): Promise<ConformanceRunDetail> {
      const settings = ports.toConnection(server);
      const { state, reason } = ports.describeSuite();
      if (parts !== "own" && state === "unsupported") {
        throw new AppError(
          "INVALID",
          `parts: ${reason ?? "the official suite cannot run here"}. Toolroom's own checks run with 'own'`,
        );
      }
      const lease = await ports.locks.acquire(`conformance ${server}`, MAX_RUN_MS);
      if (lease === null)
        throw new AppError("CONFLICT", `Checks of '${server}' are running: wait for them, or cancel them`);
      const release = (): Promise<void> =>
        lease.release().catch((err: unknown) => logger.warn({ err, server }, "The lease of a conformance run stays"));
      const id = ports.newId();
      let stored: ConformanceRun | null = null;
      try {
        const run = await tasks.start({
          id,
          async save() {
            stored = await store.create({ id, server, parts, actor, startedAt: now() });
            return stored;
          },
          async perform(stop) {
            const signal = AbortSignal.any([stop.signal, lease.signal]);
            if (stored !== null) await performRun(ports, { run: stored, settings, signal, release }, tasks.isClosing);
          },
        });
        ports.publish(server);
        return { ...run, checks: [], comparison: null };
      } catch (error) {
        await release();
        throw error;
      }
    },

    /** The run as it is when it has ended, or after so many milliseconds. */
    async get(id: string, waitMs = 0): Promise<ConformanceRunDetail> {
      const until = performance.now() + waitMs;
      for (;;) {
        const run = await find(id);
        if (run.status !== "running" || performance.now() >= until) return run;
        await wait(LOOK_AGAIN_MS);
      }
    },

    /** False when it was over already. */
    async cancel(_actor: Actor, id: string): Promise<{ cancelled: boolean }> {
      const { status } = await find(id);
      return { cancelled: status === "running" && (await tasks.cancel(id)) };
    },

    /** Ends the runs that processes left running which ended. */
    async settleLost(): Promise<void> {
      await tasks.settleLost(await store.running(), ({ id, owner }) =>
        store.finish(id, { status: "interrupted", finishedAt: now(), error: INTERRUPTED, result: null }, owner),
      );
    },

    close: tasks.close,
  };
}
