import {
  type Actor,
  type Problem,
  type ToolDefinition,
  type Toolset,
  type ToolsetInput,
  type ToolsetPreview,
  type ToolsetSummary,
  toolsetInputSchema,
} from "../../../lib/contract";
import type { PreparedToolset } from "../../engine/toolsets/prepare-toolset";
import { prepareToolset } from "../../engine/toolsets/prepare-toolset";
import { AppError, invalidInput } from "../../shared/app-error";
import { createMutex } from "../../shared/mutex";
import { nameConflict } from "../../shared/name-conflict";
import { describePreview, type PreviewPorts } from "./toolset-preview";
import type { ToolsetStore } from "./toolset-store";

export interface ToolsetServicePorts extends PreviewPorts {
  store: ToolsetStore;
  /** The enabled tools. The same definition object means that the tool has not changed. */
  definitions: () => readonly ToolDefinition[];
  /** For names that providers refuse: name → alias. */
  aliasNames: (names: readonly string[]) => ReadonlyMap<string, string>;
  /** Called after a toolset changed. */
  onChange: () => void;
}

export type ToolsetService = ReturnType<typeof createToolsetService>;

/** Named selections of tools, and what each of them is with the catalog as it is now. */
export function createToolsetService(ports: ToolsetServicePorts) {
  const { store, definitions, aliasNames, onChange } = ports;
  const toolsets = new Map<string, Toolset>();
  const prepared = new Map<string, PreparedToolset>();
  /** Of before the catalog changed: tools that did not change stay the same objects. */
  const outdated = new Map<string, PreparedToolset>();
  const runExclusive = createMutex();

  function find(name: string): Toolset {
    const toolset = toolsets.get(name);
    if (toolset === undefined) throw new AppError("NOT_FOUND", `Toolset '${name}' not found`);
    return toolset;
  }

  function prepare(name: string): PreparedToolset | null {
    const known = prepared.get(name);
    if (known !== undefined) return known;
    const toolset = toolsets.get(name);
    if (toolset === undefined) return null;
    const made = prepareToolset(toolset, { definitions: definitions(), aliasNames, before: outdated.get(name) });
    prepared.set(name, made);
    outdated.delete(name);
    return made;
  }

  function put(toolset: Toolset, formerName?: string): Toolset {
    if (formerName !== undefined) remove(formerName);
    prepared.delete(toolset.name);
    toolsets.set(toolset.name, toolset);
    onChange();
    return toolset;
  }

  function remove(name: string): void {
    for (const each of [toolsets, prepared, outdated]) each.delete(name);
  }

  async function load(): Promise<void> {
    const rows = await store.list();
    const before = new Map(toolsets);
    for (const name of before.keys()) if (!rows.some((row) => row.name === name)) remove(name);
    for (const row of rows) {
      if (before.get(row.name)?.updatedAt === row.updatedAt) continue;
      prepared.delete(row.name);
      toolsets.set(row.name, row);
    }
  }

  return {
    load,

    /** Loads what another process changed. */
    reload: (): Promise<void> => runExclusive(() => load().then(onChange)),

    /** The catalog changed: toolsets are prepared again on next use. */
    invalidate(): void {
      for (const [name, each] of prepared) outdated.set(name, each);
      prepared.clear();
    },

    /** Null for an unknown name. */
    prepare,

    get: (name: string): Toolset => find(name),

    list(): ToolsetSummary[] {
      return [...toolsets.values()]
        .sort((left, right) => (left.name < right.name ? -1 : 1))
        .map(({ name, title, description, discovery, askReason, updatedAt }) => {
          const toolCount = prepare(name)?.tools.length ?? 0;
          return { name, title, description, discovery, askReason, updatedAt, toolCount };
        });
    },

    /** What a toolset would show, before it is saved. */
    preview(input: ToolsetInput): Promise<ToolsetPreview> {
      const draft: Toolset = { ...input, createdAt: 0, updatedAt: 0 };
      return describePreview(prepareToolset(draft, { definitions: definitions(), aliasNames }), ports);
    },

    create: (_actor: Actor, input: ToolsetInput): Promise<Toolset> =>
      runExclusive(async () => {
        const toolset = accept(input);
        if (toolsets.has(toolset.name)) throw nameConflict("toolset", toolset.name);
        return put(await store.create(toolset));
      }),

    update: (_actor: Actor, name: string, input: ToolsetInput): Promise<Toolset> =>
      runExclusive(async () => {
        find(name);
        const toolset = accept(input);
        if (toolset.name !== name && toolsets.has(toolset.name)) throw nameConflict("toolset", toolset.name);
        return put(await store.update(name, toolset), name);
      }),

    delete: (_actor: Actor, name: string): Promise<{ name: string }> =>
      runExclusive(async () => {
        find(name);
        await store.delete(name);
        remove(name);
        onChange();
        return { name };
      }),
  };
}

/** @throws AppError that lists every problem with its field */
function accept(input: ToolsetInput): ToolsetInput {
  const toolset = toolsetInputSchema.parse(input);
  const problems = [...repeated(toolset.overrides, "overrides", "tool"), ...repeatedNames(toolset)];
  for (const [index, { arguments: rules }] of toolset.overrides.entries()) {
    problems.push(...repeated(rules, `overrides[${index}].arguments`, "name"));
  }
  if (problems.length > 0) throw invalidInput("The toolset is invalid: ", problems);
  return toolset;
}

function repeatedNames({ overrides }: ToolsetInput): Problem[] {
  return overrides.flatMap(({ name }, index) =>
    name !== undefined && overrides.findIndex((other) => other.name === name) < index
      ? [{ path: `overrides[${index}].name`, message: `'${name}' is the name of another tool of this toolset` }]
      : [],
  );
}

function repeated<Key extends string>(entries: readonly Record<Key, unknown>[], path: string, key: Key): Problem[] {
  return entries.flatMap((entry, index) =>
    entries.findIndex((other) => other[key] === entry[key]) < index
      ? [{ path: `${path}[${index}].${key}`, message: `'${String(entry[key])}' is listed twice` }]
      : [],
  );
}
