import type { Actor } from "../../../lib/contract/actor";
import type { ToolDetail, ToolSummary } from "../../../lib/contract/catalog-tool";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { equalJson } from "../../../lib/json/equal-json";
import { checkDefinition } from "../../engine/registry/check-definition";
import type { Renames } from "../../engine/toolsets/rename-in-toolset";
import type { Change, Edit } from "../../platform/shared/announced-edits";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import { parseJsonText } from "../../platform/shared/parse-json-text";
import type { Catalog } from "./catalog";
import { type CatalogEntry, type ToolViews, whereFrom } from "./catalog-entry";
import type { ServerPrefixes } from "./server-prefixes";
import type { ToolApprovals } from "./tool-approvals";
import type { KnownFacts } from "./tool-facts";
import type { ToolStore } from "./tool-store";

interface ToolEditPorts {
  catalog: Catalog;
  prefixes: ServerPrefixes;
  store: ToolStore;
  approvals: ToolApprovals;
  facts: KnownFacts;
  views: ToolViews;
  edit: Edit;
  checkSchema: (schema: JsonSchema) => string | null;
  /** Called when tools of the console or of a server were renamed; absent: nothing else names them. */
  onRenamed?: ((renamed: Renames) => Promise<void>) | undefined;
}

/** Creates, changes, deletes and restores tools of the console; switches tools of any origin on and off. */
export function createToolEdits({ edit, ...ports }: ToolEditPorts) {
  const { catalog, prefixes, store, approvals, facts, views } = ports;
  const { entries } = catalog;
  const readDefinition = (text: string) => readChecked(text, ports.checkSchema);
  const replace = createReplacement(ports);

  function findEditable(name: string): CatalogEntry {
    const entry = catalog.find(name);
    if (entry.origin === "console") return entry;
    const where = whereFrom(entry);
    throw new AppError("READ_ONLY", `Tool '${name}' comes from ${where}: change it there, or duplicate it here`);
  }

  const methods = {
    create: (actor: Actor, definitionText: string): Promise<ToolDetail> =>
      edit(async (change) => {
        const definition = readDefinition(definitionText);
        if (entries.has(definition.name)) throw nameConflict("tool", definition.name);
        prefixes.assertFree(definition.name);
        // Done before the tool is stored: a full disk must not leave a tool that the catalog does not have.
        await approvals.dropNever(change, (name) => name === definition.name);
        const { lastEdit } = await store.create({ name: definition.name, definition, by: actor });
        await facts.load(change);
        return views.detail(catalog.addOwn(change, definition, lastEdit));
      }),

    /** @param revision the revision that the user saw; absent: overwrites any */
    update: (actor: Actor, name: string, definitionText: string, revision?: number): Promise<ToolDetail> =>
      edit((change) => replace(change, actor, findEditable(name), readDefinition(definitionText), { revision })),

    /** The definition of an earlier version becomes the newest one. @throws AppError for one that is invalid today */
    restoreVersion: (actor: Actor, name: string, number: number): Promise<ToolDetail> =>
      edit(async (change) => {
        const before = findEditable(name);
        const version = await store.versions.find(name, number);
        if (version === null) throw new AppError("NOT_FOUND", `Tool '${name}' has no version ${number}`);
        const definition = readDefinition(JSON.stringify({ ...version.definition, name }));
        if (equalJson(definition, before.definition)) {
          throw new AppError("INVALID", `Version ${number} is what '${name}' is now: nothing to restore`);
        }
        return await replace(change, actor, before, definition, { restoredFrom: number });
      }),

    delete: (_actor: Actor, name: string, revision?: number): Promise<{ id: string }> =>
      edit(async (change) => {
        findEditable(name);
        const { id } = await store.delete(name, revision);
        catalog.remove(change, name);
        return { id };
      }),

    /** Undoes a delete. @throws AppError when another tool has the name now */
    restore: (actor: Actor, id: string): Promise<ToolDetail> =>
      edit(async (change) => {
        const row = await store.restore(id, actor);
        if (row === null) throw new AppError("NOT_FOUND", "There is no deleted tool with this id to restore");
        if (entries.has(row.name)) {
          await store.delete(row.name);
          throw nameConflict("tool", row.name);
        }
        const conflicts = prefixes.explain(row.name);
        if (conflicts.length > 0) {
          await store.delete(row.name);
          prefixes.assertFree(row.name);
        }
        catalog.addOwn(change, row.definition, row.lastEdit);
        if (!row.enabled) catalog.switchTool(change, row.name, false);
        return views.detail(catalog.find(row.name));
      }),

    setEnabled: (_actor: Actor, name: string, enabled: boolean): Promise<ToolSummary> =>
      edit(async (change) => {
        const entry = catalog.find(name);
        if (entry.enabled !== enabled) {
          if (entry.origin === "console") await store.setEnabled(name, enabled);
          else {
            await store.setDisabled(name, !enabled);
            if (enabled) catalog.switchedOff.delete(name);
            else catalog.switchedOff.add(name);
          }
          catalog.switchTool(change, name, enabled);
        }
        return views.summarise(catalog.find(name));
      }),
  };
  return { methods, replace };
}

/** The definition in a text, checked as the registry will. @throws AppError listing every problem */
function readChecked(text: string, checkSchema: ToolEditPorts["checkSchema"]): ToolDefinition {
  const candidate = parseJsonText(text, "definition");
  const faults = checkDefinition(candidate, checkSchema);
  if (faults.length > 0) throw invalidInput("The definition is invalid: ", faults);
  return candidate as ToolDefinition;
}

/** The common part of every change of a definition. */
function createReplacement({
  catalog,
  prefixes,
  store,
  approvals,
  facts,
  views,
  onRenamed,
}: Omit<ToolEditPorts, "edit">) {
  return async (
    change: Change,
    actor: Actor,
    before: CatalogEntry,
    definition: ToolDefinition,
    options: { restoredFrom?: number; revision?: number | undefined } = {},
  ): Promise<ToolDetail> => {
    const { name } = before.definition;
    const renamed = definition.name !== name;
    if (renamed && catalog.entries.has(definition.name)) throw nameConflict("tool", definition.name);
    if (renamed) prefixes.assertFree(definition.name);
    // Copied before the rename is stored, removed after: a full disk in between loses nothing.
    if (renamed) await approvals.copy(change, name, definition.name);
    const { lastEdit } = await store.update(name, { name: definition.name, definition, by: actor, ...options });
    const entry = catalog.replaceOwn(change, before, definition, lastEdit);
    if (renamed) {
      await approvals.leave(change, name);
      await facts.load(change);
      await onRenamed?.({ tool: new Map([[name, definition.name]]), server: new Map() });
    }
    return views.detail(entry);
  };
}
