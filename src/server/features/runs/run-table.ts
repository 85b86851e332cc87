import { type FunctionResultContent, type RunEvent, type RunStatus, textOfMessage } from "../../../lib/contract";
import { AppError } from "../../app-error";
import { ServerStopping } from "../../engine/failures";
import type { RunOutcome, RunRequest } from "../../engine/run-ports";
import { withMedia } from "./execution-result";
import { LiveRun, type RunIdentity } from "./live-run";
import { invocationOf } from "./run-invocation";
import type { RunServicePorts } from "./run-ports";
import type { StoredRun } from "./run-store";
import { runTurn } from "./run-turn";

type Recorded = Parameters<typeof invocationOf>[1]["recorded"];

/** How a run gets into the table. */
export interface Entrance {
  /** Makes the run this process's own. What it throws leaves nothing behind. */
  open(): Promise<{ stored: RunIdentity & Partial<StoredRun>; events: readonly RunEvent[] }>;
  /** Writes down what comes before the turn. What it throws ends the run as failed. */
  prepare(run: LiveRun): Promise<void>;
  provided?: RunRequest["provided"];
  recorded?: Recorded | undefined;
}

interface Going {
  /** Null while it is being opened. */
  run: LiveRun | null;
  /** Asked for while it was being opened. */
  stop: unknown;
  ended: Promise<RunOutcome>;
}

/** The runs that this process goes on with: at most one turn of a run at a time, from before it is taken to after its end. */
export function createRunTable(ports: RunServicePorts) {
  const { store, clock, logger } = ports;
  const going = new Map<string, Going>();
  const end = new AbortController();
  let stopping = false;

  const revive = (stored: RunIdentity & Partial<StoredRun>, events: readonly RunEvent[]): LiveRun =>
    new LiveRun(stored, events, { store, clock, publish: ports.publish, price: ports.models.price });

  /** Resolves when the turn has begun; `ended` when it is over. @throws AppError where it cannot begin */
  async function enter(id: string, entrance: Entrance): Promise<{ ended: Promise<RunOutcome> }> {
    if (stopping) throw new AppError("UNAVAILABLE", "The server is stopping; no run begins or goes on");
    if (going.has(id)) throw new AppError("CONFLICT", "This run is going on; wait for its end, or stop it");
    let begun = (): void => {};
    let refused = (_: unknown): void => {};
    const beginning = new Promise<void>((resolve, reject) => {
      begun = resolve;
      refused = reject;
    });
    const entry: Going = { run: null, stop: null, ended: Promise.resolve(outcomeOf(id, "failed", [])) };
    going.set(id, entry);
    entry.ended = live(entry, id, entrance, begun, refused).finally(() => going.delete(id));
    await beginning;
    return { ended: entry.ended };
  }

  async function live(
    entry: Going,
    id: string,
    entrance: Entrance,
    begun: () => void,
    refused: (reason: unknown) => void,
  ): Promise<RunOutcome> {
    let run: LiveRun;
    try {
      const { stored, events } = await entrance.open();
      run = revive(stored, events);
    } catch (error) {
      refused(error);
      return outcomeOf(id, "failed", []);
    }
    entry.run = run;
    run.announce();
    try {
      await entrance.prepare(run);
      if (run.fault !== null) throw new AppError("UNAVAILABLE", run.fault.message);
    } catch (error) {
      await run.end("failed", spoken(error), end.signal);
      refused(error);
      return outcomeOf(id, run.status, run.events);
    }
    begun();
    if (entry.stop !== null) abort(run, entry.stop);
    await turn(run, entrance);
    return outcomeOf(id, run.status, run.events);
  }

  async function turn(run: LiveRun, { provided, recorded }: Entrance): Promise<void> {
    try {
      const { provider } = run.settings;
      const client = await ports.models.client(provider);
      const hydrate = (result: FunctionResultContent) => withMedia(result, ports.executions);
      await runTurn(run, {
        ...invocationOf(run, { ...ports, provided, recorded }),
        ...{ client, clock, logger, hydrate, endpoint: ports.models.endpoint(provider), stopped: end.signal },
      });
    } catch (error) {
      // The provider is gone, or its key: the run says so.
      if (!(error instanceof AppError)) logger.error({ runId: run.id, err: error }, "A run could not begin");
      await run.end("failed", spoken(error), end.signal);
    }
  }

  return {
    enter,
    revive,
    has: (id: string): boolean => going.has(id),
    /** Null where no turn of it is going on. */
    find: (id: string): LiveRun | null => going.get(id)?.run ?? null,
    /** Stops a turn, or one that is just beginning; null where there is none. */
    stop(id: string, reason: unknown): Promise<RunOutcome> | null {
      const entry = going.get(id);
      if (entry === undefined) return null;
      if (entry.run === null) entry.stop = reason;
      else abort(entry.run, reason);
      return entry.ended;
    },
    /** Fires when nothing can be written down any more. */
    stopped: end.signal,
    get stopping(): boolean {
      return stopping;
    },
    beginStop(): void {
      stopping = true;
      for (const { run } of going.values()) run?.model.abort(new ServerStopping());
      // Who still tries to write an end down gives up with the last try.
      end.abort();
    },
    async ended(): Promise<void> {
      await Promise.all(Array.from(going.values(), ({ ended }) => ended));
    },
  };
}

function abort(run: LiveRun, reason: unknown): void {
  run.model.abort(reason);
  run.calls.abort(reason);
}

function spoken(error: unknown): string {
  return error instanceof AppError ? error.message : "The run could not go on: see the server's log";
}

function outcomeOf(id: string, status: RunStatus, events: RunEvent[]): RunOutcome {
  const answer = events.findLast((event) => event.type === "model_finished");
  const ended = events.findLast((event) => event.type === "turn_ended");
  return {
    ...{ id, status, events },
    text: answer?.type === "model_finished" ? textOfMessage(answer.message) : "",
    error: ended?.type === "turn_ended" ? ended.error : null,
  };
}
