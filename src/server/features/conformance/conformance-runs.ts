import { compareChecks } from "../../../lib/conformance/compare-checks";
import type {
  ConformanceCheck,
  ConformanceRun,
  ConformanceSuite,
  ConformanceVersions,
} from "../../../lib/contract/conformance";
import type { ConformanceParts } from "../../../lib/contract/conformance-outcome";
import { getMessage } from "../../../lib/get-message";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import type { Logger } from "../../engine/ports";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import type { Locks } from "../../platform/coordination/locks";
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
export const MAX_RUN_MS = 15 * 60_000;
const TOO_LONG = `Cancelled: it took longer than ${MAX_RUN_MS / 60_000} minutes`;
export const INTERRUPTED = "Interrupted: the server ended while it was running";
/** Progress is stored at most so often. */
const STEP_MS = 500;

interface StartedRun {
  run: ConformanceRun;
  settings: ConnectionSettings;
  signal: AbortSignal;
  /** Lets the server be tested again. Never rejects. */
  release: () => Promise<void>;
}

/** From the first check to the stored end. Never rejects. */
export async function performRun(
  ports: ConformancePorts,
  { release, ...started }: StartedRun,
  isClosing: () => boolean,
): Promise<void> {
  const { store, logger, now } = ports;
  const { run, signal } = started;
  const limit = AbortSignal.timeout(MAX_RUN_MS);
  const limited = { ...started, signal: AbortSignal.any([signal, limit]), onStep: createSteps(ports, run.id) };
  const end = await performChecks(ports, limited);
  const stopped = (): Partial<ConformanceEnd> => {
    if (isClosing()) return { status: "interrupted", error: INTERRUPTED };
    return { status: "cancelled", error: limit.aborted ? TOO_LONG : null };
  };
  const isStopped = end.result === null && (signal.aborted || limit.aborted);
  // First, so that a caller who sees the end can start the next run.
  await release();
  await store
    .finish(run.id, { ...end, finishedAt: now(), ...(isStopped && stopped()) })
    .catch((err: unknown) => logger.error({ err, run: run.id }, "The end of a conformance run could not be stored"));
  ports.publish(run.server);
}

interface PerformedRun extends Omit<StartedRun, "release"> {
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
