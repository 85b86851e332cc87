import type { Actor } from "../../../lib/contract/actor";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { CONTENT_METHODS, type ContentKind, contentName } from "../../../lib/contract/execution-kind";
import type { JsonSchema } from "../../../lib/contract/json";
import { toLimitKeys } from "../../../lib/contract/limit-keys";
import { getMessage } from "../../../lib/get-message";
import { CallArguments } from "../../engine/executor/call-arguments";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import type { ContentChange, ContentList, ServerContent } from "../../engine/mcp-ports";
import type { ToolContext } from "../../engine/ports";
import { toRefusalOfThrown } from "../../platform/shared/upstream-error";
import { ContentCatalog } from "./content-catalog";
import type { Entry } from "./content-lists";
import { type ContentPorts, type ContentScope, isPersonal } from "./content-ports";
import { createExtensionRequests } from "./extension-requests";
import { SkillChecks } from "./skill-checks";

export type ContentService = ReturnType<typeof createContentService>;

/** Resources, prompts and completions of connected servers, for the gateway and the console. */
export function createContentService(ports: ContentPorts) {
  const { connections } = ports;
  const catalog = new ContentCatalog(ports);
  const checks = new SkillChecks(ports, catalog.lists);
  const toolFor = createContentTools(ports, checks);
  const listeners = new Set<(server: string, change: ContentChange, user?: string) => void>();

  const run = (kind: ContentKind, server: string, args: object, options: ExecuteOptions) =>
    ports.execute(contentName(kind, server), CallArguments.from(args), {
      // Pages that cannot show a request for approval get its message at once.
      approvalWaitMs: 0,
      ...options,
      kind,
      provided: toolFor(kind, server),
    });

  function onChange(server: string, change: ContentChange, user?: string): void {
    const { lists } = catalog;
    if (change.type === "opened") {
      for (const type of ["resources", "prompts"] as const) {
        if (lists.takeMissed(server, type, user)) onChange(server, { type }, user);
      }
      return;
    }
    if (change.type === "resources" || change.type === "prompts") lists.forget(server, change.type, user);
    for (const listener of listeners) listener(server, change, user);
  }

  return {
    onChange,
    /** @returns the function that ends it */
    listen(listener: (server: string, change: ContentChange, user?: string) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    toolsChanged: (): void => catalog.toolsChanged(),
    /** Other versions of a server's skills are approved, which have these files. */
    skillsReviewed(server: string, uris: readonly string[]): void {
      catalog.lists.forgetAll(server, "resources");
      onChange(server, { type: "resources" });
      for (const uri of uris) onChange(server, { type: "updated", uri });
    },

    declared: (scope: ContentScope) => catalog.declared(scope),
    list: (scope: ContentScope, list: ContentList): Promise<Entry[]> => catalog.list(scope, list),
    resolve: (scope: ContentScope, uri: string, options?: { template?: boolean }) =>
      catalog.resolve(scope, uri, options),
    resolvePrompt: (scope: ContentScope, name: string) => catalog.resolvePrompt(scope, name),
    mapResult: (scope: ContentScope, server: string, result: Record<string, unknown>): Record<string, unknown> =>
      catalog.mapResult(scope, server, result),

    /** One list of one server as it is now. @throws AppError where the server does not answer */
    async listNow(server: string, list: ContentList, { id }: Pick<Actor, "id">): Promise<Entry[]> {
      try {
        return await catalog.lists.ask(server, list, id);
      } catch (error) {
        throw toRefusalOfThrown(error);
      }
    },

    /** Never rejects; the result is the server's. */
    read: (server: string, uri: string, options: ExecuteOptions): Promise<ExecutionEnvelope> =>
      run("resource", server, { uri }, options),
    getPrompt: (server: string, name: string, args: unknown, options: ExecuteOptions): Promise<ExecutionEnvelope> =>
      run("prompt", server, args === undefined ? { name } : { name, arguments: args }, options),
    /** Returns the definition that a replay of a recorded read or prompt get runs. */
    toolFor,

    /** Shared by all who subscribe to the same resource. @returns the function that ends it */
    subscribe(server: string, uri: string, { id }: Pick<Actor, "id">): Promise<() => void> {
      return new Promise((resolve, reject) => {
        let release = (): void => {};
        const released = new Promise<void>((end) => {
          release = end;
        });
        // The connection stays in use until the subscription ends.
        const subscribed = async (content: ServerContent): Promise<void> => {
          await content.subscribe(uri);
          resolve(release);
          await released;
          await content.unsubscribe(uri).catch(() => undefined);
        };
        connections.content(server, subscribed, id).catch(reject);
      });
    },

    /** Never rejects. Does not open a user's own connection. */
    async setLogLevel(server: string, level: string, { id }: Pick<Actor, "id">): Promise<void> {
      if (isPersonal(ports, server) && connections.state(server, id)?.status !== "connected") return;
      await connections
        .content(server, (content) => content.setLogLevel(level), id)
        .catch((error: unknown) => ports.logger.debug({ server, error: getMessage(error) }, "No log level was set"));
    },

    ...createExtensionRequests(ports, catalog),

    complete: (server: string, params: Record<string, unknown>, actor: Pick<Actor, "id">, signal: AbortSignal) =>
      connections.content(server, (content) => content.ask("completion/complete", params, signal), actor.id),
  };
}

type ContentTool = NonNullable<ExecuteOptions["provided"]>;

const DESCRIPTIONS = {
  resource: "Reads a resource of an MCP server",
  prompt: "Gets a prompt of an MCP server",
} as const;
const PARAMETERS: Readonly<Record<ContentKind, JsonSchema>> = {
  resource: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
  prompt: {
    type: "object",
    properties: { name: { type: "string" }, arguments: { type: "object" } },
    required: ["name"],
  },
};

/**
 * A read or a prompt get as something that the executor runs: recorded, bounded and cancelled like a call, but in no
 * catalog. One object for a server and its settings, since the log keeps each definition once.
 */
function createContentTools(
  ports: Pick<ContentPorts, "connections" | "settings" | "maxStoredBytes">,
  checks: SkillChecks,
) {
  const known = new Map<string, { settings: unknown; tool: ContentTool }>();

  return (kind: ContentKind, server: string): ContentTool => {
    const settings = ports.settings(server);
    const key = `${kind} ${server}`;
    const found = known.get(key);
    if (found !== undefined && found.settings === settings) return found.tool;
    const method = CONTENT_METHODS[kind];
    const tool: ContentTool = {
      definition: {
        name: contentName(kind, server),
        description: DESCRIPTIONS[kind],
        type: "function",
        handler: method,
        parameters: PARAMETERS[kind],
        implementation: { type: "mcp", server, tool: method },
        annotations: { readOnlyHint: true },
        ...toLimitKeys({ ...settings, maxStoredBytes: ports.maxStoredBytes }),
      } as ContentTool["definition"],
      ruledAs: kind,
      run: (args: Record<string, unknown>, context: ToolContext) => {
        if (isPersonal(ports, server)) context.usePersonalCredential();
        const user = context.actor.id;
        const read = async (content: ServerContent): Promise<Record<string, unknown>> => {
          const result = await content.request(method, args, context);
          if (kind === "resource") await checks.check({ server, user, uri: String(args.uri) }, result, content);
          return result;
        };
        return ports.connections.content(server, read, user);
      },
    };
    known.set(key, { settings, tool });
    return tool;
  };
}
