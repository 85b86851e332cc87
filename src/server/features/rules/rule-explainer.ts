import { explainDenial, type Principal, type Role } from "../../../lib/contract/access";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { findApproverRule, joinModes } from "../../../lib/contract/approver";
import type { Fault } from "../../../lib/contract/envelope";
import type { Problem } from "../../../lib/contract/problem";
import type { CaseCall } from "../../../lib/contract/rule-case";
import { MAX_CASE_ARGUMENT_CHARS } from "../../../lib/contract/rule-case-words";
import type { CallExplanation, ExplainedSetting } from "../../../lib/contract/rule-explanation";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { parseExactParts } from "../../../lib/json/exact-text";
import { stringifyWithDigits } from "../../../lib/json/number-digits";
import type { ApprovalSetting } from "../../engine/approvals/approval-gate";
import { CallArguments } from "../../engine/executor/call-arguments";
import type { CallCounts } from "../../engine/rules/call-counts";
import type { RuledCall } from "../../engine/rules/decide-call";
import type { RouteTarget } from "../../engine/rules/decide-route";
import { type ExplainedDecision, explainCall } from "../../engine/rules/explain-call";
import { type ConditionLanguage, NOT_RECORDED } from "../../engine/rules/rule-ports";
import { invalidInput } from "../../platform/shared/app-error";
import { rememberConditions } from "./rule-case-tests";
import type { RuleService } from "./rule-service";

export interface RuleExplainerPorts {
  rules: Pick<RuleService, "all" | "findUsage">;
  language: ConditionLanguage;
  counts: Pick<CallCounts, "open">;
  /** Reads a tool of the catalog. @throws AppError NOT_FOUND */
  getTool: (name: string) => ToolDefinition;
  /** Null for a tool that is not in the catalog. */
  findTool: (name: string) => ToolDefinition | null;
  /** Why no call of the tool runs now; null where calls run. */
  findHeldReason: (name: string) => string | null;
  findFaults: (name: string, args: CallArguments) => Promise<readonly Fault[]>;
  /** What a toolset says of approvals of a tool; null where it says nothing. @throws AppError NOT_FOUND */
  getToolsetApproval: (toolset: string, tool: string) => "always" | "never" | null;
  approvals: {
    /** @param inToolset the approval setting in the call's toolset */
    required: (definition: ToolDefinition, inToolset?: boolean) => boolean;
    getMode: (tool: string) => ApprovalMode | null;
    listSettings: (definition: ToolDefinition) => readonly ApprovalSetting[];
  };
  /** The arguments of a tool as its calls are stored. @param text JSON */
  maskArguments: (tool: string, text: string) => string;
  /** The role of a user now; null where it is not known. */
  readRole: (userId: string) => Role | null;
  now: () => number;
}

export type RuleExplainer = ReturnType<typeof createRuleExplainer>;

/** A tool whose settings decide: the one that is called, and the one that a rule has run. */
interface CheckedTool {
  tool: ToolDefinition;
  /** The approval setting of the call's toolset. */
  inToolset: "always" | "never" | null;
  /** A rule lifts its settings. */
  isLifted: boolean;
}

const toTarget = (tool: ToolDefinition | null): RouteTarget | null =>
  tool === null ? null : { toolName: tool.name, serverName: getServerName(tool), tags: tool.tags ?? [] };

/** The id in an explanation, which belongs to no recorded call. */
const NO_CALL = "";

