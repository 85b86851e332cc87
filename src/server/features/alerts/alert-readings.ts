import type { AlertRuleInput } from "../../../lib/contract/alert";
import { ALERT_WORDS, type AlertKind } from "../../../lib/contract/alert-kinds";
import type { ConnectionStatus } from "../../../lib/contract/connection-state";
import { TOOL_SEPARATOR } from "../../../lib/contract/server";
import type { StatisticFigures } from "../../../lib/contract/statistics";
import type { StatisticsReads } from "../statistics/statistics-store";

export interface WatchedServer {
  name: string;
  status: ConnectionStatus;
  /** Changed tools that wait for review. */
  heldCount: number;
}

export interface ReadingPorts {
  statistics: Pick<StatisticsReads, "totals" | "series">;
  /** Those that are enabled. */
  servers(): readonly WatchedServer[];
  /** Open requests for approval, oldest first, up to one that was made after this time. */
  waiting(until: number): Promise<readonly { tool: string; requestedAt: number }[]>;
  now(): number;
}

/** What a rule judges, of one of its subjects. */
export interface Reading {
  tool: string | null;
  server: string | null;
  /** In the unit of the threshold; null for nothing to judge, `unknown` for something that has to show yet. */
  value: number | null | "unknown";
  /** The server is not connected; the value is how long, which its state knows. */
  isDown?: true;
}

/** Readings by subject; null while figures are incomplete. */
export type Readings = ReadonlyMap<string, Reading> | null;

export const MINUTE_MS = 60_000;
const DOWN: ReadonlySet<ConnectionStatus> = new Set(["failed", "disconnected", "sign_in_needed"]);

export const toScope = ({ tool, server }: Pick<AlertRuleInput, "tool" | "server">) => {
  if (tool !== null) return { of: { dimension: "tool", value: tool } } as const;
  return server === null ? {} : ({ of: { dimension: "server", value: server } } as const);
};

/** The value of calls that a rule judges; null for too few. */
export function toCallValue(
  { kind, minCalls }: Pick<AlertRuleInput, "kind" | "minCalls">,
  { finished, failed, p95Ms }: StatisticFigures,
): number | null {
  if (finished < minCalls) return null;
  return kind === "failure_rate" ? (100 * failed) / finished : p95Ms;
}

export const isOfCalls = (kind: AlertKind): boolean => ALERT_WORDS[kind].ofCalls;

/** True if the rule judges this tool or server. */
export const isOfScope = ({ kind, tool, server }: AlertRuleInput, subject: string): boolean =>
  kind === "approval_waiting"
    ? (tool ?? subject) === subject && (server === null || subject.startsWith(`${server}${TOOL_SEPARATOR}`))
    : (server ?? subject) === subject;

/** Reads what a rule judges now. */
export async function readSubjects(rule: AlertRuleInput, ports: ReadingPorts): Promise<Readings> {
  const { kind, tool, server, threshold, windowMinutes } = rule;
  if (isOfCalls(kind)) {
    const since = ports.now() - windowMinutes * MINUTE_MS;
    const { rebuilding, ...figures } = await ports.statistics.totals({ since, ...toScope(rule) });
    return rebuilding ? null : new Map([["", { tool, server, value: toCallValue(rule, figures) }]]);
  }
  if (kind === "approval_waiting") {
    const until = ports.now() - threshold * MINUTE_MS;
    const readings = new Map<string, Reading>();
    for (const { tool: name, requestedAt } of await ports.waiting(until)) {
      if (readings.has(name) || !isOfScope(rule, name)) continue;
      readings.set(name, { tool: name, server: null, value: (ports.now() - requestedAt) / MINUTE_MS });
    }
    return readings;
  }
  const watched = ports.servers().filter(({ name }) => isOfScope(rule, name));
  return new Map(watched.map((each) => [each.name, { tool: null, server: each.name, ...readServer(kind, each) }]));
}

function readServer(kind: AlertKind, { status, heldCount }: WatchedServer): Pick<Reading, "value" | "isDown"> {
  if (kind === "change_held") return { value: heldCount };
  if (status === "connecting") return { value: "unknown" };
  return DOWN.has(status) ? { value: null, isDown: true } : { value: null };
}
