import { z } from "zod";
import type { Actor } from "./actor";
import type { ChatErrorKind, ChatMessage, ChatUsage, FinishReason, FunctionResultContent } from "./chat";
import type { ExecutionStatus } from "./envelope";

/** `waiting`: an approval is open and nothing else goes on. `interrupted`: its process died; it can be resumed. */
export const runStatusSchema = z.enum(["running", "waiting", "succeeded", "failed", "cancelled", "interrupted"]);
export type RunStatus = z.infer<typeof runStatusSchema>;

export const runSourceSchema = z.enum(["agent", "background", "check", "api"]);
export type RunSource = z.infer<typeof runSourceSchema>;

/** Which tools a run may use. */
export const toolSelectionSchema = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("all") }),
  z.object({ mode: z.literal("none") }),
  /** Names of tools, and of servers whose tools are all meant. */
  z.object({
    mode: z.literal("some"),
    tools: z.array(z.string().max(200)).max(2000),
    servers: z.array(z.string().max(200)).max(200),
  }),
]);
export type ToolSelection = z.infer<typeof toolSelectionSchema>;

export const runSettingsSchema = z.object({
  /** The name of a model provider of this Toolroom: `demo`, `anthropic`, … */
  provider: z.string().min(1).max(100),
  model: z.string().min(1).max(200),
  instructions: z.string().max(200_000).default(""),
  tools: toolSelectionSchema.default({ mode: "all" }),
  /** Merged under the arguments of every call (AGT-06). */
  customArgs: z.record(z.string(), z.json()).optional(),
  maxIterations: z.number().int().min(1).max(200).optional(),
  maxFunctionCalls: z.number().int().min(1).max(10_000).optional(),
  maxConsecutiveErrors: z.number().int().min(0).max(100).optional(),
  maxOutputTokens: z.number().int().min(1).max(1_000_000).optional(),
  temperature: z.number().min(0).max(2).optional(),
  toolChoice: z.enum(["auto", "required", "none"]).optional(),
  /** The provider holds the conversation, where it can. */
  storeConversation: z.boolean().optional(),
});
export type RunSettings = z.infer<typeof runSettingsSchema>;

/** What a run's ordered log holds. `at` is epoch milliseconds; `index` counts from 0 without gaps. */
export type RunEvent = { index: number; at: number } & RunEventBody;

export type RunEventBody =
  | { type: "user_message"; message: ChatMessage }
  /** A request to the model begins. `iteration` counts from 1 within a turn, `step` from 1 within the run. */
  | {
      type: "model_started";
      step: number;
      iteration: number;
      toolChoice: string;
      toolCount: number;
      provider: string;
      model: string;
      /** Which service behind the provider's name: who holds a conversation is known by it. */
      endpoint?: string;
    }
  | {
      type: "model_finished";
      step: number;
      message: ChatMessage;
      finishReason: FinishReason;
      finishDetail?: string;
      usage?: ChatUsage;
      conversationId?: string;
      model?: string;
      /** From the request to the first text or call; null where nothing came. */
      firstTokenMs: number | null;
      durationMs: number;
      /** Stopped in the middle: `message` is what had come. */
      partial?: boolean;
    }
  | { type: "model_failed"; step: number; errorKind: ChatErrorKind; error: string; durationMs: number }
  | {
      type: "tool_started";
      step: number;
      callId: string;
      name: string;
      argumentsText: string;
      executionId: string;
      /** It waits for a person first. */
      approval: boolean;
    }
  | {
      type: "tool_finished";
      step: number;
      callId: string;
      name: string;
      /** Media without their data: those are in the execution's result. */
      result: FunctionResultContent;
      status: ExecutionStatus;
      /** Null for a call that was never executed. */
      executionId: string | null;
      durationMs: number;
      /** Taken from another run's log: nothing was executed. */
      recorded?: boolean;
    }
  | { type: "notice"; step: number; notice: RunNotice; text: string }
  /** A turn is over; the run may go on with another message. */
  | { type: "turn_ended"; status: Exclude<RunStatus, "running" | "waiting">; error: string | null }
  | { type: "resumed" };

export type RunNotice =
  | "retry"
  | "repeated_call"
  | "iterations_exhausted"
  | "calls_exhausted"
  | "too_many_errors"
  | "truncated_call"
  | "unknown_tool"
  | "paused"
  /** The model stopped before it was done: refused, cut, or for a reason of the provider's. */
  | "ended_early";

export interface RunSummary {
  id: string;
  seq: number;
  /** The first words of the first message. */
  title: string;
  status: RunStatus;
  source: RunSource;
  provider: string;
  model: string;
  actor: Actor;
  startedAt: number;
  finishedAt: number | null;
  /** Time in turns; between them a run costs nothing. */
  activeMs: number;
  modelCalls: number;
  toolCalls: number;
  failedToolCalls: number;
  usage: ChatUsage;
  /** US dollars; null where the model has no price. */
  cost: number | null;
  error: string | null;
  /** Open approvals. */
  waiting: number;
  /** The run that this one repeats from a step on. */
  parentId: string | null;
  parentStep: number | null;
  transcriptId: string | null;
}

/** What a live run is in the middle of saying; its log has it once it is whole. */
export interface RunPartial {
  step: number;
  text: string;
  reasoning: string;
  calls: { callId: string; name: string; argumentsText: string }[];
}

export interface RunDetail extends RunSummary {
  settings: RunSettings;
  events: RunEvent[];
  /** Null while it is not saying anything. */
  partial: RunPartial | null;
  /** It can be resumed: its process died, or it failed or was stopped before its turn was over. */
  resumable: boolean;
  children: { id: string; title: string; parentStep: number | null }[];
}

export interface RunPage {
  items: RunSummary[];
  nextCursor: number | null;
}

export const runFilterSchema = z.object({
  status: z.array(runStatusSchema).optional(),
  /** Where absent, all but the attempts of model checks: there are many, and their checks show them. */
  source: z.array(runSourceSchema).optional(),
  provider: z.string().max(100).optional(),
  model: z.string().max(200).optional(),
  /** Free text in titles. */
  q: z.string().max(200).optional(),
  transcriptId: z.string().max(100).optional(),
});
export type RunFilter = z.infer<typeof runFilterSchema>;

/**
 * What an open page hears of a live run, beside its log's events. `offset`: how many characters of this text the step had
 * before, so that a page that also read `RunPartial` neither doubles nor misses a piece.
 */
export type RunLive =
  | { type: "run_event"; runId: string; event: RunEvent }
  | { type: "run_text"; runId: string; step: number; text: string; offset?: number }
  | { type: "run_reasoning"; runId: string; step: number; text: string; offset?: number }
  | {
      type: "run_call";
      runId: string;
      step: number;
      callId: string;
      name: string;
      argumentsDelta: string;
      offset?: number;
    }
  /** What was said of this step so far is void: the provider is asked again. */
  | { type: "run_retry"; runId: string; step: number; reason: string };
