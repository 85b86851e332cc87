import type { ModelCheckAttempt, ModelCheckStatus, ModelCheckSummary } from "../../../lib/contract/model";

/** Whether a check validates its model is decided in `model-verdict.ts`. */
export type StoredCheck = Omit<ModelCheckSummary, "validated">;

export interface CheckWithAttempts extends StoredCheck {
  attempts: ModelCheckAttempt[];
}

export type NewCheck = Pick<StoredCheck, "id" | "provider" | "model" | "rounds" | "startedAt" | "total">;

export interface ModelCheckStore {
  /** This copy of the server owns it. Null where a check of this model is running. */
  create(check: NewCheck): Promise<StoredCheck | null>;
  /** Stores the attempts that have ended so far. */
  keepAttempts(id: string, attempts: readonly ModelCheckAttempt[]): Promise<void>;
  /** @param owner the owner that it has to have; this copy when absent */
  finish(
    id: string,
    end: { status: Exclude<ModelCheckStatus, "running">; finishedAt: number; error: string | null },
    owner?: string | null,
  ): Promise<void>;
  get(id: string): Promise<CheckWithAttempts | null>;
  /** Newest first. */
  list(query: {
    provider?: string | undefined;
    model?: string | undefined;
    cursor?: number | undefined;
    limit: number;
  }): Promise<{ items: StoredCheck[]; nextCursor: number | null }>;
  /** Without those of other copies of the server that live. */
  running(): Promise<{ id: string; owner: string | null }[]>;
  /** The newest finished check of each model. */
  newestFinished(): Promise<StoredCheck[]>;
}
