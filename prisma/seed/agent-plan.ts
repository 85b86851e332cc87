import type {
  Actor,
  ChatErrorKind,
  ErrorKind,
  ExecutionSource,
  JsonObject,
  JsonValue,
  RunNotice,
  RunSettings,
  RunSource,
  RunStatus,
  ToolDefinition,
} from "../../src/lib/contract";
import { newExecutionId } from "../../src/lib/execution-id";
import type { Random } from "./random";

/** What a person said, and when. Times are milliseconds. */
export interface PlannedDecision {
  verdict: "approved" | "rejected" | "expired" | "withdrawn";
  /** Null where nobody decided. */
  by: Actor | null;
  waitedMs: number;
  reason?: string;
  /** Arguments in place of those asked for. */
  edited?: JsonObject;
}

/** A call of the past: what was asked for, and how it ended. Arguments that do not fit its schema end it by themselves. */
export interface PlannedToolCall {
  tool: string;
  args: JsonObject;
  ms: number;
  result?: JsonValue;
  error?: { kind: ErrorKind; message: string };
  /** `open`: it still waits. */
  approval?: PlannedDecision | "open";
  /** Its server ended in the middle of it. */
  interrupted?: boolean;
  /** Not in the catalogue: the check's own tool. */
  provided?: ToolDefinition;
  /** Answered from the log of the run that this one repeats. */
  recorded?: boolean;
}

/** One answer of the model, and the calls it asks for. */
export interface PlannedStep {
  ms: number;
  reasoning?: string;
  text?: string;
  calls?: readonly PlannedToolCall[];
  /** The provider's fault, in place of an answer. */
  fault?: { kind: ChatErrorKind; message: string };
  notices?: readonly { notice: RunNotice; text: string }[];
  /** A person stopped it in the middle of this text. */
  stopped?: boolean;
}

export interface PlannedTurn {
  /** Null: it goes on with what the log has, as a rerun does. */
  text: string | null;
  /** Between the end of the turn before and this message. */
  pauseMs: number;
  steps: readonly PlannedStep[];
  end: {
    status: Extract<RunStatus, "succeeded" | "failed" | "cancelled" | "interrupted">;
    error: string | null;
  } | null;
}

export interface PlannedRun {
  id: string;
  at: number;
  source: RunSource;
  actor: Actor;
  title?: string;
  settings: RunSettings;
  transcriptId?: string;
  parent?: { id: string; step: number; results: "live" | "recorded" };
  turns: readonly PlannedTurn[];
}

/** Who asks, for a call that no run asks for. */
export interface CallOrigin {
  source: ExecutionSource;
  actor: Actor;
  client: string | null;
  runId: string | null;
  callId: string | null;
}

/** Something of the past. Lists show what was written last first, so it has to be written in order of time. */
export interface PastThing {
  kind: "run" | "approval" | "check" | "transcript";
  at: number;
  /** False where it is there already. */
  write(): Promise<boolean>;
}

/** Ids of calls sort by their time, as those of real ones do. */
export function executionIdAt(at: number, random: Random): string {
  return newExecutionId(at).slice(0, -10) + random.letters(10);
}

export const succeeded = { status: "succeeded", error: null } as const;

export function call(tool: string, args: JsonObject, result: JsonValue, ms: number): PlannedToolCall {
  return { tool, args, result, ms };
}

export function failing(tool: string, args: JsonObject, kind: ErrorKind, message: string, ms: number): PlannedToolCall {
  return { tool, args, ms, error: { kind, message } };
}

/** Arguments that the tool's schema refuses. */
export function refused(tool: string, args: JsonObject): PlannedToolCall {
  return { tool, args, ms: 0 };
}

export function turn(text: string | null, steps: readonly PlannedStep[], pauseMs = 0): PlannedTurn {
  return { text, steps, pauseMs, end: succeeded };
}
