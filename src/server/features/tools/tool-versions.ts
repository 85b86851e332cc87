import type { Actor } from "../../../lib/contract/actor";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolVersionDetail, ToolVersionPage } from "../../../lib/contract/tool-version";
import { getMessage } from "../../../lib/get-message";
import { catalogToolName } from "../../../lib/portable-name";
import type { Logger } from "../../engine/ports";
import { compareDefinitions } from "../../engine/registry/tool-changes";
import { AppError } from "../../platform/shared/app-error";
import type { Catalog } from "./catalog";
import { type CatalogEntry, whereFrom } from "./catalog-entry";
import type { NewVersion, VersionStore } from "./tool-store";

const PAGE = 50;

/** Reads the histories of tools. */
export function createToolVersions(catalog: Catalog, versions: VersionStore) {
  async function find(name: string, number: number) {
    const found = await versions.find(name, number);
    if (found === null) throw new AppError("NOT_FOUND", `Tool '${name}' has no version ${number}`);
    return found;
  }

  return {
    /** @param cursor the number below which the page begins */
    async versions(name: string, cursor: number | null, limit = PAGE): Promise<ToolVersionPage> {
      const entry = catalog.find(name);
      const found = await versions.list(name, cursor ?? Number.MAX_SAFE_INTEGER, limit + 1);
      const newest = cursor === null ? found[0] : (await versions.list(name, Number.MAX_SAFE_INTEGER, 1))[0];
      const items = found.slice(0, limit);
      return {
        items,
        current: newest?.number ?? null,
        nextCursor: found.length > limit ? (items.at(-1)?.number ?? null) : null,
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

export type ToolHistory = ReturnType<typeof createToolHistory>;

/**
 * Versions of tools that were not edited in the console: of servers, configuration and code, and of the console before it had versions.
 * A failure is logged: the tool works, and the next start or list adds what is missing.
 */
export function createToolHistory({ store, logger }: { store: VersionStore; logger: Logger }) {
  async function add(versions: readonly NewVersion[]): Promise<void> {
    try {
      await store.add(versions);
    } catch (error) {
      logger.error({ tools: versions.length, error: getMessage(error) }, "Versions of tools could not be stored");
    }
  }

  return {
    recordListed: (definitions: readonly ToolDefinition[], approvedBy?: ReadonlyMap<string, Actor>): Promise<void> =>
      add(
        definitions.map((definition) => ({
          definition,
          cause: "listed",
          actor: approvedBy?.get(definition.name) ?? null,
        })),
      ),

    /** Records the definitions that were loaded at start. */
    recordLoaded: (entries: Iterable<CatalogEntry>): Promise<void> =>
      add(
        Array.from(entries, ({ definition, origin, updatedAt }) => ({
          definition,
          actor: null,
          cause: origin === "console" ? "created" : "loaded",
          at: updatedAt ?? undefined,
        })),
      ),

    /** The server's own name of a tool that is not listed now, from its versions; null where none has one that fits. */
    async findServerTool(server: string, name: string): Promise<string | null> {
      let version = await store.findBefore(name, Number.MAX_SAFE_INTEGER);
      while (version !== null) {
        const { implementation } = version.definition;
        const isOfServer = implementation.type === "mcp" && catalogToolName(server, implementation.tool) === name;
        if (isOfServer) return implementation.tool;
        version = await store.findBefore(name, version.number);
      }
      return null;
    },

    async rename(from: string, to: string): Promise<void> {
      try {
        await store.rename(from, to);
      } catch (error) {
        logger.error({ tool: to, error: getMessage(error) }, "The versions of a renamed tool could not be moved");
      }
    },
  };
}
