import { isPlainObject } from "../../../../lib/contract/json";
import { type Found, type NamedEntry, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";

const KEY = "TOOL_SERVER_CONNECTIONS";
/** Fields for its own pages. */
const SHOWN = ["description", "id", "name"];

/** Open WebUI: the tool servers of its API, its export, and the variable of this name. */
export function readOpenWebUi(value: unknown): Found | null {
  const list = isPlainObject(value) ? value[KEY] : value;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isConnection)) return null;
  return { servers: list.map(toServer), notes: [] };
}

function isConnection(item: unknown): item is Entry {
  return isPlainObject(item) && typeof item.url === "string" && Object.hasOwn(item, "auth_type");
}

function toServer({ type, url, path, auth_type: auth, key, config, info, headers, ...rest }: Entry): NamedEntry {
  const { id, name, ...shown } = isPlainObject(info) ? info : {};
  const { enable, function_name_filter_list: filter, ...settings } = isPlainObject(config) ? config : {};
  const notes: string[] = [];
  const isApi = type !== "mcp";
  const { spec, spec_type: specType, ...others } = rest;
  const entry: Entry = {
    ...withoutEmpty({ ...others, ...settings, ...omit(shown, SHOWN) }),
    ...(isApi ? { type: "openapi", url, document: toDocument(String(url), path) } : { type: "http", url }),
    ...(isPlainObject(headers) && { headers }),
    ...(enable === false && { enabled: false }),
  };
  // The address of an API's document is the complete one; a description in the connection replaces the document.
  if (isApi && typeof spec === "string" && spec !== "" && specType !== "url") {
    notes.push("spec: the description in the connection is not imported; its address is");
  }
  addKey(entry, auth, key, notes);
  addFilter(entry, filter);
  return namedEntry(
    [name, id].find((each): each is string => typeof each === "string" && each !== "") ?? null,
    entry,
    notes,
  );
}

function toDocument(url: string, path: unknown): string {
  const given = typeof path === "string" && path !== "" ? path : "openapi.json";
  return /^https?:/.test(given) ? given : `${url.replace(/\/+$/, "")}/${given.replace(/^\/+/, "")}`;
}

function addKey(entry: Entry, auth: unknown, key: unknown, notes: string[]): void {
  if ((auth === "bearer" || auth === undefined) && typeof key === "string" && key !== "") {
    const before = isPlainObject(entry.headers) ? entry.headers : {};
    entry.headers = { ...before, Authorization: `Bearer ${key}` };
  } else if (auth !== "bearer" && auth !== "none" && auth !== undefined) {
    notes.push(
      `auth_type: ${JSON.stringify(auth)?.slice(0, 100)} is known to Open WebUI only; set how to sign in in the form`,
    );
  }
}

/** Names with commas between them, as text or as a list. */
function addFilter(entry: Entry, filter: unknown): void {
  const names = (Array.isArray(filter) ? filter : String(filter ?? "").split(",")).map((name) => String(name).trim());
  const only = names.filter((name) => name !== "" && !name.startsWith("!"));
  const except = names.flatMap((name) => (name.startsWith("!") ? [name.slice(1)] : []));
  if (only.length > 0) entry.includeTools = only;
  if (except.length > 0) entry.excludeTools = except;
}

const omit = (entry: Entry, keys: readonly string[]): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));

/** Removes empty members. */
const withoutEmpty = (entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== ""));
