import type { ToolVersionDetail, ToolVersionPage } from "../../../lib/contract/tool-version";
import { compareDefinitions } from "../../engine/registry/tool-changes";
import { AppError } from "../../platform/shared/app-error";
import { whereFrom } from "./catalogue-entry";
import type { ToolContext } from "./tool-context";

const PAGE = 50;

/** Reads the histories of tools. */
export function createToolVersions({ catalogue, store }: ToolContext) {
  const { versions } = store;

  async function find(name: string, number: number) {
    const found = await versions.find(name, number);
    if (found === null) throw new AppError("NOT_FOUND", `Tool '${name}' has no version ${number}`);
    return found;
  }

  return {
    /** @param cursor the number below which the page begins */
    async versions(name: string, cursor: number | null): Promise<ToolVersionPage> {
      const entry = catalogue.find(name);
      const found = await versions.list(name, cursor ?? Number.MAX_SAFE_INTEGER, PAGE + 1);
      const newest = cursor === null ? found[0] : (await versions.list(name, Number.MAX_SAFE_INTEGER, 1))[0];
      const items = found.slice(0, PAGE);
      return {
        items,
        current: newest?.number ?? null,
        nextCursor: found.length > PAGE ? (items.at(-1)?.number ?? null) : null,
        readOnly: entry.origin === "console" ? null : `Comes from ${whereFrom(entry)}: restore it there`,
      };
    },

    /** A version and what it changed. @param against the version to compare with; the one before where null */
    async version(name: string, number: number, against: number | null): Promise<ToolVersionDetail> {
      const version = await find(name, number);
      const before = against === null ? await versions.findBefore(name, number) : await find(name, against);
      if (before === null) return { ...version, before: null, change: null };
      return {
        ...version,
        before: { number: before.number, definition: before.definition },
        change: compareDefinitions(before.definition, version.definition),
      };
    },
  };
}
