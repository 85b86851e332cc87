import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isPlainObject } from "../../../lib/contract/json";
import type { ClientFile, FileSection } from "./client-files";

export interface PlannedServer {
  section: FileSection;
  position: number;
  name: string;
  /** `move`: into Toolroom. `replace`: the entry of Toolroom that already exists. `stay`: no change. */
  action: "move" | "replace" | "stay";
  /** Why the server stays. */
  reason: string;
  /** Whether it stays because it did not connect to Toolroom. */
  isFailing: boolean;
  /** The server's name in Toolroom. */
  importedAs: string;
  /** Whether Toolroom already has it with the same settings. */
  isKnown: boolean;
  /** Notes on the import for the user, without secrets. */
  notes: string[];
}

/** A name for each server of a file that no other one of it has. Servers that are alike share one. */
export function nameServers(moving: readonly PlannedServer[]): Map<PlannedServer, string> {
  const byName = new Map<string, unknown>();
  const names = new Map<PlannedServer, string>();
  for (const server of moving) {
    const value = getValue(server);
    let name = server.name;
    for (let number = 2; byName.has(name) && !isDeepStrictEqual(byName.get(name), value); number += 1) {
      name = `${server.name}-${number}`;
    }
    byName.set(name, value);
    names.set(server, name);
  }
  return names;
}

/**
 * The servers as a text that the import reads, in the shape of their file, since the shape says which client it is of.
 * `order` has the servers behind each entry that the import finds.
 */
export function writeImport(
  { sections }: ClientFile,
  moving: readonly PlannedServer[],
  names: ReadonlyMap<PlannedServer, string>,
): { text: string; order: PlannedServer[][] } {
  const given = sections[0]?.path ?? [];
  const section = given.at(-1) === "mcpServers" ? ["mcpServers"] : given;
  const byName = new Map<string, PlannedServer[]>();
  for (const server of moving) {
    const name = names.get(server) ?? server.name;
    byName.set(name, [...(byName.get(name) ?? []), server]);
  }
  const values = [...byName].map(([name, [first]]): [string, unknown] => [name, first && getValue(first)]);
  // A list may have servers without names, which are named by what they run.
  const isList = moving.some(({ section: { servers }, position }) => servers[position]?.name === null);
  const servers = isList ? values.map(([name, value]) => addName(value, name, moving)) : Object.fromEntries(values);
  const text = JSON.stringify(section.reduceRight<unknown>((inner, key) => ({ [key]: inner }), servers));
  const keys = isList ? [...byName.keys()] : Object.keys(servers);
  return { text, order: keys.map((key) => byName.get(key) ?? []) };
}

function addName(value: unknown, name: string, moving: readonly PlannedServer[]): unknown {
  const isNameless = moving.some(
    (server) => server.name === name && server.section.servers[server.position]?.name === null,
  );
  return isPlainObject(value) && !isNameless ? { ...value, name } : value;
}

/** The entry of a server; one of a project starts in the project's folder. */
function getValue({ section: { servers, project }, position }: PlannedServer): unknown {
  const value = servers[position]?.value;
  if (project === null || !isPlainObject(value)) return value;
  const isCommand = value.command !== undefined || value.cmd !== undefined;
  const { cwd = value.working_directory } = value;
  if (!isCommand || (typeof cwd === "string" && path.isAbsolute(cwd))) return value;
  return { ...value, cwd: typeof cwd === "string" ? path.resolve(project, cwd) : project };
}
