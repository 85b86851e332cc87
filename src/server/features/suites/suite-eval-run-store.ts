import type { EvalAttempt, EvalItem, EvalRunStatus, EvalRunSummary } from "../../../lib/contract/eval";

export type StoredEvalRun = EvalRunSummary;

export interface EvalRunWithAttempts extends StoredEvalRun {
  /** Null for the suite of scenarios that earlier versions brought along. */
  items: EvalItem[] | null;
  attempts: EvalAttempt[];
}

export interface NewEvalRun
  extends Pick<
    StoredEvalRun,
    "id" | "suite" | "provider" | "model" | "offering" | "edited" | "rounds" | "startedAt" | "total"
  > {
  items: readonly EvalItem[];
}

export type EvalRunSums = Pick<StoredEvalRun, "inputTokens" | "outputTokens" | "cost">;

export interface EvalRunStore {
  /** This instance of the server owns it. Null where such a run of the suite, the model and the offering is running. */
  create(run: NewEvalRun): Promise<StoredEvalRun | null>;
  /** Stores the attempts that have ended so far. */
  keepAttempts(id: string, attempts: readonly EvalAttempt[], sums: EvalRunSums): Promise<void>;
  /** @param owner the owner that it has to have; this copy when absent */
  finish(
    id: string,
    end: { status: Exclude<EvalRunStatus, "running">; finishedAt: number; error: string | null },
    owner?: string | null,
  ): Promise<void>;
  get(id: string): Promise<EvalRunWithAttempts | null>;
  /** Newest first. */
  list(query: {
    suite?: string | undefined;
    provider?: string | undefined;
    model?: string | undefined;
    cursor?: number | undefined;
    limit: number;
  }): Promise<{ items: StoredEvalRun[]; nextCursor: number | null }>;
  /** Without those of other instances of the server that live. */
  running(): Promise<{ id: string; owner: string | null }[]>;
  newestBySuite(): Promise<StoredEvalRun[]>;
}
