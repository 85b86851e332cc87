import { reachesSeverity } from "../../../lib/contract/change-verdict";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import { type CheckResult, describeTraffic, describeWitness, listResults, type ToolResult } from "./describe-report";

/** One suite: a case for each changed tool, and one for those that are equal. */
export function formatJunitReport(result: CheckResult): string {
  const { report, failOn } = result;
  const results = listResults(report);
  const fails = ({ severity }: ToolResult): boolean => failOn !== null && reachesSeverity(severity, failOn);
  const suite = escapeXml(`toolroom check ${report.server}`);
  const counts = `tests="${results.length + 1}" failures="${results.filter(fails).length}" errors="0"`;
  const cases = results.map((each) => {
    const body = fails(each)
      ? `<failure type="${each.severity}" message="${escapeXml(describeFirst(each))}">${escapeXml(describeAll(each))}</failure>`
      : `<system-out>${escapeXml(describeAll(each))}</system-out>`;
    return `    <testcase classname="${suite}" name="${escapeXml(each.verdict.tool)}">\n      ${body}\n    </testcase>`;
  });
  const equal = `    <testcase classname="${suite}" name="${report.unchanged} unchanged tools"/>`;
  const time = new Date(report.at).toISOString();
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="toolroom check" ${counts}>`,
    `  <testsuite name="${suite}" ${counts} timestamp="${time}">`,
    ...[...cases, equal, "  </testsuite>", "</testsuites>", ""],
  ].join("\n");
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

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
/** XML 1.0 has no form for these. */
const NOT_XML = /[\u{fffe}\u{ffff}]|\p{Cs}/gu;

function escapeXml(text: string): string {
  const safe = stripControlCharacters(text).replace(NOT_XML, "\u{fffd}");
  return safe.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
