import {
  type Actor,
  type ExecutionDetail,
  type FunctionResultContent,
  type LiveEvent,
  type RunDetail,
  type RunEvent,
  type RunFilter,
  type RunPage,
  type RunSettings,
  type ToolDefinition,
  textOfMessage,
} from "../../../lib/contract";
import { newId } from "../../../lib/execution-id";
import { AppError } from "../../app-error";
import type { ModelDirectory } from "../../engine/chat-ports";
import { ServerStopping } from "../../engine/failures";
import type { Clock, Logger } from "../../engine/ports";
import type { RunOutcome, RunRequest, RunStarter } from "../../engine/run-ports";
import type { ToolExecutor } from "../../engine/tool-executor";
import { withMedia } from "./execution-result";
import { LiveRun } from "./live-run";
import { settleOpenCalls } from "./open-calls";
import { recordedResults } from "./recorded-results";
import { invocationOf } from "./run-invocation";
import type { RunStore, StoredRun } from "./run-store";
import { runTurn } from "./run-turn";

export interface RunServicePorts {
  store: RunStore;
  models: ModelDirectory;
  /** The catalogue, as it is when a turn begins. */
  tools: { list(): readonly ToolDefinition[]; get(name: string): ToolDefinition | undefined };
  executor: Pick<ToolExecutor, "execute">;
  executions: {
    get(id: string): Promise<ExecutionDetail>;
    ofRun(runId: string): Promise<{ id: string; callId: string | null; status: string }[]>;
    /** Ends a call, or withdraws one that waits for approval. */
    cancel(id: string): Promise<unknown>;
  };
  requiresApproval: (definition: ToolDefinition) => boolean;
  /** Whether another process that had taken runs is still there. */
  isAlive: (instanceId: string) => Promise<boolean>;
  maxIterations: number;
  maxModelChars: number;
  newExecutionId: () => string;
  clock: Clock;
  logger: Logger;
  publish: (event: LiveEvent) => void;
}

interface Going {
  run: LiveRun;
  ended: Promise<RunOutcome>;
}

const TITLE_CHARS = 120;
const OVER: readonly StoredRun["status"][] = ["succeeded", "failed", "cancelled", "interrupted"];

