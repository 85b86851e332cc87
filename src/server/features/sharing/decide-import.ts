import type { Principal } from "../../../lib/contract/access";
import { permissionForApproval } from "../../../lib/contract/approver";
import type { CatalogKind, ImportDecision, ImportEntry, ImportOutcome } from "../../../lib/contract/catalog-file";
import type { Problem } from "../../../lib/contract/problem";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import type { Renames } from "../../engine/toolsets/rename-in-toolset";
import { invalidInput } from "../../platform/shared/app-error";
import { assertAllowed } from "../../platform/shared/audited-call";
import type { ImportPlan } from "./plan-import";
import { toBatchRuleCase } from "./plan-rule-cases";
import { toBatchRule } from "./plan-rules";
import type { PlannedServer } from "./plan-servers";
import { toBatchSkill } from "./plan-skills";
import type { PlannedTool } from "./plan-tools";
import { toBatchToolset } from "./plan-toolsets";
import type { SharingPorts } from "./sharing-ports";
import type {
  BatchRule,
  BatchRuleCase,
  BatchServer,
  BatchSkill,
  BatchTool,
  BatchToolset,
  CatalogBatch,
} from "./sharing-store";

type Chosen = { action: "add" | "replace" | "rename"; name: string };

/**
 * The changes that an import writes, checked as a whole.
 * @throws AppError that lists every entry that keeps it from being imported, or says which permission is missing
 */
