import { CHANGE_RULES } from "../../../lib/contract/change-rules";
import { reachesSeverity, type Severity } from "../../../lib/contract/change-verdict";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import type { CommandIo } from "../command-io";
import { formatJunit, type JunitCase } from "../junit";
import { type Color, paint, toLine, usesColor } from "../output";
import { formatSarif, hashFingerprint } from "../sarif";
import { DEFAULT_BASELINE } from "./baseline-file";
import {
  type CheckResult,
  describeChange,
  describeTraffic,
  describeWitness,
  listMessages,
  listResults,
  summarize,
  type ToolResult,
  TRAFFIC_RULE,
} from "./describe-report";
import { escapeHtml, escapeText, toCode } from "./markdown-text";

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

/** Formats the report for a terminal. */
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
      // The line above is enough for tools that were added or removed.
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

/** One suite: a case for each changed tool, and one for all equal ones. */
function formatJunitReport(result: CheckResult): string {
  const { report, failOn } = result;
  const fails = ({ severity }: ToolResult): boolean => failOn !== null && reachesSeverity(severity, failOn);
  const name = `toolroom check ${report.server}`;
  const cases = listResults(report).map((each): JunitCase => {
    const outcome = fails(each)
      ? ({ element: "failure", attributes: { type: each.severity ?? "", message: describeFirst(each) } } as const)
      : ({ element: "system-out" } as const);
    return { name: each.verdict.tool, classname: name, outcome: { ...outcome, text: describeAll(each) } };
  });
  const equal = { name: `${report.unchanged} unchanged tools`, classname: name };
  return formatJunit("toolroom check", [
    { name, cases: [...cases, equal], timestamp: new Date(report.at).toISOString() },
  ]);
}

function describeFirst({ verdict, traffic }: ToolResult): string {
  return verdict.findings[0]?.message ?? (traffic === null ? "" : (describeTraffic(traffic)[0] ?? ""));
}

function describeAll({ verdict, traffic }: ToolResult): string {
  const findings = verdict.findings.flatMap((finding) => {
    const witness = describeWitness(finding);
    const line = `${finding.severity}: ${finding.message} (${finding.rule})`;
    return witness === null ? [line] : [line, `  ${witness.text} (${witness.effect})`];
  });
  return [...findings, ...(traffic === null ? [] : describeTraffic(traffic))].join("\n");
}

const SIGNS: Record<Severity, string> = { error: "❌ error", warning: "⚠️ warning", info: "ℹ️ info" };
/** GitHub's limit for a comment is 65,536 characters. */
const MAX_CHARS = 60_000;
const MAX_ROWS = 100;

/** A comment for a pull request. The first line is how a job finds its earlier comment. */
function formatMarkdownReport(result: CheckResult): string {
  const { report, hasFailed } = result;
  const results = listResults(report);
  const lines = [
    "<!-- toolroom-check -->",
    `### ${hasFailed ? "❌" : "✅"} Tools of ${escapeText(report.server)}`,
    "",
    escapeText(summarize(result)),
  ];
  if (results.length > 0) {
    lines.push("", "| Tool | Change | Severity |", "|---|---|---|");
    for (const { verdict, severity } of results.slice(0, MAX_ROWS)) {
      const sign = severity === null ? "–" : SIGNS[severity];
      lines.push(`| ${toCode(verdict.tool)} | ${escapeText(describeChange(verdict))} | ${sign} |`);
    }
    if (results.length > MAX_ROWS) lines.push("", `and ${results.length - MAX_ROWS} more tools`);
  }
  let text = lines.join("\n");
  for (const each of results) {
    const details = formatDetails(each);
    if (details === "" || text.length + details.length > MAX_CHARS) continue;
    text += `\n\n${details}`;
  }
  return `${text}\n`;
}

function formatDetails({ verdict, traffic, severity }: ToolResult): string {
  const items = verdict.findings.flatMap((finding) => {
    const witness = describeWitness(finding);
    const line = `- ${SIGNS[finding.severity]}: ${escapeText(finding.message)} (${toCode(finding.rule)})`;
    return witness === null ? [line] : [line, `  - ${toCode(witness.text)} – ${witness.effect}`];
  });
  if (traffic !== null) items.push(...describeTraffic(traffic).map((line) => `- ${escapeText(line)}`));
  if (items.length === 0) return "";
  const open = severity === "error" ? " open" : "";
  const summary = `<summary><code>${escapeHtml(verdict.tool)}</code></summary>`;
  return [`<details${open}>${summary}`, "", ...items, "", "</details>"].join("\n");
}

const LEVELS: Record<Severity, string> = { error: "error", warning: "warning", info: "note" };

/** SARIF 2.1.0, with a location in the baseline where there is one: code scanning shows findings at their lines. */
function formatSarifReport(result: CheckResult, version: string): string {
  const { report } = result;
  const ids = [...Object.keys(CHANGE_RULES), TRAFFIC_RULE];
  const results = listMessages(report).map(({ tool, rule, severity, message }) => ({
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level: LEVELS[severity],
    message: { text: stripControlCharacters(message) },
    locations: [toLocation(tool, result)],
    partialFingerprints: { "toolroomChange/v1": hashFingerprint(`${tool}\n${rule}\n${message}`) },
  }));
  const rules = ids.map((id) => {
    const setting = CHANGE_RULES[id]?.setting ?? "error";
    const text = CHANGE_RULES[id]?.says ?? "Recorded calls would be rejected";
    return {
      id,
      shortDescription: { text },
      defaultConfiguration: setting === "off" ? { enabled: false } : { level: LEVELS[setting] },
    };
  });
  return formatSarif({
    name: "toolroom check",
    version,
    id: `toolroom-check/${report.server}/`,
    at: report.at,
    rules,
    results,
  });
}

function toLocation(tool: string, { file, lines }: CheckResult) {
  const logicalLocations = [{ name: tool, fullyQualifiedName: `tools/${tool}`, kind: "function" }];
  // GitHub refuses a file with a result that names no file.
  const uri = (file ?? DEFAULT_BASELINE).split(/[\\/]/).map(encodeURIComponent).join("/");
  return {
    physicalLocation: {
      artifactLocation: { uri, uriBaseId: "%SRCROOT%" },
      region: { startLine: lines.get(tool) ?? 1 },
    },
    logicalLocations,
  };
}
