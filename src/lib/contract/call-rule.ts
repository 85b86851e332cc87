import { z } from "zod";
import { ROLES } from "./access";
import { actorSchema } from "./actor-schema";
import { approvalModeSchema } from "./approval";
import {
  HOOK_ARGUMENTS,
  HOOK_FAILURE_ACTIONS,
  MAX_CONDITION_CHARS,
  MAX_HOOK_URL_CHARS,
  MAX_PRICE_CHARS,
  MAX_RESULT_PATHS,
  MAX_RESULT_PATTERN_CHARS,
  MAX_RESULT_PATTERNS,
  RESULT_PRESETS,
  type ResultEffectKind,
  RULE_DECISIONS,
  RULE_FALLBACKS,
  RULE_OUTCOMES,
  RULE_STATES,
  RULED_KINDS,
  type RuleDecisionKind,
} from "./call-rule-words";
import { errorKindSchema, executionSourceSchema, executionStatusSchema } from "./envelope";
import { executionFilterSchema } from "./execution";
import { lastEditSchema } from "./last-edit";
import { limitEffectSchema } from "./rule-limit";

/**
 * Names, or patterns as in toolsets: `*` matches any characters, `?` matches one. A call matches a list with one of its
 * entries; an empty list sets no limit.
 */
const patterns = z.array(z.string().trim().min(1, "must not be empty").max(200)).max(100).default([]);

const ruleScopeSchema = z.strictObject({
  tools: patterns.describe("Names of tools in the catalog, or patterns such as `pay_*`"),
  servers: patterns.describe("Names of servers, or patterns"),
  toolsets: patterns.describe("Names of toolsets through which a call came, or patterns"),
  tags: patterns.describe("Tags of the tool"),
  kinds: z
    .array(z.enum(RULED_KINDS))
    .max(RULED_KINDS.length)
    .default([])
    .describe("Empty: all. `agent`: Toolroom's own tools at `/mcp/toolroom`. Only calls of tools can be routed"),
});

const ruleCallerSchema = z.strictObject({
  users: patterns.describe("Ids of users, or patterns; for rules that do not allow, names too"),
  roles: z.array(z.enum(ROLES)).max(ROLES.length).default([]),
  tokens: patterns.describe("Ids of API tokens"),
  clients: patterns.describe("Programs without their version, or patterns: `claude-*`. A program names itself"),
  sources: z.array(executionSourceSchema).max(20).default([]),
});

const reason = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(500)
  .describe("The message that the caller and its model receive");

/** The texts to find in a result. */
const resultTexts = {
  presets: z.array(z.enum(RESULT_PRESETS)).max(RESULT_PRESETS.length).default([]).describe("Kinds of text"),
  patterns: z
    .array(z.string().min(1, "must not be empty").max(MAX_RESULT_PATTERN_CHARS))
    .max(MAX_RESULT_PATTERNS)
    .default([])
    .describe("Patterns in the syntax of RE2"),
};

const hookUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .max(MAX_HOOK_URL_CHARS)
  // Reports one problem at a time: a text that is not an address is not checked for a user name.
  .refine((url) => !URL.canParse(url) || (new URL(url).username === "" && new URL(url).password === ""), {
    error: "must not contain a user name or password: requests are signed",
  })
  .describe("Asked by POST, signed. Everyone who reads rules sees it");

