import type { Actor } from "../../../lib/contract/actor";
import type { ToolDetail } from "../../../lib/contract/catalogue-tool";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { equalJson } from "../../../lib/json/equal-json";
import { checkDefinition } from "../../engine/registry/check-definition";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import { parseJsonText } from "../../platform/shared/parse-json-text";
import { type CatalogueEntry, whereFrom } from "./catalogue-entry";
import { createFactEdits } from "./fact-edits";
import type { ToolContext } from "./tool-context";

/** Creates, changes, deletes and restores tools of the console. */
export function createToolEdits(context: ToolContext) {
  const { catalogue, store, approvals, facts, onChange, runExclusive } = context;
  const { entries } = catalogue;
  const { detail } = context.views;

  const toolChange = createToolChange(context);
  const { findEditable, readDefinition, change } = toolChange;

  return {
    ...createFactEdits(context, toolChange),

    create: (actor: Actor, definitionText: string): Promise<ToolDetail> =>
      runExclusive(async () => {
        const definition = readDefinition(definitionText);
        if (entries.has(definition.name)) throw nameConflict("tool", definition.name);
        // Before the tool is stored: a full disk must not leave a tool that the catalogue does not have.
        await approvals.dropNever((name) => name === definition.name);
        const { lastEdit } = await store.create({ name: definition.name, definition, by: actor });
        await facts.load();
        const entry = catalogue.addOwn(definition, lastEdit);
        onChange();
        return detail(entry);
      }),

    /** @param revision the one that the person saw; absent: it overwrites whatever is there */
    update: (actor: Actor, name: string, definitionText: string, revision?: number): Promise<ToolDetail> =>
      runExclusive(() => change(actor, findEditable(name), readDefinition(definitionText), { revision })),

    /** The definition of an earlier version becomes the newest one. @throws AppError for one that is invalid today */
    restoreVersion: (actor: Actor, name: string, number: number): Promise<ToolDetail> =>
      runExclusive(async () => {
        const before = findEditable(name);
        const version = await store.versions.find(name, number);
        if (version === null) throw new AppError("NOT_FOUND", `Tool '${name}' has no version ${number}`);
        const definition = readDefinition(JSON.stringify({ ...version.definition, name }));
        if (equalJson(definition, before.definition)) {
          throw new AppError("INVALID", `Version ${number} is what '${name}' is now: nothing to restore`);
        }
        return change(actor, before, definition, { restoredFrom: number });
      }),

    delete: (_actor: Actor, name: string, revision?: number): Promise<{ id: string }> =>
      runExclusive(async () => {
        findEditable(name);
        const { id } = await store.delete(name, revision);
        catalogue.remove(name);
        onChange();
        return { id };
      }),

    /** Undoes a delete. @throws AppError when another tool has the name now */
    restore: (actor: Actor, id: string): Promise<ToolDetail> =>
      runExclusive(async () => {
        const row = await store.restore(id, actor);
        if (row === null) throw new AppError("NOT_FOUND", "There is no deleted tool with this id to restore");
        if (entries.has(row.name)) {
          await store.delete(row.name);
          throw nameConflict("tool", row.name);
        }
        catalogue.addOwn(row.definition, row.lastEdit);
        if (!row.enabled) catalogue.switchTool(row.name, false);
        onChange();
        return detail(catalogue.find(row.name));
      }),
  };
}

/** What editing and restoring a version have in common. */
function createToolChange(context: ToolContext) {
  const { catalogue, store, approvals, registry, onChange } = context;
  const { entries } = catalogue;

  function findEditable(name: string): CatalogueEntry {
    const entry = catalogue.find(name);
    if (entry.origin !== "console") {
      const where = whereFrom(entry);
      throw new AppError("READ_ONLY", `Tool '${name}' comes from ${where}: change it there, or duplicate it here`);
    }
    return entry;
  }

  /** The definition in a text, checked as the registry will. @throws AppError listing every problem */
  function readDefinition(text: string): ToolDefinition {
    const candidate = parseJsonText(text, "definition");
    const faults = checkDefinition(candidate, context.checkSchema);
    if (faults.length > 0) throw invalidInput("The definition is invalid: ", faults);
    return candidate as ToolDefinition;
  }

  async function change(
    actor: Actor,
    before: CatalogueEntry,
    definition: ToolDefinition,
    options: { restoredFrom?: number; revision?: number | undefined } = {},
  ): Promise<ToolDetail> {
    const { name } = before.definition;
    const renamed = definition.name !== name;
    if (renamed && entries.has(definition.name)) throw nameConflict("tool", definition.name);
    // Copied before the rename is stored, removed after: a full disk in between loses nothing.
    if (renamed) await approvals.copy(name, definition.name);
    const { lastEdit } = await store.update(name, { name: definition.name, definition, by: actor, ...options });
    if (!before.enabled) registry.register(definition);
    const entry: CatalogueEntry = {
      ...before,
      definition: registry.replace(before.enabled ? name : definition.name, definition),
      updatedAt: lastEdit.at,
      lastEdit,
    };
    if (!before.enabled) registry.unregister(definition.name);
    entries.delete(name);
    entries.set(definition.name, entry);
    onChange();
    if (renamed) {
      await approvals.leave(name);
      await context.facts.load();
      await context.onRenamed?.({ tool: new Map([[name, definition.name]]), server: new Map() });
    }
    return context.views.detail(entry);
  }

  return { findEditable, readDefinition, change };
}
