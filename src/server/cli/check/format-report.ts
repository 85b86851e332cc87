import type { CommandIo } from "../command-io";
import { type Color, paint, toLine, usesColor } from "../output";
import {
  type CheckResult,
  describeChange,
  describeTraffic,
  describeWitness,
  listMessages,
  listResults,
  summarize,
} from "./describe-report";

import { formatJunitReport } from "./junit-report";
import { formatMarkdownReport } from "./markdown-report";
import { formatSarifReport } from "./sarif-report";

export const FORMATS = ["text", "json", "junit", "sarif", "markdown", "github"] as const;
export type ReportFormat = (typeof FORMATS)[number];

const ANNOTATIONS = { error: "error", warning: "warning", info: "notice" };
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

/** Workflow commands, which GitHub Actions shows as annotations at the lines of the baseline. */
function formatAnnotations({ report, file, lines }: CheckResult): string {
  const encode = (text: string): string => toLine(text).replaceAll("%", "%25");
  const commands = listMessages(report).map(({ tool, rule, severity, message }) => {
    const name = file === null ? null : encode(file).replaceAll(":", "%3A").replaceAll(",", "%2C");
    const place = name === null ? "" : `file=${name},line=${lines.get(tool) ?? 1},`;
    return `::${ANNOTATIONS[severity]} ${place}title=${rule}::${encode(message)}\n`;
  });
  return commands.join("");
}
