/** A stored call as retention sees it. */
export interface KeptExecution {
  seq: number;
  id: string;
  toolName: string;
  serverName: string | null;
  source: string;
  queuedAt: number;
  parentId: string | null;
  runId: string | null;
  definitionHash: string | null;
  /** The call runs or waits. */
  isOpen: boolean;
  isPinned: boolean;
  bytes: number;
}

export interface KeptExecutions {
  /** Calls below a number, newest first. */
  below(seq: number, limit: number): Promise<KeptExecution[]>;
  /** Those between two numbers, both included, that an open approval, a live task or a recent `Idempotency-Key` names. */
  named(first: number, last: number, now: number): Promise<ReadonlySet<number>>;
}

export interface DefinitionUse {
  /** The hashes that calls up to `newestSeq` use. */
  used: ReadonlySet<string>;
  newestSeq: number;
  /** Tools with calls that had not ended: a call that waited runs with the definition of now, which it names then. */
  openTools: ReadonlySet<string>;
}

export interface UnusedDefinitions {
  /** Deletes definitions of tools that no call has. */
  delete(known: DefinitionUse): Promise<number>;
}
