import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { Toolset } from "../../../lib/contract/toolset";
import { equalJson } from "../../../lib/json/equal-json";
import type { CreateToolFinder } from "../../engine/ports";
import { type PreparedToolset, prepareToolset } from "../../engine/toolsets/prepare-toolset";
import type { Change } from "../../platform/shared/announced-edits";
import { AppError } from "../../platform/shared/app-error";
import type { ToolsetStore } from "./toolset-store";

export interface KnownToolsetPorts {
  store: Pick<ToolsetStore, "list">;
  /** Lists the enabled tools. The same definition object means that the tool has not changed. */
  definitions: () => readonly ToolDefinition[];
  /** For names that providers refuse: name → alias. */
  aliasNames: (names: readonly string[]) => ReadonlyMap<string, string>;
  createFinder: CreateToolFinder;
}

/** The toolsets in memory, each prepared once for a state of the catalog. */
export function createKnownToolsets({ store, definitions, aliasNames, createFinder }: KnownToolsetPorts) {
  const toolsets = new Map<string, Toolset>();
  const prepared = new Map<string, PreparedToolset>();
  /** Toolsets from before the catalog changed: tools that did not change stay the same objects. */
  const outdated = new Map<string, PreparedToolset>();

  function remove(change: Change, name: string): void {
    for (const each of [toolsets, prepared, outdated]) each.delete(name);
    change.mark();
  }

  function put(change: Change, toolset: Toolset): Toolset {
    prepared.delete(toolset.name);
    toolsets.set(toolset.name, toolset);
    change.mark();
    return toolset;
  }

  return {
    put,
    remove,
    has: (name: string): boolean => toolsets.has(name),

    /** @throws AppError NOT_FOUND */
    get(name: string): Toolset {
      const toolset = toolsets.get(name);
      if (toolset === undefined) throw new AppError("NOT_FOUND", `Toolset '${name}' not found`);
      return toolset;
    },

    /** The toolsets by name. */
    all: (): Toolset[] => [...toolsets.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),

    async load(change: Change): Promise<void> {
      const rows = await store.list();
      const names = new Set(rows.map(({ name }) => name));
      for (const name of [...toolsets.keys()]) if (!names.has(name)) remove(change, name);
      for (const row of rows) if (!equalJson(toolsets.get(row.name), row)) put(change, row);
    },

    /** The catalog changed: toolsets are prepared again on next use. */
    invalidate(): void {
      for (const [name, each] of prepared) outdated.set(name, each);
      prepared.clear();
    },

    /** The prepared toolset; the same object until the catalog or the toolset changes; null for an unknown name. */
    prepare(name: string): PreparedToolset | null {
      const known = prepared.get(name);
      if (known !== undefined) return known;
      const toolset = toolsets.get(name);
      if (toolset === undefined) return null;
      const made = prepareToolset(toolset, {
        definitions: definitions(),
        aliasNames,
        createFinder,
        before: outdated.get(name),
      });
      prepared.set(name, made);
      outdated.delete(name);
      return made;
    },

    /** Prepares a toolset that is not saved. */
    prepareDraft: (draft: Toolset): PreparedToolset =>
      prepareToolset(draft, { definitions: definitions(), aliasNames, createFinder }),
  };
}
