import path from "node:path";
import { findNode } from "../../../../../scripts/program.mjs";
import { listensOnLoopback } from "../../../../lib/http-guard/host-policy";
import { type Shell, toShellLine } from "../../../../lib/shell-line";

/** A command with its environment, as clients start it. */
export interface LocalCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** The address of this Toolroom, and the facts by which another process finds it. */
export interface Installation {
  /** The folder of the program. */
  home: string;
  /** The folder of the data. */
  data: string;
  databaseUrl: string;
  /** The configuration file, where one is named. */
  config: string | null;
  /** Whether its paths are invalid on the client's machine. */
  isContainer: boolean;
  platform: NodeJS.Platform;
}

/** What leads to this Toolroom: its data where the client is on the same machine, else its address. */
interface Location {
  options: string[];
  env: Record<string, string>;
  isHere: boolean;
}

function locate({ data, databaseUrl, config, isContainer }: Installation, origin: string): Location {
  const isHere = !isContainer && listensOnLoopback(new URL(origin).hostname);
  // The address of a database server may hold a password.
  if (!isHere || !databaseUrl.startsWith("file:")) return { options: ["--toolroom", origin], env: {}, isHere };
  const named = config === null ? [] : ["--config", config];
  const isUsual = databaseUrl === `file:${path.join(data, "toolroom.db")}`;
  if (isUsual) return { options: ["--data", data, ...named], env: {}, isHere };
  return { options: named, env: { DATABASE_URL: databaseUrl }, isHere };
}

/** The shell of commands for the machine of this Toolroom; null where they are for another machine. */
export function findShell(installation: Installation, origin: string): Shell | null {
  if (!locate(installation, origin).isHere) return null;
  return installation.platform === "win32" ? "powershell" : "posix";
}

/**
 * The command that serves the catalog over stdio. By full paths: programs that a user starts from a desktop may not find Node,
 * or another version of it.
 * @param options such as `--server <name>`
 */
export function createBridgeCommand(
  installation: Installation,
  origin: string,
  options: readonly string[],
): LocalCommand {
  const location = locate(installation, origin);
  const program = path.join(installation.home, "scripts/mcp.mjs");
  const args = [...location.options, ...options];
  if (!location.isHere) return { command: "toolroom", args: ["mcp", ...args], env: {} };
  return { command: findNode(), args: [program, ...args], env: location.env };
}

/** `toolroom wrap` for this Toolroom, as a line for a terminal; null where the clients are on another machine. */
export function createWrapLine(installation: Installation, origin: string): string | null {
  const { options, env } = locate(installation, origin);
  const shell = findShell(installation, origin);
  if (shell === null) return null;
  const program = path.join(installation.home, "scripts/toolroom.mjs");
  const isByAddress = options[0] === "--toolroom";
  const found = isByAddress ? { TOOLROOM_URL: origin } : env;
  const data = options[0] === "--data" ? options.slice(0, 2) : [];
  const config: Record<string, string> = installation.config === null ? {} : { TOOLROOM_CONFIG: installation.config };
  const args = [program, "wrap", ...data];
  return toShellLine(shell, { command: findNode(), args, env: { ...config, ...found } });
}
