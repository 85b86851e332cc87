import type { RetentionRule, RetentionState } from "../../../lib/contract/retention";
import { formatBytes } from "../../../lib/format/bytes";
import { formatAbsoluteTime } from "../../../lib/format/relative-time";
import type { CommandPart } from "../../platform/api/operation-command";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const formatScope = ({ scope, name }: RetentionRule): string =>
  name === undefined ? scope : `${scope} ${name}`;

export function formatLimits({ maxAgeDays, maxCount, maxBytes }: RetentionRule): string {
  const limits = [
    ...(maxAgeDays === undefined ? [] : [`${maxAgeDays} days`]),
    ...(maxCount === undefined ? [] : [`${maxCount} newest`]),
    ...(maxBytes === undefined ? [] : [formatBytes(maxBytes)]),
  ];
  return limits.length === 0 ? "keep all" : limits.join(", ");
}

export function describeRetention({ policy, running, sweeps }: RetentionState): CommandPart[] {
  const rules = policy.rules.map((rule) => [formatScope(rule), formatLimits(rule)]);
  const parts: CommandPart[] =
    rules.length === 0 ? [{ lines: ["No rules: nothing is deleted."] }] : [{ head: ["RULE", "KEEPS"], rows: rules }];
  if (running) parts.push({ lines: ["", "A sweep is running."] });
  if (sweeps.length === 0) return parts;
  const rows = sweeps.map(({ startedAt, executions, runs, bytes, error }) => [
    formatAbsoluteTime(startedAt, zone),
    String(executions),
    String(runs),
    formatBytes(bytes),
    error ?? "",
  ]);
  return [...parts, { lines: [""] }, { head: ["SWEEP", "CALLS", "RUNS", "SIZE", "ERROR"], rows }];
}
