import { isPlainObject } from "../../../../lib/contract/json";
import { type Found, type NamedEntry, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";

const LISTS = { sse_servers: "sse", shttp_servers: "http", stdio_servers: "stdio" } as const;

/** OpenHands: `[mcp]` of its `config.toml`, and `mcp_config` of its settings (docs.openhands.dev/openhands/usage/settings/mcp-settings). */
export function readOpenHands(value: unknown): Found | null {
  const sections = isPlainObject(value) ? [value.mcp, value.mcp_config, value] : [];
  const section = sections.find(
    (each): each is Entry => isPlainObject(each) && Object.keys(LISTS).some((list) => Array.isArray(each[list])),
  );
  if (section === undefined) return null;
  const servers = Object.entries(LISTS).flatMap(([list, type]) =>
    (Array.isArray(section[list]) ? (section[list] as unknown[]) : []).map((item) => toServer(item, type)),
  );
  return servers.length === 0 ? { problem: "The lists of OpenHands hold no servers" } : { servers, notes: [] };
}

/** Converts an item; a remote one may be only an address. */
function toServer(item: unknown, type: string): NamedEntry {
  if (typeof item === "string") return namedEntry(null, { type, url: item });
  if (!isPlainObject(item)) return namedEntry(null, item);
  const { name, api_key: key, timeout, ...rest } = item;
  const entry: Entry = { ...rest, type };
  const notes: string[] = [];
  if (typeof key === "string" && key !== "") {
    entry.headers = { Authorization: `Bearer ${key}` };
    notes.push("api_key: imported as a bearer token in the header Authorization");
  } else if (key !== undefined && key !== null && key !== "") entry.api_key = key;
  // OpenHands counts seconds.
  if (typeof timeout === "number") entry.tool_timeout_sec = timeout;
  else if (timeout !== undefined) entry.timeout = timeout;
  return namedEntry(typeof name === "string" && name !== "" ? name : null, entry, notes);
}
