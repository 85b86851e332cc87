import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalItem, RunAllowance } from "../../../lib/contract/approval";
import type { ApprovalRequest } from "../../engine/ports";

/** An approval as the database stores it, with the `mode` at the time of the call; the catalog has the rest. */
export type ApprovalRecord = Omit<ApprovalItem, "approval" | "toolChanged">;

/** An approval with the data that its call needs to run. */
export interface StoredApproval extends ApprovalRecord {
  /** The call waits: it has neither begun nor ended. */
  waits: boolean;
  /** The instance of the server that recorded the call: its caller is there, unless that instance ended. */
  owner: string;
  callId: string | null;
  parentId: string | null;
  protocol: string | null;
  toolset: string | null;
  /** The id of the API token that the call was made with. */
  tokenId: string | null;
  timeoutMs: number | null;
  validationSkipped: boolean;
}

export interface ApprovalDecisionRecord {
  executionId: string;
  status: "approved" | "rejected" | "expired" | "withdrawn";
  decidedAt: number;
  by: Actor | null;
  reason: string | null;
  /** The MCP client in which it was made; absent: elsewhere. */
  client?: string | undefined;
  /** JSON text of the arguments that a user put in place of the requested ones. */
  editedText?: string | undefined;
  /** `run`: approves later calls of the tool in the same run. */
  scope?: "run" | undefined;
}

export interface ApprovalStore {
  /** Durable once it resolves. An existing request stays unchanged. */
  open(request: ApprovalRequest & { executionId: string }): Promise<void>;
  find(executionId: string): Promise<StoredApproval | null>;
  /** Lists open requests oldest first, decided ones newest decision first. */
  list(
    status: "open" | "decided",
    cursor: number | undefined,
    limit: number,
  ): Promise<{ items: ApprovalRecord[]; nextCursor: number | null }>;
  countOpen(): Promise<number>;
  /**
   * One transaction, arguments included. False when it is no longer open, or a user comes after it expired or its call
   * has ended.
   */
  decide(decision: ApprovalDecisionRecord): Promise<boolean>;
  /** The newest allowance of its run for the same tool with the same definition; null where it has to be asked. */
  findAllowance(executionId: string): Promise<RunAllowance | null>;
  /** Allowances of a run that are not revoked, oldest first. */
  allowances(runId: string): Promise<RunAllowance[]>;
  /** Turns an approval into an allowance of its run, in the name of who decided it. False where it is one already, or was not approved. */
  allow(executionId: string): Promise<boolean>;
  /** False where it is already revoked, or does not exist. */
  revoke(executionId: string, by: Actor, at: number): Promise<boolean>;
  /** Finds other open requests of its run for the same tool with the same definition. */
  openAlike(executionId: string): Promise<string[]>;
  /** Its caller no longer listens. False when it is no longer open. */
  detach(executionId: string): Promise<boolean>;
  /** Its MCP client asks its user too; null: no longer. False when it is no longer open, or its caller no longer listens. */
  noteAsked(executionId: string, client: string | null): Promise<boolean>;
  /** Marks that a caller listens to it again. */
  adopt(executionId: string): Promise<void>;
  /** Returns those that were decided and those whose calls have ended otherwise, in one read. */
  settled(executionIds: readonly string[]): Promise<string[]>;
  /** Withdraws those whose calls have ended; the withdrawal of these could not be written then. False for none. */
  withdrawEnded(now: number): Promise<boolean>;
  /** Marks requests of ended processes, whose callers no longer wait. False for none. */
  detachLost(): Promise<boolean>;
  /** When the next open request expires; null where none is open. */
  nextExpiry(): Promise<number | null>;
  expired(now: number): Promise<string[]>;
  /** Makes open requests expire at this time at the latest. */
  capExpiry(latest: number): Promise<void>;
  /** Requests that were decided while their calls still wait: the server ended in between. */
  undone(): Promise<string[]>;
  /** Interrupts waiting calls of processes that ended which have no request, and returns their ids. */
  interruptUnasked(now: number): Promise<string[]>;
}
