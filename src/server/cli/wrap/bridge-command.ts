import path from "node:path";
import { findBridgeScript, findNode } from "../../../../scripts/program.mjs";
import { readFileUrl } from "../../../../scripts/running-server.mjs";
import { isPlainObject } from "../../../lib/contract/json";
import { normalizeEntry } from "../../features/servers/import/normalize-entry";

/** The name of Toolroom's entry in a client. */
export const ENTRY_NAME = "toolroom";

/** The command that a client starts to reach Toolroom over stdio. */
export interface BridgeCommand {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

interface Installation {
  /** The folder of the program. */
  homeDir: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths in the environment. */
  rootDir: string;
  /** The folder of the database. */
  dataFolder: string;
}

/**
 * The bridge of this installation, with the same data and configuration wherever a client starts it: a client's own
 * environment and folder are not the user's.
 */
export function describeBridgeCommand(installation: Installation): BridgeCommand {
  const env = describeSettings(installation);
  const more = Object.keys(env).length === 0 ? {} : { env };
  // Starts the script by its path: a registry may have anything under a name.
  const script = findBridgeScript(installation.homeDir, installation.dataFolder);
  return { command: findNode(), args: [script, "--names", "plain"], ...more };
}

/**
 * The bridge for one section of a client's file.
 * @param servers by their names in Toolroom; null: all that Toolroom has
 * @param waitSeconds how long the client waits for its first list
 */
export function toClientBridge(
  bridge: BridgeCommand,
  servers: readonly string[] | null,
  waitSeconds: number,
): BridgeCommand {
  const selection = servers === null ? [] : [SERVERS_OPTION, [...new Set(servers)].join(",")];
  return { ...bridge, args: [...bridge.args, ...selection, "--wait", String(waitSeconds)] };
}

const SERVERS_OPTION = "--servers";

/** The servers that an entry of Toolroom in a client's file serves; null: all, as entries of earlier versions do. */
export function readServers(entry: unknown): string[] | null {
  const { args } = readEntry(entry);
  const at = args.indexOf(SERVERS_OPTION);
  return at < 0 ? null : (args[at + 1] ?? "").split(",").filter((name) => name !== "");
}

/** The command line of an entry, whichever way its client writes it. */
export function readEntry(entry: unknown): { command: string; args: string[]; env: Record<string, string> } {
  const { command, args, env } = isPlainObject(entry) ? normalizeEntry(entry) : {};
  return {
    command: typeof command === "string" ? command : "",
    args: Array.isArray(args) ? args.map(String) : [],
    env: Object.fromEntries(
      Object.entries(isPlainObject(env) ? env : {}).map(([name, value]) => [name, String(value)]),
    ),
  };
}

const BRIDGE_SCRIPT = /(?:scripts|program)[\\/]+mcp\.mjs$/;

/** The script that an entry starts; null for an entry of another kind. */
export function findScript(args: readonly string[]): string | null {
  return args.find((word) => BRIDGE_SCRIPT.test(word)) ?? null;
}

/** Which Toolroom is meant, where it is not the one that a clone has anyway. */
function describeSettings({ homeDir, rootDir, env }: Installation): Record<string, string> {
  const settings: Record<string, string> = {};
  const { DATABASE_URL: database, TOOLROOM_DATA: data, TOOLROOM_CONFIG: config, TOOLROOM_URL: url } = env;
  // Another address may hold a password, which does not belong into a client's file.
  if (database?.startsWith("file:")) settings.DATABASE_URL = toAbsoluteUrl(database, rootDir);
  else if (data) settings.TOOLROOM_DATA = path.resolve(rootDir, data);
  const isUsual = settings.DATABASE_URL === `file:${path.join(homeDir, "data/toolroom.db")}`;
  if (isUsual && rootDir === homeDir) delete settings.DATABASE_URL;
  if (rootDir !== homeDir) settings.TOOLROOM_ROOT = rootDir;
  if (config) settings.TOOLROOM_CONFIG = path.resolve(rootDir, config);
  if (url !== undefined && URL.canParse(url) && new URL(url).password === "") settings.TOOLROOM_URL = url;
  return settings;
}

function toAbsoluteUrl(url: string, rootDir: string): string {
  const [, query] = url.slice("file:".length).split("?");
  return `file:${path.resolve(rootDir, readFileUrl(url))}${query === undefined ? "" : `?${query}`}`;
}

/** Whether a server of a client leads to a Toolroom already: Toolroom must not become a server of its own. */
export function isBridge(name: string | null, value: unknown): boolean {
  const text = JSON.stringify(value) ?? "";
  return (
    /(?:scripts|program)[\\/]+mcp\.mjs|"toolroom(?:@[^"]*)?",\s*"mcp"|"run",\s*"-s",\s*"mcp"/.test(text) ||
    (name !== null && /^toolroom(?:-|$)/.test(name) && /\/mcp(?:[/?][^"]*)?"/.test(text))
  );
}
