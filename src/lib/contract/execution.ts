import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { approvalFactsSchema } from "./approval";
import { EXECUTION_OUTCOMES } from "./call-class";
import {
  errorKindSchema,
  executionSourceSchema,
  executionStatusSchema,
  faultSchema,
  firedLimitSchema,
} from "./envelope";
import { DURATION_NAMES, SIZE_NAMES } from "./execution-facets";
import { EXECUTION_KINDS } from "./execution-kind";
import { recordedLensSchema } from "./lens-schema";
import { rowNumber } from "./row-number";
import { ruleMatchSchema } from "./rule-match";
import { toolDefinitionSchema } from "./tool-definition-schema";

/** Stands where the arguments of a call would be that the reader may not read. */
export const RESTRICTED_ARGUMENTS = "Restricted: this call uses another user's own credential or rights";

export const logLineSchema = z.object({
  /** Milliseconds since the run began. */
  atMs: z.number(),
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
  event: z
    .literal("caller_gone")
    .optional()
    .describe(
      "The client disconnected before the response, which reached no caller; the status says how the tool ended",
    ),
});
export type LogLine = z.infer<typeof logLineSchema>;

/** One row of the list of executions. Times are epoch milliseconds, durations milliseconds. */
export const executionSummarySchema = z.object({
  /** Order of recording; the cursor of lists. */
  seq: z.number().int(),
  id: z.string(),
  toolName: z.string(),
  /** The name that the caller used, where a toolset or an address gives the tool another one. */
  calledAs: z.string().optional(),
  implementationType: z.string().nullable(),
  status: executionStatusSchema,
  source: executionSourceSchema,
  actor: actorSchema,
  /** Program and version of the caller, for calls through a protocol. */
  client: z.string().nullable(),
  /** The first characters of the arguments' JSON text. */
  argumentsPreview: z.string(),
  errorPreview: z.string().nullable(),
  // A kind of a later version, or a row edited by hand, must not break the whole page.
  errorKind: errorKindSchema.nullable().catch("unexpected"),
  /** Validation and run, as in the envelope. */
  executionTimeMs: z.number().nullable(),
  /** The time the tool itself ran; null for a call whose tool did not run. */
  durationMs: z.number().nullable(),
  queuedAt: z.number(),
  finishedAt: z.number().nullable(),
  /** The size of the whole result. */
  resultBytes: z.number().int().nullable(),
  /** The size of the stored part. */
  storedBytes: z.number().int().nullable(),
  cost: z.number().optional().describe("US dollars by the prices of rules; absent where none says"),
  parentId: z.string().nullable(),
  runId: z.string().nullable(),
  /** The title of the run; null where there is none. */
  runTitle: z.string().nullable(),
  pinned: z.boolean(),
  /** The match of a search outside of the two previews, with some text around it. */
  match: z.object({ in: z.enum(["error", "result", "arguments", "reason"]), text: z.string() }).optional(),
  /** The reader may not see arguments, result and logs: the call used the personal credential of another user. */
  restricted: z.literal(true).optional(),
});
export type ExecutionSummary = z.infer<typeof executionSummarySchema>;

const modelViewSchema = z.object({
  text: z.string(),
  /** Characters in `text` that come from the result, and in the result as a whole. */
  sentChars: z.number().int(),
  totalChars: z.number().int(),
  truncated: z.boolean(),
  /** Null for an MCP client, which receives the whole result. */
  maxChars: z.number().int().nullable(),
  /** The expression that made the text; absent where it is the whole result's. */
  lens: z.string().optional(),
});
export type ModelView = z.infer<typeof modelViewSchema>;

/** One execution in full. JSON is sent as text, so that it is shown unchanged with any keys. */
export const executionDetailSchema = executionSummarySchema.extend({
  argumentsText: z.string(),
  /** JSON text, null if there is no result; cut at the storage limit if `resultTruncated`. */
  resultText: z.string().nullable(),
  resultTruncated: z.boolean(),
  error: z.string().nullable(),
  faults: z.array(faultSchema),
  limit: firedLimitSchema.nullable(),
  startedAt: z.number().nullable(),
  /** Phases in order: validation, commit of the start, wait for a user, run (a wait in it included). */
  timing: z.object({
    validateMs: z.number().nullable(),
    recordMs: z.number().nullable(),
    waitMs: z.number().nullable(),
    runMs: z.number().nullable(),
  }),
  timeoutMs: z.number().nullable(),
  validationSkipped: z.boolean(),
  definition: toolDefinitionSchema.nullable(),
  /** Content hash of the definition that ran. */
  definitionHash: z.string().nullable(),
  /** Whether the catalog's definition differs from the one that ran. */
  definitionChanged: z.boolean(),
  /** The version of the tool that ran, and the name whose history has it; null for an unknown tool. */
  version: z.object({ number: z.number().int(), toolName: z.string() }).nullable(),
  logs: z.array(logLineSchema),
  /** The result as the model receives it. */
  modelView: modelViewSchema.nullable(),
  callId: z.string().nullable(),
  /** The toolset through which the call came, by its name at that time. */
  toolset: z.string().nullable(),
  /** Why the caller made the call, where the toolset asks. */
  reason: z.string().nullable(),
  serverName: z.string().nullable(),
  /** The server's id of the task that the call ran as. */
  taskId: z.string().nullable(),
  /** `personal` where the server received the actor's own credential. */
  credential: z.literal("personal").nullable(),
  /** The lens that the caller's result went through; null where the caller got the whole. */
  lens: recordedLensSchema.nullable(),
  /** Null if no approval was requested. */
  approval: approvalFactsSchema.nullable(),
  ruleMatches: z.array(ruleMatchSchema).describe("The rules that applied to the call, then those that only recorded"),
  received: z
    .object({ resultText: z.string().nullable() })
    .nullable()
    .describe(
      "The result as its caller received it, where rules redacted or blocked it; without a text where it was blocked. Null: as it is stored",
    ),
  parent: executionSummarySchema.nullable(),
  children: z.array(executionSummarySchema),
});
export type ExecutionDetail = z.infer<typeof executionDetailSchema>;

