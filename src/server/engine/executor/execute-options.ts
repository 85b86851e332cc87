import type { Actor } from "../../../lib/contract/actor";
import type { RuledKind } from "../../../lib/contract/call-rule-words";
import type { ExecutionSource } from "../../../lib/contract/envelope";
import type { LogLine } from "../../../lib/contract/execution";
import type { ToolLens } from "../../../lib/contract/lens";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ApprovalResult } from "../approvals/approval-ports";
import type { MaskedValues } from "../masking/masked-values";
import type { InteractionHandler, SentLogMessage, ToolContext } from "../ports";
import type { CallArguments } from "./call-arguments";

export interface ExecuteOptions {
  /** Overrides the tool's and the global timeout for this call. */
  timeoutMs?: number;
  /** The caller's cancel. Abort with a `ServerStopping` reason to have the call recorded as interrupted. */
  signal?: AbortSignal;
  /** The controller of `signal`, where it serves this call alone: a cancellation by id uses it too. */
  controller?: AbortController;
  source?: ExecutionSource;
  actor?: Actor;
  /** Program and version of the caller, for calls through a protocol. */
  client?: string;
  /** Version of that protocol. */
  protocol?: string;
  /** The kind of an execution that is not a tool call. */
  kind?: "resource" | "prompt";
  /** The API token that the call is made with. */
  tokenId?: string | undefined;
  /** The id to record under; made when absent. */
  executionId?: string;
  /** The execution this one replays. */
  parentId?: string;
  runId?: string;
  callId?: string;
  /** Resolves when what the caller records of the call is durable: the tool does not run before. Never rejects. */
  durable?: Promise<void> | undefined;
  /** The toolset that the call comes through. */
  toolset?: string;
  /** The name that the caller used. */
  calledAs?: string;
  /** Why the caller makes the call. */
  reason?: string;
  /** Decides in place of the policies whether the call requires approval; a setting that names an approver stays. */
  approvalRequired?: boolean;
  /** Runs the tool although its arguments may be invalid, to see the tool's errors. */
  skipValidation?: boolean;
  /** Receives what the running tool reports, besides the executor's observer. */
  onProgress?: (progress: number, total: number | null, message: string | null) => void;
  /** @param sent the message behind the line, where an MCP server sent one */
  onLog?: (line: LogLine, sent?: SentLogMessage) => void;
  /** `_meta` for the MCP server that runs the tool. */
  meta?: Readonly<Record<string, unknown>>;
  /** Answers requests of the MCP server that runs the tool. */
  interact?: InteractionHandler;
  /** An earlier decision of a user, so that none is requested. */
  approval?: ApprovalResult;
  /** The call is stored as `waiting` and continues in that row. Without `approval` it waits for a decision again. */
  waiting?: boolean;
  /** How long this caller waits for approval; the request stays open afterwards. Absent: without limit. */
  approvalWaitMs?: number;
  /** The caller can wait for long: the call may run as a task of its server. */
  asTask?: boolean;
  /** Whether the caller has disconnected, so that no answer can reach it. */
  isCallerGone?: (() => boolean) | undefined;
  /** The call is in the journal, and may be there without its tool while its server starts. */
  onRecorded?: () => void;
  /**
   * The request for approval is open. While a returned promise is pending, `approvalWaitMs` does not run: it never rejects.
   * @param expiresAt epoch milliseconds @param signal aborts when the wait ends
   */
  onWaiting?: (expiresAt: number, signal: AbortSignal) => void | Promise<void>;
  /** The call is approved and about to run. @param edited null where the user left the arguments unchanged */
  onApproved?: (edited: CallArguments | null) => void;
  /** A tool that only this call knows, in place of the catalog's. It requires approval only where its definition says `always`, or a rule asks. */
  provided?: UncatalogedTool;
  /** The caller gets the whole result although the tool has a lens. */
  whole?: boolean;
  /** Replaces the tool's own lens; null: none. */
  lens?: Pick<ToolLens, "expression"> | null;
  /** Collects the masked values of this call, for a caller that stores what repeats them. */
  maskedValues?: MaskedValues;
}

export interface UncatalogedTool {
  definition: ToolDefinition;
  run(args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
  /** The kind that rules know it by. Absent: it cannot be provided again after a decision, so that no rule holds its calls. */
  ruledAs?: Exclude<RuledKind, "tool">;
  /** The caller lacks the right to run it. Such a call is not held, since it could run later with more rights. */
  isRefused?: boolean;
}

/** Whether a call can wait for approval: after a restart its tool has to be found again. */
export const canAwaitApproval = ({ provided }: Pick<ExecuteOptions, "provided">): boolean =>
  provided === undefined || (provided.ruledAs !== undefined && provided.isRefused !== true);
