import type { Actor } from "../../../lib/contract/actor";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { messageOf } from "../../../lib/message-of";
import { catalogueToolName } from "../../../lib/portable-name";
import type { Logger } from "../../engine/ports";
import type { CatalogueEntry } from "./catalogue-entry";
import type { NewVersion, VersionStore } from "./version-store";

/**
 * Versions of tools that nobody edited here: of servers, configuration and code, and of the console before it had versions.
 * A failure is logged: the tool works, and the next start or list adds what is missing.
 */
export function createToolHistory({ store, logger }: { store: VersionStore; logger: Logger }) {
  async function add(versions: readonly NewVersion[]): Promise<void> {
    try {
      await store.add(versions);
    } catch (error) {
      logger.error({ tools: versions.length, error: messageOf(error) }, "Versions of tools could not be stored");
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

    /** What was loaded at start. */
    recordLoaded: (entries: Iterable<CatalogueEntry>): Promise<void> =>
      add(
        Array.from(entries, ({ definition, origin, updatedAt }) => ({
          ...{ definition, actor: null },
          cause: origin === "console" ? "created" : "loaded",
          at: updatedAt ?? undefined,
        })),
      ),

    /** The server's own name of a tool that is not listed now, from its versions; null where none has one that fits. */
    async findServerTool(server: string, name: string): Promise<string | null> {
      let version = await store.findBefore(name, Number.MAX_SAFE_INTEGER);
      while (version !== null) {
        const { implementation } = version.definition;
        const isOfServer = implementation.type === "mcp" && catalogueToolName(server, implementation.tool) === name;
        if (isOfServer) return implementation.tool;
        version = await store.findBefore(name, version.number);
      }
      return null;
    },

    async rename(from: string, to: string): Promise<void> {
      try {
        await store.rename(from, to);
      } catch (error) {
        logger.error({ tool: to, error: messageOf(error) }, "The versions of a renamed tool could not be moved");
      }
    },
  };
}