const executionOutcomeSchema = z.enum(EXECUTION_OUTCOMES);

export type { ExecutionOutcome } from "./call-class";
export type {
  CallFigures,
  CallGroup,
  FailedFigures,
  FailureGroup,
  OverviewStats,
  ServerFigures,
  ToolFailures,
  ToolFigures,
  ToolStatistics,
  ToolStats,
  WaitFigures,
} from "./execution-figures";

/** Characters by which messages of failures are grouped. */
export const MESSAGE_CHARS = 200;

export const executionFilterSchema = z.object({
  tool: z.array(z.string().max(200)).max(50).optional(),
  kind: z.array(z.enum(EXECUTION_KINDS)).optional(),
  status: z
    .array(executionOutcomeSchema)
    .optional()
    .describe(
      "`failed` means all errors: `error`, `timed_out`, `interrupted`, and `invalid` from programs. `input`: running, and waiting for a user's input",
    ),
  /** Default: all except calls of evals and tests, and imported ones, unless a run or pinned calls are asked for. */
  source: z.array(executionSourceSchema).optional(),
  actor: z.string().max(200).optional(),
  errorKind: z.array(errorKindSchema).optional(),
  /** Calls of tools that have one of these tags now. */
  tag: z.array(z.string().max(100)).max(50).optional(),
  /** The time that the tool itself ran: `none` for a call whose tool did not run. */
  duration: z.array(z.enum(DURATION_NAMES)).optional(),
  /** Sizes of the stored result: `none` for a call without one. */
  size: z.array(z.enum(SIZE_NAMES)).optional(),
  /** The error of failed calls, as far as `MESSAGE_CHARS` characters. */
  message: z.string().min(1).max(MESSAGE_CHARS).optional().describe("The first 200 characters of the error, exactly"),
  /** Free text in arguments, results, errors and reasons; three characters or more. */
  q: z.string().max(200).optional(),
  /** Epoch milliseconds, inclusive. */
  since: z.number().int().optional(),
  until: z.number().int().optional(),
  pinned: z.boolean().optional(),
  runId: z.string().max(100).optional(),
  toolset: z.string().max(100).optional(),
  /** The MCP server or API whose tools, resources and prompts were called. */
  server: z.string().max(200).optional(),
  /** The caller's program: `claude-code/1.2.3`, or its name without the version; `NO_CLIENT` for calls that name none. */
  client: z.string().max(201).optional(),
  /** The id of the API token that the calls were made with. */
  token: z.string().max(100).optional(),
  /** The id of a rule for calls. */
  rule: z.string().max(100).optional().describe("Calls that this rule decided, or would have"),
  minCost: z.number().positive().max(1_000_000_000).optional().describe("Calls that cost so many US dollars or more"),
  lensFailed: z.literal(true).optional().describe("Calls whose caller got the whole result since the lens failed"),
  /** Together with `tool`: calls that a change which waits breaks, by its hash; calls of one version, by the definition's; `NO_DEFINITION` for calls without one. */
  change: z.string().max(100).optional(),
  definition: z.string().max(100).optional(),
});
export type ExecutionFilter = z.infer<typeof executionFilterSchema>;

/** An order other than newest first. Calls without the figure come last. */
export const executionOrderSchema = z.object({ by: z.enum(["duration", "size"]), descending: z.boolean() });
export type ExecutionOrder = z.infer<typeof executionOrderSchema>;

/** The last row of a page: its `seq`, and in an ordered list its figure as well. */
export const executionCursorSchema = z.union([rowNumber, z.object({ seq: rowNumber, value: z.number().nullable() })]);
export type ExecutionCursor = z.infer<typeof executionCursorSchema>;

export const executionPageSchema = z.object({
  items: z.array(executionSummarySchema),
  /** The `cursor` of the next page; null at the end. */
  nextCursor: executionCursorSchema.nullable(),
  /** Set where a text has more matches than can be sorted: the number of newest ones that were. */
  newestOnly: z.number().int().optional(),
});
export type ExecutionPage = z.infer<typeof executionPageSchema>;

export const executionCountSchema = z.object({
  count: z.number().int(),
  more: z.boolean().describe("Counting stopped at its limit: there may be more"),
});
export type ExecutionCount = z.infer<typeof executionCountSchema>;
