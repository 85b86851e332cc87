import { isVisibleTo } from "../../../lib/apps/tool-app";
import type { Actor } from "../../../lib/contract/actor";
import type { AppContext } from "../../../lib/contract/app";
import type { RunEvent, RunEventBody, RunFilter, RunPage, RunSettings, ToolSelection } from "../../../lib/contract/run";
import { newId } from "../../../lib/execution-id";
import { toChatTool } from "../../../lib/to-chat-tool";
import type { RunOutcome, RunRequest, RunStarter } from "../../engine/agent/run-starter";
import { AppError } from "../../platform/shared/app-error";
import { type ActiveRuns, createActiveRuns, inProgress } from "./active-runs";
import type { LiveRun } from "./live-run";
import { settleOpenCalls } from "./open-calls";
import { type FindRecorded, recordedResultsFrom } from "./recorded-results";
import { createRunDetails, isResumable } from "./run-details";
import { listExampleTools } from "./run-invocation";
import { RunMask } from "./run-mask";
import type { RunServicePorts } from "./run-ports";
import { createRunRecovery } from "./run-recovery";
import { findRun, type StoredRun } from "./run-store";

interface Beginning {
  /** The beginning of the log; indexes are reassigned. */
  events: readonly RunEvent[];
  parent?: { id: string; step: number; results: "live" | "recorded" };
  recorded?: FindRecorded | undefined;
}

interface StartedRun {
  id: string;
  ended: Promise<RunOutcome>;
}

interface RerunInput {
  id: string;
  fromStep: number;
  results: "live" | "recorded";
  settings?: RunSettings | undefined;
  /** Replaces the message that the step answers. */
  text?: string | undefined;
}

const TITLE_CHARS = 120;
/** The statuses of a run that no instance executes. */
const IDLE_STATUSES: readonly StoredRun["status"][] = ["succeeded", "failed", "cancelled", "interrupted", "waiting"];
/** An interrupted run that is older is not continued without a request. */
const TAKEN_OVER_WITHIN_MS = 3_600_000;
/** The limit for one turn: a call may be what ends the servers. */
const MAX_TAKEOVERS = 10;

/** Starts new runs: with a first message, or with the beginning of an earlier run. */
function createNewRuns(ports: RunServicePorts, activeRuns: ActiveRuns) {
  const { store, clock, models, executions, masking } = ports;

  /** Stores a new run with its first events in one commit, and starts its first turn. */
  async function begin(request: RunRequest, { events, parent, recorded }: Beginning): Promise<StartedRun> {
    const { settings, source, actor } = request;
    await models.client(settings.provider);
    const title = (request.title ?? request.text).trim().replace(/\s+/gu, " ").slice(0, TITLE_CHARS);
    const id = request.id ?? newId("run");
    const { ended } = await activeRuns.admit(id, {
      open: async () => {
        const kept = events.map((event, index) => ({ ...withoutSender(event), index }));
        const stored = {
          id,
          settings,
          source,
          actor,
          title,
          status: "running" as const,
          startedAt: clock.now(),
          parentId: parent?.id ?? null,
          parentStep: parent?.step ?? null,
          parentResults: parent?.results ?? null,
          transcriptId: request.transcriptId ?? null,
        };
        const mask = new RunMask(ports);
        const shownTitle = masking?.inText(title) ?? title;
        await store.create(
          { ...stored, title: shownTitle },
          kept.map((event) => mask.event(event)),
        );
        return { stored, events: kept, recorded };
      },
      prepare: (run) => settleOpenCalls(run, ports, "give_up"),
    });
    return { id, ended };
  }

  return {
    start: (request: RunRequest): Promise<StartedRun> =>
      begin(request, { events: [{ ...toUserMessage(request.text), index: 0, at: clock.now() }] }),

    /** Starts a run with the log of `id` up to the model call `fromStep`, which is repeated. */
    async rerun(actor: Actor, { id, fromStep, results, settings, text }: RerunInput): Promise<{ id: string }> {
      const parent = await findRun(store, id);
      refuseCheck(parent);
      const events = await store.events(id);
      const at = events.findIndex((event) => event.type === "model_started" && event.step === fromStep);
      if (at < 0) throw new AppError("INVALID", `fromStep: this run has no model call ${fromStep}`);
      const kept = events.slice(0, at).filter(({ type }) => type !== "turn_ended" && type !== "resumed");
      const beginning = text === undefined ? kept : replaceMessage(kept, text);
      const title = text !== undefined && beginning.length === 1 ? text : parent.title;
      const started = await begin(
        { settings: settings ?? parent.settings, text: "", title, source: "agent", actor },
        {
          events: beginning,
          parent: { id, step: fromStep, results },
          recorded: results === "recorded" ? recordedResultsFrom(events, fromStep, [], executions) : undefined,
        },
      );
      return { id: started.id };
    },
  };
}

