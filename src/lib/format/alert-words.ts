import type { Alert, AlertRuleInput } from "../contract/alert";
import { ALERT_WORDS, type AlertKind } from "../contract/alert-kinds";
import { PROGRAM_SOURCES } from "../contract/call-class";
import { formatCount, formatPlural, formatRate } from "./count";
import { formatDuration } from "./duration";
import { describeCounted } from "./rule-limit-words";

type Measured = Pick<Alert, "kind" | "tool" | "server" | "client" | "windowMinutes">;

export const describeWindow = (minutes: number): string =>
  minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;

/** `42%`, `1.8 s`, `12 min`, `2`. */
export function formatAlertValue(kind: AlertKind, value: number): string {
  if (kind === "p95_latency") return formatDuration(value);
  if (ALERT_WORDS[kind].unit === "%") return formatRate(value, 100);
  return `${formatCount(value)}${kind === "change_held" ? "" : " min"}`;
}

/** `Failure rate above 20% in 15 min, 10 calls or more, of charge_card`. */
export function describeRule(rule: Omit<AlertRuleInput, "name" | "enabled" | "notify" | "webhooks">): string {
  const { kind, tool, server, each, threshold, windowMinutes, minCalls } = rule;
  const { measure, ofCalls } = ALERT_WORDS[kind];
  const calls = ofCalls ? ` in ${describeWindow(windowMinutes)}, ${formatPlural(minCalls, "call")} or more` : "";
  const scope = each === null ? (tool ?? server) : `each ${each}`;
  return `${measure} ${formatAlertValue(kind, threshold)}${calls}${scope === null ? "" : `, of ${scope}`}`;
}

/** Describes an alert in one sentence without a period. */
export function describeAlert(alert: Measured & Pick<Alert, "value" | "limit">): string {
  const { kind, tool, server, client, value, windowMinutes } = alert;
  const subject = tool ?? server ?? client;
  const figure = formatAlertValue(kind, value);
  if (kind === "limit_usage") {
    const { ruleName = "a limit", parts = [] } = alert.limit ?? {};
    return `${figure} of ${ruleName} is used: ${describeCounted(parts)}`;
  }
  if (kind === "server_down") return `${subject} has not been connected for ${figure}`;
  if (kind === "approval_waiting") return `A call of ${subject} has waited ${figure} for approval`;
  const [changes, wait] = value === 1 ? ["change", "waits"] : ["changes", "wait"];
  if (kind === "change_held") return `${figure} ${changes} of ${subject} ${wait} for review`;
  const what =
    kind === "p95_latency"
      ? `p95 duration is ${figure}`
      : `${figure} of calls ${kind === "failure_rate" ? "failed" : "had invalid arguments"}`;
  return `${subject === null ? "" : `${subject}: `}${what} in ${describeWindow(windowMinutes)}`;
}

const MINUTE_MS = 60_000;

type AlertSpan = Measured & Pick<Alert, "firedAt" | "resolvedAt">;

/** The page that shows what an alert is about. */
export function toAlertPath(alert: AlertSpan): string {
  const { kind, tool, server, client, windowMinutes, firedAt, resolvedAt } = alert;
  if (kind === "approval_waiting") return "/approvals";
  if (kind === "limit_usage") return "/approvals/rules";
  if (kind === "server_down") return `/servers/${encodeURIComponent(server ?? "")}`;
  if (kind === "change_held") return `/servers/${encodeURIComponent(server ?? "")}/changes`;
  const query = new URLSearchParams({ kind: "tool", range: "custom", since: `${firedAt - windowMinutes * MINUTE_MS}` });
  if (resolvedAt !== null) query.set("until", String(resolvedAt));
  if (tool !== null) query.set("tool", tool.replaceAll(",", "%2C"));
  if (server !== null) query.set("server", server);
  if (client !== null) query.set("client", client);
  if (kind === "failure_rate") query.set("status", "failed");
  else if (kind === "invalid_rate") {
    query.set("status", "invalid");
    query.set("source", PROGRAM_SOURCES.join(","));
  } else query.set("sort", "-duration");
  return `/executions?${query}`;
}
