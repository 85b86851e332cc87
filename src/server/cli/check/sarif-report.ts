import { createHash } from "node:crypto";
import { CHANGE_RULES } from "../../../lib/contract/change-rules";
import type { Severity } from "../../../lib/contract/change-verdict";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import { DEFAULT_BASELINE } from "./baseline-file";
import { type CheckResult, listMessages, TRAFFIC_RULE } from "./describe-report";

const LEVELS: Record<Severity, string> = { error: "error", warning: "warning", info: "note" };

/** SARIF 2.1.0, with a location in the baseline where there is one: code scanning shows findings at their lines. */
export function formatSarifReport(result: CheckResult, version: string): string {
  const { report } = result;
  const ids = [...Object.keys(CHANGE_RULES), TRAFFIC_RULE];
  const results = listMessages(report).map(({ tool, rule, severity, message }) => ({
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level: LEVELS[severity],
    message: { text: stripControlCharacters(message) },
    locations: [toLocation(tool, result)],
    partialFingerprints: { "toolroomChange/v1": hash(`${tool}\n${rule}\n${message}`) },
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

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
