import { z } from "zod";
import {
  alertNoticesSchema,
  alertPreviewSchema,
  alertRuleInputSchema,
  alertRuleSchema,
  alertSchema,
  serverOutageSchema,
} from "../../../lib/contract/alert";
import { rowNumber } from "../../../lib/contract/row-number";
import { describeAlert, describeRule } from "../../../lib/format/alert-words";
import { act, operations, read } from "../../platform/api/operation";
import { describePage, flagSchema, pageQuery, toPage } from "../../platform/api/route-inputs";

const id = z.string().min(1).max(100);
const byId = z.object({ id });
const rule = alertRuleInputSchema;
const ofRule = (input: z.output<typeof byId>) => ({ kind: "alert rule", name: input.id });

const toTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

/** Rules and the alerts that they fired. `alerts save` is a command of its own: it changes single fields of a rule. */
export const alertOperations = operations(
  "alerts",
  {
    outages: read({
      rest: "GET /servers/{name}/outages",
      summary: "List the newest 100 outages of a server in the last 30 days",
      allow: "read",
      input: z.object({ name: z.string().min(1).max(200) }),
      output: z.array(serverOutageSchema),
      run: ({ services }, { name }) => services.alerts.outages(name),
    }),
    history: read({
      rest: "GET /alerts",
      summary: "List the alerts of the last 30 days that the user is notified of, newest first",
      allow: "read",
      input: pageQuery.extend({
        ruleId: z.string().max(100).optional(),
        firing: flagSchema.optional().describe("Only alerts that are firing, or only resolved ones"),
      }),
      output: describePage(alertSchema),
      run: async ({ services, principal }, query) => toPage(await services.alerts.history(principal, query)),
      cli: {
        words: "list",
        summary: "List the newest alerts of the last 30 days",
        examples: [
          ["toolroom alerts list --firing", "what is wrong now"],
          ["toolroom alerts list --json", "with everything known, as JSON"],
        ],
        options: { firing: ["--firing", "only alerts that are not resolved"] },
        table: {
          columns: {
            STATUS: ({ resolvedAt }) => (resolvedAt === null ? "firing" : "resolved"),
            "FIRED (UTC)": ({ firedAt }) => toTime(firedAt),
            RULE: (alert) => alert.rule,
            WHAT: describeAlert,
          },
          empty: "No alerts.",
        },
      },
    }),
    unread: read({
      rest: "GET /alerts/unread",
      summary: "Count the alerts that you are notified of and have not seen",
      allow: "read",
      output: z.object({ count: z.number().int() }),
      run: async ({ services, principal }) => ({ count: await services.alerts.unread(principal) }),
    }),
    notices: read({
      rest: "GET /alerts/notices",
      summary: "List the newest 20 alerts that you are notified of, and the newest one that you have seen",
      allow: "read",
      output: alertNoticesSchema,
      run: ({ services, principal }) => services.alerts.notices(principal),
    }),
    markRead: act({
      rest: "PUT /alerts/notices/seen",
      summary: "Say which alert is the newest one that you have seen",
      allow: "read",
      input: z.object({ seq: rowNumber }),
      audit: { unrecorded: "It concerns what this user has seen, and nothing else" },
      run: ({ services, principal }, { seq }) => services.alerts.markRead(principal, seq),
    }),
    rules: read({
      rest: "GET /alerts/rules",
      summary: "List the alert rules, by name",
      allow: "read",
      output: z.array(alertRuleSchema),
      run: ({ services }) => services.alerts.rules(),
      cli: {
        words: "rules",
        summary: "List the alert rules",
        examples: [
          ["toolroom alerts rules", "as a table"],
          ["toolroom alerts rules --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            NAME: ({ name }) => name,
            STATUS: ({ enabled, firing }) => (enabled ? (firing > 0 ? `${firing} firing` : "ok") : "disabled"),
            RULE: describeRule,
          },
          empty: "No alert rules. Save one with: toolroom alerts save",
        },
      },
    }),
    createRule: act({
      rest: "POST /alerts/rules",
      summary: "Create an alert rule",
      allow: "edit",
      input: z.object({ rule }),
      body: "rule",
      output: alertRuleSchema,
      status: 201,
      audit: {
        target: (_, made) => ({ kind: "alert rule", name: made?.id ?? "" }),
        after: (made, _, { alerts }) => alerts.toState(made.id),
      },
      run: ({ services, principal }, input) => services.alerts.createRule(principal, input.rule),
    }),
    preview: read({
      rest: "POST /alerts/rules/preview",
      summary: "How often a rule would have fired in the last seven days, without saving it",
      allow: "read",
      input: z.object({ rule }),
      body: "rule",
      output: alertPreviewSchema,
      run: ({ services }, input) => services.alerts.preview(input.rule),
    }),
    updateRule: act({
      rest: "PUT /alerts/rules/{id}",
      summary: "Replace an alert rule. Its alerts are resolved where its kind or scope differs, or it is disabled",
      allow: "edit",
      input: z.object({ id, rule }),
      body: "rule",
      output: alertRuleSchema,
      audit: { target: ofRule, state: ({ alerts }, input) => alerts.toState(input.id) },
      run: ({ services, principal }, input) => services.alerts.updateRule(principal, input.id, input.rule),
    }),
    deleteRule: act({
      rest: "DELETE /alerts/rules/{id}",
      summary: "Delete an alert rule, and resolve its alerts",
      allow: "edit",
      input: byId,
      audit: { target: ofRule, state: ({ alerts }, input) => alerts.toState(input.id) },
      run: ({ services, principal }, input) => services.alerts.deleteRule(principal, input.id),
      cli: {
        words: "delete <id>",
        examples: [
          ["toolroom alerts delete 'Payments fail'", "by its name"],
          ["toolroom alerts delete alert_5f0c…", "or its id"],
        ],
        find: { list: "/alerts/rules", kind: "alert rule" },
        say: (_, name) => `Deleted the alert rule ${name}.`,
      },
    }),
  },
  {
    summary: "List alerts; list, save and delete the rules that fire them",
    examples: ["toolroom alerts list --firing", "toolroom alerts rules"],
  },
);
