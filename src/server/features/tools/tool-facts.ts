import type { Actor, DeprecatedKey, ToolDefinition } from "../../../lib/contract";
import type { ToolFactStore } from "./tool-fact-store";

export type ToolFacts = ReturnType<typeof createToolFacts>;

/** Owners and deprecation settings, kept in memory: every list shows them. */
export function createToolFacts(store: Pick<ToolFactStore, "owners" | "deprecations">) {
  let owners: ReadonlyMap<string, Actor> = new Map();
  let deprecations: ReadonlyMap<string, DeprecatedKey> = new Map();
  return {
    /** @returns the tools whose deprecation is another one now */
    async load(): Promise<string[]> {
      const before = deprecations;
      owners = await store.owners();
      deprecations = await store.deprecations();
      const names = new Set([...before.keys(), ...deprecations.keys()]);
      return [...names].filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(deprecations.get(name)));
    },
    ownerOf: (name: string): Actor | null => owners.get(name) ?? null,
    isDeprecatedHere: (name: string): boolean => deprecations.has(name),
    /** The definition of a tool that is not the console's own, with what was set here. */
    applyTo(definition: ToolDefinition): ToolDefinition {
      const deprecated = deprecations.get(definition.name);
      return deprecated === undefined ? definition : { ...definition, deprecated };
    },
  };
}
