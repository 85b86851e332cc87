import { z } from "zod";
import type { Actor } from "./actor";
import { type AppContext, countContextChars, MAX_APP_CONTEXT_CHARS } from "./app";
import type { ChatErrorKind, ChatMessage, ChatUsage, FinishReason, FunctionResultContent } from "./chat";
import type { ExecutionStatus } from "./envelope";

/** `waiting`: only approvals are pending. `interrupted`: the process died; the run can be resumed. */
export const runStatusSchema = z.enum(["running", "waiting", "succeeded", "failed", "cancelled", "interrupted"]);
export type RunStatus = z.infer<typeof runStatusSchema>;

export const runSourceSchema = z.enum(["agent", "background", "check", "api"]);
export type RunSource = z.infer<typeof runSourceSchema>;

/** Which tools a run may use. */
export const toolSelectionSchema = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("all") }),
  z.object({ mode: z.literal("none") }),
  /** Names of tools, and of servers with all their tools. */
  z.object({
    mode: z.literal("some"),
    tools: z.array(z.string().max(200)).max(2000),
    servers: z.array(z.string().max(200)).max(200),
  }),
  /** The tools of a toolset, as it shows them. */
  z.object({ mode: z.literal("toolset"), toolset: z.string().min(1).max(100) }),
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
  /** The provider holds the conversation, if it can. */
  storeConversation: z.boolean().optional(),
});
export type RunSettings = z.infer<typeof runSettingsSchema>;

/** Of all Apps, with one message. */
export const appContextSchema = z
  .array(
    z.object({
      executionId: z.string().min(1).max(100),
      tool: z.string().min(1).max(200),
      text: z.string().min(1),
    }),
  )
  .refine((contexts) => countContextChars(contexts) <= MAX_APP_CONTEXT_CHARS, {
    error: `must have at most ${MAX_APP_CONTEXT_CHARS} characters of text together`,
  });

/** A person's message on its way. */
export interface OutgoingMessage {
  text: string;
  appContext: readonly AppContext[];
}

/**
 * An event of a run's ordered log. `at` is epoch milliseconds; `index` counts from 0 without gaps. `cut` is set only on
 * events for pages: the shortened parts with their full length in characters (`runs.payload` returns them).
 */
export type RunEvent = { index: number; at: number; cut?: Partial<Record<RunEventPart, number>> } & RunEventBody;

/** A part of an event that may be long. `calls`: omitted calls of the message; the length is their number. */
export type RunEventPart =
  | "text"
  | "reasoning"
  | "arguments"
  | "result"
  | "editedArguments"
  | `arguments:${string}`
  | "calls";

/** A slice of a text that is too long to be sent at once. */
export interface RunTextSlice {
  text: string;
  /** Of the whole text. */
  chars: number;
}

/** Consecutive events, oldest first. */
export interface RunEventPage {
  events: RunEvent[];
  /** Number of events before the first one. */
  older: number;
}

/** One message of a request to the model, as JSON text. */
export interface RunMessage {
  /** From 1. */
  position: number;
  role: ChatMessage["role"];
  /** The start of its text. */
  summary: string;
  /** The first part of the JSON text; `runs.messageText` has the rest. */
  text: string;
  chars: number;
}

/** The newest messages of a request to the model, oldest first. */
export interface RunMessagePage {
  items: RunMessage[];
  /** Of the whole request. */
  count: number;
  bytes: number;
  /** `before` of the next older page; null for the first messages. */
  nextCursor: number | null;
  /** The start of the request; null if the run has no such step. */
  started: Extract<RunEvent, { type: "model_started" }> | null;
  /** The notices of this step. */
  notes: string[];
  finishReason: FinishReason | null;
  finishDetail: string | null;
}

