import {
  CATALOG_FILE_VERSION,
  MAX_CATALOG_FILE_BYTES,
  MAX_FILE_LENSES,
  MAX_FILE_RULE_CASES,
  MAX_FILE_RULES,
  MAX_FILE_SERVERS,
  MAX_FILE_SKILLS,
  MAX_FILE_TOOLS,
  MAX_FILE_TOOLSETS,
  MAX_FILE_VERSIONS,
} from "../../../lib/contract/catalog-file";
import { isPlainObject } from "../../../lib/contract/json";
import type { ServerImport } from "../../../lib/contract/server-import";
import { getMessage } from "../../../lib/get-message";
import { findMember } from "../../../lib/json/json-text";
import { isBeyondLimits } from "../../../lib/json/limits";
import { markEntries } from "../../../lib/json/mark-entries";
import type { SharingPorts } from "./sharing-ports";

export interface ReadFile {
  format: "catalogue" | "servers";
  /** Entries of Toolroom's own file, unchecked. */
  tools: readonly unknown[];
  servers: readonly unknown[];
  toolsets: readonly unknown[];
  skills: readonly unknown[];
  rules: readonly unknown[];
  ruleCases: readonly unknown[];
  /** Servers of another program's file. */
  found: ServerImport["servers"];
  problems: string[];
  notes: string[];
}

const SECTIONS: readonly string[] = [
  "toolroom",
  "exportedAt",
  "tools",
  "servers",
  "toolsets",
  "skills",
  "rules",
  "ruleCases",
];
const NO_SECTIONS = {
  tools: [],
  servers: [],
  toolsets: [],
  skills: [],
  rules: [],
  ruleCases: [],
} as const satisfies Partial<Record<keyof ReadFile, readonly unknown[]>>;
/** Where a broken file of our own says so. */
const MARK = /^\s*\{[\s\S]{0,2000}?"toolroom"\s*:/;

/** Recognizes the text: Toolroom's own file, or one that the import of servers reads. Never throws. */
export async function readFile(
  text: string,
  { parseJson, servers }: Pick<SharingPorts, "parseJson" | "servers">,
): Promise<ReadFile> {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_CATALOG_FILE_BYTES) {
    return rejectFile("catalogue", [`The file has ${bytes} bytes, more than the ${MAX_CATALOG_FILE_BYTES} allowed`]);
  }
  const plain = text.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = await parseJson(plain);
  } catch (error) {
    if (isBeyondLimits(error)) return rejectFile("catalogue", [getMessage(error)]);
    if (MARK.test(plain)) return rejectFile("catalogue", [`The file is not JSON: ${getMessage(error)}`]);
  }
  await markNumbers(value, plain);
  if (isPlainObject(value) && Object.hasOwn(value, "toolroomExecution")) return readBundle(value);
  if (isPlainObject(value) && Object.hasOwn(value, "toolroom")) return readSections(value);
  const { servers: found, problems, notes } = await servers.parseImport(text);
  return { format: "servers", ...NO_SECTIONS, found, problems, notes };
}

/** Definitions and arguments of cases keep the digits of their numbers. */
async function markNumbers(file: unknown, text: string): Promise<void> {
  if (!isPlainObject(file)) return;
  const { tools, ruleCases, catalog } = file;
  if (Array.isArray(tools)) await markEntries(tools, text, "tools");
  if (Array.isArray(ruleCases)) await markEntries(ruleCases, text, "ruleCases");
  const span = isPlainObject(catalog) ? findMember(text, 0, "catalog") : null;
  if (span !== null) await markNumbers(catalog, text.slice(span.start, span.end));
}

/** The catalog file inside the bundle of an execution. */
function readBundle({ catalog }: Record<string, unknown>): ReadFile {
  if (isPlainObject(catalog)) return readSections(catalog);
  return rejectFile("catalogue", [
    "The bundle has no tool to import: its tool is part of code, or its server was gone",
  ]);
}

/** The sections of a catalog file, their entries unchecked. */
export function readSections(file: Record<string, unknown>): ReadFile {
  const version = file.toolroom;
  if (version !== CATALOG_FILE_VERSION) {
    const isNewer = typeof version === "number" && version > CATALOG_FILE_VERSION;
    const way = isNewer ? "update Toolroom to import it" : "export the file again";
    return rejectFile("catalogue", [
      `toolroom: this version reads format ${CATALOG_FILE_VERSION}, the file has ${show(version)}: ${way}`,
    ]);
  }
  const problems = Object.keys(file)
    .filter((section) => !SECTIONS.includes(section))
    .slice(0, 20)
    .map(
      (section) => `${section.slice(0, 80)}: this version of Toolroom does not know this section: remove it, or update`,
    );
  const tools = readSection(file, "tools", MAX_FILE_TOOLS, problems);
  const servers = readSection(file, "servers", MAX_FILE_SERVERS, problems);
  const toolsets = readSection(file, "toolsets", MAX_FILE_TOOLSETS, problems);
  const skills = readSection(file, "skills", MAX_FILE_SKILLS, problems);
  const rules = readSection(file, "rules", MAX_FILE_RULES, problems);
  const ruleCases = readSection(file, "ruleCases", MAX_FILE_RULE_CASES, problems);
  const versions = tools.reduce<number>((sum, tool) => sum + countVersions(tool), 0);
  if (versions > MAX_FILE_VERSIONS) {
    problems.push(`tools: have ${versions} earlier versions, more than the ${MAX_FILE_VERSIONS} allowed: remove some`);
  }
  const lenses = servers.reduce<number>((sum, server) => sum + countLenses(server), 0);
  if (lenses > MAX_FILE_LENSES) {
    problems.push(`servers: have ${lenses} lenses, more than the ${MAX_FILE_LENSES} allowed: remove some`);
  }
  return { format: "catalogue", tools, servers, toolsets, skills, rules, ruleCases, found: [], problems, notes: [] };
}

function countLenses(server: unknown): number {
  return isPlainObject(server) && isPlainObject(server.lenses) ? Object.keys(server.lenses).length : 0;
}

function countVersions(tool: unknown): number {
  return isPlainObject(tool) && Array.isArray(tool.versions) ? tool.versions.length : 0;
}

function readSection(file: Record<string, unknown>, section: string, most: number, problems: string[]): unknown[] {
  const value = Object.hasOwn(file, section) ? file[section] : [];
  if (!Array.isArray(value)) problems.push(`${section}: must be a list, got ${show(value)}`);
  else if (value.length > most) problems.push(`${section}: has ${value.length} entries, more than the ${most} allowed`);
  else return value;
  return [];
}

function rejectFile(format: ReadFile["format"], problems: string[]): ReadFile {
  return { format, ...NO_SECTIONS, found: [], problems, notes: [] };
}

function show(value: unknown): string {
  return typeof value === "object" && value !== null ? "an object" : String(JSON.stringify(value)).slice(0, 60);
}
