import type { Role } from "../../../lib/contract/access";
import type { Alert, AlertRule, AlertRuleInput, ServerOutage } from "../../../lib/contract/alert";
import type { Outage } from "./alert-readings";
import type { AlertState } from "./alert-state";

export type RuleChange = AlertRuleInput & Pick<AlertRule, "updatedAt" | "updatedBy">;
export type NewAlert = Omit<Alert, "seq" | "resolvedAt">;
export type AlertEvent = "alert.fired" | "alert.resolved";

export interface SubjectState {
  ruleId: string;
  subject: string;
  state: AlertState;
}

export interface Transition {
  ruleId: string;
  subject: string;
  /** The state as it was read; null where there was none. */
  before: AlertState | null;
  /** The new state; null to forget it. */
  after: AlertState | null;
  fired?: NewAlert | undefined;
  resolved?: { id: string; at: number } | undefined;
  /** True if webhooks receive the event. */
  sendsEvents: boolean;
}

export type WaitKind = "approval_waiting" | "change_held" | "server_down";

/** A request for approval of a tool's call, a blocked change or an outage of a server. */
export interface Wait {
  /** The tool, or the server. */
  subject: string;
  from: number;
  /** The time of the decision or end; null before that. */
  until: number | null;
}

export interface AlertPage {
  items: Alert[];
  /** The sequence number of the oldest one; null at the end. */
  nextCursor: number | null;
}

export interface AlertStore {
  /** The newest outages of a server, the newest first. */
  listOutages(server: string, limit: number): Promise<ServerOutage[]>;
  /** The outages of servers that are still away. */
  listOpenOutages(): Promise<Outage[]>;
  /** Changes nothing where the server is away already. */
  beginOutage(outage: Outage & { status: string }): Promise<void>;
  endOutage(server: string, at: number): Promise<void>;
  /** Deletes outages that ended before. */
  pruneOutages(endedBefore: number): Promise<void>;
  /**
   * Lists requests, blocked changes or outages that were open at any time since then. Only the last blocked change of a
   * tool is stored.
   */
  listWaits(kind: WaitKind, since: number): Promise<Wait[]>;
  /** Lists the rules by name. */
  listRules(): Promise<AlertRule[]>;
  findRule(id: string): Promise<AlertRule | null>;
  /** @returns false where another rule has the name, in any case */
  createRule(rule: Omit<AlertRule, "firing">): Promise<boolean>;
  updateRule(id: string, change: RuleChange): Promise<"saved" | "unknown" | "taken">;
  /** Deletes a rule and keeps its alerts. @returns false for an unknown one */
  deleteRule(id: string): Promise<boolean>;
  states(): Promise<SubjectState[]>;
  /** One transaction. @returns false where another evaluation came first, or the rule is gone or disabled: nothing is changed */
  transition(change: Transition): Promise<boolean>;
  /** Resolves the alerts of a rule, and forgets its states. */
  settleRule(ruleId: string, at: number, sendsEvents: boolean): Promise<void>;
  /** Events whose webhook deliveries are not stored yet. */
  listPendingEvents(): Promise<{ alert: Alert; event: AlertEvent }[]>;
  clearPendingEvent(id: string, event: AlertEvent): Promise<void>;
  /** Newest first: those for one of these roles. */
  list(query: {
    roles: readonly Role[];
    ruleId?: string | undefined;
    firing?: boolean | undefined;
    cursor?: number | undefined;
    limit: number;
  }): Promise<AlertPage>;
  countAfter(seq: number, roles: readonly Role[]): Promise<number>;
  readSeq(userId: string): Promise<number>;
  /** Stores a number; one that is lower than the stored one changes nothing. */
  setReadSeq(userId: string, seq: number): Promise<void>;
  /** Deletes resolved alerts that fired before, and those beyond the newest `keep`. */
  prune(firedBefore: number, keep: number): Promise<void>;
}
