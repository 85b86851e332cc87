import { createHash } from "node:crypto";
import type { Principal } from "../../../lib/contract/access";
import { admitsTool, explainGroupLimit } from "../../../lib/contract/access";
import type { RegistryEntry, RegistrySettings, RegistryState } from "../../../lib/contract/registry";
import type { ServerSettings, ServerSummary } from "../../../lib/contract/server";
import type { ToolsetSummary } from "../../../lib/contract/toolset";
import { describePublished } from "./published-server";

const MAX_TEXT = 100;

export interface EntrySources {
  /** The address at which clients reach this Toolroom: `https://tools.example.com`. */
  origin: string;
  /** Null while everyone may read it. */
  reader: Principal | null;
  settings: RegistrySettings;
  /** When the settings were saved; before that, the start of the server. */
  changedAt: number;
  toolsets: readonly ToolsetSummary[];
  /** The servers with secrets masked, including those that are switched off. */
  servers: readonly (ServerSummary & { settings: ServerSettings })[];
  /** Clients have to send an API token: they cannot sign in. */
  needsToken: boolean;
}

/** The part of this Toolroom that an entry leads to; all of it where nothing is named. */
export interface RegistryPart {
  server?: string;
  toolset?: string;
}

interface Source {
  key: string;
  name?: string | undefined;
  title: string;
  description: string;
  updatedAt: number;
}

/** The entries of the registry for one reader, by name, without disabled and deleted ones. */
export function listEntries(
  sources: EntrySources,
): Pick<RegistryState, "entries" | "refused"> & { parts: ReadonlyMap<RegistryEntry, RegistryPart> } {
  const { origin, reader, settings, changedAt } = sources;
  const limits = reader?.token ?? null;
  const namespace = toNamespace(new URL(origin).hostname);
  const refused: RegistryState["refused"] = [];
  const build = (source: Source, how: Pick<RegistryEntry["server"], "remotes" | "packages">): RegistryEntry => {
    const at = new Date(Math.max(source.updatedAt, changedAt)).toISOString();
    const meta = { status: "active", publishedAt: at, updatedAt: at, isLatest: true } as const;
    return {
      server: {
        name: source.name ?? `${namespace}/${source.key}`,
        title: cut(source.title),
        description: cut(source.description),
        version: toVersion(how),
        ...how,
      },
      _meta: { "io.modelcontextprotocol.registry/official": meta },
    };
  };
  const parts = new Map<RegistryEntry, RegistryPart>();
  const serve = (source: Source, path: string, part: RegistryPart): RegistryEntry => {
    const token = { description: "An API token of this Toolroom", isRequired: true, isSecret: true };
    // Clients share what was entered by this name: among the entries of this Toolroom, with no other server.
    const variables = { toolroom_token: token };
    const headers = [{ name: "Authorization", value: "Bearer {toolroom_token}", ...token, variables }];
    const remote = { type: "streamable-http" as const, url: `${origin}${path}` };
    const entry = build(source, { remotes: [sources.needsToken ? { ...remote, headers } : remote] });
    parts.set(entry, part);
    return entry;
  };
  const enabled = sources.servers.filter((server) => server.enabled);
  const entries: RegistryEntry[] = [];
  if (settings.catalog && explainGroupLimit(limits, undefined) === null && limits?.toolsets == null) {
    const about = { title: "Toolroom", description: "All tools of this Toolroom, or those that a token admits" };
    entries.push(serve({ key: "toolroom", updatedAt: changedAt, ...about }, "/mcp", {}));
  }
  for (const { name, title, description, updatedAt } of settings.toolsets ? sources.toolsets : []) {
    if (explainGroupLimit(limits, name) !== null) continue;
    if (limits?.toolsets != null && !limits.toolsets.includes(name)) continue;
    const about = { title: title || name, description: description || `The toolset ${name}` };
    const path = `/mcp/sets/${encodeURIComponent(name)}`;
    entries.push(serve({ key: `toolset.${name}`, updatedAt, ...about }, path, { toolset: name }));
  }
  const mayUse = (name: string): boolean =>
    limits === null ||
    admitsTool(limits, "", name) ||
    (explainGroupLimit(limits, undefined) === null &&
      limits.tools?.some((tool) => tool.startsWith(`${name}__`)) === true);
  for (const server of settings.servers ? enabled : []) {
    if (!mayUse(server.name)) continue;
    const path = `/mcp/${encodeURIComponent(server.name)}`;
    const source = { key: `server.${server.name}`, ...describeServer(server) };
    entries.push(serve(source, path, { server: server.name }));
  }
  for (const { server: name, publishedAs } of settings.published) {
    const server = enabled.find((each) => each.name === name);
    if (server === undefined || !mayUse(name)) continue;
    const how = describePublished(server.settings);
    if ("reason" in how) refused.push({ server: name, reason: how.reason });
    else entries.push(build({ key: `published.${name}`, name: publishedAs, ...describeServer(server) }, how));
  }
  entries.sort((left, right) => (left.server.name < right.server.name ? -1 : 1));
  return { entries, refused, parts };
}

function describeServer({ name, title, state, lastEdit }: ServerSummary): Omit<Source, "key"> {
  const { peer, instructions } = state;
  return {
    title: title ?? peer?.title ?? name,
    description: peer?.description ?? instructions ?? `The MCP server ${name}`,
    updatedAt: lastEdit?.at ?? 0,
  };
}

/** `tools.example.com` → `com.example.tools`, as the registry names its namespaces. */
function toNamespace(host: string): string {
  const isAddress = /^[\d.]+$/.test(host) || host.includes(":") || !host.includes(".");
  return isAddress ? "local.toolroom" : host.split(".").reverse().join(".");
}

/** Copilot in IDEs asks for the version that was installed, and blocks a server whose version is gone. */
function toVersion(how: object): string {
  const digest = createHash("sha256").update(JSON.stringify(how)).digest();
  return `1.0.${digest.readUInt32BE()}`;
}

/** One line of limited length, never empty. */
function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_TEXT ? line || "–" : `${line.slice(0, MAX_TEXT - 1)}…`;
}
