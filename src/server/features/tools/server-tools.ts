import { type ApprovalMode, TOOL_SEPARATOR, type ToolDefinition } from "../../../lib/contract";
import { serverOf } from "../../../lib/contract/tool-definition";
import { messageOf } from "../../../lib/message-of";
import { catalogueToolName } from "../../../lib/portable-name";
import type { ToolRegistry } from "../../engine/tool-registry";
import { type CatalogueEntry, switchEntry } from "./catalogue-entry";
import type { ToolStore } from "./tool-store";

export interface Catalogue {
  registry: ToolRegistry;
  entries: Map<string, CatalogueEntry>;
  /** Names that a person switched off. */
  switchedOff: ReadonlySet<string>;
}

/** Makes these the tools of an MCP server; those it had and no longer lists are taken out. */
export function setServerTools(
  catalogue: Catalogue,
  server: string,
  definitions: readonly ToolDefinition[],
): { rejected: { name: string; error: string }[]; changed: boolean } {
  const { registry, entries } = catalogue;
  const wanted = new Set(definitions.map(({ name }) => name));
  const rejected: { name: string; error: string }[] = [];
  let changed = false;
  for (const { definition } of Array.from(entries.values())) {
    if (serverOf(definition) !== server || wanted.has(definition.name)) continue;
    registry.unregister(definition.name);
    entries.delete(definition.name);
    changed = true;
  }
  for (const definition of definitions) {
    const old = entries.get(definition.name);
    const replaces = old !== undefined && serverOf(old.definition) === server;
    // A definition that is the same keeps its compiled schema, its hash and its place.
    if (replaces && sameJson(old.definition, definition)) continue;
    changed = true;
    try {
      put(catalogue, definition, replaces);
    } catch (error) {
      rejected.push({ name: definition.name, error: messageOf(error) });
    }
  }
  return { rejected, changed };
}

/**
 * Takes away what people chose for the approval of a server's tools, listed or not, so that it is not meant for another
 * server of the name.
 * @param keepAlways leaves what makes tools ask: a delete may be undone
 */
export async function forgetServerTools(
  catalogue: Pick<Catalogue, "entries"> & {
    approvals: { forget(isMeant: (name: string, mode: ApprovalMode) => boolean): Promise<void> };
  },
  server: string,
  { keepAlways }: { keepAlways: boolean },
): Promise<void> {
  await catalogue.approvals.forget((name, mode) => {
    if (!name.startsWith(server + TOOL_SEPARATOR) || (keepAlways && mode === "always")) return false;
    const entry = catalogue.entries.get(name);
    // The team's own tools may have such names too.
    return entry === undefined || serverOf(entry.definition) === server;
  });
}

/** Lets what a person switched off of a server, and set for approvals, stay so under the server's new name. */
export async function renameServerTools(
  catalogue: Pick<Catalogue, "entries"> & {
    switchedOff: Set<string>;
    store: Pick<ToolStore, "setDisabled">;
    approvals: { rename(from: string, to: string): Promise<void> };
  },
  from: string,
  to: string,
): Promise<void> {
  for (const { definition, enabled } of catalogue.entries.values()) {
    const { implementation } = definition;
    if (implementation.type !== "mcp" || implementation.server !== from) continue;
    const name = catalogueToolName(to, implementation.tool);
    await catalogue.approvals.rename(definition.name, name);
    if (enabled) continue;
    await catalogue.store.setDisabled(name, true);
    catalogue.switchedOff.add(name);
  }
}

/** @throws Error that says why it cannot be registered; then nothing of that name is left of this server */
function put({ registry, entries, switchedOff }: Catalogue, definition: ToolDefinition, replaces: boolean): void {
  const { name } = definition;
  if (replaces) {
    registry.unregister(name);
    entries.delete(name);
  }
  const taken = entries.get(name);
  if (taken) throw new Error(`the name '${name}' is already taken by a tool from ${taken.origin}`);
  const registered = registry.registerServerTool(definition);
  entries.set(name, { definition: registered, origin: "server", originPath: null, enabled: true, updatedAt: null });
  if (switchedOff.has(name)) switchEntry(registry, entries, name, false);
}

/** Both were made by the same code from a server's list, so equal values have equal texts. */
function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
