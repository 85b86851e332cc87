import path from "node:path";
import { isPlainObject } from "../../../lib/contract/json";
import type { SectionPath } from "./config-format";

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
  const { cwd } = value;
  const isRelative = typeof cwd === "string" && !path.isAbsolute(cwd) && !/^[~$]|^[A-Za-z]:/.test(cwd);
  if (project === null && (isRelative || texts.some((text) => /^\.{1,2}(?:[\\/]|$)/.test(text)))) {
    return `has a path that depends on the folder in which ${label} starts: make it absolute`;
  }
  return null;
}

function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

/** Why a server, or Toolroom in its place, is switched off elsewhere in the file; null where it is not. */
export function explainSwitch(file: unknown, section: SectionPath, name: string | null): string | null {
  if (!isPlainObject(file) || name === null) return null;
  const { mcp, tools } = file;
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
