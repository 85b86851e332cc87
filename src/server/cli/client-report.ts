import {
  type ClientSeverity,
  FIT_LABELS,
  type FitVerdict,
  reachesClientSeverity,
} from "../../lib/contract/client-verdict";
import type { ClientFinding, ClientVerdict } from "../../lib/contract/client-verdict-schema";
import { formatCount } from "../../lib/format/count";
import { stripControlCharacters } from "../../lib/strip-control-characters";
import { DEFAULT_BASELINE } from "./check/baseline-file";
import type { CommandIo } from "./command-io";
import { formatJunit, type JunitCase } from "./junit";
import { type Color, formatTable, paint, toLine, toTableStyle, usesColor } from "./output";
import { formatSarif, hashFingerprint } from "./sarif";

export const CLIENT_REPORTS = ["text", "json", "junit", "sarif"] as const;
export type ClientReport = (typeof CLIENT_REPORTS)[number];

interface Checked {
  verdicts: readonly ClientVerdict[];
  /** Null: no finding fails the check. */
  failOn: ClientSeverity | null;
  /** The subject of the check. */
  about: string;
  /** Whether each finding is listed, beside the verdicts. */
  hasDetails: boolean;
}

const COLORS: Readonly<Record<FitVerdict, Color>> = {
  works: "green",
  works_with_changes: "yellow",
  does_not_work: "red",
  cannot_tell: "gray",
};

export function formatClientReport(format: ClientReport, checked: Checked, io: CommandIo): string {
  if (format === "json") return `${JSON.stringify({ items: checked.verdicts }, null, 2)}\n`;
  if (format === "junit") return formatJunitReport(checked);
  if (format === "sarif") return formatSarifReport(checked, io.version);
  return formatText(checked, io);
}

function formatText({ verdicts, hasDetails }: Checked, io: CommandIo): string {
  const rows = verdicts.map(({ client, verdict, tools, refused, findingCount, findings: [first], reason }) => [
    client,
    { text: FIT_LABELS[verdict], color: COLORS[verdict] },
    refused === 0 ? formatCount(tools) : `${formatCount(tools)}, ${formatCount(refused)} refused`,
    formatCount(findingCount),
    toLine(reason === "" ? (first?.message ?? "") : reason),
  ]);
  const table = formatTable(["CLIENT", "VERDICT", "TOOLS", "FINDINGS", "FIRST"], rows, toTableStyle(io));
  return hasDetails ? table + verdicts.map((verdict) => formatFindings(verdict, io)).join("") : table;
}

function formatFindings({ label, findings, findingCount }: ClientVerdict, { stdout, env }: CommandIo): string {
  if (findings.length === 0) return "";
  const color = (text: string, name: Color): string => (usesColor(stdout, env) ? paint(text, name) : text);
  const lines = findings.flatMap(({ severity, tool, message, remedy, rule }) => [
    `${color(severity.padEnd(7), severity === "refused" ? "red" : "yellow")}  ${toLine(tool ?? "the list")}  ${color(rule, "gray")}`,
    `         ${toLine(message)}`,
    ...(remedy === null ? [] : [`         ${color(toLine(remedy.text), "gray")}`]),
  ]);
  const more = findingCount > findings.length ? [`and ${formatCount(findingCount - findings.length)} more`] : [];
  return `\n${color(label, "bold")}\n${[...lines, ...more].join("\n")}\n`;
}

const fails = ({ severity }: ClientFinding, failOn: ClientSeverity | null): boolean =>
  failOn !== null && reachesClientSeverity(severity, failOn);

/** A suite for each client: a case for each tool with findings, and one for the list. */
function formatJunitReport({ verdicts, failOn, about }: Checked): string {
  const suites = verdicts.map(({ client, verdict, findings }) => {
    const tools = new Map<string, ClientFinding[]>([["the list", []]]);
    for (const finding of findings) {
      const name = finding.tool ?? "the list";
      tools.set(name, [...(tools.get(name) ?? []), finding]);
    }
    const cases = Array.from(tools, ([name, found]) => toCase(name, client, found, failOn));
    return { name: `${client}: ${FIT_LABELS[verdict]}`, cases };
  });
  return formatJunit(`toolroom clients check ${about}`, suites);
}

function toCase(
  name: string,
  classname: string,
  found: readonly ClientFinding[],
  failOn: ClientSeverity | null,
): JunitCase {
  if (found.length === 0) return { name, classname };
  const text = found.map(({ severity, message, rule }) => `${severity}: ${message} (${rule})`).join("\n");
  const strongest = found.find((finding) => fails(finding, failOn));
  if (strongest === undefined) return { name, classname, outcome: { element: "system-out", text } };
  const attributes = { type: strongest.severity, message: strongest.message };
  return { name, classname, outcome: { element: "failure", attributes, text } };
}

const LEVELS: Readonly<Record<ClientSeverity, string>> = {
  refused: "error",
  dropped: "warning",
  cut: "warning",
  warns: "note",
};

function formatSarifReport({ verdicts, about }: Checked, version: string): string {
  const findings = verdicts.flatMap((verdict) => verdict.findings);
  const rules = [...new Map(findings.map((finding) => [finding.rule, finding])).values()].map(({ rule, source }) => ({
    id: rule,
    shortDescription: { text: rule },
    ...(source !== null && { helpUri: source.url }),
  }));
  const results = findings.map(({ rule, severity, tool, where, message, remedy }) => ({
    ruleId: rule,
    level: LEVELS[severity],
    message: { text: stripControlCharacters(remedy === null ? message : `${message} ${remedy.text}`) },
    locations: [toLocation(tool ?? about, where)],
    partialFingerprints: { "toolroomClient/v1": hashFingerprint(`${tool}\n${rule}`) },
  }));
  return formatSarif({
    name: "toolroom clients check",
    version,
    id: `toolroom-clients/${about}/`,
    at: Date.now(),
    rules,
    results,
  });
}

/** GitHub refuses a file with a result that names no file. */
const toLocation = (tool: string, where: string) => ({
  physicalLocation: {
    artifactLocation: { uri: DEFAULT_BASELINE, uriBaseId: "%SRCROOT%" },
    region: { startLine: 1 },
  },
  logicalLocations: [{ name: tool, fullyQualifiedName: `tools/${tool}${where}`, kind: "function" }],
});
