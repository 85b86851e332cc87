import type { Actor } from "../../../lib/contract/actor";
import type { HeldChange } from "../../../lib/contract/held-change";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getServerName, TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import { getMessage } from "../../../lib/get-message";
import { equalJson } from "../../../lib/json/equal-json";
import { equalDigits } from "../../../lib/json/number-digits";
import { catalogToolName } from "../../../lib/portable-name";
import { TimeSlice } from "../../engine/time-slice";
import type { Renames } from "../../engine/toolsets/rename-in-toolset";
import type { Change, Edit } from "../../platform/shared/announced-edits";
import type { Catalog } from "./catalog";
import type { CatalogEntry, ToolViews } from "./catalog-entry";
import type { ToolApprovals } from "./tool-approvals";
import type { KnownFacts } from "./tool-facts";
import type { ToolStore } from "./tool-store";
import type { ToolHistory } from "./tool-versions";

interface RejectedTool {
  name: string;
  error: string;
}

interface ServerRename {
  from: string;
  to: string;
  listed: readonly string[];
}

/** The facts of a server's tools beside their definitions, by name in the catalog. */
interface ServerToolFacts {
  /** Parts of a tool's schema that are not read as they were listed. */
  notes?: ReadonlyMap<string, readonly SchemaNote[]>;
  /** Changes that wait for approval. */
  held?: ReadonlyMap<string, HeldChange>;
  /** The user who approved the definition. */
  approvedBy?: ReadonlyMap<string, Actor>;
  /** The list was stored by an earlier process, which recorded the versions too: see `recordRestored`. */
  isRestored?: boolean;
}

interface RestoredTools {
  definitions: readonly ToolDefinition[];
  approvedBy: ServerToolFacts["approvedBy"] | undefined;
}

interface ServerToolPorts {
  edit: Edit;
  editAtOnce: Edit;
  catalog: Catalog;
  store: ToolStore;
  approvals: ToolApprovals;
  facts: KnownFacts;
  views: ToolViews;
  history: ToolHistory;
  /** Called when tools of a server were renamed; absent: nothing else names them. */
  onRenamed?: ((renamed: Renames) => Promise<void>) | undefined;
}

/** The tools of MCP servers in the catalog, and what was set for them. */
export function createServerTools(ports: ServerToolPorts) {
  const restored: RestoredTools[] = [];
  return {
    /** Records versions that an earlier process could not. Hashing 5,000 restored definitions takes 250 ms, which a start does not wait for. */
    async recordRestored(): Promise<void> {
      for (const { definitions, approvedBy } of restored.splice(0)) {
        await ports.history.recordListed(definitions, approvedBy);
      }
    },

    /** Replaces the tools of an MCP server, in their order. Those that cannot be registered are returned with the reason. */
    setServerTools: (
      server: string,
      definitions: readonly ToolDefinition[],
      facts: ServerToolFacts = {},
    ): Promise<RejectedTool[]> =>
      ports.editAtOnce(async (change) => {
        const { registered, rejected } = await setServerTools(ports, change, server, definitions, facts);
        const { approvedBy, isRestored = false } = facts;
        if (isRestored) restored.push({ definitions: registered, approvedBy });
        else await ports.history.recordListed(registered, approvedBy);
        return rejected;
      }),

    listedOrder: (server: string): readonly string[] => ports.catalog.listedOrder.get(server) ?? [],

    /**
     * Removes what was set for a server's tools, for a server that is created or deleted.
     * @param options `keepFacts` for a delete, which can be undone
     */
    forgetServerTools: (server: string, options: { keepFacts: boolean }): Promise<void> =>
      ports.edit((change) => forgetServerTools(ports, change, server, options)),

    renameServerTools: (rename: ServerRename): Promise<void> =>
      ports.edit(async (change) => {
        await forgetServerTools(ports, change, rename.to, { keepFacts: false });
        await renameServerTools(ports, change, rename);
      }),
  };
}

/**
 * Makes these the tools of an MCP server and removes those it no longer lists. Long lists are registered in slices, between
 * which other work runs.
 */
