export interface RecordedReason {
  executionId: string;
  runId: string | null;
  toolName: string;
  reason: string;
}

export interface RecordedQuestionStore {
  /** Newest first, of the newest calls. */
  reasons(limit: number): Promise<RecordedReason[]>;
}

/** Whose calls a reader may know: see `private-calls.ts`. Absent: all. */
export interface ReadableCalls {
  hidden(ids: readonly string[]): Promise<ReadonlySet<string>>;
  mayReadRun(id: string): Promise<boolean>;
}
