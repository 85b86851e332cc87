import path from "node:path";

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
  /** Where relative paths in the environment start. */
  rootDir: string;
}

/**
 * The bridge of this installation, with the same data and configuration wherever a client starts it: a client's own
 * environment and folder are not the user's.
 */
export function describeBridgeCommand(installation: Installation): BridgeCommand {
  const env = describeSettings(installation);
  const more = Object.keys(env).length === 0 ? {} : { env };
  // By its path: a name would run whatever a registry has under it.
  return { command: "node", args: [path.join(installation.homeDir, "scripts/mcp.mjs"), "--names", "plain"], ...more };
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
  const [file = "", query] = url.slice("file:".length).split("?");
  return `file:${path.resolve(rootDir, file.replace(/^\/\/(?=\/)/, ""))}${query === undefined ? "" : `?${query}`}`;
}

/** Whether a server of a client leads to a Toolroom already: Toolroom must not become a server of its own. */
export function isBridge(name: string | null, value: unknown): boolean {
  const text = JSON.stringify(value) ?? "";
  return (
    /scripts[\\/]+mcp\.mjs|"toolroom(?:@[^"]*)?",\s*"mcp"|"run",\s*"-s",\s*"mcp"/.test(text) ||
    (name !== null && /^toolroom(?:-|$)/.test(name) && /\/mcp(?:\/[^"]*)?"/.test(text))
  );
}
