import { z } from "zod";
import { chatMessageSchema } from "./chat-schema";
import { MAX_EVAL_ROUNDS } from "./eval-limits";
import { lastEditSchema } from "./last-edit";
import { rowNumber } from "./row-number";
import { runStatusSchema } from "./run-event";
import { SUITE_NAME_PATTERN } from "./suite-limits";
import { suiteRunFactsSchema } from "./suite-run";

const toolName = z.string().trim().min(1).max(200);

const suiteNameSchema = z
  .string()
  .regex(SUITE_NAME_PATTERN, "must be 1 to 64 letters, digits, '_' or '-', beginning with a letter or digit");

/** The decision of a run's model that an eval was made from. */
export const evalOriginSchema = z.object({ runId: z.string().max(100), step: rowNumber.min(1) });
export type EvalOrigin = z.infer<typeof evalOriginSchema>;

/** A question, and the tools that a model should and should not call first. */
export const evalInputSchema = z.object({
  suite: suiteNameSchema,
  question: z.string().trim().min(1).max(4000),
  /** The call of any of them is right; none: the right answer calls nothing. */
  expected: z.array(toolName).max(20).default([]),
  forbidden: z.array(toolName).max(20).default([]),
  /** The toolset whose tools are offered; null: all enabled tools. */
  toolset: z.string().min(1).max(100).nullable().default(null),
  /** The conversation up to the decision, with the question in it; empty: the question alone. */
  context: z.array(chatMessageSchema).max(200).default([]),
  origin: evalOriginSchema.nullable().default(null),
});
export type EvalInput = z.infer<typeof evalInputSchema>;

export const evalSchema = evalInputSchema.extend({ id: z.string(), createdAt: z.number(), lastEdit: lastEditSchema });
export type Eval = z.infer<typeof evalSchema>;

/** A tool choice of a stored run that a user may turn into an eval. The recorded choice may be wrong. */
export const evalCandidateSchema = z.object({
  origin: evalOriginSchema,
  runTitle: z.string(),
  at: z.number(),
  question: z.string(),
  called: z.array(z.string()).describe("The tools that the model called"),
  hasFailed: z.boolean().describe("A call failed: a sign that the choice was wrong"),
  toolset: z.string().nullable(),
  contextMessages: z
    .number()
    .int()
    .describe("Messages of the conversation before the decision, when there are more than the question"),
});
export type EvalCandidate = z.infer<typeof evalCandidateSchema>;

export const evalDecisionSchema = evalCandidateSchema.extend({
  context: z
    .array(chatMessageSchema)
    .describe("The conversation before the decision; empty where that is the question alone"),
});

/** `direct`: the model gets the list; `discovery`: it gets `search_tools` and `call_tool`. */
export const evalOfferingSchema = z.enum(["direct", "discovery"]);
export type EvalOffering = z.infer<typeof evalOfferingSchema>;

export const evalRunSummarySchema = suiteRunFactsSchema.extend({
  kind: z.literal("evals"),
  suite: z.string(),
  provider: z.string(),
  model: z.string(),
  offering: evalOfferingSchema,
  /** The tool whose unsaved definition was offered; null: the catalog as it was. */
  edited: z.string().nullable(),
  /** Attempts of each eval. */
  rounds: z.number().int(),
  /** Attempts that ended. */
  done: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** US dollars; null where the model has no price. */
  cost: z.number().nullable(),
});
export type EvalRunSummary = z.infer<typeof evalRunSummarySchema>;

/** One eval as it was when the run began. */
export const evalItemSchema = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  expected: z.array(z.string()).default([]),
});
export type EvalItem = z.infer<typeof evalItemSchema>;

/** Attempts written by a later version, or by hand, are read as far as they are known. */
export const evalAttemptSchema = z.object({
  item: z.string(),
  round: z.number(),
  passed: z.boolean(),
  /** The failed expectation, as a sentence; null when it passed. */
  reason: z.string().nullable().catch(null),
  /** The names of the tools that the model called first. */
  called: z.array(z.string()).catch([]),
  /** The run with its transcript; null where nothing is executed. */
  runId: z.string().nullable().catch(null),
  runStatus: runStatusSchema.nullable().catch(null),
  durationMs: z.number().catch(0),
  inputTokens: z.number().catch(0),
  outputTokens: z.number().catch(0),
});
export type EvalAttempt = z.infer<typeof evalAttemptSchema>;

export const evalRunDetailSchema = evalRunSummarySchema.extend({
  items: z.array(evalItemSchema),
  attempts: z.array(evalAttemptSchema),
});
export type EvalRunDetail = z.infer<typeof evalRunDetailSchema>;

const comparedSideSchema = z.object({ passed: z.number().int(), done: z.number().int() }).nullable();

/** Two runs, eval by eval, the changed ones first. */
export const evalComparisonSchema = z.object({
  before: evalRunSummarySchema,
  after: evalRunSummarySchema,
  /** `chance`: the 95% interval of the difference of the rates (Newcombe) includes zero. */
  verdict: z.enum(["better", "worse", "chance"]),
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** Null where the run does not have the eval. */
      before: comparedSideSchema,
      after: comparedSideSchema,
      /** The difference of the rates, from -1 to 1. */
      change: z.number(),
      /** The tool that was called most often, where that differs. */
      called: z.object({ before: z.string(), after: z.string() }).nullable(),
    }),
  ),
});
export type EvalComparison = z.infer<typeof evalComparisonSchema>;
export type ComparedEval = EvalComparison["items"][number];

export const evalRunInputSchema = z.object({
  provider: z.string().min(1).max(100),
  model: z.string().trim().min(1).max(200),
  rounds: z.number().int().min(1).max(MAX_EVAL_ROUNDS).default(3),
  offering: evalOfferingSchema.default("direct"),
});
export type EvalRunInput = z.infer<typeof evalRunInputSchema>;

/** A definition that is not saved yet, in place of the tool's own. */
export interface EvalEdit {
  /** The name of the tool that is edited; null for a new one. */
  editing: string | null;
  definitionText: string;
}