export type RunEventBody =
  /** `by`: another person than before sent it, or resumed the run; calls run for that person from then on. */
  | { type: "user_message"; message: ChatMessage; appContext?: readonly AppContext[]; by?: Actor }
  /** A request to the model begins. `iteration` counts from 1 within a turn, `step` from 1 within the run. */
  | {
      type: "model_started";
      step: number;
      iteration: number;
      toolChoice: string;
      toolCount: number;
      provider: string;
      model: string;
      /** The service behind the provider's name, which may hold the conversation. */
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
      /** From the request to the first text or call; null if neither arrived. */
      firstTokenMs: number | null;
      durationMs: number;
      /** Stopped early: `message` holds what had arrived. */
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
      /** Requires approval first. */
      approval: boolean;
    }
  | {
      type: "tool_finished";
      step: number;
      callId: string;
      name: string;
      /** Media without their data, which is in the execution's result. */
      result: FunctionResultContent;
      status: ExecutionStatus;
      /** Null for a call that was never executed. */
      executionId: string | null;
      durationMs: number;
      /** Taken from another run's log: nothing was executed. */
      recorded?: boolean;
    }
  | { type: "notice"; step: number; notice: RunNotice; text: string }
  /** The turn ended; another message may continue the run. */
  | { type: "turn_ended"; status: Exclude<RunStatus, "running" | "waiting">; error: string | null }
  | { type: "resumed"; by?: Actor };

export type RunNotice =
  | "retry"
  | "repeated_call"
  | "iterations_exhausted"
  | "calls_exhausted"
  | "too_many_errors"
  | "truncated_call"
  /** The provider gave an undocumented finish reason; the calls were complete and ran. */
  | "unlisted_finish_reason"
  /** More tools are offered than the provider documents as its limit. */
  | "too_many_tools"
  | "unknown_tool"
  | "paused"
  /** The model stopped early: refused, cut off, or for a reason of the provider. */
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
  /** Active time up to the last event: time of the turns without waiting for approval (`run-figures.ts`). */
  activeMs: number;
  /** Active time runs on from here, epoch milliseconds; null unless the run is running. */
  activeSince: number | null;
  modelCalls: number;
  toolCalls: number;
  failedToolCalls: number;
  usage: ChatUsage;
  /** US dollars; null if the model has no price. */
  cost: number | null;
  error: string | null;
  /** Open approvals. */
  waiting: number;
  /** The run that this one was forked from at a step. */
  parentId: string | null;
  parentStep: number | null;
  transcriptId: string | null;
}

/**
 * The partial model response of a live run; the log gets it once it is complete. Pages get the end of long texts: `textFrom`
 * and its siblings count the characters before it.
 */
export interface RunPartial {
  step: number;
  text: string;
  textFrom?: number;
  reasoning: string;
  reasoningFrom?: number;
  calls: { callId: string; name: string; argumentsText: string; argumentsFrom?: number }[];
}

export interface RunDetail extends RunSummary {
  settings: RunSettings;
  /** The newest events; `runs.events` returns older ones. */
  events: RunEvent[];
  /** Of the whole log. */
  eventCount: number;
  /** Null while no response is streaming. */
  partial: RunPartial | null;
  /** The process died, or the run failed or was stopped before its turn ended. */
  resumable: boolean;
  children: { id: string; title: string; parentStep: number | null }[];
  /** Calls that a rerun's log took over from its parent; they are not in its figures. Null for other runs. */
  takenOver: { modelCalls: number; toolCalls: number } | null;
}

export interface RunPage {
  items: RunSummary[];
  nextCursor: number | null;
}

export const runFilterSchema = z.object({
  status: z.array(runStatusSchema).optional(),
  /** Default: all except attempts of model checks, which the checks list. */
  source: z.array(runSourceSchema).optional(),
  provider: z.string().max(100).optional(),
  model: z.string().max(200).optional(),
  /** Free text in titles. */
  q: z.string().max(200).optional(),
  transcriptId: z.string().max(100).optional(),
});
export type RunFilter = z.infer<typeof runFilterSchema>;

/**
 * Live updates of a run for open pages. `offset` counts the characters of this text before the update, so that a page that
 * also read `RunPartial` neither repeats nor misses any.
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
  /** The request is sent again: discard the partial response of this step. */
  | { type: "run_retry"; runId: string; step: number; reason: string };
