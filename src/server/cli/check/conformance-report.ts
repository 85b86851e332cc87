import { sortChecks } from "../../../lib/conformance/compare-checks";
import type { ConformanceCheck, ConformanceRunDetail } from "../../../lib/contract/conformance";
import type { ConformanceOutcome } from "../../../lib/contract/conformance-outcome";
import { formatPlural } from "../../../lib/format/count";
import type { CommandIo } from "../command-io";
import { formatJunit, type JunitCase } from "../junit";
import { type Color, paint, toLine, usesColor } from "../output";
import { formatSarif, hashFingerprint } from "../sarif";
import { DEFAULT_BASELINE } from "./baseline-file";
import type { ReportFormat } from "./format-report";
import { escapeText, toCode } from "./markdown-text";

export interface ConformanceResult {
  run: ConformanceRunDetail;
  hasFailed: boolean;
}

type Io = Pick<CommandIo, "stdout" | "env" | "version">;

const COLORS: Partial<Record<ConformanceOutcome, Color>> = { failed: "red", warning: "yellow", skipped: "gray" };
const SIGNS: Record<ConformanceOutcome, string> = {
  failed: "❌ failed",
  warning: "⚠️ warning",
  passed: "✅ passed",
  skipped: "skipped",
};
const LEVELS: Partial<Record<ConformanceOutcome, string>> = { failed: "error", warning: "warning" };
const ANNOTATIONS: Partial<Record<ConformanceOutcome, string>> = { failed: "error", warning: "warning" };
const MAX_ROWS = 200;

export function formatConformance(format: ReportFormat, result: ConformanceResult, io: Io): string {
  if (format === "json") return `${JSON.stringify({ ...result.run, failed: result.hasFailed }, null, 2)}\n`;
  if (format === "junit") return formatJunitReport(result.run);
  if (format === "sarif") return formatSarifReport(result.run, io.version);
  if (format === "markdown") return formatMarkdown(result);
  const text = formatText(result, io);
  return format === "github" ? text + formatAnnotations(result.run) : text;
}

const listBad = (run: ConformanceRunDetail): ConformanceCheck[] =>
  sortChecks(run.checks).filter(({ outcome }) => outcome === "failed" || outcome === "warning");

function summarize({ counts, comparison }: ConformanceRunDetail): string {
  const { failed, warning, passed, skipped } = counts;
  const totals = `${failed} failed, ${formatPlural(warning, "warning")}, ${passed} passed, ${skipped} skipped`;
  if (comparison === null || comparison.before === null) return totals;
  const { newFailures, fixed } = comparison;
  return `${totals}; since the last run ${formatPlural(newFailures.length, "new failure")}, ${fixed.length} fixed`;
}

function formatText({ run, hasFailed }: ConformanceResult, { stdout, env }: Io): string {
  const hasColor = usesColor(stdout, env);
  const color = (text: string, name: Color | undefined): string => (hasColor ? paint(text, name) : text);
  const fresh = new Set(run.comparison?.before === null ? [] : run.comparison?.newFailures);
  const lines = listBad(run).flatMap(({ id, title, outcome, message }) => [
    `${color(outcome.padEnd(7), COLORS[outcome])}  ${toLine(title)}  ${color(id, "gray")}${fresh.has(id) ? "  new" : ""}`,
    ...(message === null ? [] : [`         ${toLine(message)}`]),
  ]);
  const suite = run.versions?.suite;
  const about = suite ? `Official suite ${suite}. ` : "";
  lines.push(`${lines.length > 0 ? "\n" : ""}${about}${color(summarize(run), hasFailed ? "red" : "green")}`);
  return `${lines.join("\n")}\n`;
}

function formatAnnotations(run: ConformanceRunDetail): string {
  const encode = (text: string): string => toLine(text).replaceAll("%", "%25");
  const commands = listBad(run).map(({ id, title, outcome, message }) => {
    const name = encode(id).replaceAll(":", "%3A").replaceAll(",", "%2C");
    return `::${ANNOTATIONS[outcome]} title=${name}::${encode(message ?? title)}\n`;
  });
  return commands.join("");
}

/** One suite for each group of checks. */
function formatJunitReport({ server, checks, startedAt, finishedAt }: ConformanceRunDetail): string {
  const groups = [...new Set(checks.map(({ group }) => group))];
  const timestamp = new Date(startedAt).toISOString();
  const seconds = ((finishedAt ?? startedAt) - startedAt) / 1_000;
  const suites = groups.map((group, at) => ({
    name: `${server} ${group}`,
    timestamp,
    ...(at === 0 && { seconds }),
    cases: checks.filter((check) => check.group === group).map((check) => toCase(server, check)),
  }));
  return formatJunit("toolroom check --conformance", suites);
}

function toCase(server: string, { id, title, group, outcome, message }: ConformanceCheck): JunitCase {
  const common = { name: `${id}: ${title}`, classname: `${server}.${group}` };
  if (outcome === "passed") return common;
  if (outcome === "warning")
    return { ...common, outcome: { element: "system-out", text: `warning: ${message ?? ""}` } };
  const element = outcome === "failed" ? "failure" : "skipped";
  return { ...common, outcome: { element, attributes: { message: message ?? "" } } };
}

function formatSarifReport(run: ConformanceRunDetail, version: string): string {
  const bad = listBad(run);
  const results = bad.map(({ id, title, outcome, message }, at) => ({
    ruleId: id,
    ruleIndex: at,
    level: LEVELS[outcome],
    message: { text: toLine(message ?? title) },
    // Code scanning refuses a result that names no file.
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: DEFAULT_BASELINE, uriBaseId: "%SRCROOT%" },
          region: { startLine: 1 },
        },
        logicalLocations: [{ name: run.server, fullyQualifiedName: `servers/${run.server}`, kind: "module" }],
      },
    ],
    partialFingerprints: { "toolroomConformance/v1": hashFingerprint(`${run.server}\n${id}`) },
  }));
  const rules = bad.map(({ id, title }) => ({ id, shortDescription: { text: toLine(title) } }));
  return formatSarif({
    name: "toolroom check --conformance",
    version,
    id: `toolroom-conformance/${run.server}/`,
    at: run.startedAt,
    rules,
    results,
  });
}

function formatMarkdown({ run, hasFailed }: ConformanceResult): string {
  const bad = listBad(run);
  const lines = [
    "<!-- toolroom-conformance -->",
    `### ${hasFailed ? "❌" : "✅"} Conformance of ${escapeText(run.server)}`,
    "",
    escapeText(summarize(run)),
  ];
  if (bad.length > 0) {
    lines.push("", "| Check | Outcome | Message |", "|---|---|---|");
    for (const { id, outcome, message, title } of bad.slice(0, MAX_ROWS)) {
      lines.push(`| ${toCode(id)} | ${SIGNS[outcome]} | ${escapeText(message ?? title)} |`);
    }
    if (bad.length > MAX_ROWS) lines.push("", `and ${bad.length - MAX_ROWS} more checks`);
  }
  return `${lines.join("\n")}\n`;
}