/** The calls of the new run run for the user who started it. */
function withoutSender(event: RunEvent): RunEvent {
  if (event.type !== "user_message") return event;
  const { by: _by, ...message } = event;
  return message;
}

/** @throws AppError where the log does not end with a message */
function replaceMessage(events: readonly RunEvent[], text: string): RunEvent[] {
  const last = events.at(-1);
  if (last?.type !== "user_message") {
    throw new AppError("INVALID", "text: only the step that answers a message can be rerun with another one");
  }
  return [...events.slice(0, -1), { ...last, ...toUserMessage(text) }];
}

interface Continuation {
  /** The statuses that the run may have; those of one that no instance executes when absent. */
  from?: readonly StoredRun["status"][];
  /** @throws AppError where the run cannot continue this way */
  check(stored: StoredRun, events: readonly RunEvent[]): void;
  /** Adds to the log before the turn. */
  prepare(run: LiveRun): Promise<void>;
  recorded?(stored: StoredRun, events: readonly RunEvent[]): Promise<FindRecorded | undefined>;
}

/** Starts further turns of existing runs: the rest of an unfinished turn, or the answer to another message. */
function createContinuedRuns(ports: RunServicePorts, activeRuns: ActiveRuns) {
  const { store, models, executions, copies, clock } = ports;

  /** Continues a run that has ended, or that has no pending calls. */
  async function continueRun(
    id: string,
    { from = IDLE_STATUSES, check, prepare, recorded }: Continuation,
  ): Promise<{ id: string }> {
    await activeRuns.admit(id, {
      open: async () => {
        const stored = await findRun(store, id);
        const { owner } = stored;
        if (owner !== null && owner !== copies.self.id && copies.isLiving(owner)) throw inProgress();
        const events = await store.events(id);
        check(stored, events);
        if ((await store.unended(id)) > 0 && stored.status === "waiting") {
          throw new AppError("CONFLICT", "This run waits for approval");
        }
        await models.client(stored.settings.provider);
        const found = await recorded?.(stored, events);
        // Another instance may have continued and ended it since.
        const isSame = from.includes(stored.status);
        if (!isSame || !(await store.take(id, [stored.status], "running", owner, stored.finishedAt))) {
          throw new AppError("CONFLICT", `This run cannot be resumed: it is ${(await findRun(store, id)).status}`);
        }
        if (owner === null && copies.list().length < 2) return { stored, events, recorded: found };
        // Another instance may have added to the log until now.
        return { stored: await findRun(store, id), events: await store.events(id), recorded: found };
      },
      prepare,
    });
    return { id };
  }

  const resumeTurn = (
    id: string,
    by: Actor | null,
    how: Pick<Continuation, "from" | "check">,
  ): Promise<{ id: string }> =>
    continueRun(id, {
      ...how,
      async prepare(run) {
        await run.append({ type: "resumed", ...findChange(run, by) });
        await settleOpenCalls(run, ports, "execute");
      },
      async recorded({ parentId, parentStep, parentResults }, events) {
        if (parentId === null || parentStep === null || parentResults !== "recorded") return undefined;
        return recordedResultsFrom(await store.events(parentId), parentStep, events, executions);
      },
    });

  return {
    resume: (id: string, by: Actor | null): Promise<{ id: string }> =>
      resumeTurn(id, by, {
        check(stored, events) {
          if (!isResumable(stored, events)) throw new AppError("INVALID", "Its turn is over: send another message");
        },
      }),

    /**
     * Continues the turn of an instance of the server that ended in the middle of it.
     * @throws AppError INVALID for a run that should rather be interrupted
     */
    takeOver: (id: string): Promise<{ id: string }> =>
      resumeTurn(id, null, {
        from: ["running"],
        check(stored, events) {
          refuseCheck(stored);
          refuseHopeless(events, clock.now());
        },
      }),

    send: (
      by: Actor,
      id: string,
      text: string,
      settings: RunSettings | undefined,
      appContext?: readonly AppContext[],
    ): Promise<{ id: string }> =>
      continueRun(id, {
        check: refuseCheck,
        async prepare(run) {
          if (settings !== undefined) {
            await models.client(settings.provider);
            run.replaceSettings(settings);
          }
          await settleOpenCalls(run, ports, "give_up");
          await run.append({ ...toUserMessage(text, appContext), ...findChange(run, by) });
        },
      }),
  };
}

