import { setTimeout as wait } from "node:timers/promises";
import { compareChecks } from "../../../lib/conformance/compare-checks";
import type { Actor } from "../../../lib/contract/actor";
import type {
  ConformanceCheck,
  ConformanceRun,
  ConformanceRunDetail,
  ConformanceSuite,
  ConformanceVersions,
} from "../../../lib/contract/conformance";
import type { ConformanceParts } from "../../../lib/contract/conformance-outcome";
import { getMessage } from "../../../lib/get-message";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import type { Logger } from "../../engine/ports";
import { createBackgroundTasks } from "../../platform/coordination/background-tasks";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import type { Locks } from "../../platform/coordination/locks";
import { AppError } from "../../platform/shared/app-error";
import type { ConformanceEnd, ConformanceStore } from "./conformance-store";

export interface ConformancePorts {
  store: ConformanceStore;
  /** A connection of its own to a server. @throws AppError for a server that cannot be tested */
  toConnection: (server: string) => ConnectionSettings;
  /** Tests a server. Rejects when the signal aborts, and with a message for users where it cannot. */
  test: (request: {
    settings: ConnectionSettings;
    parts: ConformanceParts;
    signal: AbortSignal;
    onStep: (step: string) => void;
  }) => Promise<{ checks: ConformanceCheck[]; versions: Omit<ConformanceVersions, "toolroom"> }>;
  describeSuite: () => ConformanceSuite;
  /** One run of a server at all instances. */
  locks: Pick<Locks, "acquire">;
  calls: CallRegistry;
  logger: Logger;
  now: () => number;
  newId: () => string;
  version: string;
  /** A run of the server began or ended. */
  publish: (server: string) => void;
}

/** The longest that a run may take. */
const MAX_RUN_MS = 15 * 60_000;
const TOO_LONG = `Cancelled: it took longer than ${MAX_RUN_MS / 60_000} minutes`;
const INTERRUPTED = "Interrupted: the server ended while it was running";
/** Progress is stored at most so often. */
const STEP_MS = 500;
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

  async function perform(run: ConformanceRun, settings: ConnectionSettings, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.timeout(MAX_RUN_MS);
    const onStep = createSteps(ports, run.id);
    const end = await performChecks(ports, { run, settings, signal: AbortSignal.any([signal, limit]), onStep });
    const stopped = (): Partial<ConformanceEnd> => {
      if (tasks.isClosing()) return { status: "interrupted", error: INTERRUPTED };
      return { status: "cancelled", error: limit.aborted ? TOO_LONG : null };
    };
    const isStopped = end.result === null && (signal.aborted || limit.aborted);
    await store.finish(run.id, { ...end, finishedAt: now(), ...(isStopped && stopped()) });
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
            if (stored !== null) {
              await perform(stored, settings, AbortSignal.any([stop.signal, lease.signal])).catch((err: unknown) =>
                logger.error({ err, run: id }, "The end of a conformance run could not be stored"),
              );
            }
            await release();
            ports.publish(server);
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

interface PerformedRun {
  run: ConformanceRun;
  settings: ConnectionSettings;
  signal: AbortSignal;
  onStep: (step: string) => void;
}

/** Never rejects. */
async function performChecks(
  { store, test, version }: ConformancePorts,
  { run, settings, signal, onStep }: PerformedRun,
): Promise<Pick<ConformanceEnd, "status" | "error" | "result">> {
  try {
    const { checks, versions } = await test({ settings, parts: run.parts, signal, onStep });
    const comparison = compareChecks(await store.findLastFinished(run.server), checks);
    const result = { checks, versions: { toolroom: version, ...versions }, comparison };
    return { status: "finished", error: null, result };
  } catch (error) {
    return { status: "failed", error: getMessage(error), result: null };
  }
}

/** Stores what is done now, but not every short step. */
function createSteps({ store, logger }: ConformancePorts, id: string): (step: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (step) => {
    if (performance.now() - last < STEP_MS) return;
    last = performance.now();
    store.saveStep(id, step).catch((err: unknown) => logger.warn({ err, run: id }, "A step could not be stored"));
  };
}
