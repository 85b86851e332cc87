import { statSync } from "node:fs";
import path from "node:path";
import { describeProblem, type Problem } from "../../../lib/contract/problem";
import type { ServerSettings } from "../../../lib/contract/server";
import type { ServerImport } from "../../../lib/contract/server-import";
import { expandVariables } from "../../../lib/server-settings/expand-variables";
import { TimeSlice } from "../../engine/time-slice";
import { describeMissingSecret, type EditedServer, readEdit, readSettings, unsetVariables } from "./server-settings";
import type { MaskOf } from "./setting-masks";

export interface SettingsCheck {
  problems: Problem[];
  notes: string[];
}

export interface SettingsContext {
  /** The server that is edited; undefined for a new one. */
  before: EditedServer | undefined;
  isTaken: (name: string) => boolean;
  /** The own tools whose names begin as those of a server with this name would; absent: none. */
  listOwnTools?: ((name: string) => readonly string[]) | undefined;
  /** Why no server may have a name; null where one may. */
  explainName?: ((name: string) => string | null) | undefined;
  /** The values of `${VAR}` references. */
  variables: Readonly<Record<string, string | undefined>>;
  getMask: MaskOf;
  /** Relative paths of settings begin here. */
  rootDir: string;
  /** Names without a tool that carry an approval setting. */
  keptApprovals?: () => readonly { name: string }[];
}

/** Lists every problem of settings while they are edited. */
export function checkSettings(candidate: unknown, context: SettingsContext): SettingsCheck {
  const { before, isTaken, getMask, keptApprovals } = context;
  const read = readEdit(candidate, before, getMask);
  const problems: Problem[] = "problems" in read ? [...read.problems] : [];
  const name = (candidate as { name?: unknown } | null)?.name;
  if (typeof name === "string" && isTaken(name)) {
    problems.push({ path: "name", message: `'${name}' is already taken by another server` });
  }
  if (typeof name === "string" && name !== before?.settings.name) {
    problems.push(...findNameProblems(name, context));
  }
  if ("problems" in read) return { problems, notes: [] };
  problems.push(...read.missing.map(describeMissingSecret));
  const kept = before === undefined ? describeKept(read.settings.name, keptApprovals?.() ?? []) : [];
  return { problems, notes: [...describeObstacles(read.settings, context), ...kept] };
}

/** A server's tools begin with its name: own tools that do would be taken for its tools. */
export function findNameProblems(
  name: string,
  { listOwnTools = () => [], explainName = () => null }: Pick<SettingsContext, "listOwnTools" | "explainName">,
): Problem[] {
  const reserved = explainName(name);
  if (reserved !== null) return [{ path: "name", message: reserved }];
  const tools = listOwnTools(name);
  if (tools.length === 0) return [];
  const others = tools.length > 3 ? ` and ${tools.length - 3} more` : "";
  const message = `'${name}' is the beginning of names of tools that are no server's: ${tools.slice(0, 3).join(", ")}${others}. Choose another name, or rename them`;
  return [{ path: "name", message }];
}

/** Lists the reasons why a server cannot connect as things are on this machine. */
function describeObstacles(
  settings: ServerSettings,
  { variables, rootDir }: Pick<SettingsContext, "variables" | "rootDir">,
): string[] {
  const unset = unsetVariables(settings, variables);
  if (settings.transport !== "stdio" || settings.cwd === undefined) return unset;
  const { text, missing } = expandVariables(settings.cwd, variables);
  const folder = path.resolve(rootDir, text);
  if (missing.length > 0 || statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return unset;
  return [...unset, `cwd: there is no folder '${folder}'. The server cannot start until you create it or change cwd`];
}

/** A new server's tools may get settings that earlier tools of their names had. */
function describeKept(server: string, kept: readonly { name: string }[]): string[] {
  const names = kept.flatMap(({ name }) => (name.startsWith(`${server}__`) ? [name] : []));
  if (names.length === 0) return [];
  const others = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return [
    `Approval settings of earlier tools apply to tools with these names: ${names.slice(0, 3).join(", ")}${others}`,
  ];
}

/** Adds invalid values, taken names and unset variables. */
export async function checkImport(
  found: ServerImport,
  context: Omit<SettingsContext, "before">,
): Promise<ServerImport> {
  const { isTaken, getMask } = context;
  const servers: ServerImport["servers"] = [];
  const slice = new TimeSlice();
  for (const server of found.servers) {
    const read = server.settings === null ? null : readSettings(server.settings, getMask);
    const taken = isTaken(server.name) ? [`name: '${server.name}' is already taken by another server`] : [];
    taken.push(...findNameProblems(server.name, context).map((problem) => describeProblem(problem)));
    servers.push({
      ...server,
      problems: [...server.problems, ...(read?.problems ?? []).map((problem) => describeProblem(problem)), ...taken],
      warnings: read?.settings == null ? [] : describeObstacles(read.settings, context),
    });
    await slice.pause();
  }
  return { ...found, servers };
}
