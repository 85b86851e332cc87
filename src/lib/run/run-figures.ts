import { classifyErrorKind } from "../contract/call-class";
import type { RunDetail, RunEvent, RunSummary } from "../contract/run";

/** The figures of a run, or of a part of its log; the list, the header, the footers and the timeline all read these. */
export interface RunFigures {
  /** Time of the turns, without the time in which all open calls waited for approval and without the time between turns. */
  activeMs: number;
  /** Time in which all open calls waited for approval. With `activeMs` it is the duration. */
  waitMs: number;
  /** The number of requests to a model. */
  modelCalls: number;
  /** Calls that were started, or answered without a start: a recorded result, an unknown tool. */
  toolCalls: number;
  /** Calls that failed, also for invalid arguments; rejected and cancelled calls are not failures. */
  failedToolCalls: number;
}

/** Adds up the events of a log in order. */
export class FigureSum {
  readonly figures: RunFigures = { activeMs: 0, waitMs: 0, modelCalls: 0, toolCalls: 0, failedToolCalls: 0 };
  /** Null before the first event. */
  #lastAt: number | null = null;
  #ended = false;
  /** Started calls without a result, and those of them that wait for approval. */
  readonly #open = new Set<string>();
  readonly #waiting = new Set<string>();

  get hasWaitingCalls(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether all open calls wait for approval. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0 && this.#waiting.size === this.#open.size;
  }

  add(event: RunEvent): void {
    this.#addTime(event);
    const { figures } = this;
    switch (event.type) {
      case "user_message":
        this.#open.clear();
        this.#waiting.clear();
        return;
      case "resumed":
        this.#waiting.clear();
        return;
      case "model_started":
        figures.modelCalls += 1;
        return;
      case "tool_started":
        figures.toolCalls += 1;
        this.#open.add(event.callId);
        if (event.approval) this.#waiting.add(event.callId);
        return;
      case "approval_requested":
        this.#waiting.add(event.callId);
        return;
      case "approval_granted":
        this.#waiting.delete(event.callId);
        return;
      case "tool_finished":
        if (isFailedCall(event)) figures.failedToolCalls += 1;
        if (!this.#open.delete(event.callId)) figures.toolCalls += 1;
        this.#waiting.delete(event.callId);
        return;
      case "turn_ended":
        this.#ended = true;
        return;
    }
  }

  #addTime(event: RunEvent): void {
    // Time before a message or a resumption is idle.
    if (this.#lastAt === null || event.type === "user_message" || event.type === "resumed") {
      this.#lastAt = event.at;
      this.#ended = false;
    } else if (!this.#ended && !isLateEnd(event))
      this.#pass(event.at, event.type === "tool_finished" ? getRunMs(event) : 0);
  }

  /** @param ranMs how long the call ran that ends now: older logs do not say when it was approved */
  #pass(at: number, ranMs: number): void {
    const last = this.#lastAt ?? at;
    // A clock may step back.
    const ms = Math.max(0, at - last);
    const active = this.isWaiting ? Math.min(ms, ranMs) : ms;
    this.figures.activeMs += active;
    this.figures.waitMs += ms - active;
    this.#lastAt = last + ms;
  }
}

/** The end of a turn whose process died is stored at the next start: the turn ended with the event before it. */
export function isLateEnd(event: RunEvent): boolean {
  return event.type === "turn_ended" && event.status === "interrupted";
}

type FinishedCall = Extract<RunEvent, { type: "tool_finished" }>;

/**
 * Arguments are validated before an approval is requested: a call with invalid ones never waited, even if an older log
 * says that its tool requires approval.
 */
export function getRunMs({ result: { exception }, durationMs }: FinishedCall): number {
  return classifyErrorKind(exception?.kind) === "invalid" ? Number.POSITIVE_INFINITY : (durationMs ?? 0);
}

function isFailedCall({ result: { exception } }: FinishedCall): boolean {
  const kind = classifyErrorKind(exception?.kind);
  return exception !== undefined && kind !== "rejected" && kind !== "cancelled";
}

/** A rerun's log begins with events of the run that it repeats, which are no part of its own figures. */
export function isTakenOver({ at }: { at: number }, run: RunOrigin): boolean {
  return run.parentId !== null && at < run.startedAt;
}

export type RunOrigin = Pick<RunSummary, "parentId" | "startedAt">;

/** The origin of a run that is no rerun: all of its log is its own. */
export const NO_PARENT: RunOrigin = { parentId: null, startedAt: 0 };

export type RunSumsRead = Pick<RunSummary, "activeMs" | "modelCalls" | "toolCalls" | "failedToolCalls" | "activeSince">;

type ReadRun = RunSumsRead & RunOrigin & Pick<RunDetail, "status" | "eventCount">;

/** Figures of a run on a page: the sums that were read, and the events that came since. */
export function addLaterEvents(run: ReadRun, events: readonly RunEvent[]): RunSumsRead {
  const last = events.at(-1);
  if (last === undefined || last.index < run.eventCount) return run;
  // The events before them say which calls are open.
  const sum = new FigureSum();
  let before: RunFigures = { ...sum.figures };
  for (const event of events) {
    if (isTakenOver(event, run)) continue;
    if (event.index === run.eventCount) before = { ...sum.figures };
    sum.add(event);
  }
  const { activeMs, modelCalls, toolCalls, failedToolCalls } = sum.figures;
  return {
    activeMs: run.activeMs + activeMs - before.activeMs,
    modelCalls: run.modelCalls + modelCalls - before.modelCalls,
    toolCalls: run.toolCalls + toolCalls - before.toolCalls,
    failedToolCalls: run.failedToolCalls + failedToolCalls - before.failedToolCalls,
    activeSince: run.status === "running" ? Math.max(last.at, run.activeSince ?? 0) : null,
  };
}

/** Active time up to `now`; null, the server's HTML, gives the time up to the last event. */
export function activeTimeAt(
  { activeMs, activeSince }: Pick<RunSummary, "activeMs" | "activeSince">,
  now: number | null,
): number {
  return activeMs + (activeSince === null || now === null ? 0 : Math.max(0, now - activeSince));
}
