import type {
  Actor,
  FunctionCallContent,
  FunctionResultContent,
  RunDetail,
  RunEvent,
  RunEventBody,
  RunFilter,
  RunPage,
  RunSettings,
} from "../../../lib/contract";
import { newId } from "../../../lib/execution-id";
import { AppError } from "../../app-error";
import type { RunOutcome, RunRequest, RunStarter } from "../../engine/run-ports";
import { withMedia } from "./execution-result";
import type { LiveRun } from "./live-run";
import { settleOpenCalls } from "./open-calls";
import { recordedResults } from "./recorded-results";
import type { RunServicePorts } from "./run-ports";
import type { StoredRun } from "./run-store";
import { createRunTable } from "./run-table";

const TITLE_CHARS = 120;
const OVER: readonly StoredRun["status"][] = ["succeeded", "failed", "cancelled", "interrupted"];

/** Runs: a model and the catalogue, in the background, on the record. */
export function createRunService(ports: RunServicePorts) {
  const { store, clock } = ports;
  const table = createRunTable(ports);

  async function find(id: string): Promise<StoredRun> {
    const found = await store.find(id);
    if (found === null) throw new AppError("NOT_FOUND", `Run '${id}' not found`);
    return found;
  }

  interface Beginning {
    /** What the log begins with; indexes are given anew. */
    events: readonly RunEvent[];
    parent?: { id: string; step: number; results: "live" | "recorded" };
    recorded?: Recorded;
  }

  /** A new run with its first events, in one commit, and its first turn. */
  async function begin(request: RunRequest, { events, parent, recorded }: Beginning): Promise<Started> {
    const { settings, source, actor } = request;
    await ports.models.client(settings.provider);
    const title = (request.title ?? request.text).trim().replace(/\s+/gu, " ").slice(0, TITLE_CHARS);
    const id = request.id ?? newId("run");
    const { ended } = await table.enter(id, {
      open: async () => {
        const kept = events.map((event, index) => ({ ...event, index }));
        const created = {
          ...{ id, settings, source, actor, status: "running" as const, title, startedAt: clock.now() },
          parentId: parent?.id ?? null,
          parentStep: parent?.step ?? null,
          parentResults: parent?.results ?? null,
          transcriptId: request.transcriptId ?? null,
        };
        await store.create(created, kept);
        return { stored: created, events: kept };
      },
      prepare: (run) => settleOpenCalls(run, ports, "give_up"),
      provided: request.provided,
      recorded,
    });
    return { id, ended };
  }

  function start(request: RunRequest): Promise<Started> {
    return begin(request, { events: [{ ...userMessage(request.text), index: 0, at: clock.now() }] });
  }

  /** Goes on with a run that is over, or that waits for nothing any more. */
  async function goOn(
    id: string,
    check: (stored: StoredRun, events: readonly RunEvent[]) => void,
    prepare: (run: LiveRun) => Promise<void>,
    recorded?: (stored: StoredRun, events: readonly RunEvent[]) => Promise<Recorded | undefined>,
  ): Promise<{ id: string }> {
    const known: { recorded?: Recorded | undefined } = {};
    await table.enter(id, {
      open: async () => {
        const stored = await find(id);
        const events = await store.events(id);
        check(stored, events);
        if ((await store.unended(id)) > 0 && stored.status === "waiting") {
          throw new AppError("CONFLICT", "This run waits for approval");
        }
        await ports.models.client(stored.settings.provider);
        known.recorded = await recorded?.(stored, events);
        if (!(await store.take(id, [...OVER, "waiting"], "running"))) {
          throw new AppError("CONFLICT", `This run cannot go on now: it is ${(await find(id)).status}`);
        }
        return { stored, events };
      },
      prepare,
      recorded: (call) => known.recorded?.(call) ?? null,
    });
    return { id };
  }

  /** Goes on with the turn that was not finished. */
  function resume(id: string): Promise<{ id: string }> {
    return goOn(
      id,
      (stored, events) => {
        if (!isResumable(stored, events)) throw new AppError("INVALID", "Its turn is over: send another message");
      },
      async (run) => {
        await run.append({ type: "resumed" });
        await settleOpenCalls(run, ports, "execute");
      },
      async ({ parentId, parentStep, parentResults }, events) => {
        if (parentId === null || parentStep === null || parentResults !== "recorded") return undefined;
        return fromRecord(await store.events(parentId), parentStep, events);
      },
    );
  }

  /** Answers with what an earlier run's log has from a step on, media put back. */
  function fromRecord(parent: readonly RunEvent[], step: number, used: readonly RunEvent[]): Recorded {
    const at = parent.findIndex((event) => event.type === "model_started" && event.step === step);
    const find = recordedResults(parent.slice(Math.max(0, at)), used);
    return async (call) => {
      const result = find(call);
      return result?.items === undefined ? result : await withMedia(result, ports.executions);
    };
  }

  async function stop(id: string): Promise<{ stopped: boolean }> {
    const stopped = table.stop(id, new DOMException("Stopped by a person", "AbortError"));
    if (stopped !== null) return { stopped: (await stopped).status === "cancelled" };
    const stored = await find(id);
    // Nobody goes on with it: it waits for a person since before the last restart.
    if (stored.status !== "waiting" || !(await store.take(id, ["waiting"], "running", stored.instanceId))) {
      return { stopped: false };
    }
    await endAlone(id, "cancelled", null);
    return { stopped: true };
  }

  /** Ends a run that was taken, without a turn. */
  async function endAlone(id: string, status: "cancelled" | "failed" | "interrupted", error: string | null) {
    const run = table.revive(await find(id), await store.events(id));
    if (status !== "interrupted") await settleOpenCalls(run, ports, "give_up");
    await run.end(status, error, table.stopped);
  }

  /** The run of a call that has ended, or what a start finds: goes on by itself once nothing of it waits or runs. */
  async function continueWaiting(id: string): Promise<void> {
    if (table.has(id) || (await store.unended(id)) > 0) return;
    try {
      await resume(id);
    } catch (error) {
      const said = error instanceof AppError ? error.message : "see the server's log";
      ports.logger.warn({ runId: id, err: error }, "A run could not go on after its approval");
      if (table.stopping || table.has(id) || !(await store.take(id, ["waiting"], "running"))) return;
      await endAlone(id, "failed", `The run could not go on after its approval: ${said}`);
    }
  }

  async function markDead(id: string, status: StoredRun["status"], instanceId: string): Promise<void> {
    if (table.has(id)) return;
    if (instanceId !== ports.instanceId && (await ports.isAlive(instanceId))) return;
    const unended = await store.unended(id);
    if (status === "waiting") return unended > 0 ? undefined : await continueWaiting(id);
    // An approval is open, or its call is being carried out: the run goes on when that is over.
    if (unended > 0) return void (await store.take(id, ["running"], "waiting", instanceId));
    if (!(await store.take(id, ["running"], "running", instanceId))) return;
    await endAlone(id, "interrupted", "The server ended while this run was going on");
  }

  const starter: RunStarter = { start, stop };

  return {
    starter,
    stop,
    resume,

    async start(actor: Actor, input: { settings: RunSettings; text: string }): Promise<{ id: string }> {
      const { id } = await start({ ...input, actor, source: "agent" });
      return { id };
    },

    send: (id: string, text: string, settings: RunSettings | undefined): Promise<{ id: string }> =>
      goOn(id, refuseCheck, async (run) => {
        if (settings !== undefined) {
          await ports.models.client(settings.provider);
          run.replaceSettings(settings);
        }
        await settleOpenCalls(run, ports, "give_up");
        await run.append(userMessage(text));
      }),

    /** A new run with the same beginning: up to the model call `fromStep`, which is made again. */
    async rerun(
      actor: Actor,
      input: { id: string; fromStep: number; results: "live" | "recorded"; settings?: RunSettings | undefined },
    ): Promise<{ id: string }> {
      const parent = await find(input.id);
      refuseCheck(parent);
      const events = await store.events(input.id);
      const at = events.findIndex((event) => event.type === "model_started" && event.step === input.fromStep);
      if (at < 0) throw new AppError("INVALID", `fromStep: this run has no model call ${input.fromStep}`);
      const settings = input.settings ?? parent.settings;
      const { id } = await begin(
        { settings, text: "", title: parent.title, source: "agent", actor },
        {
          events: events.slice(0, at).filter(({ type }) => type !== "turn_ended" && type !== "resumed"),
          parent: { id: parent.id, step: input.fromStep, results: input.results },
          ...(input.results === "recorded" ? { recorded: fromRecord(events, input.fromStep, []) } : {}),
        },
      );
      return { id };
    },

    async list(filter: RunFilter, cursor: number | undefined, limit: number): Promise<RunPage> {
      const items = await store.list(filter, { cursor, limit });
      return { items, nextCursor: items.length < limit ? null : (items.at(-1)?.seq ?? null) };
    },

    async get(id: string): Promise<RunDetail> {
      const live = table.find(id);
      await live?.settled();
      const stored = await find(id);
      const [events, children, waiting] = await Promise.all([
        live === null ? store.events(id) : [...live.events],
        store.children(id),
        store.waiting(id),
      ]);
      const { instanceId: _instance, parentResults: _results, ...summary } = stored;
      live?.flush();
      const partial = live?.partial ?? null;
      const resumable = live === null && waiting === 0 && isResumable(stored, events);
      return { ...summary, waiting, events, children, resumable, partial: partial && structuredClone(partial) };
    },

    /** A call has ended that a run waited for while nobody went on with it. Never rejects. */
    async decided(runId: string): Promise<void> {
      try {
        const stored = await store.find(runId);
        if (stored?.status === "waiting" && !table.stopping) await continueWaiting(runId);
      } catch (error) {
        ports.logger.error({ runId, err: error }, "A run could not be gone on with");
      }
    },

    /** Ends what processes that are gone left behind; runs that wait for a person go on waiting. */
    async load(): Promise<void> {
      for (const { id, status, instanceId } of await store.unfinished()) await markDead(id, status, instanceId);
    },

    /** Nothing new begins, models are left; calls go on until the executions stop. */
    beginStop: table.beginStop,
    /** Resolves when every run is written down. */
    ended: table.ended,
  };
}

type Recorded = (call: FunctionCallContent) => FunctionResultContent | null | Promise<FunctionResultContent | null>;

interface Started {
  id: string;
  ended: Promise<RunOutcome>;
}

function userMessage(text: string): Extract<RunEventBody, { type: "user_message" }> {
  return { type: "user_message", message: { role: "user", contents: [{ type: "text", text }] } };
}

/** Its tools are the check's own, and gone. */
function refuseCheck({ source }: StoredRun): void {
  if (source === "check") throw new AppError("INVALID", "This run belongs to a model check and cannot go on by itself");
}

/** Its last turn did not come to its end, and everything it needs is still known. */
function isResumable({ status, source }: StoredRun, events: readonly RunEvent[]): boolean {
  const over = status === "failed" || status === "interrupted" || status === "cancelled" || status === "waiting";
  return over && source !== "check" && events.some(({ type }) => type === "user_message");
}