export async function decideImport(
  ports: SharingPorts,
  principal: Principal,
  plan: ImportPlan,
  decisions: readonly ImportDecision[],
): Promise<{ batch: CatalogBatch; outcome: ImportOutcome }> {
  const choices = new Map(decisions.map((decision) => [toKey(decision), decision]));
  const problems: Problem[] = [];
  const taken = {
    tool: new Set<string>(),
    server: new Set<string>(),
    toolset: new Set<string>(),
    skill: new Set<string>(),
    rule: new Set<string>(),
    case: new Set<string>(),
  };
  const renamed = { tool: new Map<string, string>(), server: new Map<string, string>() } satisfies Renames;
  const outcome: ImportOutcome = { imported: [], skipped: 0 };
  const tools: BatchTool[] = [];
  const servers: BatchServer[] = [];
  const toolsets: BatchToolset[] = [];
  const skills: BatchSkill[] = [];
  const rules: BatchRule[] = [];
  const ruleCases: BatchRuleCase[] = [];
  const renamedRules = new Map<string, string>();

  function choose(entry: ImportEntry): Chosen | null {
    const choice = readChoice(entry, choices.get(toKey(entry)));
    if ("problem" in choice) {
      problems.push({ path: toPath(entry), message: choice.problem });
      return null;
    }
    if (choice.action === "skip") {
      outcome.skipped += 1;
      return null;
    }
    assertAllowed(principal, entry.needs);
    if (taken[entry.kind].has(choice.name)) {
      problems.push({
        path: toPath(entry),
        message: `two entries would be named '${choice.name}': rename one of them`,
      });
    }
    taken[entry.kind].add(choice.name);
    return { action: choice.action, name: choice.name };
  }

  for (const planned of plan.tools) {
    const chosen = choose(planned.entry);
    if (chosen === null) continue;
    const tool = toBatchTool(ports, planned, chosen, problems);
    if (tool === null) continue;
    assertAllowed(principal, permissionForApproval(tool.approvalBefore, tool.approval));
    tools.push(tool);
    renamed.tool.set(planned.entry.name, chosen.name);
    const { enabled, approvalBefore: from, approval: to } = tool;
    const approval = permissionForApproval(from, to) === "administer" ? { approval: { from, to } } : {};
    outcome.imported.push({ ...summarizeChoice("tool", chosen), enabled, secrets: [], ...approval });
  }
  for (const planned of plan.servers) {
    const chosen = choose(planned.entry);
    if (chosen === null) continue;
    const server = toBatchServer(ports, planned, chosen, problems);
    if (server === null) continue;
    servers.push(server.batch);
    renamed.server.set(planned.entry.name, chosen.name);
    outcome.imported.push({
      ...summarizeChoice("server", chosen),
      enabled: server.batch.enabled,
      secrets: server.secrets,
    });
  }
  for (const planned of plan.toolsets) {
    const chosen = choose(planned.entry);
    if (chosen === null) continue;
    if (chosen.action === "rename" && ports.toolsets.has(chosen.name)) {
      problems.push({ path: toPath(planned.entry), message: nameTaken(chosen.name) });
    }
    const toolset = toBatchToolset(ports.toolsets, planned, chosen.name, renamed);
    if ("problems" in toolset) {
      problems.push(...toolset.problems.map(({ message }) => ({ path: toPath(planned.entry), message })));
    } else toolsets.push(toolset);
    outcome.imported.push({ ...summarizeChoice("toolset", chosen), enabled: true, secrets: [] });
  }
  for (const planned of plan.skills) {
    const chosen = choose(planned.entry);
    if (chosen === null) continue;
    const skill = await toBatchSkill(ports.skills, planned, chosen.name);
    if ("problems" in skill) {
      problems.push(...skill.problems.map(({ message }) => ({ path: toPath(planned.entry), message })));
    } else skills.push(skill);
    outcome.imported.push({ ...summarizeChoice("skill", chosen), enabled: true, secrets: [] });
  }
  for (const planned of plan.rules) {
    const chosen = choose(planned.entry);
    if (chosen === null) continue;
    if (chosen.action === "rename" && ports.rules.findNamed(chosen.name) !== null) {
      problems.push({ path: toPath(planned.entry), message: nameTaken(chosen.name) });
    }
    const rule = toBatchRule(ports.rules, planned, { name: chosen.name, isNew: chosen.action !== "replace" });
    if ("problems" in rule) {
      problems.push(...rule.problems.map(({ message }) => ({ path: toPath(planned.entry), message })));
    } else {
      rules.push(rule);
      renamedRules.set(planned.entry.name, chosen.name);
      outcome.imported.push({
        ...summarizeChoice("rule", chosen),
        enabled: rule.rule.state !== "off",
        secrets: [],
      });
    }
  }
  for (const planned of plan.ruleCases) {
    const chosen = choose(planned.entry);
    if (chosen === null) continue;
    const { action, name } = chosen;
    if (action === "rename" && ports.ruleCases.findNamed(name) !== null) {
      problems.push({ path: toPath(planned.entry), message: nameTaken(name) });
    }
    const made = toBatchRuleCase(ports.ruleCases, planned, { name, isNew: action !== "replace", renamedRules });
    if ("problems" in made) {
      problems.push(...made.problems.map(({ message }) => ({ path: toPath(planned.entry), message })));
    } else {
      ruleCases.push(made);
      outcome.imported.push({ ...summarizeChoice("case", chosen), enabled: true, secrets: [] });
    }
  }
  problems.push(...findPrefixConflicts(ports, tools, servers));
  if (problems.length > 0) throw invalidInput("Nothing was imported: ", problems, ": ");
  const batch = { tools, servers, toolsets, skills, rules, ruleCases, ownTools: ownTools(ports, tools) };
  return { batch, outcome };
}

/** New tools and servers of the file whose names begin alike, in the file or with what is here. */
function findPrefixConflicts(
  { tools: known }: SharingPorts,
  tools: readonly BatchTool[],
  servers: readonly BatchServer[],
): Problem[] {
  const newTools = tools.filter(({ before }) => before === null).map(({ definition }) => definition.name);
  const newServers = servers.filter(({ before }) => before === null).map(({ settings }) => settings.name);
  const begins = (tool: string, server: string): boolean => tool.startsWith(server + TOOL_SEPARATOR);
  const ofTools = newTools.flatMap((tool): Problem[] => {
    const server = servers.find(({ settings }) => begins(tool, settings.name))?.settings.name;
    const inFile =
      server === undefined ? null : `'${tool}' begins as the tools of the server '${server}' do: rename it`;
    const message = known.explainPrefix(tool) ?? inFile;
    return message === null ? [] : [{ path: `tools.${tool}`, message }];
  });
  const ofServers = newServers.flatMap((server): Problem[] => {
    const [tool] = known.listOwnTools(server);
    if (tool === undefined) return [];
    return [{ path: `servers.${server}`, message: `the tool '${tool}' begins as its tools would: rename one of them` }];
  });
  return [...ofTools, ...ofServers];
}

