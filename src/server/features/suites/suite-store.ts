import type { Actor } from "../../../lib/contract/actor";
import type { Suite, SuiteInput, TestResult, TestRun, TestRunDetail, TestRunStatus } from "../../../lib/contract/suite";
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

export type NewTestRun = Pick<TestRun, "id" | "kind" | "name" | "trigger" | "actor" | "startedAt" | "total"> & {
  /** Null for a replay, and for a suite of a file. */
  suiteId: string | null;
};

export interface RunEnd {
  status: Exclude<TestRunStatus, "running">;
  finishedAt: number;
  error: string | null;
}

export interface TestStore {
  /** By name. */
  suites(): Promise<StoredSuite[]>;
  findSuite(name: string): Promise<StoredSuite | null>;
  findSuiteById(id: string): Promise<StoredSuite | null>;
  createSuite(input: SealedSuite, timing: SuiteTiming, by: Actor): Promise<StoredSuite>;
  /** @throws AppError CONFLICT, NOT_FOUND */
  updateSuite(name: string, input: SealedSuite, timing: SuiteTiming, edit: Edit): Promise<StoredSuite>;
  /** With its runs. @throws AppError CONFLICT, NOT_FOUND */
  deleteSuite(name: string, revision?: number): Promise<void>;
  /** Moves the time of the next run on. @returns false where it is no longer `before`: another one did, or an edit */
  claimNextRun(id: string, before: number, next: number | null): Promise<boolean>;
  scheduled(): Promise<{ id: string; nextRunAt: number }[]>;
  /** This instance of the server owns it. Deletes the oldest ones beyond what is kept of a suite, and of replays. */
  createRun(run: NewTestRun): Promise<TestRun>;
  addResult(runId: string, result: TestResult): Promise<void>;
  /** @param owner the owner that it has to have; this copy when absent @returns false where it had ended */
  finishRun(id: string, end: RunEnd, owner?: string | null): Promise<boolean>;
  /** With its results in order. */
  findRun(id: string): Promise<TestRunDetail | null>;
  /** Newest first. */
  runs(query: {
    suiteId?: string | undefined;
    cursor?: number | undefined;
    limit: number;
  }): Promise<{ items: TestRun[]; nextCursor: number | null }>;
  /** The newest run of each suite, by the suite's id. */
  newestRuns(): Promise<Map<string, TestRun>>;
  /** Without those of other instances of the server that live. */
  running(): Promise<{ id: string; owner: string | null }[]>;
}
