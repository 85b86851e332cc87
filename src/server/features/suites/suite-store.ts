import type { Actor } from "../../../lib/contract/actor";
import type { EvalAttempt, EvalItem, EvalRunDetail, EvalRunSummary } from "../../../lib/contract/eval";
import type { Suite, SuiteInput, SuiteRun, TestResult, TestRun, TestRunDetail } from "../../../lib/contract/suite";
import type { SuiteRunStatus } from "../../../lib/contract/suite-run";
import type { Edit } from "../../platform/shared/edit-conflict";

/** A suite with masks in place of what is secret in its arguments. */
export type SealedSuite = SuiteInput & {
  /** The values behind the masks, encrypted. */
  sealed?: string | undefined;
};

export interface StoredSuite extends Suite {
  /** Stays when the suite is renamed. */
  id: string;
  sealed?: string | undefined;
}

/** The fields that a schedule adds to a suite. */
export interface SuiteTiming {
  nextRunAt: number | null;
  scheduledBy: Actor | null;
}

interface NewRun extends Pick<SuiteRun, "id" | "name" | "trigger" | "startedAt" | "total"> {
  actor: Actor;
  /** Null for a replay, and for a suite of a file. */
  suiteId: string | null;
}

export type NewTestRun = NewRun & Pick<TestRun, "kind">;

export interface NewEvalRun
  extends NewRun,
    Pick<EvalRunSummary, "provider" | "model" | "offering" | "edited" | "rounds"> {
  items: readonly EvalItem[];
}

/** A run of evals as it is stored. */
export interface StoredEvalRun extends Omit<EvalRunDetail, "items"> {
  /** Null for the suite of scenarios that earlier versions brought along. */
  items: EvalItem[] | null;
}

export type EvalRunSums = Pick<EvalRunSummary, "inputTokens" | "outputTokens" | "cost">;

export interface RunEnd {
  status: Exclude<SuiteRunStatus, "running">;
  finishedAt: number;
  error: string | null;
}

export interface RunQuery {
  kinds?: readonly SuiteRun["kind"][] | undefined;
  suiteId?: string | undefined;
  /** The name that runs keep after their suite was deleted. */
  name?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  cursor?: number | undefined;
  limit: number;
}

/** Suites of tests and evals, and their runs. The evals themselves have a store of their own, since each is edited alone. */
export interface SuiteStore {
  /** Lists the suites by name. */
  suites(): Promise<StoredSuite[]>;
  findSuite(name: string): Promise<StoredSuite | null>;
  findSuiteById(id: string): Promise<StoredSuite | null>;
  createSuite(input: SealedSuite, timing: SuiteTiming, by: Actor): Promise<StoredSuite>;
  /** Changes a suite; its evals follow a new name. @throws AppError CONFLICT, NOT_FOUND */
  updateSuite(name: string, input: SealedSuite, timing: SuiteTiming, edit: Edit): Promise<StoredSuite>;
  /** Deletes a suite with its evals and runs. @throws AppError CONFLICT, NOT_FOUND */
  deleteSuite(name: string, revision?: number): Promise<void>;
  /** Moves the time of the next run on. @returns false where it is no longer `before`: another one did, or an edit */
  claimNextRun(id: string, before: number, next: number | null): Promise<boolean>;
  scheduled(): Promise<{ id: string; nextRunAt: number }[]>;
  /** This instance of the server owns it. Deletes the oldest ones beyond what is kept of a suite, and of replays. */
  createRun(run: NewTestRun): Promise<TestRun>;
  /** This instance of the server owns it. Null where such a run of the suite, the model and the offering is running. */
  createEvalRun(run: NewEvalRun): Promise<EvalRunSummary | null>;
  addResult(runId: string, result: TestResult): Promise<void>;
  /** Stores the attempts that have ended so far. */
  keepAttempts(id: string, attempts: readonly EvalAttempt[], sums: EvalRunSums): Promise<void>;
  /** @param owner the owner that it has to have; this instance when absent @returns false where it had ended */
  finishRun(id: string, end: RunEnd, owner?: string | null): Promise<boolean>;
  /** Finds a run with its results in order, or its attempts. */
  findRun(id: string): Promise<TestRunDetail | StoredEvalRun | null>;
  /** Newest first. */
  runs(query: RunQuery): Promise<{ items: SuiteRun[]; nextCursor: number | null }>;
  /** The newest run of each suite, by the suite's id. */
  newestRuns(): Promise<Map<string, SuiteRun>>;
  /** Lists running runs, without those of other instances that are alive. */
  running(): Promise<{ id: string; owner: string | null }[]>;
}