/** Runs: a model and the catalogue, in the background, on the record. */
export function createRunService(ports: RunServicePorts) {
  const { store, clock } = ports;
  const going = new Map<string, Going>();
  let stopping = false;

  async function find(id: string): Promise<StoredRun> {
    const found = await store.find(id);
    if (found === null) throw new AppError("NOT_FOUND", `Run '${id}' not found`);
    return found;
  }

  function refuseWhenStopping(): void {
    if (stopping) throw new AppError("UNAVAILABLE", "The server is stopping; no run begins or goes on");
  }

  /** Begins a turn at the end of the log, in the background. */
  function go(run: LiveRun, provided: RunRequest["provided"], recorded?: ReturnType<typeof recordedResults>): Going {
    const turn = async (): Promise<RunOutcome> => {
      try {
        const client = await ports.models.client(run.settings.provider);
        const { invocation, options } = invocationOf(run, { ...ports, provided, recorded });
        const hydrate = (result: FunctionResultContent) => withMedia(result, ports.executions);
        await runTurn(run, { client, clock, logger: ports.logger, invocation, options, hydrate });
      } catch (error) {
        // The provider is gone, or its key: the run says so.
        const said = error instanceof AppError ? error.message : "The run could not go on: see the server's log";
        if (!(error instanceof AppError)) ports.logger.error({ runId: run.id, err: error }, "A run could not begin");
        await run.append({ type: "turn_ended", status: "failed", error: said });
      }
      going.delete(run.id);
      return outcomeOf(run);
    };
    const entry: Going = { run, ended: turn() };
    going.set(run.id, entry);
    return entry;
  }

  function revive(stored: StoredRun, events: readonly RunEvent[]): LiveRun {
    return new LiveRun(stored, events, { store, clock, publish: ports.publish, price: ports.models.price });
  }

  async function begin(
    request: RunRequest,
    more: { events?: readonly RunEvent[]; parentId?: string; parentStep?: number; results?: "live" | "recorded" } = {},
  ): Promise<LiveRun> {
    refuseWhenStopping();
    await ports.models.client(request.settings.provider);
    const { settings, source, actor } = request;
    const title = (request.title ?? request.text).trim().replace(/\s+/gu, " ").slice(0, TITLE_CHARS);
    const id = newId("run");
    await store.create({
      ...{ id, settings, source, actor, status: "running", title, startedAt: clock.now() },
      parentId: more.parentId ?? null,
      parentStep: more.parentStep ?? null,
      parentResults: more.results ?? null,
      transcriptId: request.transcriptId ?? null,
    });
    const run = revive(await find(id), []);
    for (const { index: _index, at: _at, ...body } of more.events ?? []) void run.append(body);
    return run;
  }

  async function start(request: RunRequest): Promise<{ id: string; ended: Promise<RunOutcome> }> {
    const run = await begin(request);
    await say(run, request.text);
    return { id: run.id, ended: go(run, request.provided).ended };
  }

  async function say(run: LiveRun, text: string): Promise<void> {
    await run.append({ type: "user_message", message: { role: "user", contents: [{ type: "text", text }] } });
    if (run.fault !== null) throw new AppError("UNAVAILABLE", run.fault.message);
  }

  /** Takes a run that is over, or whose process died, so that only one goes on with it. */
  async function take(id: string, from: readonly StoredRun["status"][]): Promise<LiveRun> {
    refuseWhenStopping();
    const stored = await find(id);
    if (going.has(id)) throw new AppError("CONFLICT", "This run is going on; wait for its end, or stop it");
    await ports.models.client(stored.settings.provider);
    if (!(await store.take(id, from, "running"))) {
      const why = stored.status === "waiting" ? "it waits for approval" : `it is ${stored.status}`;
      throw new AppError("CONFLICT", `This run cannot go on now: ${why}`);
    }
    return revive(stored, await store.events(id));
  }

  /** Goes on with the turn that was not finished. */
  async function resume(id: string, from: readonly StoredRun["status"][] = OVER): Promise<{ id: string }> {
    const events = await store.events(id);
    const stored = await find(id);
    if (!isResumable(stored, events)) throw new AppError("INVALID", "Its turn is over: send another message");
    if ((await store.waiting(id)) > 0) throw new AppError("CONFLICT", "This run waits for approval");
    const run = await take(id, from);
    await run.append({ type: "resumed" });
    await settleOpenCalls(run, ports, "execute");
    go(run, undefined);
    return { id };
  }

  async function stop(id: string): Promise<{ stopped: boolean }> {
    const entry = going.get(id);
    if (entry === undefined) {
      const stored = await find(id);
      // Nobody goes on with it: it waits for a person since before the last restart.
      if (stored.status !== "waiting" || !(await store.take(id, ["waiting"], "running"))) return { stopped: false };
      const run = revive(stored, await store.events(id));
      await settleOpenCalls(run, ports, "give_up");
      await run.append({ type: "turn_ended", status: "cancelled", error: null });
      return { stopped: true };
    }
    const reason = new DOMException("Stopped by a person", "AbortError");
    entry.run.model.abort(reason);
    entry.run.calls.abort(reason);
    return { stopped: (await entry.ended).status === "cancelled" };
  }

  const starter: RunStarter = { start, stop };

  return {
    starter,
    stop,
    resume: (id: string) => resume(id),

    async start(actor: Actor, input: { settings: RunSettings; text: string }): Promise<{ id: string }> {
      const { id } = await start({ ...input, actor, source: "agent" });
      return { id };
    },

    async send(id: string, text: string, settings: RunSettings | undefined): Promise<{ id: string }> {
      if (settings !== undefined) await ports.models.client(settings.provider);
      const run = await take(id, OVER);
      if (settings !== undefined) run.replaceSettings(settings);
      await settleOpenCalls(run, ports, "give_up");
      await say(run, text);
      go(run, undefined);
      return { id };
    },

    /** A new run with the same beginning: up to the model call `fromStep`, which is made again. */
    async rerun(
      actor: Actor,
      input: { id: string; fromStep: number; results: "live" | "recorded"; settings?: RunSettings | undefined },
    ): Promise<{ id: string }> {
      const parent = await find(input.id);
      const events = await store.events(input.id);
      const at = events.findIndex((event) => event.type === "model_started" && event.step === input.fromStep);
      if (at < 0) throw new AppError("INVALID", `fromStep: this run has no model call ${input.fromStep}`);
      const settings = input.settings ?? parent.settings;
      const request: RunRequest = { settings, text: "", title: parent.title, source: "agent", actor };
      const run = await begin(request, {
        events: events.slice(0, at).filter(({ type }) => type !== "turn_ended" && type !== "resumed"),
        ...{ parentId: parent.id, parentStep: input.fromStep, results: input.results },
      });
      await settleOpenCalls(run, ports, "give_up");
      go(run, undefined, input.results === "recorded" ? recordedResults(events) : undefined);
      return { id: run.id };
    },

    async list(filter: RunFilter, cursor: number | undefined, limit: number): Promise<RunPage> {
      const items = await store.list(filter, { cursor, limit });
      return { items, nextCursor: items.length < limit ? null : (items.at(-1)?.seq ?? null) };
    },

    async get(id: string): Promise<RunDetail> {
      // The log first: what is said meanwhile comes as events.
      const live = going.get(id)?.run;
      const stored = await find(id);
      const [events, children, waiting] = await Promise.all([
        live === undefined ? store.events(id) : live.settled().then(() => [...live.events]),
        store.children(id),
        store.waiting(id),
      ]);
      const { instanceId: _instance, parentResults: _results, ...summary } = stored;
      live?.flush();
      const partial = going.get(id)?.run.partial ?? null;
      const resumable = live === undefined && isResumable(stored, events);
      return { ...summary, waiting, events, children, resumable, partial: partial && structuredClone(partial) };
    },

    /** A call has ended that a run waited for while nobody went on with it. */
    async decided(runId: string): Promise<void> {
      if (going.has(runId) || stopping) return;
      const stored = await store.find(runId);
      if (stored?.status !== "waiting" || (await store.waiting(runId)) > 0) return;
      await resume(runId, ["waiting"]).catch((error: unknown) => {
        ports.logger.warn({ runId, err: error }, "A run could not go on after its approval");
      });
    },

    /** Marks runs of processes that are gone; those that wait for a person go on waiting. */
    async load(): Promise<void> {
      for (const { id, status, instanceId } of await store.unfinished()) {
        if (await ports.isAlive(instanceId)) continue;
        if (status === "waiting" && (await store.waiting(id)) > 0) continue;
        if (!(await store.take(id, [status], "running"))) continue;
        const run = revive(await find(id), await store.events(id));
        if ((await store.waiting(id)) > 0) await store.take(id, ["running"], "waiting");
        else
          await run.append({
            type: "turn_ended",
            status: "interrupted",
            error: "The server ended while this run was going on",
          });
      }
    },

    /** Nothing new begins, models are left; calls go on until the executions stop. */
    beginStop(): void {
      stopping = true;
      for (const { run } of going.values()) run.model.abort(new ServerStopping());
    },

    /** Resolves when every run is written down. */
    async stopped(): Promise<void> {
      await Promise.all(Array.from(going.values(), ({ ended }) => ended));
    },
  };
}

/** Its last turn did not come to its end, and everything it needs is still known. */
function isResumable({ status, source }: StoredRun, events: readonly RunEvent[]): boolean {
  const over = status === "failed" || status === "interrupted" || status === "cancelled" || status === "waiting";
  return over && source !== "check" && events.some(({ type }) => type === "user_message");
}

function outcomeOf({ id, status, events }: LiveRun): RunOutcome {
  const answer = events.findLast((event) => event.type === "model_finished");
  const ended = events.findLast((event) => event.type === "turn_ended");
  return {
    ...{ id, status, events },
    text: answer?.type === "model_finished" ? textOfMessage(answer.message) : "",
    error: ended?.type === "turn_ended" ? ended.error : null,
  };
}
