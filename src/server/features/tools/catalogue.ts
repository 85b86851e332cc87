import type { ToolDefinition } from "../../../lib/contract";
import type { ToolRegistry } from "../../engine/registry/tool-registry";
import { AppError } from "../../shared/app-error";
import type { CatalogueEntry } from "./catalogue-entry";

export type Catalogue = ReturnType<typeof createCatalogue>;

/** All tools by name, in the order of lists. The registry has those that are switched on. */
export function createCatalogue(registry: ToolRegistry) {
  const entries = new Map<string, CatalogueEntry>();

  function find(name: string): CatalogueEntry {
    const entry = entries.get(name);
    if (!entry) throw new AppError("NOT_FOUND", `Tool '${name}' not found`);
    return entry;
  }

  return {
    registry,
    entries,
    /** Names from configuration, code and servers that a person switched off; a server may list its tools later. */
    switchedOff: new Set<string>(),
    /** @throws AppError for an unknown tool */
    find,

    /** Adds a tool made in the console. @throws Error that says why it cannot be registered */
    addOwn(definition: ToolDefinition, updatedAt: number): CatalogueEntry {
      const registered = registry.register(definition);
      const entry: CatalogueEntry = {
        definition: registered,
        origin: "console",
        originPath: null,
        enabled: true,
        updatedAt,
      };
      entries.set(registered.name, entry);
      return entry;
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
      if (entry.run) registry.registerFunction(entry.definition, entry.run);
      else if (entry.origin === "server") registry.registerServerTool(entry.definition);
      else registry.register(entry.definition);
      entries.set(name, { ...entry, enabled });
    },
  };
}
