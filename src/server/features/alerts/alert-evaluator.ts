import type { AlertRule } from "../../../lib/contract/alert";
import { describeCounted } from "../../../lib/format/rule-limit-words";
import type { Logger } from "../../engine/ports";
import type { Jobs } from "../../platform/coordination/jobs";
import type { Happening } from "../webhooks/webhook-events";
import { DOWN, MINUTE_MS, NO_SUBJECT, type Reading, type ReadingPorts, readSubjects } from "./alert-readings";
import { type AlertState, advanceAlert, isIdle, keepWithinClock, NO_STATE, toLevel } from "./alert-state";
import type { AlertStore } from "./alert-store";

const EVALUATE_JOB = "alerts.evaluate";
const PRUNE_JOB = "alerts.prune";
const HOUR_MS = 60 * MINUTE_MS;
const KEPT_MS = 30 * 24 * HOUR_MS;
const KEPT_ALERTS = 1_000;

export interface EvaluatorPorts extends Omit<ReadingPorts, "outages"> {
  store: AlertStore;
  jobs: Pick<Jobs, "repeat">;
  logger: Logger;
  newId(): string;
  /** Resolves once the event is stored for the webhooks that want it. */
  publish(happening: Happening): Promise<void>;
  onChange(): void;
}

/** Checks all rules once a minute, at one instance of the server at a time. */
export function createAlertEvaluator(ports: EvaluatorPorts) {
  const { store, logger, now } = ports;

  /** A server that is connecting may be up or down: its known state stays. */
  async function recordOutages(): Promise<void> {
    const open = new Set((await store.listOpenOutages()).map(({ server }) => server));
    const servers = new Map(ports.servers().map(({ name, status }) => [name, status]));
    for (const [name, status] of servers) {
      if (DOWN.has(status) && !open.has(name)) await store.beginOutage({ server: name, status, startedAt: now() });
    }
    for (const name of open) {
      const status = servers.get(name);
      if (status === undefined || (status !== "connecting" && !DOWN.has(status))) await store.endOutage(name, now());
    }
  }

  async function evaluate(signal?: AbortSignal): Promise<void> {
    await recordOutages();
    const rules = (await store.listRules()).filter(({ enabled }) => enabled);
    const states = rules.length === 0 ? [] : await store.states();
    let changed = false;
    for (const rule of rules) {
      if (signal?.aborted === true) return;
      const known = new Map(states.flatMap((each) => (each.ruleId === rule.id ? [[each.subject, each.state]] : [])));
      // The figures of one rule must not keep the others from being checked.
      const isChanged = await evaluateRule(rule, known).catch((error: unknown) => {
        logger.error({ err: error, rule: rule.id }, "An alert rule could not be evaluated");
        return false;
      });
      changed ||= isChanged;
    }
    if (changed) ports.onChange();
    await publishPending();
  }

  async function evaluateRule(rule: AlertRule, known: ReadonlyMap<string, AlertState>): Promise<boolean> {
    const readings = await readSubjects(rule, { ...ports, outages: store.listOpenOutages });
    if (readings === null) return false;
    let changed = false;
    for (const subject of new Set([...readings.keys(), ...known.keys()])) {
      const before = known.get(subject) ?? null;
      const reading = readings.get(subject) ?? { ...NO_SUBJECT, value: null };
      if (reading.value === "unknown") continue;
      if (await advance(rule, subject, before, reading)) changed = true;
    }
    return changed;
  }

  /** @returns whether an alert fired or was resolved */
  async function advance(rule: AlertRule, subject: string, before: AlertState | null, reading: Reading) {
    const at = now();
    const { tool, server, client, limit } = reading;
    const known = keepWithinClock(before ?? NO_STATE, at);
    const value = reading.value as number | null;
    const level = toLevel(rule.kind, value, rule.threshold);
    const { state, event } = advanceAlert(known, level, { now: at, newId: ports.newId });
    const after = isIdle(state, at) ? null : state;
    if (JSON.stringify(after) === JSON.stringify(before)) return false;
    const { id: ruleId, name, kind, threshold, windowMinutes, notify, webhooks: sendsEvents } = rule;
    const isDone = await store.transition({
      ruleId,
      subject,
      before,
      after,
      sendsEvents,
      fired:
        event === "fired" && state.alertId !== null && value !== null
          ? {
              id: state.alertId,
              ruleId,
              rule: name,
              kind,
              tool,
              server,
              client,
              limit,
              value,
              threshold,
              windowMinutes,
              notify,
              firedAt: at,
            }
          : undefined,
      resolved: event === "resolved" && before?.alertId ? { id: before.alertId, at } : undefined,
    });
    return isDone && event !== null;
  }

  /** Includes events that a crashed instance of the server left pending. */
  async function publishPending(): Promise<void> {
    for (const { alert, event } of await store.listPendingEvents()) {
      const { id, rule, kind, tool, server, client, limit, value, threshold, firedAt, resolvedAt } = alert;
      const of = limit && { limit: limit.ruleName, limitRule: limit.ruleId, limitFor: describeCounted(limit.parts) };
      const data = { alert: id, rule, kind, tool, server, client, ...of, value, threshold, firedAt, resolvedAt };
      await ports.publish({ event, identity: id, data });
      await store.clearPendingEvent(id, event);
    }
  }

  ports.jobs.repeat(EVALUATE_JOB, MINUTE_MS, evaluate);
  ports.jobs.repeat(PRUNE_JOB, HOUR_MS, async () => {
    await store.prune(now() - KEPT_MS, KEPT_ALERTS);
    await store.pruneOutages(now() - KEPT_MS);
  });
  return { evaluate };
}
