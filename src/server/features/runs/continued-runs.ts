import type { Actor } from "../../../lib/contract/actor";
import type { AppContext } from "../../../lib/contract/app";
import type { RunEvent, RunSettings } from "../../../lib/contract/run";
import { AppError } from "../../platform/shared/app-error";
import type { LiveRun } from "./live-run";
import { settleOpenCalls } from "./open-calls";
import { type FindRecorded, recordedResultsFrom } from "./recorded-results";
import { ENDED_STATUSES, type RunContext, refuseCheck, toUserMessage } from "./run-context";
import { isResumable } from "./run-details";
import type { StoredRun } from "./run-store";

interface Continuation {
  /** @throws AppError where the run cannot continue this way */
  check(stored: StoredRun, events: readonly RunEvent[]): void;
  /** Adds to the log before the turn. */
  prepare(run: LiveRun): Promise<void>;
  recorded?(stored: StoredRun, events: readonly RunEvent[]): Promise<FindRecorded | undefined>;
}

/** Starts further turns of existing runs: the rest of an unfinished turn, or the answer to another message. */
export function createContinuedRuns(context: RunContext) {
  const { store, models, activeRuns } = context;

  /** Continues a run that has ended, or that has no pending calls. */
  async function continueRun(id: string, { check, prepare, recorded }: Continuation): Promise<{ id: string }> {
    await activeRuns.admit(id, {
      open: async () => {
        const stored = await context.find(id);
        const events = await store.events(id);
        check(stored, events);
        if ((await store.unended(id)) > 0 && stored.status === "waiting") {
          throw new AppError("CONFLICT", "This run waits for approval");
        }
        await models.client(stored.settings.provider);
        const found = await recorded?.(stored, events);
        if (!(await store.take(id, [...ENDED_STATUSES, "waiting"], "running"))) {
          throw new AppError("CONFLICT", `This run cannot be resumed: it is ${(await context.find(id)).status}`);
        }
        return { stored, events, recorded: found };
      },
      prepare,
    });
    return { id };
  }

  return {
    /** Continues the unfinished turn. */
    resume: (id: string, by: Actor | null): Promise<{ id: string }> =>
      continueRun(id, {
        check(stored, events) {
          if (!isResumable(stored, events)) throw new AppError("INVALID", "Its turn is over: send another message");
        },
        async prepare(run) {
          await run.append({ type: "resumed", ...changeOf(run, by) });
          await settleOpenCalls(run, context, "execute");
        },
        async recorded({ parentId, parentStep, parentResults }, events) {
          if (parentId === null || parentStep === null || parentResults !== "recorded") return undefined;
          return recordedResultsFrom(await store.events(parentId), parentStep, events, context.executions);
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
          await settleOpenCalls(run, context, "give_up");
          await run.append({ ...toUserMessage(text, appContext), ...changeOf(run, by) });
        },
      }),
  };
}

/** Names whoever continues a run, where its calls ran for another person before. */
function changeOf(run: LiveRun, by: Actor | null): { by?: Actor } {
  return by === null || by.id === run.actor.id ? {} : { by: { id: by.id, name: by.name } };
}