async function setServerTools(
  { catalog, views }: ServerToolPorts,
  change: Change,
  server: string,
  definitions: readonly ToolDefinition[],
  { notes, held }: ServerToolFacts,
): Promise<{ registered: ToolDefinition[]; rejected: RejectedTool[] }> {
  const { entries } = catalog;
  const wanted = new Set(definitions.map(({ name }) => name));
  const rejected: RejectedTool[] = [];
  const registered: ToolDefinition[] = [];
  const slice = new TimeSlice();
  // All that it listed before: looking at every tool for each of a hundred servers takes 40 ms of a start.
  const before = catalog.listedOrder.get(server) ?? [];
  for (const name of before) {
    const old = entries.get(name);
    if (old === undefined || getServerName(old.definition) !== server || wanted.has(name)) continue;
    catalog.remove(change, name);
  }
  const order = definitions.map(({ name }) => name);
  if (!equalJson(before, order)) change.mark();
  catalog.listedOrder.set(server, order);
  for (const definition of definitions) {
    await slice.pause();
    const old = entries.get(definition.name);
    const replaces = old !== undefined && getServerName(old.definition) === server;
    const schemaNotes = notes?.get(definition.name) ?? [];
    const facts = { schemaNotes, held: held?.get(definition.name) };
    // An unchanged definition keeps its compiled schema, its hash and its position.
    if (replaces && isSame(old.original ?? old.definition, definition) && equalJson(old.held, facts.held)) {
      if (!equalJson(old.schemaNotes ?? [], schemaNotes)) catalog.amend(old, { schemaNotes });
      continue;
    }
    change.mark();
    let entry: CatalogEntry;
    try {
      entry = put(catalog, change, definition, replaces, facts);
    } catch (error) {
      rejected.push({ name: definition.name, error: getMessage(error) });
      continue;
    }
    views.describeLater(entry);
    if (entry.held?.kind !== "added") registered.push(entry.definition);
  }
  return { registered, rejected };
}

const isSame = (one: ToolDefinition, other: ToolDefinition): boolean =>
  equalJson(one, other) && equalDigits(one, other);

/**
 * Removes what was set for a server's tools, listed or not, so that another server of the name does not get it. Settings that
 * require approval stay.
 * @param options `keepFacts` keeps owners and the like, for a server that may be restored
 */
async function forgetServerTools(
  { catalog, store, facts, approvals }: ServerToolPorts,
  change: Change,
  server: string,
  { keepFacts }: { keepFacts: boolean },
): Promise<void> {
  const prefix = server + TOOL_SEPARATOR;
  await approvals.dropNever(change, (name) => name.startsWith(prefix) && isOfServer(catalog, name, server));
  if (keepFacts) return;
  const others = Array.from(catalog.entries.values(), ({ definition }) => definition).filter(
    (definition) => definition.name.startsWith(prefix) && getServerName(definition) !== server,
  );
  await store.forgetFacts(
    prefix,
    others.map(({ name }) => name),
  );
  await facts.load(change);
}

/** The team's own tools may have names like those of a server. */
function isOfServer({ entries }: Catalog, name: string, server: string): boolean {
  const entry = entries.get(name);
  return entry === undefined || getServerName(entry.definition) === server;
}

/**
 * Keeps settings, versions and switched-off tools of a server under the server's new name.
 * @param listed the server's names of its tools, also of those that the catalog does not have now
 */
async function renameServerTools(
  { catalog, store, facts, approvals, history, onRenamed }: ServerToolPorts,
  change: Change,
  { from, to, listed }: ServerRename,
): Promise<void> {
  const renamed = new Map<string, string>();
  const prefix = from + TOOL_SEPARATOR;
  const names = new Map(listed.map((tool) => [catalogToolName(from, tool), catalogToolName(to, tool)]));
  for (const { name } of approvals.list()) {
    if (!name.startsWith(prefix) || !isOfServer(catalog, name, from)) continue;
    // An alias of an invalid name cannot be made from the alias of the earlier one.
    const unlisted = names.has(name) ? null : await history.findServerTool(from, name);
    const newName = names.get(name) ?? catalogToolName(to, unlisted ?? name.slice(prefix.length));
    await approvals.copy(change, name, newName);
    await approvals.leave(change, name);
    // The next rename looks there.
    if (unlisted !== null && !catalog.entries.has(name)) await history.rename(name, newName);
  }
  for (const { definition, enabled } of catalog.entries.values()) {
    const { implementation } = definition;
    if (implementation.type !== "mcp" || implementation.server !== from) continue;
    const name = catalogToolName(to, implementation.tool);
    renamed.set(definition.name, name);
    await history.rename(definition.name, name);
    await store.renameFacts(definition.name, name);
    if (enabled) continue;
    await store.setDisabled(name, true);
    catalog.switchedOff.add(name);
  }
  await facts.load(change);
  await onRenamed?.({ tool: renamed, server: new Map([[from, to]]) });
}

/** @throws Error that says why it cannot be registered; then nothing of that name is left of this server */
function put(
  catalog: Catalog,
  change: Change,
  definition: ToolDefinition,
  replaces: boolean,
  facts: Pick<CatalogEntry, "schemaNotes" | "held">,
): CatalogEntry {
  const { entries, switchedOff } = catalog;
  const { name } = definition;
  if (replaces) catalog.remove(change, name);
  const taken = entries.get(name);
  if (taken) throw new Error(`the name '${name}' is already taken by a tool from ${taken.origin}`);
  const entry = catalog.addServerTool(change, definition, facts);
  if (switchedOff.has(name)) catalog.switchTool(change, name, false);
  return entry;
}
