import type { Actor } from "../../../lib/contract/actor";
import type { HeldChange } from "../../../lib/contract/held-change";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import { TOOL_SEPARATOR } from "../../../lib/contract/server";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getServerName } from "../../../lib/contract/tool-definition";
import { equalJson } from "../../../lib/json/equal-json";
import { messageOf } from "../../../lib/message-of";
import { catalogueToolName } from "../../../lib/portable-name";
import { TimeSlice } from "../../engine/time-slice";
import type { Catalogue } from "./catalogue";
import type { CatalogueEntry } from "./catalogue-entry";
import type { ToolContext } from "./tool-context";

export interface RejectedTool {
  name: string;
  error: string;
}

export interface ServerRename {
  from: string;
  to: string;
  listed: readonly string[];
}

/** What is known of a server's tools beside their definitions, by name in the catalogue. */
export interface ServerToolFacts {
  /** Parts of a tool's schema that are not read as they were listed. */
  notes?: ReadonlyMap<string, readonly SchemaNote[]>;
  /** Changes that wait for approval. */
  held?: ReadonlyMap<string, HeldChange>;
  /** Who approved the definition. */
  approvedBy?: ReadonlyMap<string, Actor>;
}

/**
 * Makes these the tools of an MCP server and removes those it no longer lists. Long lists are registered in slices, between
 * which other work runs.
 */
export async function setServerTools(
  { catalogue, views, history, onChange }: ToolContext,
  server: string,
  definitions: readonly ToolDefinition[],
  { notes, held, approvedBy }: ServerToolFacts,
): Promise<RejectedTool[]> {
  const { entries } = catalogue;
  const wanted = new Set(definitions.map(({ name }) => name));
  const rejected: RejectedTool[] = [];
  const registered: ToolDefinition[] = [];
  const slice = new TimeSlice();
  let changed = false;
  for (const { definition } of Array.from(entries.values())) {
    if (getServerName(definition) !== server || wanted.has(definition.name)) continue;
    catalogue.remove(definition.name);
    changed = true;
  }
  for (const definition of definitions) {
    await slice.pause();
    const old = entries.get(definition.name);
    const replaces = old !== undefined && getServerName(old.definition) === server;
    const schemaNotes = notes?.get(definition.name) ?? [];
    const facts = { schemaNotes, held: held?.get(definition.name) };
    // An unchanged definition keeps its compiled schema, its hash and its position.
    if (replaces && equalJson(old.original ?? old.definition, definition) && equalJson(old.held, facts.held)) {
      old.schemaNotes = schemaNotes;
      continue;
    }
    changed = true;
    let entry: CatalogueEntry;
    try {
      entry = put(catalogue, definition, replaces, facts);
    } catch (error) {
      rejected.push({ name: definition.name, error: messageOf(error) });
      continue;
    }
    // Computes what lists show now, within the slice.
    views.summarise(entry);
    if (entry.held?.kind !== "added") registered.push(entry.definition);
  }
  const order = definitions.map(({ name }) => name);
  if (!equalJson(catalogue.listedOrder.get(server) ?? [], order)) changed = true;
  catalogue.listedOrder.set(server, order);
  if (changed) onChange();
  await history.recordListed(registered, approvedBy);
  return rejected;
}

/**
 * Removes what was set for a server's tools, listed or not, so that another server of the name does not get it. Settings that
 * require approval stay.
 * @param options `keepFacts` keeps owners and the like, for a server that may be restored
 */
export async function forgetServerTools(
  { catalogue, store, facts, approvals }: ToolContext,
  server: string,
  { keepFacts }: { keepFacts: boolean },
): Promise<void> {
  const prefix = server + TOOL_SEPARATOR;
  await approvals.dropNever((name) => name.startsWith(prefix) && isOfServer(catalogue, name, server));
  if (keepFacts) return;
  const others = Array.from(catalogue.entries.values(), ({ definition }) => definition).filter(
    (definition) => definition.name.startsWith(prefix) && getServerName(definition) !== server,
  );
  await store.forgetFacts(
    prefix,
    others.map(({ name }) => name),
  );
  await facts.load();
}

/** The team's own tools may have names like those of a server. */
function isOfServer({ entries }: Catalogue, name: string, server: string): boolean {
  const entry = entries.get(name);
  return entry === undefined || getServerName(entry.definition) === server;
}

/**
 * Keeps settings, versions and switched-off tools of a server under the server's new name.
 * @param listed the server's names of its tools, also of those that the catalog does not have now
 */
export async function renameServerTools(
  { catalogue, store, facts, approvals, history, onRenamed }: ToolContext,
  { from, to, listed }: ServerRename,
): Promise<void> {
  const renamed = new Map<string, string>();
  const prefix = from + TOOL_SEPARATOR;
  const names = new Map(listed.map((tool) => [catalogueToolName(from, tool), catalogueToolName(to, tool)]));
  for (const { name } of approvals.list()) {
    if (!name.startsWith(prefix) || !isOfServer(catalogue, name, from)) continue;
    // An alias of an invalid name cannot be made from the alias of the earlier one.
    const unlisted = names.has(name) ? null : await history.findServerTool(from, name);
    const newName = names.get(name) ?? catalogueToolName(to, unlisted ?? name.slice(prefix.length));
    await approvals.copy(name, newName);
    await approvals.leave(name);
    // The next rename looks there.
    if (unlisted !== null && !catalogue.entries.has(name)) await history.rename(name, newName);
  }
  for (const { definition, enabled } of catalogue.entries.values()) {
    const { implementation } = definition;
    if (implementation.type !== "mcp" || implementation.server !== from) continue;
    const name = catalogueToolName(to, implementation.tool);
    renamed.set(definition.name, name);
    await history.rename(definition.name, name);
    await store.renameFacts(definition.name, name);
    if (enabled) continue;
    await store.setDisabled(name, true);
    catalogue.switchedOff.add(name);
  }
  await facts.load();
  await onRenamed?.({ tool: renamed, server: new Map([[from, to]]) });
}

/** @throws Error that says why it cannot be registered; then nothing of that name is left of this server */
function put(
  catalogue: Catalogue,
  definition: ToolDefinition,
  replaces: boolean,
  facts: Pick<CatalogueEntry, "schemaNotes" | "held">,
): CatalogueEntry {
  const { entries, switchedOff } = catalogue;
  const { name } = definition;
  if (replaces) catalogue.remove(name);
  const taken = entries.get(name);
  if (taken) throw new Error(`the name '${name}' is already taken by a tool from ${taken.origin}`);
  const entry = catalogue.addServerTool(definition, facts);
  if (switchedOff.has(name)) catalogue.switchTool(name, false);
  return entry;
}
