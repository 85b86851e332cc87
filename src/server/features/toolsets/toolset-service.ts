import type { Actor } from "../../../lib/contract/actor";
import type { Toolset, ToolsetInput, ToolsetPreview, ToolsetSummary } from "../../../lib/contract/toolset";
import { toToolsetInput } from "../../../lib/contract/toolset";
import { equalJson } from "../../../lib/json/equal-json";
import { type Renames, renameInToolset } from "../../engine/toolsets/rename-in-toolset";
import { AT_START, type ChangeOrigin, createEdits } from "../../platform/shared/announced-edits";
import { invalidInput } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import { createKnownToolsets, type KnownToolsetPorts } from "./known-toolsets";
import { findLensProblems, readToolset } from "./read-toolset";
import { describePreview, findValueProblems, type PreviewPorts } from "./toolset-preview";
import type { ToolsetStore } from "./toolset-store";

export interface ToolsetServicePorts extends PreviewPorts, KnownToolsetPorts {
  store: ToolsetStore;
  /** Returns the problem of a lens's expression. */
  checkLens: (expression: string) => string | null;
  /** Called after a toolset changed. */
  onChange: (origin: ChangeOrigin) => void;
  /** Called after a toolset was renamed, or deleted: then `to` is null. */
  onNamed?: (from: string, to: string | null) => Promise<void>;
}

export type ToolsetService = ReturnType<typeof createToolsetService>;

/** Named selections of tools, and what each of them is with the catalog as it is now. */
export function createToolsetService(ports: ToolsetServicePorts) {
  const { store, checkLens } = ports;
  const known = createKnownToolsets(ports);
  const { edit, follow } = createEdits(ports.onChange);

  const prepareInput = (input: ToolsetInput) => known.prepareDraft({ ...input, createdAt: 0, updatedAt: 0 });

  /** @throws AppError that lists every problem with its field */
  async function accept(input: ToolsetInput): Promise<ToolsetInput> {
    const read = readToolset(input, checkLens);
    const problems = "problems" in read ? read.problems : await findValueProblems(prepareInput(read.toolset), ports);
    if ("problems" in read || problems.length > 0) throw invalidInput("The toolset is invalid: ", problems);
    return read.toolset;
  }

  return {
    load: (): Promise<void> => known.load(AT_START),
    /** Loads what another instance of the server changed and announces. */
    follow: (): Promise<void> => follow(known.load),

    invalidate: known.invalidate,
    prepare: known.prepare,
    get: known.get,
    has: known.has,
    read: (candidate: unknown) => readToolset(candidate, checkLens),

    /** Tools and servers were renamed: what selects or changes them by name follows. */
    rename: (renamed: Renames): Promise<void> =>
      edit(async (change) => {
        for (const toolset of known.all()) {
          const before = toToolsetInput(toolset);
          const input = renameInToolset(before, renamed);
          if (!equalJson(before, input)) known.put(change, await store.update(toolset.name, input));
        }
      }),

    /** Runs a write to the database while no other work changes toolsets, then follows the database. */
    applyStored: <T>(write: () => Promise<T>): Promise<T> =>
      edit(async (change) => {
        const result = await write();
        await known.load(change);
        return result;
      }),

    list: (): ToolsetSummary[] =>
      known.all().map(({ name, title, description, discovery, askReason, updatedAt }) => {
        const tools = known.prepare(name)?.tools ?? [];
        const approvals = tools.flatMap(({ original, override }) =>
          override?.approval === undefined ? [] : { tool: original.name, approval: override.approval },
        );
        return { name, title, description, discovery, askReason, updatedAt, toolCount: tools.length, approvals };
      }),

    preview: (input: ToolsetInput): Promise<ToolsetPreview> => {
      const problems = findLensProblems(input, checkLens);
      const faults = problems.map((problem) => ({ severity: "error" as const, tool: null, ...problem }));
      return describePreview(prepareInput(input), ports, faults);
    },

    create: (actor: Actor, input: ToolsetInput): Promise<Toolset> =>
      edit(async (change) => {
        const toolset = await accept(input);
        if (known.has(toolset.name)) throw nameConflict("toolset", toolset.name);
        return known.put(change, await store.create(toolset, actor));
      }),

    /** @param revision the revision that the user saw; absent: overwrites any */
    update: (actor: Actor, name: string, input: ToolsetInput, revision?: number): Promise<Toolset> =>
      edit(async (change) => {
        known.get(name);
        const toolset = await accept(input);
        if (toolset.name !== name && known.has(toolset.name)) throw nameConflict("toolset", toolset.name);
        const stored = await store.update(name, toolset, { by: actor, revision });
        if (stored.name !== name) known.remove(change, name);
        const updated = known.put(change, stored);
        if (stored.name !== name) await ports.onNamed?.(name, stored.name);
        return updated;
      }),

    delete: (_actor: Actor, name: string, revision?: number): Promise<{ name: string }> =>
      edit(async (change) => {
        known.get(name);
        await store.delete(name, revision);
        known.remove(change, name);
        await ports.onNamed?.(name, null);
        return { name };
      }),
  };
}
