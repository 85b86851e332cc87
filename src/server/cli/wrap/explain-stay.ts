import { existsSync } from "node:fs";
import path from "node:path";
import { isPlainObject } from "../../../lib/contract/json";
import { type Entry, normalizeEntry } from "../../features/servers/import/normalize-entry";
import type { SectionPath } from "./config-format";
import { findRelativePath } from "./relative-paths";

const CLIENT_VARIABLES =
  /\$\{(?:input|promptString|command|config):[^}]*\}|\$\{(?:workspaceFolder|workspaceFolderBasename|userHome|file)\b[^}]*\}/;

/** Why only the client can start a server; null where Toolroom can. @param project its folder, null for no project */
export function explainPrivate(value: unknown, label: string, project: string | null): string | null {
  const texts = listTexts(value);
  const reference = texts.map((text) => CLIENT_VARIABLES.exec(text)?.[0]).find((found) => found !== undefined);
  if (reference !== undefined) return `uses ${reference.slice(0, 80)}, which only ${label} knows`;
  if (texts.some((text) => /\$\{\{\s*(?:secrets|inputs)\./.test(text))) return `uses a secret that only ${label} knows`;
  if (!isPlainObject(value)) return null;
  if (Array.isArray(value.env_keys) && value.env_keys.length > 0)
    return `uses secrets that only ${label} knows (env_keys)`;
  return explainFolder(normalizeEntry(value), label, project);
}

/** Why a server needs the folder in which the client starts it, where that folder is not known. */
function explainFolder({ command, args, env, cwd }: Entry, label: string, project: string | null): string | null {
  if (typeof command !== "string") return null;
  const needs = (what: string): string =>
    `depends on the folder in which ${label} starts it (${what.slice(0, 80)}): make the path absolute`;
  if (typeof cwd === "string" && cwd.startsWith("~")) return `has the folder ${cwd.slice(0, 80)}: write it in full`;
  const isPlaced = typeof cwd === "string" && (path.isAbsolute(cwd) || /^\$|^[A-Za-z]:/.test(cwd));
  if (isPlaced) return null;
  if (project !== null) return existsSync(project) ? null : `is for the folder ${project.slice(0, 200)}, which is gone`;
  if (typeof cwd === "string" && cwd !== "") return needs(cwd);
  const found = findRelativePath({ command, args: toTexts(args), env: toValues(env) });
  return found === null ? null : needs(found);
}

const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function toValues(value: unknown): Record<string, string> {
  const entries = Object.entries(isPlainObject(value) ? value : {});
  return Object.fromEntries(entries.map(([name, each]) => [name, String(each)]));
}

function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

/** Why a server, or Toolroom in its place, is switched off elsewhere in the file; null where it is not. */
export function explainSwitch(file: unknown, section: SectionPath, name: string | null): string | null {
  if (!isPlainObject(file) || name === null) return null;
  const { mcp, tools } = file;
  // An agent of Amazon Q has the tools that this list names.
  const isListed = !Array.isArray(tools) || tools.some((each) => each === "*" || each === "@toolroom");
  if (section[0] === "mcpServers" && !isListed) return 'needs "@toolroom" in the list tools';
  if (section[0] === "mcpServers" && isPlainObject(mcp)) {
    const { allowed, excluded } = mcp;
    if (Array.isArray(allowed) && !allowed.includes("toolroom")) return 'needs "toolroom" in the list mcp.allowed';
    if (Array.isArray(allowed) && !allowed.includes(name)) return "is not in the list mcp.allowed";
    if (Array.isArray(excluded) && excluded.includes(name)) return "is switched off in the list mcp.excluded";
  }
  if (section[0] === "mcp" && section.length === 1 && isPlainObject(tools)) {
    const pattern = Object.keys(tools).find((key) => tools[key] === false && key.startsWith(name));
    if (pattern !== undefined) return `has tools that are switched off (${pattern.slice(0, 80)})`;
  }
  return null;
}
