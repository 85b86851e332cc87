import type { Actor } from "../../../lib/contract/actor";
import type { RunEvent, RunSettings } from "../../../lib/contract/run";
import { newId } from "../../../lib/execution-id";
import type { RunOutcome, RunRequest } from "../../engine/agent/run-ports";
import { AppError } from "../../platform/shared/app-error";
import { settleOpenCalls } from "./open-calls";
import { type FindRecorded, recordedResultsFrom } from "./recorded-results";
import { type RunContext, refuseCheck, toUserMessage } from "./run-context";
import { RunMask } from "./run-mask";

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

/** Starts new runs: with a first message, or with the beginning of an earlier run. */
export function createNewRuns(context: RunContext) {
  const { store, clock, models, activeRuns, executions } = context;

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
        const mask = new RunMask(context);
        const shownTitle = context.masking?.inText(title) ?? title;
        await store.create(
          { ...stored, title: shownTitle },
          kept.map((event) => mask.event(event)),
        );
        return { stored, events: kept, recorded };
      },
      prepare: (run) => settleOpenCalls(run, context, "give_up"),
      provided: request.provided,
    });
    return { id, ended };
  }

  return {
    start: (request: RunRequest): Promise<StartedRun> =>
      begin(request, { events: [{ ...toUserMessage(request.text), index: 0, at: clock.now() }] }),

    /** Starts a run with the log of `id` up to the model call `fromStep`, which is repeated. */
    async rerun(actor: Actor, { id, fromStep, results, settings, text }: RerunInput): Promise<{ id: string }> {
      const parent = await context.find(id);
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

/** The calls of the new run are for whoever started it. */
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