/** Explains the outcome of a call before it is made. */
export function createRuleExplainer(ports: RuleExplainerPorts) {
  const { rules, approvals, now, maskArguments } = ports;
  const language = rememberConditions(ports.language);

  /** @param reader who reads the role of another user only where they may edit rules, as in the case of a recorded call */
  async function explain(reader: Principal, call: CaseCall): Promise<CallExplanation> {
    const definition = ports.getTool(call.tool);
    const toolset = call.toolset ?? null;
    const inToolset = toolset === null ? null : ports.getToolsetApproval(toolset, definition.name);
    const text = stringifyWithDigits(call.arguments);
    if (text.length > MAX_CASE_ARGUMENT_CHARS) {
      const message = `must have at most ${MAX_CASE_ARGUMENT_CHARS} characters as JSON`;
      throw invalidInput("", [{ path: "call.arguments", message }]);
    }
    const at = readTime(call, now());
    const caller = readCaller(reader, call, ports);
    const ruled = toRuledCall(call, text, definition, { ...caller, at });
    const decision = await explainCall(rules.all(), ruled, {
      language,
      findUsage: rules.findUsage,
      openCount:
        call.count === undefined && typeof ruled.actor.id === "string"
          ? openCount(ruled.actor.id, call.tool, at)
          : null,
      runId: null,
      now: now(),
      readMasked: () => parseExactParts(maskArguments(call.tool, text)),
      findTool: (name) => toTarget(ports.findTool(name)),
    });
    const { route } = decision;
    const target = route === null ? null : ports.findTool(route.tool);
    const checked: CheckedTool[] = [{ tool: definition, inToolset, isLifted: route?.lifted.from === true }];
    // The toolset of the call says nothing about the tool that a rule has run, unless it asks for approval.
    if (target !== null && route !== null) {
      checked.push({ tool: target, inToolset: inToolset === "always" ? "always" : null, isLifted: route.lifted.to });
    }
    const faults = await Promise.all(checked.map(({ tool }) => ports.findFaults(tool.name, CallArguments.parse(text))));
    const problems = faults.flat().flatMap(toProblem);
    const asked = findApprover(checked, decision);
    const held = checked.map(({ tool }) => ports.findHeldReason(tool.name)).find((reason) => reason !== null) ?? null;
    return {
      ...toEnd(decision, { isAsked: asked !== null, held, problems }),
      runs: route?.tool ?? null,
      approver: asked,
      problems,
      caller: { id: caller.id, name: caller.name, role: caller.role },
      source: call.source ?? "api",
      rules: decision.rules.map((rule, index) => ({ ...rule, position: index + 1 })),
      settings: checked.flatMap((each) => listSettings(each, decision)),
    };
  }

  const openCount = (actorId: string, toolName: string, at: number) => (minutes: number) =>
    ports.counts.open({ executionId: NO_CALL, actorId, toolName, at }, minutes);

  /** Follows the approval gate: a rule that allows counts as a toolset that does. Null where no user is asked. */
  function findApprover(
    checked: readonly CheckedTool[],
    { outcome, approver }: ExplainedDecision,
  ): ApprovalMode | null {
    if (outcome === "deny" || outcome === "unknown") return null;
    const isRequired =
      outcome === "ask" ||
      checked.some(({ tool, inToolset, isLifted }) => {
        const said = inToolset === null ? undefined : inToolset === "always";
        return approvals.required(tool, outcome === "allow" || isLifted ? false : said);
      });
    if (!isRequired) return null;
    const joined = checked
      .map(({ tool }) => approvals.getMode(tool.name))
      .reduce(joinModes, outcome === "ask" ? approver : null);
    return joined === null || joined === "never" ? "always" : joined;
  }

  function listSettings(
    { tool, inToolset, isLifted }: CheckedTool,
    { outcome }: ExplainedDecision,
  ): ExplainedSetting[] {
    const ofToolset = inToolset === null ? null : inToolset === "always" ? ("ask" as const) : ("allow" as const);
    const listed = approvals.listSettings(tool);
    const all = [{ of: "toolset" as const, says: ofToolset }, ...listed];
    const isNamed = findApproverRule(approvals.getMode(tool.name)) !== null;
    // A setting that names an approver applies regardless of toolsets and rules.
    const isAllowed = outcome === "allow" || isLifted;
    const isOpen = isAllowed || ofToolset === "allow";
    const first = all.findIndex(({ of, says }) => (isNamed && isOpen ? of === "person" : says !== null));
    const decides = isAllowed ? isNamed : outcome === "none";
    return all.map(({ of, says }, index) => ({ tool: tool.name, of, says, decides: decides && index === first }));
  }

  return { explain };
}

function readTime({ time }: CaseCall, now: number): number {
  return time === undefined ? now : Date.parse(time);
}

interface ExplainedCaller {
  id: string;
  /** The name; null where it is missing. */
  name: string | null;
  role: Role | null;
  /** The reader may not read the role. */
  isRoleHidden: boolean;
}

function readCaller(
  reader: Principal,
  { caller = {} }: CaseCall,
  { readRole }: Pick<RuleExplainerPorts, "readRole">,
): ExplainedCaller {
  const id = caller.id ?? reader.id;
  const isOwn = id === reader.id;
  const mayRead = isOwn || explainDenial(reader, "edit") === null;
  return {
    id,
    name: caller.name ?? (isOwn ? reader.name : null),
    role: caller.role ?? (mayRead ? readRole(id) : null),
    isRoleHidden: caller.role === undefined && !mayRead,
  };
}

function toRuledCall(
  call: CaseCall,
  text: string,
  definition: ToolDefinition,
  caller: ExplainedCaller & { at: number },
): RuledCall {
  const { count } = call;
  return {
    toolName: definition.name,
    serverName: call.server === undefined ? getServerName(definition) : call.server,
    toolset: call.toolset ?? null,
    tags: call.tags ?? definition.tags ?? [],
    actor: { id: caller.id, name: caller.name ?? NOT_RECORDED },
    role: caller.role,
    tokenId: call.caller?.token ?? null,
    client: call.client ?? null,
    source: call.source ?? "api",
    // Treated as a recorded call where a fact is not known: conditions that depend on it are then unknown.
    stored: caller.isRoleHidden || caller.name === null,
    kind: "tool",
    canWait: true,
    at: caller.at,
    readArguments: () => parseExactParts(text),
    count: () => count ?? null,
  };
}

function toProblem({ path, message, keyword, severity }: Fault): Problem[] {
  if (severity === "warning") return [];
  const inside = path.startsWith("[") ? `arguments${path}` : `arguments.${path}`;
  return [{ path: path === "" ? "arguments" : inside, message: keyword === "required" ? "is required" : message }];
}

interface Checked {
  isAsked: boolean;
  held: string | null;
  problems: readonly Problem[];
}

/** The checks in the order of the executor: the tool, its arguments, rules, approval. */
function toEnd(
  { outcome, rule, waitsFor, message }: ExplainedDecision,
  { isAsked, held, problems }: Checked,
): Pick<CallExplanation, "outcome" | "by" | "message"> {
  if (held !== null) return { outcome: "held", by: null, message: held };
  if (problems.length > 0) return { outcome: "invalid", by: null, message: null };
  if (outcome === "unknown") return { outcome, by: rule, message };
  if (outcome === "deny") return { outcome: "denied", by: rule, message };
  if (waitsFor !== null) return { outcome: "waits", by: waitsFor, message };
  return { outcome: isAsked ? "asks" : "runs", by: rule, message };
}
