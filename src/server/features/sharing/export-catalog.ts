import { type CallRuleInput, toRuleInput } from "../../../lib/contract/call-rule";
import {
  CATALOG_FILE_VERSION,
  type CatalogFile,
  type ExportChoices,
  type ExportedFile,
  type ExportFormat,
  MAX_CATALOG_FILE_BYTES,
  MAX_FILE_SERVERS,
  MAX_FILE_SKILLS,
  MAX_FILE_TOOLS,
  MAX_FILE_TOOLSETS,
  MAX_FILE_VERSIONS,
  MAX_TOOL_VERSIONS,
} from "../../../lib/contract/catalog-file";
import { type RuleCaseInput, toCaseInput } from "../../../lib/contract/rule-case";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import type { ToolsetInput } from "../../../lib/contract/toolset";
import { toToolsetInput } from "../../../lib/contract/toolset";
import { TimeSlice } from "../../engine/time-slice";
import { AppError } from "../../platform/shared/app-error";
import { formatInSlices } from "./format-in-slices";
import { toMcpEntry, toPortableServer } from "./portable-server";
import type { SharingPorts } from "./sharing-ports";

/** Of skills in one file: an import takes 10 MB, of which the rest may have a part. */
const MAX_SKILL_BYTES_IN_FILE = 7_000_000;

export interface ExportChoice {
  format: ExportFormat;
  /** The names of the tools; null for all. */
  tools: readonly string[] | null;
  servers: readonly string[] | null;
  toolsets: readonly string[] | null;
  /** Absent: none. */
  skills?: readonly string[] | null | undefined;
  /** Absent: none. Cases come with the rules: all with all of them, else those that name one that is chosen. */
  rules?: readonly string[] | null | undefined;
  /** Includes the tools' earlier versions. An edit then adds one, so a file for git leaves them out. */
  versions?: boolean | undefined;
  /** Includes the time of the export; without it the same catalog gives the same bytes. */
  exportedAt?: boolean | undefined;
}

type ExportSources = Pick<SharingPorts, "tools" | "servers" | "toolsets" | "skills" | "rules">;

