import type { CommandIo } from "../command-io";
import { type Color, paint, toLine, usesColor } from "../output";
import {
  type CheckResult,
  describeChange,
  describeTraffic,
  describeWitness,
  listResults,
  summarize,
} from "./describe-report";

import { formatAnnotations } from "./github-report";
import { formatJunitReport } from "./junit-report";
import { formatMarkdownReport } from "./markdown-report";
import { formatSarifReport } from "./sarif-report";

export const FORMATS = ["text", "json", "junit", "sarif", "markdown", "github"] as const;
export type ReportFormat = (typeof FORMATS)[number];

const COLORS: Record<string, Color> = { error: "red", warning: "yellow", info: "gray" };

export function formatReport(format: ReportFormat, result: CheckResult, io: CommandIo): string {
  if (format === "json") return `${JSON.stringify({ ...result.report, failed: result.hasFailed }, null, 2)}\n`;
  if (format === "junit") return formatJunitReport(result);
  if (format === "sarif") return formatSarifReport(result, io.version);
  if (format === "github") return `${formatTextReport(result, io)}${formatAnnotations(result)}`;
  return format === "markdown" ? formatMarkdownReport(result) : formatTextReport(result, io);
}

/** For a terminal. */
function formatTextReport(result: CheckResult, { stdout, env }: Pick<CommandIo, "stdout" | "env">): string {
  const hasColor = usesColor(stdout, env);
  const color = (text: string, name: Color | undefined): string => (hasColor ? paint(text, name) : text);
  const lines: string[] = [];
  for (const { verdict, traffic, severity } of listResults(result.report)) {
    const label = (severity ?? "ok").padEnd(7);
    lines.push(
      `${color(label, COLORS[severity ?? "info"])}  ${toLine(verdict.tool)}  ${color(describeChange(verdict), "gray")}`,
    );
    for (const finding of verdict.findings) {
      // The line above says it.
      if (verdict.change !== "changed") continue;
      const mark = color(finding.severity.padEnd(7), COLORS[finding.severity]);
      lines.push(`         ${mark}  ${toLine(finding.message)}  ${color(finding.rule, "gray")}`);
      const witness = describeWitness(finding);
      if (witness !== null) lines.push(`                  ${toLine(witness.text)}  ${color(witness.effect, "gray")}`);
    }
    if (traffic !== null) for (const line of describeTraffic(traffic)) lines.push(`         calls    ${toLine(line)}`);
  }
  lines.push(`${lines.length > 0 ? "\n" : ""}${color(summarize(result), result.hasFailed ? "red" : "green")}`);
  return `${lines.join("\n")}\n`;
}
