import {
  type ChangeReport,
  findStrongest,
  type RuleFinding,
  type SchemaVerdict,
  type Severity,
  type TrafficVerdict,
  type Witness,
} from "../../../lib/contract/change-verdict";
import { formatCount, formatPlural } from "../../../lib/format/count";

/** The report of a check, and the severity that fails it. */
export interface CheckResult {
  report: ChangeReport;
  /** Null: no finding makes the check fail. */
  failOn: Severity | null;
  hasFailed: boolean;
  /** The file to which findings refer, as the user named it; null where there is none. */
  file: string | null;
  /** The line of each tool in it. */
  lines: ReadonlyMap<string, number>;
}

/** All known facts about one tool. */
export interface ToolResult {
  verdict: SchemaVerdict;
  traffic: TrafficVerdict | null;
  severity: Severity | null;
}

export const TRAFFIC_RULE = "traffic.rejected";
const MAX_WITNESS_CHARS = 400;

/** The changed tools, the strongest first. */
export function listResults({ schema, traffic }: ChangeReport): ToolResult[] {
  const results = schema.map((verdict) => {
    const calls = traffic?.find(({ tool }) => tool === verdict.tool) ?? null;
    return { verdict, traffic: calls, severity: findStrongest([verdict.severity, calls?.severity ?? null]) };
  });
  const rank = (severity: Severity | null): number => ["error", "warning", "info", null].indexOf(severity);
  return results.sort((one, other) => rank(one.severity) - rank(other.severity));
}

/** One sentence about the whole check. */
export function summarize({ report, failOn, hasFailed }: CheckResult): string {
  const { schema, unchanged } = report;
  if (schema.length === 0) return `No tool changed (${formatPlural(unchanged, "tool")}).`;
  const counts = (["error", "warning", "info"] as const).flatMap((severity) => {
    const count = listResults(report).filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  const all = schema.length + unchanged;
  const outcome = failOn === null ? "" : hasFailed ? ` Fails at ${failOn}.` : ` Passes: nothing reaches ${failOn}.`;
  const what = counts.length === 0 ? "no finding" : counts.join(", ");
  return `${schema.length} of ${formatPlural(all, "tool")} changed: ${what}.${outcome}`;
}

/** `37 of 1,204 recent calls would be rejected: 'priority' became required`. */
export function describeTraffic({ total, counts, reasons, fields, complete }: TrafficVerdict): string[] {
  if (total === 0) return ["no recent call of this tool"];
  const of = `${complete ? "" : "at least "}${formatCount(counts.rejected)} of ${formatPlural(total, "recent call")}`;
  const why = reasons.slice(0, 3).map(({ reason, calls }) => `${reason} (${formatCount(calls)})`);
  const rejected = `${of} would be rejected${why.length === 0 ? "" : `: ${why.join("; ")}`}`;
  const received = fields.map(({ path, calls }) => `${formatPlural(calls, "call")} received '${path}', which is gone`);
  const undecided =
    counts.undecidable === 0 ? [] : [`${formatPlural(counts.undecidable, "call")} could not be checked`];
  return [rejected, ...received.slice(0, 5), ...undecided];
}

const EFFECTS: Record<Witness["effect"], string> = {
  refused: "accepted before, refused now",
  impossible: "possible now, impossible before",
  lost: "has a part that is no longer described",
};

/** The value that proves a finding, cut, with the proven fact; null without one. */
export function describeWitness({ witness }: RuleFinding): { text: string; effect: string } | null {
  if (witness === null) return null;
  const text = JSON.stringify(witness.value);
  return {
    text: text.length <= MAX_WITNESS_CHARS ? text : `${text.slice(0, MAX_WITNESS_CHARS)}…`,
    effect: EFFECTS[witness.effect],
  };
}

export function describeChange({ change, outcome }: SchemaVerdict): string {
  return change === "changed" ? outcome : change;
}

/** One sentence for each finding, and for the recorded calls of a tool. */
export function listMessages(report: ChangeReport) {
  return listResults(report).flatMap(({ verdict: { tool, findings }, traffic }) => {
    const messages = findings.map((finding) => {
      const witness = describeWitness(finding);
      const example = witness === null ? "" : `. ${witness.text} (${witness.effect})`;
      return { tool, rule: finding.rule, severity: finding.severity, message: `${tool}: ${finding.message}${example}` };
    });
    if (traffic === null || traffic.severity === null) return messages;
    const message = `${tool}: ${describeTraffic(traffic).join("; ")}`;
    return [...messages, { tool, rule: TRAFFIC_RULE, severity: traffic.severity, message }];
  });
}