/** The chosen tools, servers, toolsets, skills and rules as the text of a file, without secrets. */
export async function exportCatalog(
  {
    tools,
    servers,
    toolsets,
    skills,
    rules,
    ruleCases,
    versions,
    clock,
  }: Omit<SharingPorts, "store" | "parseJson" | "checkLens">,
  choice: ExportChoice,
): Promise<ExportedFile> {
  const notes: string[] = [];
  const exportedAt = new Date(clock.now()).toISOString();
  const chosenServers = inOrder(choice.servers ?? servers.list().items.map(({ name }) => name)).map((name) =>
    toPortableServer(servers.get(name), notes, servers.documentText(name)),
  );
  if (choice.format === "mcp") {
    const mcpServers = Object.fromEntries(chosenServers.map((server) => [server.name, toMcpEntry(server)]));
    return await toFile(
      "mcp.json",
      { mcpServers },
      {
        tools: 0,
        servers: chosenServers.length,
        toolsets: 0,
        skills: 0,
        rules: 0,
        ruleCases: 0,
        notes,
      },
    );
  }
  const chosenTools = inOrder(choice.tools ?? listExportableTools(tools).map(({ name }) => name));
  const chosenToolsets = inOrder(choice.toolsets ?? toolsets.list().map(({ name }) => name));
  const chosenRules = chooseRules(rules, choice.rules === undefined ? [] : choice.rules);
  const chosenCases = chooseCases(ruleCases, choice.rules === null ? null : chosenRules);
  const chosenSkills =
    choice.skills === undefined ? [] : inOrder(choice.skills ?? skills.all().map(({ name }) => name));
  const isTooLong = chosenTools.length > MAX_FILE_TOOLS || chosenServers.length > MAX_FILE_SERVERS;
  if (isTooLong || chosenToolsets.length > MAX_FILE_TOOLSETS || chosenSkills.length > MAX_FILE_SKILLS) {
    throw new AppError(
      "INVALID",
      `tools: a file holds at most ${MAX_FILE_TOOLS} tools, ${MAX_FILE_SERVERS} servers, ${MAX_FILE_TOOLSETS} toolsets and ${MAX_FILE_SKILLS} skills: export them in parts`,
    );
  }
  const slice = new TimeSlice();
  const fileTools: CatalogFile["tools"] = [];
  for (const name of chosenTools) {
    fileTools.push(toFileTool(tools, name));
    await slice.pause();
  }
  const fileSkills = await toFileSkills(skills, chosenSkills, notes);
  const lenses = listLenses(tools);
  const file: CatalogFile = {
    toolroom: CATALOG_FILE_VERSION,
    ...(choice.exportedAt === true ? { exportedAt } : {}),
    tools: fileTools,
    servers: chosenServers.map((server) => withLenses(server, lenses.get(server.name) ?? [])),
    // Versions without toolsets can read a file that lacks the section.
    ...(chosenToolsets.length === 0 ? {} : { toolsets: chosenToolsets.map((name) => toFileToolset(toolsets, name)) }),
    ...(fileSkills.length === 0 ? {} : { skills: fileSkills }),
    ...(chosenRules.length === 0 ? {} : { rules: chosenRules }),
    ...(chosenCases.length === 0 ? {} : { ruleCases: chosenCases }),
  };
  const day = exportedAt.slice(0, 10);
  const counts = {
    tools: file.tools.length,
    servers: file.servers.length,
    toolsets: chosenToolsets.length,
    skills: fileSkills.length,
    rules: chosenRules.length,
    ruleCases: chosenCases.length,
    notes,
  };
  if (choice.versions !== true) return await toFile(`toolroom-${day}.json`, file, counts);
  const whole = await toFile(`toolroom-${day}.json`, await withVersions(file, versions, notes), counts);
  if (Buffer.byteLength(whole.text) <= MAX_CATALOG_FILE_BYTES) return whole;
  notes.push("Earlier versions were left out: the file would be larger than an import may be");
  return await toFile(`toolroom-${day}.json`, file, counts);
}

/** Compares code units: a locale would order the same names differently elsewhere. */
const compareNames = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
const inOrder = (names: readonly string[]): string[] => [...new Set(names)].sort(compareNames);

/** Adds the newest earlier versions of the tools to the file. */
async function withVersions(
  file: CatalogFile,
  versions: SharingPorts["versions"],
  notes: string[],
): Promise<CatalogFile> {
  const slice = new TimeSlice();
  const tools: CatalogFile["tools"] = [];
  let left = MAX_FILE_VERSIONS;
  let cut = false;
  for (const tool of file.tools) {
    const { name } = tool.definition;
    const [, ...earlier] = await versions.list(name, Number.MAX_SAFE_INTEGER, MAX_TOOL_VERSIONS + 2);
    const most = Math.min(left, MAX_TOOL_VERSIONS);
    cut ||= earlier.length > most;
    const found = await Promise.all(earlier.slice(0, most).map(({ number }) => versions.find(name, number)));
    const kept = found.flatMap((version) => version ?? []).map(({ definition, at }) => ({ definition, at }));
    left -= kept.length;
    tools.push(kept.length === 0 ? tool : { ...tool, versions: kept.reverse() });
    await slice.pause();
  }
  if (cut) notes.push(`A file holds ${MAX_TOOL_VERSIONS} earlier versions of a tool: older ones were left out`);
  return { ...file, tools };
}

/** Lists exportable tools: tools of servers belong to their server, those of code to their code. */
const listExportableTools = (tools: SharingPorts["tools"]) =>
  tools.list().items.filter(({ origin }) => origin === "console" || origin === "config");

/** What an export can hold, by name. */
export function listExportChoices({ tools, servers, toolsets, skills, rules }: ExportSources): ExportChoices {
  return {
    tools: listExportableTools(tools).map(({ name, enabled, tags }) => ({ name, enabled, tags })),
    servers: servers.list().items.map(({ name, enabled }) => ({ name, enabled })),
    toolsets: toolsets.list().map(({ name }) => ({ name })),
    skills: skills.all().map(({ name }) => ({ name })),
    rules: rules.all().map(({ name }) => ({ name })),
  };
}

