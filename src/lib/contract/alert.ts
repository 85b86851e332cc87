import { z } from "zod";
import { ROLES } from "./access";
import { ALERT_KINDS, ALERT_SUBJECTS, ALERT_WORDS } from "./alert-kinds";
import { limitUsageSchema } from "./rule-limit";

const scope = z.string().min(1).max(300).nullable().default(null);

const fields = z.strictObject({
  name: z.string().trim().min(1, "must not be empty").max(80),
  kind: z.enum(ALERT_KINDS),
  tool: scope.describe("Only this tool; null for all"),
  server: scope.describe("Only this server; null for all. Not together with `tool`"),
  each: z
    .enum(ALERT_SUBJECTS)
    .nullable()
    .default(null)
    .describe(
      "Evaluates the calls of each tool, server or client apart, with an alert for each. Null: all calls together",
    ),
  threshold: z
    .number()
    .positive("must be above 0")
    .max(1_000_000_000)
    .describe("Percent, milliseconds, minutes or changes, by kind"),
  windowMinutes: z.number().int().min(5).max(1_440).default(15).describe("Of calls that are checked together"),
  minCalls: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(10)
    .describe("Fewer finished calls in the window never fire"),
  enabled: z.boolean().default(true),
  notify: z.enum(ROLES).default("viewer").describe("The least role whose users get a notice in the console"),
  webhooks: z
    .boolean()
    .default(true)
    .describe("Sends `alert.fired` and `alert.resolved` to webhooks with these events"),
});

export const alertRuleInputSchema = fields.superRefine(({ kind, tool, server, each, threshold }, context) => {
  const { label, unit, ofTool, ofCalls } = ALERT_WORDS[kind];
  const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (tool !== null && server !== null) refuse("server", "must be null where `tool` is given");
  if (tool !== null && !ofTool) refuse("tool", `must be null: ${label} is about servers`);
  if (server !== null && kind === "limit_usage") refuse("server", `must be null: ${label} is about limits of rules`);
  if (each !== null && !ofCalls) refuse("each", `must be null: ${label} has an alert for each one anyway`);
  if (each !== null && (tool ?? server) !== null) refuse("each", "must be null where `tool` or `server` is given");
  if (unit === "%" && threshold >= 100) refuse("threshold", "must be below 100 percent");
});
export type AlertRuleInput = z.infer<typeof alertRuleInputSchema>;

export const alertRuleSchema = fields.extend({
  id: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  updatedBy: z.string(),
  firing: z.number().int().describe("Alerts that are not resolved"),
});
export type AlertRule = z.infer<typeof alertRuleSchema>;

/** A rule that fired for one subject. Times are epoch milliseconds. */
export const alertSchema = z.object({
  id: z.string(),
  seq: z.number().int(),
  ruleId: z.string(),
  rule: z.string().describe("The rule's name when it fired"),
  kind: z.enum(ALERT_KINDS),
  tool: z.string().nullable(),
  server: z.string().nullable(),
  client: z.string().nullable().describe("The caller's program, without its version"),
  limit: limitUsageSchema
    .pick({ ruleId: true, ruleName: true, parts: true })
    .nullable()
    .describe("The limit of `limit_usage`, and what it counts apart"),
  value: z.number().describe("When it fired, in the unit of `threshold`"),
  threshold: z.number(),
  windowMinutes: z.number().int(),
  notify: z.enum(ROLES),
  firedAt: z.number(),
  resolvedAt: z.number().nullable().describe("Null while it is firing"),
});
export type Alert = z.infer<typeof alertSchema>;

/** A time in which an enabled server was not connected, as it was looked at once a minute. Times are epoch milliseconds. */
export const serverOutageSchema = z.object({
  status: z.string().describe("Of the connection when the outage was noticed"),
  startedAt: z.number(),
  endedAt: z.number().nullable().describe("Null while the server is away"),
});
export type ServerOutage = z.infer<typeof serverOutageSchema>;

/** The newest alerts for one user. */
export const alertNoticesSchema = z.object({
  readSeq: z.number().int().describe("The newest one that this user has seen"),
  items: z.array(alertSchema),
});
export type AlertNotices = z.infer<typeof alertNoticesSchema>;

export const alertPreviewSchema = z.object({
  days: z.number().int().describe("The time that was evaluated; 0: only now, since the use of limits has no history"),
  fired: z.number().int().describe("How often the rule would have fired"),
  points: z
    .array(z.object({ start: z.number(), value: z.number().nullable(), firing: z.boolean() }))
    .describe("By the hour, the largest value; a null value: too few calls"),
  rebuilding: z.boolean().describe("Figures are incomplete for now"),
});
export type AlertPreview = z.infer<typeof alertPreviewSchema>;
