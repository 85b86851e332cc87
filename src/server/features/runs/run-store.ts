import type { RunDetail, RunEvent, RunFilter, RunSettings, RunStatus, RunSummary } from "../../../lib/contract/run";
import { AppError } from "../../platform/shared/app-error";

/** The sums of a run, as its row has them. */
export interface RunSums
  extends Pick<
    RunSummary,
    | ("status" | "provider" | "model" | "finishedAt" | "activeMs" | "usage" | "cost" | "error")
    | ("modelCalls" | "toolCalls" | "failedToolCalls")
  > {
  settings: RunSettings;
}

export interface NewRun
  extends Pick<
    RunSummary,
    "id" | "status" | "title" | "source" | "actor" | "startedAt" | "parentId" | "parentStep" | "transcriptId"
  > {
  settings: RunSettings;
  parentResults: "live" | "recorded" | null;
}

export interface StoredRun extends Omit<RunSummary, "waiting" | "activeSince"> {
  settings: RunSettings;
  parentResults: "live" | "recorded" | null;
  /** The instance of the server that executes it; null while none does. */
  owner: string | null;
}

export type UnfinishedRun = Pick<StoredRun, "id" | "status" | "owner">;

/** The name of the error of `append` once another instance of the server executes the run. */
export const TAKEN_OVER = "RunTakenOver";

export interface RunStore {
  /** The row, which this instance owns, and what its log begins with, together or not at all. */
  create(run: NewRun, events: readonly RunEvent[]): Promise<void>;
  /**
   * Resolves when the events, and the sums with them, are durable; what is not urgent may wait some milliseconds. Events
   * of one run stay in order. The end of a turn ends the ownership. On PostgreSQL it rejects with `TAKEN_OVER`, and writes nothing, where
   * another instance owns the run.
   */
  append(runId: string, events: readonly RunEvent[], sums: RunSums, urgent: boolean): Promise<void>;
  find(id: string): Promise<StoredRun | null>;
  events(runId: string): Promise<RunEvent[]>;
  /** Visits events newest first, until `visit` returns false. */
  readBackwards(runId: string, before: number | null, visit: (event: RunEvent) => boolean): Promise<void>;
  event(runId: string, index: number): Promise<RunEvent | null>;
  eventCount(runId: string): Promise<number>;
  /** A user's message is in its log. */
  hasMessage(runId: string): Promise<boolean>;
  list(filter: RunFilter, page: { cursor?: number | undefined; limit: number }): Promise<RunSummary[]>;
  children(id: string): Promise<{ id: string; title: string; parentStep: number | null }[]>;
  /** The time of the newest event of a running run; null for all other runs. */
  activeSince(run: Pick<StoredRun, "id" | "status" | "startedAt">): Promise<number | null>;
  /** Calls in the log of a rerun from before it started. */
  takenOver(run: Pick<StoredRun, "id" | "parentId" | "startedAt">): Promise<RunDetail["takenOver"]>;
  waiting(runId: string): Promise<number>;
  /** Executions of a run that wait or run. */
  unended(runId: string): Promise<number>;
  /** `running` or `waiting`, without those of other instances of the server that live. */
  unfinished(): Promise<UnfinishedRun[]>;
  /**
   * Compare-and-set: `running` makes this instance the owner, `waiting` leaves the run without one. False where the run has another state or
   * owner by now.
   * @param owner the one that it has to have
   * @param finishedAt the end of the turn that has to be its last one; absent: any
   */
  take(
    id: string,
    from: readonly RunStatus[],
    to: "running" | "waiting",
    owner: string | null,
    finishedAt?: number | null,
  ): Promise<boolean>;
  /** Leaves a run of this instance to the others, with the state that it has. */
  release(id: string): Promise<void>;
}

/** @throws AppError NOT_FOUND */
export async function findRun(store: Pick<RunStore, "find">, id: string): Promise<StoredRun> {
  const found = await store.find(id);
  if (found === null) throw new AppError("NOT_FOUND", `Run '${id}' not found`);
  return found;
}
