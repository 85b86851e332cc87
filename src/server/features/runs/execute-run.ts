import { readMessageText } from "../../../lib/contract/chat";
import type { RunEvent, RunStatus } from "../../../lib/contract/run";
import type { RunOutcome, RunRequest } from "../../engine/agent/run-ports";
import { AppError } from "../../platform/shared/app-error";
import { withMedia } from "./execution-result";
import { LiveRun, type RunIdentity } from "./live-run";
import type { FindRecorded } from "./recorded-results";
import { invocationOf } from "./run-invocation";
import type { RunServicePorts } from "./run-ports";
import type { StoredRun } from "./run-store";
import { runTurn } from "./run-turn";
import { loggedTools } from "./toolset-tools";

interface OpenedRun {
  stored: RunIdentity & Partial<StoredRun>;
  events: readonly RunEvent[];
  /** Answers calls instead of executing them. */
  recorded?: FindRecorded | undefined;
}

/** How a run becomes active. */
export interface RunAdmission {
  /** Takes the run for this process. Nothing was stored when it throws. */
  open(): Promise<OpenedRun>;
  /** Adds to the log before the turn. The run ends as failed when it throws. */
  prepare(run: LiveRun): Promise<void>;
  provided?: RunRequest["provided"];
}

export interface ActiveRun {
  /** Null until it is opened. */
  run: LiveRun | null;
  /** The reason of a stop that came before it was opened. */
  stop: unknown;
  ended: Promise<RunOutcome>;
}

interface ExecuteContext {
  ports: RunServicePorts;
  /** Fires when the server stops and the log can no longer be written. */
  stopped: AbortSignal;
}

/** Reports whether the turn could start. */
interface StartReport {
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** Opens a run and executes one turn. Never rejects; `report` settles once the turn has started, or cannot start. */
export async function executeRun(
  { ports, stopped }: ExecuteContext,
  id: string,
  entry: ActiveRun,
  admission: RunAdmission,
  report: StartReport,
): Promise<RunOutcome> {
  let opened: OpenedRun;
  let run: LiveRun;
  try {
    opened = await admission.open();
    run = reviveRun(ports, opened.stored, opened.events);
  } catch (error) {
    report.reject(error);
    return outcomeOf(id, "failed", []);
  }
  entry.run = run;
  run.publishStatus();
  try {
    await admission.prepare(run);
    if (run.fault !== null) throw new AppError("UNAVAILABLE", run.fault.message);
  } catch (error) {
    await run.end("failed", messageFor(error), stopped);
    report.reject(error);
    return outcomeOf(id, run.status, run.storedEvents);
  }
  report.resolve();
  if (entry.stop !== null) run.abort(entry.stop);
  await executeTurn({ ports, stopped }, run, { provided: admission.provided, recorded: opened.recorded });
  return outcomeOf(id, run.status, run.storedEvents);
}

async function executeTurn(
  { ports, stopped }: ExecuteContext,
  run: LiveRun,
  { provided, recorded }: Pick<RunAdmission, "provided"> & Pick<OpenedRun, "recorded">,
): Promise<void> {
  const { models, clock, logger } = ports;
  try {
    const { provider } = run.settings;
    const client = await models.client(provider);
    await runTurn(run, {
      ...invocationOf(run, { ...ports, provided, recorded }),
      client,
      clock,
      logger,
      stopped,
      hydrate: (result) => withMedia(result, ports.executions),
      endpoint: models.endpoint(provider),
      maxTools: models.maxTools(provider),
    });
  } catch (error) {
    // The provider is gone, or its key: the run says so.
    if (!(error instanceof AppError)) logger.error({ runId: run.id, err: error }, "A run could not start");
    await run.end("failed", messageFor(error), stopped);
  }
}

export function reviveRun(
  { store, clock, publish, models, masking, ...ports }: RunServicePorts,
  stored: OpenedRun["stored"],
  events: readonly RunEvent[],
): LiveRun {
  const tools = loggedTools(stored.settings, ports);
  return new LiveRun(stored, events, {
    store,
    clock,
    publish,
    price: models.price,
    masking,
    tools,
    serversOf: tools.serversOf,
  });
}

function messageFor(error: unknown): string {
  return error instanceof AppError ? error.message : "The run stopped after an internal error. See the server's log";
}

function outcomeOf(id: string, status: RunStatus, events: readonly RunEvent[]): RunOutcome {
  const answer = events.findLast((event) => event.type === "model_finished");
  const ended = events.findLast((event) => event.type === "turn_ended");
  return {
    id,
    status,
    events: [...events],
    text: answer?.type === "model_finished" ? readMessageText(answer.message) : "",
    error: ended?.type === "turn_ended" ? ended.error : null,
  };
}
