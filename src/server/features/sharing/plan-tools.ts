import type { ApprovalMode } from "../../../lib/contract/approval";
import { permissionForApproval } from "../../../lib/contract/approver";
import { type EarlierVersion, fileToolSchema, type ImportEntry } from "../../../lib/contract/catalog-file";
import type { ToolDetail } from "../../../lib/contract/catalog-tool";
import { isPlainObject } from "../../../lib/contract/json";
import { problemsOfIssues } from "../../../lib/contract/problem";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { describeFacts } from "../../../lib/contract/tool-facts";
import { formatPlural } from "../../../lib/format";
import { equalJson } from "../../../lib/json/equal-json";
import { equalDigits } from "../../../lib/json/number-digits";
import { measureJson } from "../../engine/validation/validate-arguments";
import { compareLens, compareTool } from "./compare-entries";
import type { SharingPorts } from "./sharing-ports";

/** The largest definition that the editor of a tool accepts. */
const MAX_DEFINITION_BYTES = 4_000_000;
/** The check of the definition refuses deeper nesting. */
const MAX_LEVELS = 1000;

export interface PlannedTool {
  entry: ImportEntry;
  /** Null for an invalid one. */
  tool: {
    definition: ToolDefinition;
    enabled: boolean;
    approval: ApprovalMode | null;
    approvalBefore: ApprovalMode | null;
    lens?: string | undefined;
    earlier: EarlierVersion[];
  } | null;
  /** The definition that has its name, for the digest of the preview. */
  before: unknown;
}

/** Compares a tool of a file with the catalog. @param isTaken names of the file and the catalog */
export function planTool(
  ports: Pick<SharingPorts, "tools" | "checkLens">,
  candidate: unknown,
  position: number,
  isTaken: (name: string) => boolean,
): PlannedTool {
  const name = getName(candidate) ?? `tools[${position}]`;
  const entry: ImportEntry = {
    kind: "tool",
    position,
    name: name.slice(0, 200),
    status: "invalid",
    problems: [],
    notes: [],
    conflict: null,
    details: [],
    breaking: false,
    target: null,
    secrets: [],
    denied: null,
    needs: "edit",
    freeName: freeToolName(name, isTaken),
  };
  const read = fileToolSchema.safeParse(candidate);
  if (!read.success)
    return { entry: { ...entry, problems: problemsOfIssues(read.error.issues) }, tool: null, before: null };
  const { bytes } = measureJson(read.data.definition, { maxBytes: MAX_DEFINITION_BYTES, maxDepth: MAX_LEVELS });
  if (bytes > MAX_DEFINITION_BYTES) {
    const message = `must not be larger than ${MAX_DEFINITION_BYTES} bytes`;
    return { entry: { ...entry, problems: [{ path: "definition", message }] }, tool: null, before: null };
  }
  const problems = ports.tools.findProblems(read.data.definition);
  if (problems.length > 0) {
    const inEntry = problems.map(({ path, message }) => ({
      path: path ? `definition.${path}` : "definition",
      message,
    }));
    return { entry: { ...entry, problems: inEntry }, tool: null, before: null };
  }
  const { versions, ...own } = read.data;
  const fault = own.lens === undefined ? null : ports.checkLens(own.lens);
  if (fault !== null)
    return { entry: { ...entry, problems: [{ path: "lens", message: fault }] }, tool: null, before: null };
  const definition = own.definition as ToolDefinition;
  const earlier = readEarlier(ports, definition.name, versions);
  const kept = ports.tools.approvalMode(definition.name);
  const tool = { ...own, definition, earlier, approvalBefore: kept };
  const before = ports.tools.find(tool.definition.name);
  entry.needs = permissionForApproval(kept, tool.approval);
  const facts = describeFacts(tool.definition);
  if (facts !== "") entry.notes.push(facts);
  if (before === null) {
    entry.notes.push(...describeEarlier(earlier.length, versions.length));
    if (asksNoOne(tool)) entry.notes.push("approval: its calls will not require approval");
    if (kept !== null && kept !== "never") entry.details.push(...describeApproval(kept, tool.approval));
    return { entry: { ...entry, status: "add" }, tool, before: kept };
  }
  return { entry: compare(entry, tool, before), tool, before: toState(before) };
}

