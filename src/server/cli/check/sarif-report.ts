import { createHash } from "node:crypto";
import { CHANGE_RULES } from "../../../lib/contract/change-rules";
import type { RuleFinding, Severity } from "../../../lib/contract/change-verdict";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import { type CheckResult, describeTraffic, describeWitness, listResults } from "./describe-report";

const LEVELS: Record<Severity, string> = { error: "error", warning: "warning", info: "note" };
const TRAFFIC_RULE = "traffic.rejected";

/** SARIF 2.1.0, with a location in the baseline where there is one: code scanning shows findings at their lines. */
export function formatSarifReport(result: CheckResult, version: string): string {
  const { report } = result;
  const ids = [...Object.keys(CHANGE_RULES), TRAFFIC_RULE];
  const toResult = (tool: string, rule: string, severity: Severity, message: string) => ({
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level: LEVELS[severity],
    message: { text: stripControlCharacters(message) },
    locations: [toLocation(tool, result)],
    partialFingerprints: { "toolroomChange/v1": hash(`${tool}\n${rule}\n${message}`) },
  });
  const results = listResults(report).flatMap(({ verdict, traffic }) => [
    ...verdict.findings.map((finding) =>
      toResult(verdict.tool, finding.rule, finding.severity, toMessage(verdict.tool, finding)),
    ),
    ...(traffic !== null && traffic.severity !== null
      ? [
          toResult(
            verdict.tool,
            TRAFFIC_RULE,
            traffic.severity,
            `${verdict.tool}: ${describeTraffic(traffic).join("; ")}`,
          ),
        ]
      : []),
  ]);
  const rules = ids.map((id) => {
    const setting = CHANGE_RULES[id]?.setting ?? "error";
    const text = CHANGE_RULES[id]?.says ?? "Recorded calls would be rejected";
    return {
      id,
      shortDescription: { text },
      defaultConfiguration: setting === "off" ? { enabled: false } : { level: LEVELS[setting] },
    };
  });
  const driver = { name: "toolroom check", semanticVersion: version, rules };
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver },
        automationDetails: { id: `toolroom-check/${report.server}/` },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: true, endTimeUtc: new Date(report.at).toISOString() }],
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function toMessage(tool: string, finding: RuleFinding): string {
  const witness = describeWitness(finding);
  return `${tool}: ${finding.message}${witness === null ? "" : `. ${witness.text} (${witness.effect})`}`;
}

function toLocation(tool: string, { file, lines }: CheckResult) {
  const logicalLocations = [{ name: tool, fullyQualifiedName: `tools/${tool}`, kind: "function" }];
  if (file === null) return { logicalLocations };
  const uri = file.split(/[\\/]/).map(encodeURIComponent).join("/");
  return {
    physicalLocation: {
      artifactLocation: { uri, uriBaseId: "%SRCROOT%" },
      region: { startLine: lines.get(tool) ?? 1 },
    },
    logicalLocations,
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
