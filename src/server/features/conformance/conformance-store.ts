import type { Actor } from "../../../lib/contract/actor";
import type {
  ConformanceCheck,
  ConformanceComparison,
  ConformanceRun,
  ConformanceRunDetail,
  ConformanceVersions,
} from "../../../lib/contract/conformance";
import type { ConformanceParts } from "../../../lib/contract/conformance-outcome";

export interface NewConformanceRun {
  id: string;
  server: string;
  parts: ConformanceParts;
  actor: Actor;
  startedAt: number;
}

export interface ConformanceEnd {
  status: Exclude<ConformanceRun["status"], "running">;
  finishedAt: number;
  error: string | null;
  /** Of a run that went to its end. */
  result: { checks: ConformanceCheck[]; versions: ConformanceVersions; comparison: ConformanceComparison } | null;
}

/** Runs of the checks of servers; the newest of each server are kept. */
export interface ConformanceStore {
  create(run: NewConformanceRun): Promise<ConformanceRun>;
  saveStep(id: string, step: string): Promise<void>;
  /** False where the run has ended already. @param expected whose run it is; default: the instance that writes */
  finish(id: string, end: ConformanceEnd, expected?: string): Promise<boolean>;
  find(id: string): Promise<ConformanceRunDetail | null>;
  /** Newest first, without their checks. */
  list(server: string): Promise<ConformanceRun[]>;
  /** The last run of the server that finished; null without one. */
  findLastFinished(server: string): Promise<Pick<ConformanceRunDetail, "id" | "checks"> | null>;
  /** Runs that no other living instance has. */
  running(): Promise<{ id: string; owner: string }[]>;
}