/** The versions that this Toolroom could have made, under the tool's name now. */
function readEarlier(
  { tools }: Pick<SharingPorts, "tools">,
  name: string,
  versions: readonly { definition: Record<string, unknown>; at: number }[],
): EarlierVersion[] {
  return versions.flatMap(({ definition, at }) => {
    const { bytes } = measureJson(definition, { maxBytes: MAX_DEFINITION_BYTES, maxDepth: MAX_LEVELS });
    const named = { ...definition, name };
    if (bytes > MAX_DEFINITION_BYTES || tools.findProblems(named).length > 0) return [];
    return [{ definition: named as unknown as ToolDefinition, at }];
  });
}

function describeEarlier(kept: number, given: number): string[] {
  const left = given - kept;
  return [
    ...(kept > 0 ? [`${formatPlural(kept, "earlier version")} will be in its history`] : []),
    ...(left > 0 ? [`${formatPlural(left, "earlier version")} will be left out: no valid definition`] : []),
  ];
}

type FileTool = NonNullable<PlannedTool["tool"]>;

function compare(entry: ImportEntry, tool: FileTool, before: ToolDetail): ImportEntry {
  const mode = before.approval.mode;
  const sameValues = equalJson(before.definition, tool.definition);
  const sameDefinition = sameValues && equalDigits(before.definition, tool.definition);
  if (before.origin !== "console") {
    const { origin, originPath, server } = before;
    const owner = origin === "server" ? `the server '${server}'` : (originPath ?? "code");
    if (sameDefinition)
      return { ...entry, status: "same", notes: [`It comes from ${owner}, with the same definition`] };
    return {
      ...entry,
      status: "conflict",
      conflict: `The name belongs to a tool of ${owner}, which cannot be replaced`,
    };
  }
  const { details, breaking } = compareTool(before.definition, tool.definition);
  if (sameValues && !sameDefinition) details.push("numbers are written with other digits");
  if (before.enabled !== tool.enabled) details.push(tool.enabled ? "it is enabled" : "it is disabled");
  details.push(...describeApproval(mode, tool.approval));
  details.push(...compareLens("the lens", before.lens, tool.lens));
  if (asksNoOne(tool) && !asksNoOne({ definition: before.definition, approval: mode })) {
    entry.notes.push("approval: its calls will no longer require approval");
  }
  const isSame = sameDefinition && details.length === 0;
  return { ...entry, status: isSame ? "same" : "change", details, breaking };
}

function describeApproval(was: ApprovalMode | null, is: ApprovalMode | null): string[] {
  if (was === is) return [];
  return [`the approval setting of the name changes from ${was ?? "default"} to ${is ?? "default"}`];
}

function asksNoOne({ definition, approval }: Pick<FileTool, "definition" | "approval">): boolean {
  return approval === "never" || (approval === null && definition.approval === "never");
}

function toState({ definition, origin, enabled, approval, lens }: ToolDetail): unknown {
  return { definition, origin, enabled, mode: approval.mode, lens: lens?.expression };
}

function getName(candidate: unknown): string | null {
  const definition = isPlainObject(candidate) && Object.hasOwn(candidate, "definition") ? candidate.definition : null;
  const name = isPlainObject(definition) && Object.hasOwn(definition, "name") ? definition.name : null;
  return typeof name === "string" && name !== "" ? name : null;
}

function freeToolName(name: string, isTaken: (name: string) => boolean): string {
  const base = name.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 120) || "tool";
  for (let number = 2; ; number += 1) {
    const free = `${base}_${number}`;
    if (!isTaken(free)) return free;
  }
}
