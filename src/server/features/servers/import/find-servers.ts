import { isPlainObject } from "../../../../lib/contract/json";
import { bundleEntry, isBundleManifest } from "./bundle-manifest";
import { readDockerCatalog } from "./docker-catalog";
import { readFastMcp } from "./fastmcp";
import { type Found, MAX_SERVERS, type NamedEntry, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";
import { readOpenWebUi } from "./open-webui";
import { readOpenHands } from "./openhands";
import { isRegistryServer, registryEntries } from "./registry-entries";

/** The sections in which clients keep their servers, the deeper ones first. */
const SECTIONS: readonly (readonly string[])[] = [
  ["mcp", "servers"],
  ["mcp", "mcpServers"],
  ["mcpServers"],
  ["mcp_servers"],
  ["context_servers"],
  ["servers"],
  ["experimental", "modelContextProtocolServers"],
  // Augment in the settings of VS Code: a list (docs.augmentcode.com/setup-augment/mcp).
  ["augment.advanced", "mcpServers"],
  ["mcp"],
  ["extensions"],
];
/** The types of Goose extensions that are not servers. */
const BUILT_IN = ["builtin", "platform", "frontend", "inline_python"];
/** Other values may have these names too. */
const SHARED_NAMES = ["mcp", "extensions"];
/** The dotted spelling of settings files. */
const DOTTED = ["mcp.servers", "amp.mcpServers"];
const EXPECTED = 'No servers were found: expected { "mcpServers": { "name": { "command" or "url": … } } }';

/** The servers in a configuration: a section of a file, the servers alone, one alone, or an entry of the MCP registry. */
export function findServers(value: unknown): Found {
  const foreign = readForeign(value);
  if (foreign !== null) return foreign;
  if (Array.isArray(value)) return fromList(value, "The list");
  if (!isPlainObject(value)) return { problem: 'The text must be an object such as { "mcpServers": { … } }' };
  if (isRegistryServer(value)) return { servers: registryEntries(value), notes: [] };
  if (isBundleManifest(value)) return { servers: [bundleEntry(value)], notes: [] };
  const section = findSection(value);
  if (section === null) return fromBareObject(value);
  const { field, servers } = section;
  if (Array.isArray(servers)) return fromList(servers, field);
  if (!isPlainObject(servers)) return { problem: `${field} must be an object from names to servers` };
  const applySettings = readSettingsOutside(value, field);
  const isBuiltIn = ([, entry]: [string, unknown]): boolean =>
    field === "extensions" && isPlainObject(entry) && BUILT_IN.includes(String(entry.type));
  const builtIn = Object.entries(servers).filter(isBuiltIn);
  const notes = builtIn.map(([name]) => `Left out: '${name.slice(0, 200)}' is a part of Goose, not a server`);
  const listed = Object.entries(servers).filter((each) => !builtIn.some(([name]) => name === each[0]));
  const named = listed.map(([name, entry], index) =>
    // Each entry is compared with every setting, so further ones are not.
    namedEntry(name, index < MAX_SERVERS && isPlainObject(entry) ? applySettings(name, entry) : entry),
  );
  const all = [...named, ...fromProjects(value)];
  return all.length === 0 ? { problem: `${field} holds no servers` } : { servers: all, notes };
}

/** Reads foreign formats, recognized by marks that no other one has. */
function readForeign(value: unknown): Found | null {
  for (const read of [readOpenWebUi, readOpenHands, readFastMcp, readDockerCatalog]) {
    const found = read(value);
    if (found !== null) return found;
  }
  return null;
}

/** Claude Code keeps the servers of each project beside those of the user. */
function fromProjects({ projects }: Entry): NamedEntry[] {
  if (!isPlainObject(projects)) return [];
  return Object.entries(projects).flatMap(([path, project]) =>
    isPlainObject(project) && isPlainObject(project.mcpServers)
      ? Object.entries(project.mcpServers).map(([name, entry]) =>
          namedEntry(name, entry, [`From the project ${path.slice(0, 200)}`]),
        )
      : [],
  );
}

function fromBareObject(value: Entry): Found {
  if (looksLikeServer(value)) return { servers: [namedEntry(getName(value), value)], notes: [] };
  if (isPlainObject(value.server) && isRegistryServer(value.server)) {
    return { servers: registryEntries(value.server), notes: [] };
  }
  // Without a section, other values may be beside the servers.
  const entries = Object.entries(value).filter(([, entry]) => isPlainObject(entry));
  if (!entries.some(([, entry]) => isPlainObject(entry) && looksLikeServer(entry))) return { problem: EXPECTED };
  return { servers: entries.map(([name, entry]) => namedEntry(name, entry)), notes: [] };
}

function fromList(list: readonly unknown[], field: string): Found {
  if (list.length === 0) return { problem: `${field} holds no servers` };
  const servers = list.flatMap((item): NamedEntry[] => {
    if (!isPlainObject(item)) return [namedEntry(null, item)];
    if (isRegistryServer(item)) return registryEntries(item);
    if (isPlainObject(item.server) && isRegistryServer(item.server)) return registryEntries(item.server);
    return [namedEntry(getName(item), item)];
  });
  const found = list.some((item) => isPlainObject(item));
  return found ? { servers, notes: [] } : { problem: `${field} must be a list of servers, each an object` };
}

function getName(entry: Entry): string | null {
  const { name = entry.server_label } = entry;
  return typeof name === "string" && name !== "" ? name : null;
}

function findSection(json: Entry): { field: string; servers: unknown } | null {
  for (const path of SECTIONS) {
    let found: unknown = json;
    for (const key of path) found = isPlainObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    if (found === undefined) continue;
    // A server may be called `servers` or `mcp`.
    if (isPlainObject(found) && looksLikeServer(found)) continue;
    if (path.length === 1 && SHARED_NAMES.includes(path[0] ?? "") && !holdsServers(found)) continue;
    return { field: path.join("."), servers: found };
  }
  const dotted = DOTTED.find((key) => Object.hasOwn(json, key));
  return dotted === undefined ? null : { field: dotted, servers: json[dotted] };
}

function holdsServers(section: unknown): boolean {
  return (
    isPlainObject(section) && Object.values(section).some((entry) => isPlainObject(entry) && looksLikeServer(entry))
  );
}

function looksLikeServer(entry: Entry): boolean {
  const has = (key: string, test: (value: unknown) => boolean): boolean =>
    Object.hasOwn(entry, key) && test(entry[key]);
  const isText = (value: unknown): boolean => typeof value === "string";
  return (
    ["url", "serverUrl", "httpUrl", "server_url", "baseUrl", "uri", "cmd"].some((key) => has(key, isText)) ||
    has("command", (value) => isText(value) || Array.isArray(value) || (isPlainObject(value) && isText(value.path))) ||
    has("transport", (value) => isPlainObject(value) && (isText(value.command) || isText(value.url)))
  );
}

/** Reads the settings of servers outside of their entries: Gemini CLI's `mcp.excluded`, opencode's `tools`. */
function readSettingsOutside(json: Entry, field: string): (name: string, entry: Entry) => Entry {
  const { mcp, tools } = json;
  if (field === "mcpServers" && isPlainObject(mcp)) {
    const excluded = new Set<unknown>(Array.isArray(mcp.excluded) ? mcp.excluded : []);
    const allowed = Array.isArray(mcp.allowed) ? new Set<unknown>(mcp.allowed) : null;
    return (name, entry) => (excluded.has(name) || allowed?.has(name) === false ? { ...entry, disabled: true } : entry);
  }
  if (field !== "mcp" || !isPlainObject(tools)) return (_name, entry) => entry;
  const allOff = Object.keys(tools).filter((pattern) => tools[pattern] === false);
  return (name, entry) => {
    const off = allOff.filter((pattern) => pattern.startsWith(name));
    if (off.some((pattern) => pattern === `${name}*` || pattern === `${name}_*`)) return { ...entry, enabled: false };
    const names = off
      .filter((pattern) => pattern.startsWith(`${name}_`))
      .map((pattern) => pattern.slice(name.length + 1));
    return names.length === 0 || entry.disabledTools !== undefined ? entry : { ...entry, disabledTools: names };
  };
}
