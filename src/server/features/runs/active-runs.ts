import { readMessageText } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { computeCost, countUsage } from "../../../lib/run/usage";
import type { ChatClient } from "../../engine/agent/chat-ports";
import { withModelBudget } from "../../engine/agent/model-budget";
import type { RunOutcome } from "../../engine/agent/run-starter";
import { ServerStopping } from "../../engine/failures";
import { createTopic } from "../../platform/coordination/bulletin";
import { AppError } from "../../platform/shared/app-error";
import { answerFromCassette } from "./cassette-answers";
import { withMedia } from "./execution-result";
import { LiveRun, type RunIdentity } from "./live-run";
import type { FindRecorded } from "./recorded-results";
import { buildInvocation, type InvocationPorts } from "./run-invocation";
import type { RunServicePorts } from "./run-ports";
import type { StoredRun } from "./run-store";
import { runTurn } from "./run-turn";
import { loggedTools } from "./toolset-tools";

/** An instance that stops leaves a run, by its id, to the others. */
export const RUN_RELEASED = createTopic<string>("runs.released");

interface OpenedRun {
  stored: RunIdentity & Partial<StoredRun>;
  events: readonly RunEvent[];
  /** Answers calls instead of executing them. */
  recorded?: FindRecorded | undefined;
}

/** How a run becomes active. */
interface RunAdmission {
  /** Takes the run for this process. Nothing was stored when it throws. */
  open(): Promise<OpenedRun>;
  /** Adds to the log before the turn. The run ends as failed when it throws. */
  prepare(run: LiveRun): Promise<void>;
}

interface ActiveRun {
  /** Null until it is opened. */
  run: LiveRun | null;
  /** The reason of a stop that arrived before the turn was opened. */
  stop: unknown;
  /** Never rejects. */
  ended: Promise<RunOutcome>;
}

export type ActiveRuns = ReturnType<typeof createActiveRuns>;

/** The active runs of this process: at most one turn per run, for the lifetime of the turn. */
export function createActiveRuns(ports: RunServicePorts) {
  const active = new Map<string, ActiveRun>();
  const end = new AbortController();
  let stopping = false;

  /** Opens a run and prepares its turn, which ends the run when it fails. */
  async function begin(entry: ActiveRun, admission: RunAdmission): Promise<Turn> {
    const { stored, events, recorded } = await admission.open();
    const run = reviveRun(ports, stored, events);
    entry.run = run;
    run.publishStatus();
    let cassette: Awaited<ReturnType<typeof answerFromCassette>>;
    try {
      await admission.prepare(run);
      cassette = await answerFromCassette(ports.cassettes, run, ports.maxModelChars);
      if (run.fault !== null) throw new AppError("UNAVAILABLE", run.fault.message);
    } catch (error) {
      await run.end("failed", messageFor(error), end.signal);
      throw error;
    }
    if (entry.stop !== null) run.abort(entry.stop);
    return { run, recorded: cassette?.recorded ?? recorded, provided: cassette?.provided };
  }

  return {
    /** Resolves when the turn has started; `ended` when it is over. @throws AppError where it cannot start */
    async admit(id: string, admission: RunAdmission): Promise<{ ended: Promise<RunOutcome> }> {
      if (stopping) throw new AppError("UNAVAILABLE", "The server is stopping: no run starts or resumes");
      if (active.has(id)) throw inProgress();
      const entry: ActiveRun = { run: null, stop: null, ended: Promise.resolve(toOutcome(id, null)) };
      active.set(id, entry);
      const begun = begin(entry, admission).catch((error: unknown) => {
        active.delete(id);
        throw error;
      });
      entry.ended = begun
        .then((turn) => executeTurn(turn, ports, end.signal).finally(() => active.delete(id)))
        .then(
          () => toOutcome(id, entry.run),
          () => toOutcome(id, entry.run),
        );
      await begun;
      return { ended: entry.ended };
    },

    has: (id: string): boolean => active.has(id),
    count: (): number => active.size,
    /** Null for a run without an active turn. */
    find: (id: string): LiveRun | null => active.get(id)?.run ?? null,
    /** Stops the turn of a run; null where no turn runs. */
    stop(id: string, reason: unknown): Promise<RunOutcome> | null {
      const entry = active.get(id);
      if (entry === undefined) return null;
      if (entry.run === null) entry.stop = reason;
      else entry.run.abort(reason);
      return entry.ended;
    },
    /** Fires when the server stops and the log can no longer be written. */
    stopped: end.signal,
    get stopping(): boolean {
      return stopping;
    },
    beginStop(): void {
      stopping = true;
      for (const { run } of active.values()) run?.model.abort(new ServerStopping());
      // Ends the retries of a failed write.
      end.abort();
    },
    /** Other instances took over the runs, since this one was considered lost. */
    abandon(): void {
      stopping = true;
      for (const { run } of active.values()) run?.abandon();
    },
    async ended(): Promise<void> {
      await Promise.all(Array.from(active.values(), ({ ended }) => ended));
    },
  };
}

interface Turn extends Pick<InvocationPorts, "provided">, Pick<OpenedRun, "recorded"> {
  run: LiveRun;
}

/** Never rejects. */
async function executeTurn(
  { run, provided, recorded }: Turn,
  ports: RunServicePorts,
  stopped: AbortSignal,
): Promise<void> {
  const { models, clock, logger } = ports;
  try {
    const { provider } = run.settings;
    const client = limitSpend(await models.client(provider, { runId: run.id }), run, ports);
    await runTurn(run, {
      ...buildInvocation(run, { ...ports, provided, recorded }),
      client,
      clock,
      logger,
      stopped,
      handOver: ports.takesOver && run.source !== "check" ? () => handOver(run, ports) : null,
      hydrate: (result) => withMedia(result, ports.executions),
      endpoint: models.endpoint(provider),
      maxTools: models.maxTools(provider),
    });
  } catch (error) {
    // The provider or its key is missing: the run's error says so.
    if (!(error instanceof AppError)) logger.error({ runId: run.id, err: error }, "A run could not start");
    await run.end("failed", messageFor(error), stopped);
  }
}

/** The client of a run that limits of dollars count. Checks are in no figure. */
function limitSpend(client: ChatClient, run: LiveRun, { models, budget }: RunServicePorts): ChatClient {
  if (budget === undefined || run.source === "check") return client;
  const source = run.source === "background" ? run.source : "agent";
  return withModelBudget(client, budget, { actor: run.actor, source, runId: run.id }, (usage) => {
    const { provider, model } = run.settings;
    const price = models.price(provider, model);
    return price === null ? null : computeCost(countUsage(usage), price);
  });
}

export const inProgress = (): AppError =>
  new AppError("CONFLICT", "This run is in progress: wait for it to end, or stop it");

async function handOver(run: LiveRun, { bulletin }: Pick<RunServicePorts, "bulletin">): Promise<void> {
  await run.release();
  bulletin.post(RUN_RELEASED, run.id);
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
    listCallServers: tools.listCallServers,
  });
}

function messageFor(error: unknown): string {
  return error instanceof AppError ? error.message : "The run stopped after an internal error. See the server's log";
}

/** @param run null for one that could not be opened */
function toOutcome(id: string, run: LiveRun | null): RunOutcome {
  const events = [...(run?.storedEvents ?? [])];
  const answer = events.findLast((event) => event.type === "model_finished");
  const ended = events.findLast((event) => event.type === "turn_ended");
  return {
    id,
    status: run?.status ?? "failed",
    events,
    text: answer?.type === "model_finished" ? readMessageText(answer.message) : "",
    error: ended?.type === "turn_ended" ? ended.error : null,
  };
}
