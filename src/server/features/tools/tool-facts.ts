import type { Actor } from "../../../lib/contract/actor";
import type { ToolLens } from "../../../lib/contract/lens";
import type { DeprecatedKey, ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolFactStore } from "./tool-fact-store";

export type ToolFacts = ReturnType<typeof createToolFacts>;

/** Owners, deprecation settings and lenses, kept in memory: every list shows them, every call asks for its lens. */
export function createToolFacts(store: Pick<ToolFactStore, "owners" | "deprecations" | "lenses">) {
  let owners: ReadonlyMap<string, Actor> = new Map();
  let deprecations: ReadonlyMap<string, DeprecatedKey> = new Map();
  let lenses: ReadonlyMap<string, ToolLens> = new Map();
  return {
    /** @returns the tools whose deprecation is another one now */
    async load(): Promise<string[]> {
      const before = deprecations;
      owners = await store.owners();
      deprecations = await store.deprecations();
      lenses = await store.lenses();
      const names = new Set([...before.keys(), ...deprecations.keys()]);
      return [...names].filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(deprecations.get(name)));
    },
    ownerOf: (name: string): Actor | null => owners.get(name) ?? null,
    isDeprecatedHere: (name: string): boolean => deprecations.has(name),
    lensOf: (name: string): ToolLens | null => lenses.get(name) ?? null,
    /** The definition of a tool that is not the console's own, with what was set here. */
    applyTo(definition: ToolDefinition): ToolDefinition {
      const deprecated = deprecations.get(definition.name);
      return deprecated === undefined ? definition : { ...definition, deprecated };
    },
  };
}
