import type { Alert, AlertRuleInput } from "../../../lib/contract/alert";
import { ALERT_WORDS, type AlertKind, type AlertSubject } from "../../../lib/contract/alert-kinds";
import type { ConnectionStatus } from "../../../lib/contract/connection-state";
import type { LimitUsage } from "../../../lib/contract/rule-limit";
import type { StatisticFigures, StatisticsRange } from "../../../lib/contract/statistics";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import type { StatisticsReads } from "../../calls/statistics/statistics-store";

export interface WatchedServer {
  name: string;
  status: ConnectionStatus;
  /** Changed tools and skills that wait for review. */
  heldCount: number;
}

/** A time in which a server was not connected. */
export interface Outage {
  server: string;
  startedAt: number;
}

export interface ReadingPorts {
  statistics: Pick<StatisticsReads, "totals" | "series" | "groups">;
  hasTool(name: string): boolean;
  /** Servers that are away, and since when. */
  outages(): Promise<readonly Outage[]>;
  /** Only enabled servers. */
  servers(): readonly WatchedServer[];
  /** Open requests for approval, oldest first, up to one that was made after this time. */
  waiting(until: number): Promise<readonly { tool: string; requestedAt: number }[]>;
  /** The current usage of limits, the fullest first. */
  limits(): Promise<readonly LimitUsage[]>;
  now(): number;
}

/** The value that a rule checks for one subject. */
export interface Reading {
  tool: string | null;
  server: string | null;
  client: string | null;
  limit: Alert["limit"];
  /** In the unit of the threshold; null for nothing to check, `unknown` for a value that is not known yet. */
  value: number | null | "unknown";
}

export const NO_SUBJECT = { tool: null, server: null, client: null, limit: null } as const;

/** Readings by subject; null while figures are incomplete. */
export type Readings = ReadonlyMap<string, Reading> | null;

export const MINUTE_MS = 60_000;
export const DOWN: ReadonlySet<ConnectionStatus> = new Set(["failed", "disconnected", "sign_in_needed"]);

export const toScope = ({ tool, server }: Pick<AlertRuleInput, "tool" | "server">): Pick<StatisticsRange, "of"> => {
  if (tool !== null) return { of: { dimension: "tool", value: tool } } as const;
  return server === null ? {} : ({ of: { dimension: "server", value: server } } as const);
};

/** The value of calls that a rule checks; null for too few. */
export function toCallValue(
  { kind, minCalls }: Pick<AlertRuleInput, "kind" | "minCalls">,
  { finished, failed, invalid, p95Ms }: Pick<StatisticFigures, "finished" | "failed" | "invalid" | "p95Ms">,
): number | null {
  if (finished < minCalls) return null;
  if (kind === "p95_latency") return p95Ms;
  return (100 * (kind === "failure_rate" ? failed : invalid)) / finished;
}

export const isOfCalls = (kind: AlertKind): boolean => ALERT_WORDS[kind].ofCalls;

/** True if the rule checks this tool or server. */
export const isOfScope = ({ kind, tool, server }: AlertRuleInput, subject: string): boolean =>
  kind === "approval_waiting"
    ? (tool ?? subject) === subject && (server === null || subject.startsWith(`${server}${TOOL_SEPARATOR}`))
    : (server ?? subject) === subject;

/** Reads the current values for a rule. */
export async function readSubjects(rule: AlertRuleInput, ports: ReadingPorts): Promise<Readings> {
  const { kind, tool, server, threshold, windowMinutes } = rule;
  if (isOfCalls(kind)) {
    const since = ports.now() - windowMinutes * MINUTE_MS;
    if (rule.each !== null) return await readEach(rule, rule.each, since, ports);
    const { rebuilding, ...figures } = await ports.statistics.totals({ since, ...toScope(rule) });
    return rebuilding ? null : new Map([["", { ...NO_SUBJECT, tool, server, value: toCallValue(rule, figures) }]]);
  }
  if (kind === "approval_waiting") {
    const until = ports.now() - threshold * MINUTE_MS;
    const readings = new Map<string, Reading>();
    for (const { tool: name, requestedAt } of await ports.waiting(until)) {
      if (readings.has(name) || !isOfScope(rule, name)) continue;
      readings.set(name, { ...NO_SUBJECT, tool: name, value: (ports.now() - requestedAt) / MINUTE_MS });
    }
    return readings;
  }
  if (kind === "limit_usage") return readLimits(await ports.limits());
  const watched = ports.servers().filter(({ name }) => isOfScope(rule, name));
  const since = new Map((await ports.outages()).map(({ server: name, startedAt }) => [name, startedAt]));
  const readServer = ({ name, status, heldCount }: WatchedServer): Reading["value"] => {
    if (kind === "change_held") return heldCount;
    if (status === "connecting") return "unknown";
    const startedAt = since.get(name);
    return startedAt === undefined ? null : (ports.now() - startedAt) / MINUTE_MS;
  };
  return new Map(
    watched.map((each): [string, Reading] => [
      each.name,
      { ...NO_SUBJECT, server: each.name, value: readServer(each) },
    ]),
  );
}

/** Each count of each limit in percent, such as the usage of one user. */
export function readLimits(usage: readonly LimitUsage[]): Map<string, Reading> {
  return new Map(
    usage.map(({ ruleId, ruleName, key, parts, used, most }): [string, Reading] => [
      `${ruleId} ${key}`,
      { ...NO_SUBJECT, limit: { ruleId, ruleName, parts }, value: (100 * used) / most },
    ]),
  );
}

/** The limit of subjects of one rule, those with most calls. */
const MAX_SUBJECTS = 200;

/** The names of subjects with calls since then, most calls first; names that no tool has are left out. */
export async function listSubjects(
  each: AlertSubject,
  since: number,
  ports: Pick<ReadingPorts, "statistics" | "hasTool">,
) {
  const { groups, rebuilding } = await ports.statistics.groups({ since, by: each });
  const known = each === "tool" ? groups.filter(({ value }) => ports.hasTool(value)) : groups;
  return { groups: known.slice(0, MAX_SUBJECTS), rebuilding };
}

async function readEach(
  rule: AlertRuleInput,
  each: AlertSubject,
  since: number,
  ports: Pick<ReadingPorts, "statistics" | "hasTool">,
): Promise<Readings> {
  const { groups, rebuilding } = await listSubjects(each, since, ports);
  if (rebuilding) return null;
  return new Map(
    groups.map(({ value, ...figures }): [string, Reading] => [
      value,
      { ...NO_SUBJECT, [each]: value, value: toCallValue(rule, figures) },
    ]),
  );
}