function toBatchTool(
  { tools }: SharingPorts,
  { entry, tool }: PlannedTool,
  { action, name }: Chosen,
  problems: Problem[],
): BatchTool | null {
  if (tool === null) return null;
  if (action !== "rename") {
    const before = action === "replace" ? (tools.find(name)?.definition ?? null) : null;
    return { ...tool, lens: tool.lens, before, earlier: before === null ? tool.earlier : [] };
  }
  const definition = { ...tool.definition, name };
  const faults = tools.findProblems(definition);
  if (tools.find(name) !== null) faults.push({ path: "name", message: `'${name}' is already taken: choose another` });
  problems.push(...faults.map(({ message }) => ({ path: toPath(entry), message: `the new name: ${message}` })));
  const earlier = tool.earlier.map((version) => ({ ...version, definition: { ...version.definition, name } }));
  const approvalBefore = tools.approvalMode(name);
  return faults.length > 0 ? null : { ...tool, lens: tool.lens, definition, before: null, earlier, approvalBefore };
}

function toBatchServer(
  { servers }: SharingPorts,
  { entry, candidate, enabled, lenses, prepared: asPlanned }: PlannedServer,
  { action, name }: Chosen,
  problems: Problem[],
): { batch: BatchServer; secrets: string[] } | null {
  if (candidate === null || asPlanned === null) return null;
  if (action === "rename" && servers.has(name)) {
    problems.push({ path: toPath(entry), message: nameTaken(name) });
    return null;
  }
  const prepared = action === "rename" ? servers.prepare({ ...candidate, name }) : asPlanned;
  if ("problems" in prepared) {
    problems.push(
      ...prepared.problems.map(({ message }) => ({ path: toPath(entry), message: `the new name ${message}` })),
    );
    return null;
  }
  const { settings, secrets, missing, before } = prepared;
  const replaced = action === "replace" && before?.id != null ? { id: before.id, settings: before.settings } : null;
  return { batch: { settings, secrets, enabled, lenses, before: replaced }, secrets: missing };
}

const nameTaken = (name: string): string => `the new name: '${name}' is already taken: choose another`;

type Choice = { action: "skip" } | Chosen | { problem: string };

function readChoice({ status, conflict, name }: ImportEntry, decision: ImportDecision | undefined): Choice {
  const action = decision?.action ?? (status === "add" ? "add" : status === "same" ? "skip" : null);
  if (action === "skip" || (status === "same" && action !== "rename")) return { action: "skip" };
  if (status === "invalid") return { problem: "it is invalid: skip it, or correct the file" };
  if (action === null)
    return { problem: status === "change" ? "decide: skip, replace or rename" : "decide: skip or rename" };
  if (action === "rename") {
    const newName = (decision?.name ?? "").trim();
    return newName === "" ? { problem: "the new name is required" } : { action, name: newName };
  }
  if (action === "replace" && status === "change") return { action, name };
  if (action === "add" && status === "add") return { action, name };
  return {
    problem:
      conflict === null ? `it cannot be imported with '${action}': look again` : `${conflict}: skip or rename it`,
  };
}

/** Own tools with names like those of a server's tools. */
function ownTools({ tools }: SharingPorts, added: readonly BatchTool[]): string[] {
  const known = tools.list().items.filter(({ server, name }) => server === null && name.includes("__"));
  return [...known.map(({ name }) => name), ...added.map(({ definition }) => definition.name)];
}

function summarizeChoice(kind: CatalogKind, { action, name }: Chosen) {
  return { kind, name, action: action === "replace" ? ("replaced" as const) : ("added" as const) };
}

function toKey({ kind, position }: Pick<ImportEntry, "kind" | "position">): string {
  return `${kind}:${position}`;
}

const toPath = ({ kind, name }: ImportEntry): string => `${kind === "case" ? "ruleCases" : `${kind}s`}.${name}`;
