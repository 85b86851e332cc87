import type { Actor, ExecutionSource, ToolDefinition } from "../../lib/contract";

/** A call that waits for a person. */
export interface ApprovalAsk {
  executionId: string;
  definition: ToolDefinition;
  /** As they would run. */
  args: unknown;
  source: ExecutionSource;
  actor: Actor;
  client: string | null;
  runId: string | null;
  callId: string | null;
  /** Called once the request is durable, before anybody can decide it. @param expiresAt epoch milliseconds */
  opened(expiresAt: number): void;
}

/** How a call was decided. Times are epoch milliseconds. */
export type ApprovalVerdict =
  | {
      approved: true;
      by: Actor;
      at: number;
      reason: string | null;
      /** What a person made of the arguments; absent where they run as they were asked for. */
      args?: unknown;
      /** The tool as the person was shown it, null where that is lost; absent: as the call that waits found it. */
      definition?: ToolDefinition | null;
    }
  | {
      approved: false;
      kind: "rejected" | "approval_expired";
      by: Actor | null;
      at: number;
      reason: string | null;
      /** How long nobody said anything, in milliseconds, where it expired. */
      waitedMs?: number;
    };

/** Where people are asked before a tool runs. */
export interface ApprovalDesk {
  /** Asked for every call: a look into memory. */
  required(definition: ToolDefinition): boolean;
  /**
   * How long a request stays open, in milliseconds. Where this is given, the journal writes the request in the commit that
   * makes the call wait.
   */
  expiryMs?: number | undefined;
  /**
   * Resolves with what a person says, or when the request expires. An abort whose reason is called `ServerStopping` or
   * `CallerLeft` leaves the request open; any other withdraws it.
   * @throws the signal's reason when it aborts; `AbortError` when somebody else withdrew the request; any other error
   * when it could not be kept, and then nobody was asked
   */
  ask(request: ApprovalAsk, signal: AbortSignal): Promise<ApprovalVerdict>;
}
