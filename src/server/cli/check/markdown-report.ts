import type { Severity } from "../../../lib/contract/change-verdict";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import {
  type CheckResult,
  describeChange,
  describeTraffic,
  describeWitness,
  listResults,
  summarize,
  type ToolResult,
} from "./describe-report";

const SIGNS: Record<Severity, string> = { error: "❌ error", warning: "⚠️ warning", info: "ℹ️ info" };
/** GitHub's limit for a comment is 65,536 characters. */
const MAX_CHARS = 60_000;
const MAX_ROWS = 100;

/** A comment for a pull request. The first line is how a job finds its earlier comment. */
export function formatMarkdownReport(result: CheckResult): string {
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

function clean(text: string): string {
  return stripControlCharacters(text).replace(/\s+/g, " ").trim();
}

function escapeHtml(text: string): string {
  return clean(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("@", "&#64;");
}

/** No markup, link, mention or reference to an issue begins in a server's text. */
function escapeText(text: string): string {
  const escaped = escapeHtml(text).replace(/[\\`*_{}[\]()#+!|~]/g, (sign) => `\\${sign}`);
  return escaped.replace(/:\/\//g, "&#58;//").replace(/\bwww\./gi, "www&#46;");
}

/** A code span that holds any text, also in a table. */
function toCode(text: string): string {
  const content = clean(text).replaceAll("|", "\\|");
  const longest = Math.max(0, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = content.startsWith("`") || content.endsWith("`") ? " " : "";
  return `${fence}${pad}${content}${pad}${fence}`;
}
