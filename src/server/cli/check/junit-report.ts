import { reachesSeverity } from "../../../lib/contract/change-verdict";
import { formatJunit, type JunitCase } from "../junit";
import { type CheckResult, describeTraffic, describeWitness, listResults, type ToolResult } from "./describe-report";

/** One suite: a case for each changed tool, and one for those that are equal. */
export function formatJunitReport(result: CheckResult): string {
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
