import {
  type Actor,
  type Problem,
  type Toolset,
  type ToolsetInput,
  type ToolsetPreview,
  type ToolsetSummary,
  toolsetInputSchema,
} from "../../../lib/contract";
import { invalidInput } from "../../shared/app-error";
import { createMutex } from "../../shared/mutex";
import { nameConflict } from "../../shared/name-conflict";
import { createKnownToolsets, type KnownToolsetPorts } from "./known-toolsets";
import { describePreview, type PreviewPorts } from "./toolset-preview";
import type { ToolsetStore } from "./toolset-store";

export interface ToolsetServicePorts extends PreviewPorts, KnownToolsetPorts {
  store: ToolsetStore;
  /** Called after a toolset changed. */
  onChange: () => void;
}

export type ToolsetService = ReturnType<typeof createToolsetService>;

/** Named selections of tools, and what each of them is with the catalog as it is now. */
export function createToolsetService(ports: ToolsetServicePorts) {
  const { store, onChange } = ports;
  const known = createKnownToolsets(ports);
  const runExclusive = createMutex();

  function changed(toolset: Toolset): Toolset {
    known.put(toolset);
    onChange();
    return toolset;
  }

  return {
    load: known.load,

    /** Loads what another process changed. */
    reload: (): Promise<void> => runExclusive(() => known.load().then(onChange)),

    invalidate: known.invalidate,
    prepare: known.prepare,
    get: known.get,

    list: (): ToolsetSummary[] =>
      known.all().map(({ name, title, description, discovery, askReason, updatedAt }) => {
        const toolCount = known.prepare(name)?.tools.length ?? 0;
        return { name, title, description, discovery, askReason, updatedAt, toolCount };
      }),

    /** What a toolset would show, before it is saved. */
    preview: (input: ToolsetInput): Promise<ToolsetPreview> =>
      describePreview(known.prepareDraft({ ...input, createdAt: 0, updatedAt: 0 }), ports),

    create: (_actor: Actor, input: ToolsetInput): Promise<Toolset> =>
      runExclusive(async () => {
        const toolset = accept(input);
        if (known.has(toolset.name)) throw nameConflict("toolset", toolset.name);
        return changed(await store.create(toolset));
      }),

    update: (_actor: Actor, name: string, input: ToolsetInput): Promise<Toolset> =>
      runExclusive(async () => {
        known.get(name);
        const toolset = accept(input);
        if (toolset.name !== name && known.has(toolset.name)) throw nameConflict("toolset", toolset.name);
        const stored = await store.update(name, toolset);
        if (stored.name !== name) known.remove(name);
        return changed(stored);
      }),

    delete: (_actor: Actor, name: string): Promise<{ name: string }> =>
      runExclusive(async () => {
        known.get(name);
        await store.delete(name);
        known.remove(name);
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
