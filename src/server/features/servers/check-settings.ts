import { describeProblem, type Problem } from "../../../lib/contract/problem";
import type { ServerImport } from "../../../lib/contract/server-import";
import { TimeSlice } from "../../engine/time-slice";
import { keepableSecrets, separateSecrets } from "./server-secrets";
import { describeMissingSecret, readSettings, unsetVariables } from "./server-settings";
import type { MaskOf } from "./setting-masks";

export interface SettingsCheck {
  problems: Problem[];
  notes: string[];
}

export interface SettingsContext {
  /** The server that is edited; undefined for a new one. */
  before: Parameters<typeof keepableSecrets>[0] | undefined;
  isTaken: (name: string) => boolean;
  /** The values of `${VAR}` references. */
  variables: Readonly<Record<string, string | undefined>>;
  maskOf: MaskOf;
  /** Names without a tool that carry an approval setting. */
  keptApprovals?: () => readonly { name: string }[];
}

/** Lists every problem of settings while they are edited. */
export function checkSettings(
  candidate: unknown,
  { before, isTaken, variables, maskOf, keptApprovals }: SettingsContext,
): SettingsCheck {
  const read = readSettings(candidate, maskOf, before?.settings);
  const problems: Problem[] = [...read.problems];
  const name = (candidate as { name?: unknown } | null)?.name;
  if (typeof name === "string" && isTaken(name)) {
    problems.push({ path: "name", message: `'${name}' is already taken by another server` });
  }
  if (read.settings === null) return { problems, notes: [] };
  const stored = before === undefined ? {} : keepableSecrets(before, read.settings);
  problems.push(...separateSecrets(read.settings, stored).missing.map(describeMissingSecret));
  const kept = before === undefined ? describeKept(read.settings.name, keptApprovals?.() ?? []) : [];
  return { problems, notes: [...unsetVariables(read.settings, variables), ...kept] };
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
  { isTaken, variables, maskOf }: Omit<SettingsContext, "before">,
): Promise<ServerImport> {
  const servers: ServerImport["servers"] = [];
  const slice = new TimeSlice();
  for (const server of found.servers) {
    const read = server.settings === null ? null : readSettings(server.settings, maskOf);
    const taken = isTaken(server.name) ? [`name: '${server.name}' is already taken by another server`] : [];
    const unset = read?.settings == null ? [] : unsetVariables(read.settings, variables);
    servers.push({
      ...server,
      problems: [...server.problems, ...(read?.problems ?? []).map((problem) => describeProblem(problem)), ...taken],
      warnings: unset,
    });
    await slice.pause();
  }
  return { ...found, servers };
}