/** @throws AppError for a run that did not continue for long, whose servers ended repeatedly, or that has no message */
function refuseHopeless(events: readonly RunEvent[], now: number): void {
  const message = events.findLastIndex((event) => event.type === "user_message");
  const turn = events.slice(message);
  const takeovers = turn.filter((event, at) => event.type === "resumed" && turn[at - 1]?.type !== "turn_ended").length;
  const isOld = now - (events.at(-1)?.at ?? 0) > TAKEN_OVER_WITHIN_MS;
  if (message < 0 || isOld || takeovers >= MAX_TAKEOVERS) throw new AppError("INVALID", "Its turn is not continued");
}

/** Names the user who continues a run, where its calls ran for another user before. */
function findChange(run: LiveRun, by: Actor | null): { by?: Actor } {
  return by === null || by.id === run.actor.id ? {} : { by: { id: by.id, name: by.name } };
}

function toUserMessage(
  text: string,
  appContext: readonly AppContext[] = [],
): Extract<RunEventBody, { type: "user_message" }> {
  const message = { role: "user" as const, contents: [{ type: "text" as const, text }] };
  return { type: "user_message", message, ...(appContext.length === 0 ? {} : { appContext }) };
}

/** The tools of a scenario no longer exist. */
function refuseCheck({ source }: StoredRun): void {
  if (source === "check") throw new AppError("INVALID", "This run is an attempt of an eval and cannot be resumed");
}

/** Runs of a model with tools, in the background; every event is stored. */
export function createRunService(given: RunServicePorts) {
  const ports = { ...given, tools: offeredTools(given.tools) };
  const { store } = ports;
  const activeRuns = createActiveRuns(ports);
  const { start, rerun } = createNewRuns(ports, activeRuns);
  const { resume, send, takeOver } = createContinuedRuns(ports, activeRuns);
  const { stop, stopHere, decided, load, settleLost } = createRunRecovery(ports, activeRuns, { resume, takeOver });
  const starter: RunStarter = { start, stop };
  ports.copies.onExpelled(async () => activeRuns.abandon());
  ports.calls?.handle("run", async (id) => (await stopHere(id)) === true);

  return {
    starter,
    rerun,
    stop: (_actor: Actor, id: string): Promise<{ stopped: boolean }> => stop(id),
    resume: (actor: Actor, id: string): Promise<{ id: string }> => resume(id, actor),
    send,

    activeCount: activeRuns.count,
    has: async (id: string): Promise<boolean> => (await store.find(id)) !== null,

    /** @param input its `id` is one that no run has; made here when absent */
    async start(actor: Actor, input: { id?: string; settings: RunSettings; text: string }): Promise<{ id: string }> {
      const { id } = await start({ ...input, actor, source: "agent" });
      return { id };
    },

    async list(filter: RunFilter, cursor: number | undefined, limit: number): Promise<RunPage> {
      const items = await store.list(filter, { cursor, limit });
      return { items, nextCursor: items.length < limit ? null : (items.at(-1)?.seq ?? null) };
    },

    /** Requests that call the tools of a selection. */
    examples: async (tools: ToolSelection): Promise<{ items: string[] }> => ({
      items: ports.listExamples(listExampleTools(tools, ports).map(toChatTool)),
    }),

    ...createRunDetails(ports, activeRuns),
    decided,
    load,
    settleLost,

    /** Refuses new runs and aborts model requests; calls continue until the executions stop. */
    beginStop: activeRuns.beginStop,
    /** Resolves when every run is stored. */
    ended: activeRuns.ended,
  };
}

/** The tools without those that only Apps may call. */
function offeredTools(tools: RunServicePorts["tools"]): RunServicePorts["tools"] {
  return {
    list: () => tools.list().filter((tool) => isVisibleTo(tool, "model")),
    get: (name) => tools.get(name),
  };
}
