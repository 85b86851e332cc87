import type { Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import type { ExecutionSource } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { CallArguments } from "../executor/call-arguments";

/** A call that waits for approval. */
export interface ApprovalAsk {
  executionId: string;
  definition: ToolDefinition;
  /** The arguments as they would run. */
  args: unknown;
  /** Set where the stored arguments have masks: the arguments that would run, and a function that puts their values back into a text. */
  masked?: { args: CallArguments; restore: (text: string) => string };
  source: ExecutionSource;
  actor: Actor;
  client: string | null;
  runId: string | null;
  callId: string | null;
  /** Called once the request is durable, before any user can decide it. @param expiresAt epoch milliseconds */
  opened(expiresAt: number): void;
}

/** The decision on a call. Times are epoch milliseconds. */
export type ApprovalResult =
  | {
      approved: true;
      by: Actor;
      at: number;
      reason: string | null;
      /** The arguments as a user edited them, a value or `CallArguments`; absent where unchanged. */
      args?: unknown;
      /** The tool as the user saw it, null where that is lost; absent: as the waiting call found it. */
      definition?: ToolDefinition | null;
    }
  | {
      approved: false;
      kind: "rejected" | "approval_expired";
      by: Actor | null;
      at: number;
      reason: string | null;
      /** The milliseconds until it expired. */
      waitedMs?: number;
    };

/** Requests approvals and delivers the decisions. */
export interface ApprovalBroker {
  /**
   * Called for every call, so it reads memory only.
   * @param inToolset what the toolset of the call says; it does not lift a setting that names an approver
   */
  required(definition: ToolDefinition, inToolset?: boolean): boolean;
  /** The approval setting of a tool's name, stored with the request; absent: no setting. */
  getMode?: ((toolName: string) => ApprovalMode | null) | undefined;
  /**
   * How long a request stays open, in milliseconds. Where present, the journal stores the request in the commit that makes
   * the call wait.
   */
  expiryMs?: number | undefined;
  /**
   * Resolves with the decision, or when the request expires. An abort whose reason is named `ServerStopping` or `CallerLeft`
   * leaves the request open; any other withdraws it.
   * @throws the signal's reason when it aborts; `AbortError` when the request was withdrawn elsewhere; any other error when
   * the request could not be stored
   */
  ask(request: ApprovalAsk, signal: AbortSignal): Promise<ApprovalResult>;
}

/** Approvals that a caller may decide itself, in the window of its MCP client. */
export interface CallerApprovals {
  /**
   * The question for the user of the client; null where this caller may not decide its own call.
   * @param client the name that the approval keeps
   */
  open(caller: Principal, executionId: string, client: string): Promise<string | null>;
  /** @throws AppError where nothing is decided because the caller may not */
  decide(caller: Principal, executionId: string, client: string, decision: CallerDecision): Promise<void>;
  /** The client asks no longer: the request waits in the inbox alone. */
  close(executionId: string): Promise<void>;
}

export interface CallerDecision {
  approved: boolean;
  reason?: string;
}
