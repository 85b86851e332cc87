import type { HeldChange } from "../../../lib/contract/held-change";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolRegistry } from "../../engine/registry/tool-registry";
import { AppError } from "../../platform/shared/app-error";
import type { CatalogueEntry } from "./catalogue-entry";

export type Catalogue = ReturnType<typeof createCatalogue>;

/**
 * All tools by name, in the order of lists. The registry has those that are switched on.
 * @param applySettings a definition that is not the console's own, with what people set here
 */
export function createCatalogue(registry: ToolRegistry, applySettings: (definition: ToolDefinition) => ToolDefinition) {
  const entries = new Map<string, CatalogueEntry>();

  function find(name: string): CatalogueEntry {
    const entry = entries.get(name);
    if (!entry) throw new AppError("NOT_FOUND", `Tool '${name}' not found`);
    return entry;
  }

  /**
   * A tool with a change that waits keeps its approved definition for models and clients, and refuses calls. A new one that
   * waits is not offered. @throws Error that says why it cannot be registered
   */
  function registerServerTool({ definition, held }: CatalogueEntry): ToolDefinition {
    const { name } = definition;
    const registered = registry.registerServerTool(definition);
    if (held === undefined) return registered;
    if (held.kind === "added") registry.unregister(name);
    registry.hold(name, describeHeld(name, held));
    return registered;
  }

  return {
    registry,
    entries,
    /** Names from configuration, code and servers that a person switched off; a server may list its tools later. */
    switchedOff: new Set<string>(),
    /** The names of each server's tools, in the order in which it lists them. */
    listedOrder: new Map<string, readonly string[]>(),
    /** @throws AppError for an unknown tool */
    find,

    /** Adds a tool made in the console. @throws Error that says why it cannot be registered */
    addOwn(definition: ToolDefinition, lastEdit: LastEdit): CatalogueEntry {
      const registered = registry.register(definition);
      const entry: CatalogueEntry = {
        definition: registered,
        origin: "console",
        originPath: null,
        enabled: true,
        updatedAt: lastEdit.at,
        lastEdit,
      };
      entries.set(registered.name, entry);
      return entry;
    },

    /** Adds a tool of an MCP server. @throws Error that says why it cannot be registered */
    addServerTool(definition: ToolDefinition, facts: Pick<CatalogueEntry, "schemaNotes" | "held">): CatalogueEntry {
      const entry: CatalogueEntry = {
        ...{
          definition: applySettings(definition),
          original: definition,
          origin: "server",
          originPath: null,
          enabled: true,
          updatedAt: null,
        },
        ...facts,
      };
      entry.definition = registerServerTool(entry);
      entries.set(definition.name, entry);
      return entry;
    },

    /** Applies a changed setting to a tool that is not the console's own. */
    refresh(name: string): void {
      const entry = entries.get(name);
      if (entry === undefined || entry.origin === "console") return;
      const original = entry.original ?? entry.definition;
      const definition = registry.redefine(applySettings(original));
      entries.set(name, { ...entry, definition, original });
    },

    remove(name: string): void {
      registry.unregister(name);
      entries.delete(name);
    },

    /** Puts a tool into the registry or takes it out; it stays in the catalogue. */
    switchTool(name: string, enabled: boolean): void {
      const entry = find(name);
      if (!enabled) {
        const run = registry.getExecutor(name);
        registry.unregister(name);
        entries.set(name, { ...entry, enabled, run });
        return;
      }
      if (entry.origin === "server") registerServerTool(entry);
      else if (entry.run) registry.registerFunction(entry.definition, entry.run);
      else registry.register(entry.definition);
      entries.set(name, { ...entry, enabled });
    },
  };
}

function describeHeld(name: string, { kind }: HeldChange): string {
  return kind === "added"
    ? `Tool '${name}' is new on its server, waiting for approval`
    : `The definition of '${name}' changed, waiting for approval`;
}
