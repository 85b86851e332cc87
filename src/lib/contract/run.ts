import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { type AppContext, countContextChars, MAX_APP_CONTEXT_CHARS } from "./app";
import { chatUsageSchema } from "./chat-schema";
import { type RunEvent, runEventSchema, runStatusSchema } from "./run-event";

export type { RunEvent, RunEventBody, RunEventPart, RunNotice, RunStatus } from "./run-event";

export const runSourceSchema = z.enum(["agent", "background", "check", "api"]);
export type RunSource = z.infer<typeof runSourceSchema>;

/** The tools that a run may use. */
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
  /** Calls that the model writes as text are executed. */
  runTextCalls: z.boolean().optional(),
  /** Calls are answered from this cassette, whose tools are offered in place of `tools`. */
  cassette: z.string().min(1).max(100).optional(),
  /** The provider holds the conversation, if it can. */
  storeConversation: z.boolean().optional(),
});
export type RunSettings = z.infer<typeof runSettingsSchema>;

/** The texts of all Apps with one message. */
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

/** A user's message on its way. */
export interface OutgoingMessage {
  text: string;
  appContext: readonly AppContext[];
}

/** A slice of a text that is too long to be sent at once. */
export const runTextSliceSchema = z.object({
  text: z.string(),
  chars: z.number().int().describe("The length of the whole text"),
});
export type RunTextSlice = z.infer<typeof runTextSliceSchema>;

/** Consecutive events, oldest first. */
export const runEventPageSchema = z.object({
  events: z.array(runEventSchema),
  older: z.number().int().describe("Number of events before the first one"),
});
export type RunEventPage = z.infer<typeof runEventPageSchema>;

export const runSummarySchema = z.object({
  id: z.string(),
  seq: z.number().int(),
  /** The first words of the first message. */
  title: z.string(),
  status: runStatusSchema,
  source: runSourceSchema,
  provider: z.string(),
  model: z.string(),
  actor: actorSchema,
  startedAt: z.number(),
  finishedAt: z.number().nullable(),
  /** Active time up to the last event: time of the turns without waiting for approval (`run-figures.ts`). */
  activeMs: z.number(),
  /** Active time runs on from here, epoch milliseconds; null unless the run is running. */
  activeSince: z.number().nullable(),
  modelCalls: z.number().int(),
  toolCalls: z.number().int(),
  failedToolCalls: z.number().int(),
  usage: chatUsageSchema,
  /** US dollars; null if the model has no price. */
  cost: z.number().nullable(),
  error: z.string().nullable(),
  /** The number of open approvals. */
  waiting: z.number().int(),
  /** The run that this one was forked from at a step. */
  parentId: z.string().nullable(),
  parentStep: z.number().int().nullable(),
  transcriptId: z.string().nullable(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/**
 * The partial model response of a live run; the log gets it once it is complete. Pages get the end of long texts: `textFrom`
 * and its siblings count the characters before it.
 */
const runPartialSchema = z.object({
  step: z.number().int(),
  text: z.string(),
  textFrom: z.number().int().optional(),
  reasoning: z.string(),
  reasoningFrom: z.number().int().optional(),
  calls: z.array(
    z.object({
      callId: z.string(),
      name: z.string(),
      argumentsText: z.string(),
      argumentsFrom: z.number().int().optional(),
    }),
  ),
});
export type RunPartial = z.infer<typeof runPartialSchema>;

export const runDetailSchema = runSummarySchema.extend({
  settings: runSettingsSchema,
  /** The newest events; `runs.events` returns older ones. */
  events: z.array(runEventSchema),
  /** The number of events in the whole log. */
  eventCount: z.number().int(),
  /** Null while no response is streaming. */
  partial: runPartialSchema.nullable(),
  /** The process died, or the run failed or was stopped before its turn ended. */
  resumable: z.boolean(),
  children: z.array(z.object({ id: z.string(), title: z.string(), parentStep: z.number().int().nullable() })),
  /** Calls that a rerun's log took over from its parent; they are not in its figures. Null for other runs. */
  takenOver: z.object({ modelCalls: z.number().int(), toolCalls: z.number().int() }).nullable(),
});
export type RunDetail = z.infer<typeof runDetailSchema>;

const comparedSideSchema = z
  .object({
    step: z.number().int(),
    /** The start of the message, of the response, or of the call's arguments. */
    text: z.string(),
    /** The start of a call's result or error. */
    result: z.string().nullable(),
    executionId: z.string().nullable(),
  })
  .nullable();

export const runDifferencesSchema = z.object({
  before: runSummarySchema,
  after: runSummarySchema,
  /** `texts`: only messages or responses differ; `calls`: a call differs too. */
  verdict: z.enum(["same", "texts", "calls"]),
  same: z.number().int(),
  /** The differences, in the order of the runs. */
  items: z.array(
    z.object({
      kind: z.enum(["changed", "removed", "added"]),
      part: z.enum(["message", "response", "call"]),
      /** The tool of a call. */
      tool: z.string().nullable(),
      /** The part of a call that changed. */
      changed: z.enum(["arguments", "result"]).nullable(),
      before: comparedSideSchema,
      after: comparedSideSchema,
    }),
  ),
});
export type RunDifferences = z.infer<typeof runDifferencesSchema>;

export interface RunPage {
  items: RunSummary[];
  nextCursor: number | null;
}

export const runFilterSchema = z.object({
  status: z.array(runStatusSchema).optional(),
  /** Default: all except attempts of evals, which their runs list. */
  source: z.array(runSourceSchema).optional(),
  provider: z.string().max(100).optional(),
  model: z.string().max(200).optional(),
  /** Free text to find in titles. */
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