export const ruleEffectSchema = z.discriminatedUnion("kind", [
  /** The call needs no approval, regardless of the settings of the tool, its server and its toolset. */
  z.strictObject({ kind: z.literal("allow") }),
  z.strictObject({
    kind: z.literal("deny"),
    reason,
  }),
  z.strictObject({
    kind: z.literal("ask"),
    approver: approvalModeSchema.exclude(["never"]).default("always").describe("Who may approve"),
  }),
  limitEffectSchema,
  z.strictObject({
    kind: z.literal("price"),
    price: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(MAX_PRICE_CHARS)
      .describe("US dollars for a call: a figure, or CEL over `tool`, `args`, `caller` and `result`. Prices add up"),
  }),
  /** Callers receive a marker in place of parts of the result, which is stored whole. */
  z.strictObject({
    kind: z.literal("redact"),
    paths: z
      .array(z.string().trim().min(1, "must not be empty").max(300))
      .max(MAX_RESULT_PATHS)
      .default([])
      .describe("Values of the result's data: `result.items[*].email`"),
    ...resultTexts,
  }),
  /** Callers receive the reason in place of the result, which is stored whole. */
  z.strictObject({ kind: z.literal("block"), reason, ...resultTexts }),
  /** Asks a program, which may deny the call or have it approved. A rule that only records sends nothing. */
  z.strictObject({
    kind: z.literal("hook"),
    url: hookUrl,
    arguments: z
      .enum(HOOK_ARGUMENTS)
      .default("masked")
      .describe("What is sent of the arguments. `masked`: as they are stored, without sensitive values"),
    onFailure: z
      .enum(HOOK_FAILURE_ACTIONS)
      .default("deny")
      .describe("For a hook that answers with no decision within 2 s"),
  }),
  /** Another tool runs in place of the one that is called, with the same arguments. The first route that matches applies. */
  z.strictObject({
    kind: z.literal("route"),
    tool: z
      .string()
      .trim()
      .min(1, "must name a tool")
      .max(200)
      .describe(
        "Its name in the catalog. Approval settings and rules of both tools apply, and its calls are not routed again",
      ),
  }),
]);
export type RuleEffect = z.infer<typeof ruleEffectSchema>;
/** The effects that decide whether a call runs. */
export type DecidingEffect = Extract<RuleEffect, { kind: RuleDecisionKind }>;
/** The effects on a result, after the call ran. */
export type ResultEffect = Extract<RuleEffect, { kind: ResultEffectKind }>;
/** The effects beside the decision. */
export type AddedEffect = Exclude<RuleEffect, { kind: RuleDecisionKind }>;

/** The outcome of one request to a hook. */
export const hookTestSchema = z.object({
  decision: z.enum(RULE_DECISIONS).nullable().describe("Null for a hook that failed"),
  reason: z.string().nullable().describe("That the hook gives"),
  failure: z.string().nullable().describe("Why there is no decision"),
  status: z.number().int().nullable().describe("Of HTTP; null where there was no answer"),
  ms: z.number().describe("Until the end of the answer"),
});
export type HookTest = z.infer<typeof hookTestSchema>;

export const callRuleInputSchema = z.strictObject({
  name: z.string().trim().min(1, "must not be empty").max(80),
  state: z.enum(RULE_STATES).default("on").describe("`record`: executions only say what the rule would have done"),
  scope: ruleScopeSchema.prefault({}),
  caller: ruleCallerSchema.prefault({}),
  condition: z
    .string()
    .trim()
    .max(MAX_CONDITION_CHARS)
    .default("")
    .describe(
      "CEL over `tool`, `args`, `caller`, `client`, `time` and `count(minutes)`, and `result` where the effect is redact or block; empty: every call in scope",
    ),
  fallback: z
    .enum(RULE_FALLBACKS)
    .default("skip")
    .describe("For calls on which the condition cannot be evaluated, since a field is missing, say"),
  effect: ruleEffectSchema,
});
export type CallRuleInput = z.infer<typeof callRuleInputSchema>;

/** The part of a rule that a request sets. */
export const toRuleInput = ({
  name,
  state,
  scope,
  caller,
  condition,
  fallback,
  effect,
}: CallRuleInput): CallRuleInput => ({
  name,
  state,
  scope,
  caller,
  condition,
  fallback,
  effect,
});

/** A rule for calls. The first that matches decides among allow, deny and ask. Times are epoch milliseconds. */
export const callRuleSchema = callRuleInputSchema.extend({
  id: z.string(),
  position: z.number().int().describe("From 1; rules are tried in this order"),
  version: z.number().int().describe("Counts edits; executions name it"),
  createdAt: z.number(),
  updatedAt: z.number(),
  updatedBy: z.string(),
  reviewedAt: z.number().nullable().describe("When an editor last looked at its results"),
  lastEdit: lastEditSchema,
  matched: z.number().int().describe("Calls of the last seven days that it matched"),
  unevaluable: z.number().int().describe("Calls since the start on which its condition could not be evaluated"),
});
export type CallRule = z.infer<typeof callRuleSchema>;

