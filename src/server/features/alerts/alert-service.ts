import { hasRole, type Principal, ROLES } from "../../../lib/contract/access";
import type { AlertNotices, AlertPreview, AlertRule, AlertRuleInput, ServerOutage } from "../../../lib/contract/alert";
import { AppError } from "../../platform/shared/app-error";
import { createAlertEvaluator, type EvaluatorPorts } from "./alert-evaluator";
import { previewRule } from "./alert-preview";
import type { AlertPage } from "./alert-store";

export type AlertPorts = EvaluatorPorts;

export type AlertService = ReturnType<typeof createAlertService>;

const MAX_RULES = 50;
const SHOWN_NOTICES = 20;
const SHOWN_OUTAGES = 100;

const getRoles = ({ role }: Principal) => ROLES.filter((least) => hasRole(role, least));

/** Rules about calls, servers and approvals, and the alerts that they fired. */
export function createAlertService(ports: AlertPorts) {
  const { store, now, onChange } = ports;
  const evaluator = createAlertEvaluator(ports);

  async function find(id: string): Promise<AlertRule> {
    const rule = await store.findRule(id);
    if (rule === null) throw new AppError("NOT_FOUND", `Alert rule '${id}' not found`);
    return rule;
  }

  const rejectTaken = (name: string): never => {
    throw new AppError("CONFLICT", `name: there is an alert rule called '${name}' already`, [
      { path: "name", message: "is the name of another rule" },
    ]);
  };

  /** What a rule is about may have gone since it was saved; a new name is probably a mistake. */
  function assertScope({ tool, server }: AlertRuleInput, before?: AlertRule): void {
    const reject = (path: string, what: string): never => {
      throw new AppError("INVALID", `${path}: there is no ${what}`, [{ path, message: `there is no ${what}` }]);
    };
    if (tool !== null && tool !== before?.tool && !ports.hasTool(tool)) reject("tool", `tool '${tool}'`);
    if (server === null || server === before?.server) return;
    if (!ports.servers().some(({ name }) => name === server)) reject("server", `enabled server '${server}'`);
  }

  return {
    evaluate: evaluator.evaluate,
    rules: (): Promise<AlertRule[]> => store.listRules(),

    async createRule(by: Principal, input: AlertRuleInput): Promise<AlertRule> {
      assertScope(input);
      if ((await store.listRules()).length >= MAX_RULES) {
        throw new AppError("CONFLICT", `There are ${MAX_RULES} alert rules, the most: delete one first`);
      }
      const id = ports.newId();
      const at = now();
      if (!(await store.createRule({ ...input, id, createdAt: at, updatedAt: at, updatedBy: by.name }))) {
        rejectTaken(input.name);
      }
      onChange();
      return await find(id);
    },

    /** Alerts of another kind or scope, or of a rule that is disabled, are resolved. */
    async updateRule(by: Principal, id: string, input: AlertRuleInput): Promise<AlertRule> {
      const before = await find(id);
      assertScope(input, before);
      const saved = await store.updateRule(id, { ...input, updatedAt: now(), updatedBy: by.name });
      if (saved === "taken") rejectTaken(input.name);
      const { kind, tool, server, each } = before;
      const isAlike = kind === input.kind && tool === input.tool && server === input.server && each === input.each;
      if (!isAlike || !input.enabled) await store.settleRule(id, now(), before.webhooks);
      onChange();
      return await find(id);
    },

    async deleteRule(_by: Principal, id: string): Promise<void> {
      const { webhooks } = await find(id);
      await store.deleteRule(id);
      await store.settleRule(id, now(), webhooks);
      onChange();
    },

    /** How often a rule would have fired in seven days. */
    async preview(rule: AlertRuleInput): Promise<AlertPreview> {
      assertScope(rule);
      return await previewRule(rule, ports);
    },

    history: (
      by: Principal,
      query: { ruleId?: string | undefined; firing?: boolean | undefined; cursor?: number | undefined; limit: number },
    ): Promise<AlertPage> => store.list({ ...query, roles: getRoles(by) }),

    /** The outages of a server in the last 30 days, the newest first. */
    outages: (server: string): Promise<ServerOutage[]> => store.listOutages(server, SHOWN_OUTAGES),

    /** How many alerts this user is notified of and has not seen. */
    unread: async (by: Principal): Promise<number> => store.countAfter(await store.readSeq(by.id), getRoles(by)),

    async notices(by: Principal): Promise<AlertNotices> {
      const readSeq = await store.readSeq(by.id);
      return { readSeq, items: (await store.list({ roles: getRoles(by), limit: SHOWN_NOTICES })).items };
    },

    /** @param seq the newest one that the user saw */
    markRead: (by: Principal, seq: number): Promise<void> => store.setReadSeq(by.id, seq),

    /** The state for the audit log. */
    async toState(id: string): Promise<unknown> {
      const rule = await store.findRule(id);
      if (rule === null) return null;
      const { firing: _firing, createdAt: _createdAt, updatedAt: _updatedAt, updatedBy: _updatedBy, ...rest } = rule;
      return rest;
    },
  };
}
