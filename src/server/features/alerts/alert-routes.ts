import { z } from "zod";
import {
  alertPageSchema,
  alertPreviewSchema,
  alertRuleInputSchema,
  alertRuleSchema,
  serverOutageSchema,
} from "../../../lib/contract/alert";
import { rowNumber } from "../../../lib/contract/row-number";
import { defineRoute } from "../../platform/api/route";
import { procedure, router } from "../../platform/api/trpc";

const RULE = "/alerts/rules/{id}";

const listRules = defineRoute({
  method: "GET",
  path: "/alerts/rules",
  permission: "read",
  summary: "List the alert rules, by name",
  response: z.object({ items: z.array(alertRuleSchema) }),
  answer: async ({ services }) => ({ items: await services.alerts.rules() }),
});

const createRule = defineRoute({
  method: "POST",
  path: "/alerts/rules",
  permission: "edit",
  status: 201,
  summary: "Create an alert rule",
  body: alertRuleInputSchema,
  response: alertRuleSchema,
  answer: ({ services, actor }, { body }) => services.alerts.createRule(actor, body),
});

const previewRule = defineRoute({
  method: "POST",
  path: "/alerts/rules/preview",
  permission: "read",
  summary: "How often a rule would have fired in the last seven days, without saving it",
  body: alertRuleInputSchema,
  response: alertPreviewSchema,
  answer: ({ services }, { body }) => services.alerts.preview(body),
});

const updateRule = defineRoute({
  method: "PUT",
  path: RULE,
  permission: "edit",
  summary: "Replace an alert rule. Its alerts are resolved where its kind or scope differs, or it is disabled",
  body: alertRuleInputSchema,
  response: alertRuleSchema,
  answer: ({ services, actor }, { param, body }) => services.alerts.updateRule(actor, param("id"), body),
});

const deleteRule = defineRoute({
  method: "DELETE",
  path: RULE,
  permission: "edit",
  summary: "Delete an alert rule, and resolve its alerts",
  async answer({ services, actor }, { param }) {
    await services.alerts.deleteRule(actor, param("id"));
    return undefined;
  },
});

const historyQuery = z.object({
  ruleId: z.string().max(100).optional(),
  firing: z.enum(["true", "false"]).optional().describe("Only alerts that are firing, or only resolved ones"),
  cursor: z.coerce.number().pipe(rowNumber).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

const listAlerts = defineRoute({
  method: "GET",
  path: "/alerts",
  permission: "read",
  summary: "List the alerts of the last 30 days that the user is notified of, newest first",
  query: historyQuery,
  response: alertPageSchema,
  answer: ({ services, actor }, { query: { firing, ...query } }) =>
    services.alerts.history(actor, { ...query, ...(firing !== undefined && { firing: firing === "true" }) }),
});

const listOutages = defineRoute({
  method: "GET",
  path: "/servers/{name}/outages",
  permission: "read",
  summary: "List the newest 100 outages of a server in the last 30 days",
  response: z.object({ items: z.array(serverOutageSchema) }),
  answer: async ({ services }, { param }) => ({ items: await services.alerts.outages(param("name")) }),
});

export const ALERT_ROUTES = [listOutages, listAlerts, listRules, createRule, previewRule, updateRule, deleteRule];

const id = z.string().min(1).max(100);
const rule = alertRuleInputSchema;
const page = z.object({ cursor: rowNumber.nullish() });

export const alertsRouter = router({
  rules: procedure.query(({ ctx }) => ctx.services.alerts.rules()),
  createRule: procedure
    .input(z.object({ rule }))
    .mutation(({ ctx, input }) => ctx.services.alerts.createRule(ctx.actor, input.rule)),
  updateRule: procedure
    .input(z.object({ id, rule }))
    .mutation(({ ctx, input }) => ctx.services.alerts.updateRule(ctx.actor, input.id, input.rule)),
  deleteRule: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.alerts.deleteRule(ctx.actor, input.id)),
  preview: procedure.input(z.object({ rule })).query(({ ctx, input }) => ctx.services.alerts.preview(input.rule)),
  history: procedure
    .input(page)
    .query(({ ctx, input }) =>
      ctx.services.alerts.history(ctx.actor, { cursor: input.cursor ?? undefined, limit: 50 }),
    ),
  outages: procedure
    .input(z.object({ server: z.string().min(1).max(200) }))
    .query(({ ctx, input }) => ctx.services.alerts.outages(input.server)),
  unread: procedure.query(({ ctx }) => ctx.services.alerts.unread(ctx.actor)),
  notices: procedure.query(({ ctx }) => ctx.services.alerts.notices(ctx.actor)),
  markRead: procedure
    .input(z.object({ seq: rowNumber }))
    .mutation(({ ctx, input }) => ctx.services.alerts.markRead(ctx.actor, input.seq)),
});