/** A place in a condition, in characters. */
export const conditionProblemSchema = z.object({ message: z.string(), from: z.number().int(), to: z.number().int() });
export type ConditionProblem = z.infer<typeof conditionProblemSchema>;

export const rulePreviewInputSchema = z.object({
  rule: callRuleInputSchema.describe("Evaluated as if it were on"),
  id: z.string().max(100).optional().describe("The rule that this one replaces; absent: a new one"),
  position: z.number().int().min(1).optional().describe("Where a new one is tried, from 1; absent: as the last one"),
  filter: executionFilterSchema
    .strict()
    .prefault({})
    .describe("Which recorded calls it reads: the last seven days, where no time is given"),
});
export type RulePreviewInput = z.infer<typeof rulePreviewInputSchema>;

const outcomeCounts = z.record(z.enum(RULE_OUTCOMES), z.number().int());

export const rulePreviewSchema = z.object({
  since: z.number(),
  until: z.number(),
  calls: z.number().int().describe("Recorded calls that were evaluated"),
  more: z.boolean().describe("There are older calls, which were not evaluated"),
  matched: z.number().int().describe("Calls that this rule decides, or adds its effect to"),
  unknown: z.number().int().describe("Calls for which a masked value or a fact that was not recorded decides"),
  before: outcomeCounts.describe("By what the rules of now do. `none`: the settings of tools and servers decide"),
  after: outcomeCounts.describe("By what the rules do with this one in its place"),
  changed: z.number().int().describe("Calls that it treats otherwise than the rules of now"),
  failedAllowed: z.number().int().describe("Calls that it allows, and that failed"),
  limited: z
    .object({
      calls: z.number().int().describe("Calls that it would have counted, or found no room for"),
      withoutRoom: z.number().int().describe("Calls that it would have denied, asked for or held"),
      firstAt: z.number().nullable().describe("When the first of these was received"),
      keys: z.number().int().describe("Counts: users, say, where it counts them apart"),
    })
    .nullable()
    .describe(
      "What a limit would have done in the order of the calls, from 0 at the first of them. Null for other rules",
    ),
  routed: z
    .object({
      calls: z.number().int().describe("Calls that it would have routed"),
      invalid: z.number().int().describe("Of these, calls whose arguments the other tool does not take"),
      unknown: z.number().int().describe("Calls whose arguments are masked, hidden or too long to be checked"),
    })
    .nullable()
    .describe("What a route would have done. Null for other rules"),
  groups: z
    .array(z.object({ actor: actorSchema, toolName: z.string(), count: z.number().int() }))
    .describe("Its calls by caller and tool, the largest 20"),
  items: z
    .array(
      z.object({
        id: z.string(),
        toolName: z.string(),
        actor: actorSchema,
        client: z.string().nullable(),
        queuedAt: z.number(),
        status: executionStatusSchema,
        errorKind: errorKindSchema.nullable(),
        argumentsPreview: z.string(),
        before: z.enum(RULE_OUTCOMES),
        after: z.enum(RULE_OUTCOMES),
      }),
    )
    .describe("The newest 100 of its calls"),
});
export type RulePreview = z.infer<typeof rulePreviewSchema>;

/** What a tool's arguments look like: fields of its schema and values seen in recorded calls, for the builder. */
export const conditionFieldSchema = z.object({
  path: z.string().describe("`args.amount`"),
  type: z.enum(["string", "number", "integer", "boolean", "list", "object", "unknown"]),
  values: z.array(z.json()).describe("Seen most often in the newest calls, at most 10; none for sensitive fields"),
});
export type ConditionField = z.infer<typeof conditionFieldSchema>;
