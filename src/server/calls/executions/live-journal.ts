import type { CallEvents } from "../../../lib/contract/call-event";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type {
  CallAudience,
  ExecutionEnd,
  ExecutionJournal,
  ExecutionObserver,
  ExecutionStart,
} from "../../engine/ports";
import type { Answer } from "./private-calls";

interface LiveJournalPorts {
  onPersonalCall?: () => void;
  findProblem?: () => string | null;
  /** Stores what happened during a call, before its end, so that who reads the end finds it. Never rejects. */
  keepEvents?: (executionId: string, events: CallEvents) => Promise<void>;
}

/** Publishes what the journal has stored. */
export function createLiveJournal(
  journal: ExecutionJournal,
  publish: (event: LiveEvent) => void,
  { onPersonalCall, findProblem, keepEvents }: LiveJournalPorts = {},
): ExecutionJournal {
  const publishStatus = (
    start: ExecutionStart,
    status: ExecutionEnd["status"] | "running" | "waiting",
    errorKind: ExecutionEnd["errorKind"] = null,
  ): void => {
    const { id, toolName, calledAs, source, parentId } = start;
    const execution = {
      id,
      toolName,
      source,
      parentId,
      status,
      ...(errorKind && { errorKind }),
      ...(calledAs && { calledAs }),
    };
    publish({ type: "execution", execution });
  };
  return {
    /** Refuses a call before the disk is so full that its end could not be written. */
    async begin(start) {
      const problem = findProblem?.() ?? null;
      if (problem !== null) throw new Error(problem);
      await journal.begin(start);
      publishStatus(start, start.waiting === true ? "waiting" : "running");
    },
    async proceed(start, proceeding) {
      const runs = await journal.proceed(start, proceeding);
      if (runs) publishStatus(start, "running");
      return runs;
    },
    async finish(start, { events, ...end }) {
      if (events !== undefined) await keepEvents?.(start.id, events);
      await journal.finish(start, end);
      if (end.credential === "personal") onPersonalCall?.();
      publishStatus(start, end.status, end.errorKind);
    },
    async record(start, end) {
      await journal.record(start, end);
      publishStatus(start, end.status, end.errorKind);
    },
  };
}

type Audience = readonly string[] | undefined;

/** Publishes events in the order they are given, also where an audience has to be read first. */
export function createOrderedPublish(publish: (event: LiveEvent, audience?: Audience) => void) {
  let last: Promise<void> | null = null;
  async function publishAfter(
    before: Promise<void> | null,
    event: LiveEvent,
    audience: Answer<Audience>,
  ): Promise<void> {
    await before;
    // Where the audience cannot be read, only admins receive the event.
    publish(event, await Promise.resolve(audience).catch(() => []));
  }
  return (event: LiveEvent, audience?: Answer<Audience>): void => {
    if (last === null && !(audience instanceof Promise)) {
      publish(event, audience);
      return;
    }
    const turn = publishAfter(last, event, audience).finally(() => {
      if (last === turn) last = null;
    });
    last = turn;
  };
}

/** Log and progress of a call with a personal credential go to its caller and admins alone, of others to the run's readers. */
export function createLiveObserver(
  publish: (event: LiveEvent, audience?: Answer<Audience>) => void,
  audienceOfRun: (runId: string) => Answer<Audience>,
): ExecutionObserver {
  const toAudience = ({ owner, runId }: CallAudience): Answer<Audience> => {
    if (owner !== null) return [owner];
    return runId === null ? undefined : audienceOfRun(runId);
  };
  return {
    log: (executionId, line, before, of) =>
      publish({ type: "execution_log", executionId, line, before }, toAudience(of)),
    progress: (executionId, progress, total, message, of) =>
      publish({ type: "execution_progress", executionId, progress, total, message }, toAudience(of)),
  };
}