function toFileTool(tools: SharingPorts["tools"], name: string): CatalogFile["tools"][number] {
  const tool = tools.find(name);
  if (tool === null) throw new AppError("NOT_FOUND", `Tool '${name}' not found`);
  if (tool.origin === "server" || tool.origin === "code") {
    const way = tool.origin === "server" ? "export its server instead" : "it is part of code";
    throw new AppError("INVALID", `tools: '${name}' cannot be exported: ${way}`);
  }
  const lens = tool.lens === null ? {} : { lens: tool.lens.expression };
  return { definition: tool.definition, enabled: tool.enabled, approval: tool.approval.mode, ...lens };
}

/** The lenses of servers' tools by their servers, each with the server's own name of the tool. */
function listLenses(tools: SharingPorts["tools"]): Map<string, [string, string][]> {
  const byServer = new Map<string, [string, string][]>();
  for (const { name, server } of tools.list().items) {
    if (server === null || !name.startsWith(server + TOOL_SEPARATOR)) continue;
    const lens = tools.getLens(name);
    if (lens === null) continue;
    const lenses = byServer.get(server) ?? [];
    lenses.push([name.slice(server.length + TOOL_SEPARATOR.length), lens.expression]);
    byServer.set(server, lenses);
  }
  return byServer;
}

function withLenses(
  server: CatalogFile["servers"][number],
  lenses: readonly (readonly [string, string])[],
): typeof server {
  const sorted = lenses.toSorted(([left], [right]) => compareNames(left, right));
  return sorted.length === 0 ? server : { ...server, lenses: Object.fromEntries(sorted) };
}

/** The rules in the order of their evaluation. @throws AppError for an unknown name */
function chooseRules(rules: SharingPorts["rules"], names: readonly string[] | null): CallRuleInput[] {
  const unknown = names?.find((name) => rules.findNamed(name) === null);
  if (unknown !== undefined) throw new AppError("NOT_FOUND", `Rule '${unknown}' not found`);
  const chosen = names === null ? null : new Set(names.map((name) => name.toLowerCase()));
  return rules
    .all()
    .filter(({ name }) => chosen === null || chosen.has(name.toLowerCase()))
    .map(toRuleInput);
}

/** The cases by name. @param rules null: all cases, else those that name one of these */
function chooseCases(ruleCases: SharingPorts["ruleCases"], rules: readonly CallRuleInput[] | null): RuleCaseInput[] {
  const names = rules === null ? null : new Set(rules.map(({ name }) => name.toLowerCase()));
  const chosen = ruleCases.all().filter(({ expect }) => names === null || names.has(expect.rule?.toLowerCase() ?? ""));
  return chosen.map(toCaseInput).sort((left, right) => compareNames(left.name, right.name));
}

function toFileToolset(toolsets: SharingPorts["toolsets"], name: string): ToolsetInput {
  const toolset = toToolsetInput(toolsets.get(name));
  return toolset;
}

/** The current versions, as far as an import takes them together. */
async function toFileSkills(
  skills: SharingPorts["skills"],
  names: readonly string[],
  notes: string[],
): Promise<NonNullable<CatalogFile["skills"]>> {
  const made: NonNullable<CatalogFile["skills"]> = [];
  let left = MAX_SKILL_BYTES_IN_FILE;
  for (const name of names) {
    const files = await skills.toInputs(name);
    const bytes = files.reduce((sum, { text, base64 }) => sum + Buffer.byteLength(text ?? base64 ?? ""), 0);
    if (bytes > left) notes.push(`The skill ${name} was left out: the file would be larger than an import may be`);
    else made.push({ name, files });
    left -= bytes > left ? 0 : bytes;
  }
  return made;
}

async function toFile(
  fileName: string,
  content: object,
  counts: Omit<ExportedFile, "fileName" | "text">,
): Promise<ExportedFile> {
  return { fileName, text: `${await formatInSlices(content)}\n`, ...counts };
}
