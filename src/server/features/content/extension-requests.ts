import type { Actor } from "../../../lib/contract/actor";
import { readSkill } from "../../../lib/skills";
import { ToolFailure } from "../../engine/failures";
import type { ToolContext } from "../../engine/ports";
import type { ContentCatalog } from "./content-catalog";
import type { Entry } from "./content-lists";
import { type ContentPorts, type ContentScope, isPersonal } from "./content-ports";

/** The tools of Toolroom itself, and servers that say nothing else. */
const LIST_TTL_MS = 60_000;

interface CacheHints {
  ttlMs: number;
  cacheScope: "public" | "private";
}

/** Requests of extensions, and the facts about their lists for clients. */
export function createExtensionRequests(
  ports: Pick<ContentPorts, "connections" | "settings">,
  catalog: ContentCatalog,
) {
  const { connections } = ports;
  return {
    /** The entry of one skill as the server has it now, under the URIs of the scope. @throws ToolFailure */
    async getSkill(scope: ContentScope, server: string, uri: string, signal: AbortSignal): Promise<Entry> {
      const { skill } = await connections.content(
        server,
        (content) => content.ask("skills/get", { uri }, signal),
        scope.actor.id,
      );
      const read = readSkill(skill);
      if (!("problem" in read)) return catalog.mapSkill(scope, server, skill as Entry);
      throw new ToolFailure("tool_error", `${server}: the entry of ${uri} cannot be used: ${read.problem}`);
    },

    /** How long clients may keep a list of the scope's servers, and whether caches may share it among users. */
    async cacheOf({ own, servers }: ContentScope, method: string): Promise<CacheHints> {
      const ttls = servers.map((server) => ports.settings(server)?.listTtlMs ?? LIST_TTL_MS);
      const ttlMs = Math.min(LIST_TTL_MS, ...ttls);
      const [only] = servers;
      // The lists of several servers depend on the caller.
      if (!own || only === undefined || isPersonal(ports, only)) return { ttlMs, cacheScope: "private" };
      const isPublic = await connections.content(only, (content) => content.isPublic(method)).catch(() => false);
      return { ttlMs: ttls[0] ?? LIST_TTL_MS, cacheScope: isPublic ? "public" : "private" };
    },

    extensions: (scope: ContentScope) => catalog.extensions(scope),
    relay: (server: string, method: string, params: Record<string, unknown>, context: ToolContext) =>
      connections.content(server, (content) => content.request(method, params, context), context.actor.id),
    notify: (server: string, method: string, params: Record<string, unknown>, { id }: Pick<Actor, "id">) =>
      connections.content(server, (content) => content.notify(method, params), id),
  };
}
