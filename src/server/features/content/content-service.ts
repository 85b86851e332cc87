import { type Actor, type ExecutionEnvelope, TOOL_SEPARATOR } from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import { CallArguments } from "../../engine/executor/call-arguments";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import type { ContentChange, ContentList } from "../../engine/mcp-ports";
import { AppError } from "../../shared/app-error";
import { mapMeta, mapResultUris } from "../../shared/result-uris";
import { uiOwners } from "../../shared/ui-resources";
import { ContentLists, type Entry, KEYS } from "./content-lists";
import type { ContentPorts, ContentScope } from "./content-ports";
import { type ContentKind, createContentTools } from "./content-tools";
import { type ResolvedUri, UriIndex } from "./uri-index";

export type ContentService = ReturnType<typeof createContentService>;

/** What a scope offers, for the capabilities that its address declares. */
export interface DeclaredContent {
  resources: boolean;
  subscribe: boolean;
  prompts: boolean;
  completions: boolean;
}

/** A URI that no list names is looked for in lists read at most so long ago. */
const MISSED_MAX_AGE_MS = 1000;
/** URIs that results gave, of all callers. */
const MAX_GIVEN = 10_000;
const LISTS: readonly ContentList[] = ["resources", "resourceTemplates"];

/** Resources, prompts and completions of connected servers, for the gateway and the console. */
export function createContentService(ports: ContentPorts) {
  const { connections } = ports;
  const isPersonal = (server: string): boolean => ports.settings(server)?.credentials?.mode === "personal";
  const lists = new ContentLists({ ...ports, isPersonal });
  const toolFor = createContentTools(ports);
  const listeners = new Set<(server: string, change: ContentChange, person?: string) => void>();
  /** Which server gave a caller a URI in a result. */
  const given = new Map<string, string>();
  const indexes = new WeakMap<ContentScope, { version: number; index: UriIndex }>();
  /** Null after a change of the catalog. */
  let owners: ReturnType<typeof uiOwners> | null = null;

  const givenKey = ({ actor }: ContentScope, uri: string): string => `${actor.id} ${uri}`;

  function indexOf(scope: ContentScope): UriIndex {
    const known = indexes.get(scope);
    if (known !== undefined && known.version === lists.version && owners !== null) return known.index;
    owners ??= uiOwners(ports.tools());
    const named = owners;
    const offers = scope.servers.map((server) => ({
      server,
      uris: lists.peek(server, "resources", scope.actor.id).map(({ uri }) => uri as string),
      templates: lists
        .peek(server, "resourceTemplates", scope.actor.id)
        .map(({ uriTemplate }) => uriTemplate as string),
    }));
    const index = new UriIndex(
      offers,
      (uri) => (named.get(uri) ?? []).filter((server) => scope.servers.includes(server)),
      (uri) => {
        const giver = given.get(givenKey(scope, uri));
        return giver !== undefined && scope.servers.includes(giver) ? giver : undefined;
      },
    );
    indexes.set(scope, { version: lists.version, index });
    return index;
  }

  const readAll = (scope: ContentScope, list: ContentList, maxAgeMs?: number) =>
    Promise.all(
      scope.servers.map(async (server) => ({
        server,
        entries: await lists.read(server, list, scope.actor.id, maxAgeMs),
      })),
    );

  const promptName = (scope: ContentScope, server: string, name: string): string =>
    scope.plainNames ? name : server + TOOL_SEPARATOR + name;

  /** Remembers who gave a URI, so that a client can read what no list names. */
  function give(scope: ContentScope, server: string, uri: string): string {
    if (scope.own) return uri;
    const known = indexOf(scope).toClient(server, uri);
    if (known !== uri) return known;
    if (given.size >= MAX_GIVEN) given.delete(given.keys().next().value as string);
    given.set(givenKey(scope, uri), server);
    return uri;
  }

  async function resolve(
    scope: ContentScope,
    uri: string,
    { template = false }: { template?: boolean } = {},
  ): Promise<ResolvedUri> {
    const [only] = scope.servers;
    if (scope.own) return only === undefined ? null : { server: only, uri };
    for (const maxAgeMs of [Number.POSITIVE_INFINITY, MISSED_MAX_AGE_MS]) {
      await Promise.all(LISTS.map((list) => readAll(scope, list, maxAgeMs)));
      const index = indexOf(scope);
      const found = template ? index.templateFromClient(uri) : index.fromClient(uri);
      if (found !== null) return found;
    }
    const offering = scope.servers.filter((server) => declaredBy(server, scope.actor.id).resources);
    return offering.length === 1 ? { server: offering[0] as string, uri } : null;
  }

  function declaredBy(server: string, person: string): DeclaredContent {
    const declared = connections.capabilities(server, person);
    if (declared === null) {
      // Not known yet is not the same as without.
      const status = connections.state(server, person)?.status;
      const open = status === "connecting" || status === "idle";
      return { resources: open, subscribe: open, prompts: open, completions: open };
    }
    const { resources, prompts, completions } = declared as Record<string, { subscribe?: unknown } | undefined>;
    return {
      resources: resources !== undefined,
      subscribe: resources?.subscribe === true,
      prompts: prompts !== undefined,
      completions: completions !== undefined,
    };
  }

  const run = (kind: ContentKind, server: string, name: string, args: object, options: ExecuteOptions) =>
    ports.execute(ports.mask(name), CallArguments.from(args), { ...options, kind, provided: toolFor(kind, server) });

  return {
    /** Listens to the connections. */
    onChange(server: string, change: ContentChange, person?: string): void {
      if (change.type === "resources" || change.type === "prompts") lists.forget(server, change.type, person);
      for (const listener of listeners) listener(server, change, person);
    },
    /** Tools name other user interfaces now. */
    toolsChanged(): void {
      owners = null;
      lists.version += 1;
    },
    /** @returns the function that ends it */
    listen(listener: (server: string, change: ContentChange, person?: string) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    declared(scope: ContentScope): DeclaredContent {
      const each = scope.servers.map((server) => declaredBy(server, scope.actor.id));
      return {
        resources: each.some(({ resources }) => resources),
        subscribe: each.some(({ subscribe }) => subscribe),
        prompts: each.some(({ prompts }) => prompts),
        completions: each.some(({ completions }) => completions),
      };
    },

    /** The entries of all servers of a scope that answer, as clients know them, in the order of their names. */
    async list(scope: ContentScope, list: ContentList): Promise<Entry[]> {
      const [all] = await Promise.all([
        readAll(scope, list),
        // URIs are unique or not by what all servers list.
        ...(list === "prompts" || scope.own
          ? []
          : LISTS.filter((other) => other !== list).map((other) => readAll(scope, other))),
      ]);
      const key = KEYS[list];
      const index = list === "prompts" || scope.own ? null : indexOf(scope);
      const byName = new Map<string, Entry>();
      for (const { server, entries } of all) {
        for (const entry of entries) {
          const own = entry[key] as string;
          const name =
            list === "prompts"
              ? promptName(scope, server, own)
              : list === "resources"
                ? (index?.toClient(server, own) ?? own)
                : (index?.templateToClient(server, own) ?? own);
          const mapped = index === null ? entry : mapMeta(entry, (uri) => index.toClient(server, uri));
          if (!byName.has(name)) byName.set(name, name === own ? mapped : { ...mapped, [key]: name });
        }
      }
      return [...byName].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, entry]) => entry);
    },

    /** One list of one server as it is now. @throws AppError where the server does not answer */
    async listNow(server: string, list: ContentList, { id }: Pick<Actor, "id">): Promise<Entry[]> {
      try {
        return await lists.ask(server, list, id);
      } catch (error) {
        throw new AppError("UNAVAILABLE", messageOf(error));
      }
    },

    resolve,

    /** Which server a prompt's name means; null for an unknown one. */
    async resolvePrompt(scope: ContentScope, name: string): Promise<{ server: string; name: string } | null> {
      for (const maxAgeMs of [Number.POSITIVE_INFINITY, MISSED_MAX_AGE_MS]) {
        for (const { server, entries } of await readAll(scope, "prompts", maxAgeMs)) {
          const found = entries.find((entry) => promptName(scope, server, entry.name as string) === name);
          if (found !== undefined) return { server, name: found.name as string };
        }
      }
      return null;
    },

    /** Never rejects; the result is the server's. */
    read: (server: string, uri: string, options: ExecuteOptions): Promise<ExecutionEnvelope> =>
      run("resource", server, uri, { uri }, options),

    getPrompt: (server: string, name: string, args: unknown, options: ExecuteOptions): Promise<ExecutionEnvelope> =>
      run(
        "prompt",
        server,
        server + TOOL_SEPARATOR + name,
        args === undefined ? { name } : { name, arguments: args },
        options,
      ),

    /** What a replay of a recorded read or prompt get runs. */
    toolFor,

    /** A result of a server with the URIs by which clients know them. */
    mapResult: (scope: ContentScope, server: string, result: Record<string, unknown>): Record<string, unknown> =>
      scope.own ? result : mapResultUris(result, (uri) => give(scope, server, uri)),

    complete: (server: string, params: Record<string, unknown>, actor: Pick<Actor, "id">, signal: AbortSignal) =>
      connections.content(server, (content) => content.ask("completion/complete", params, signal), actor.id),
  };
}
