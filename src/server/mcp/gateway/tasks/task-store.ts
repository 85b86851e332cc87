import type { ExecutionStatus } from "../../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";

/** A task of a client, carried out by an execution. */
export interface StoredTask {
  id: string;
  executionId: string;
  /** The owner, who may know of it: an address, a caller, and in the 2025 revisions a session. */
  owner: string;
  /** The tool's name at that address. */
  calledAs: string;
  createdAt: number;
  /** When the task expires; it is unknown from then on. */
  expiresAt: number;
}

/** Keeps tasks over a restart. */
export interface TaskStore {
  create(task: StoredTask): Promise<void>;
  find(id: string): Promise<StoredTask | null>;
  /** The tasks of an owner that have not expired, newest first. */
  list(owner: string, now: number): Promise<StoredTask[]>;
  count(owner: string, now: number): Promise<number>;
  deleteExpired(now: number): Promise<void>;
}

/** The execution log's record of a task's call. */
export interface RecordedCall {
  toolName: string;
  status: ExecutionStatus;
  finishedAt: number | null;
  error: string | null;
  /** Null without a result, and for one that is not stored as its caller got it: too large, or without its lens. */
  resultText: string | null;
  definition: ToolDefinition | null;
}
