import { ProtocolError, ProtocolErrorCode, type Result, type ServerContext } from "@modelcontextprotocol/server";
import { explainDenial } from "../../../../lib/contract/access";
import { type DeclaredExtensions, isForeignMethod } from "../../../../lib/mcp-extensions";
import type { ToolContext, ToolLogger } from "../../../engine/ports";
import { withoutServerInfo } from "../call-message";
import { type CatalogServer, getPeer } from "../catalog/catalog-server";
import type { CatalogView } from "../catalog/catalog-view";
import type { GatewayContent } from "../content/content-port";
import { contentScope } from "../content/content-scope";
import { toProtocolError } from "../content/to-protocol-error";
import { createSessionHandler } from "../gateway-calls";
import type { GatewayLimits, GatewayPorts } from "../gateway-ports";

type Params = Record<string, unknown>;
type Limits = Pick<GatewayLimits, "relayMs" | "maxRelayed" | "maxRelayedChars">;

const TOO_MANY = -32_000;

/**
 * Relays what Toolroom does not know, at the address of one server that declares an extension: requests and notifications of
 * clients to the server. The log of the server's messages records each of them.
 */
export class ExtensionRelay {
  /** Requests that wait, by server and user. */
  readonly #waiting = new Map<string, number>();

  constructor(
    private readonly ports: GatewayPorts,
    private readonly content: GatewayContent,
    private readonly limits: Limits,
  ) {}

  /** The extensions that the address passes on. */
  declared(view: CatalogView): DeclaredExtensions {
    const { server: _, ...declared } = this.content.extensions(contentScope(view, this.ports));
    return declared;
  }

  serve(server: CatalogServer, view: CatalogView): void {
    if (view.query.server === null) return;
    server.onUnknown(
      (method, params, ctx) => this.#request(server, view, { method, params }, ctx),
      (method, params) => this.#notify(view, method, params),
    );
  }

  async #request(
    server: CatalogServer,
    view: CatalogView,
    { method, params }: { method: string; params: Params },
    ctx: ServerContext,
  ): Promise<Result> {
    const target = this.#findServer(view, method);
    if (target === null) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    const denial = explainDenial(view.principal, "run");
    if (denial !== null) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, denial);
    const { _meta: _, ...sent } = params;
    this.#assertSize(`The params of '${method}' are`, sent, ProtocolErrorCode.InvalidParams);
    return await this.#withSlot(target, view, async () => {
      const limit = AbortSignal.timeout(this.limits.relayMs);
      const context = this.#createContext(server, view, ctx, { method, limit });
      try {
        const result = await this.content.relay(target, method, sent, context);
        this.#assertSize(`The answer of server '${target}' to '${method}' is`, result, ProtocolErrorCode.InternalError);
        return withoutServerInfo(result);
      } catch (error) {
        if ((error as Error).name === "ProtocolError") throw error;
        if (!limit.aborted) throw toProtocolError(error, getPeer(ctx, server).protocol);
        const message = `Server '${target}' did not answer '${method}' within ${this.limits.relayMs / 1000} s`;
        throw new ProtocolError(ProtocolErrorCode.InternalError, message);
      }
    });
  }

  /** A notification has no answer: what cannot be relayed is dropped. */
  async #notify(view: CatalogView, method: string, params: Params): Promise<void> {
    const target = this.#findServer(view, method);
    if (target === null || explainDenial(view.principal, "run") !== null) return;
    try {
      this.#assertSize(`The params of '${method}' are`, params, ProtocolErrorCode.InvalidParams);
      await this.#withSlot(target, view, () => this.content.notify(target, method, params, view.principal));
    } catch (error) {
      this.ports.logger.debug({ server: target, error: String(error) }, "Gateway: a notification was not relayed");
    }
  }

  /** Null where the method belongs to no extension, or no server declares one that is relayed. */
  #findServer(view: CatalogView, method: string): string | null {
    return isForeignMethod(method) ? this.content.extensions(contentScope(view, this.ports)).server : null;
  }

  async #withSlot<T>(server: string, { principal }: CatalogView, work: () => Promise<T>): Promise<T> {
    const key = JSON.stringify([server, principal.id]);
    const waiting = this.#waiting.get(key) ?? 0;
    const { maxRelayed } = this.limits;
    if (waiting >= maxRelayed) {
      throw new ProtocolError(TOO_MANY, `${maxRelayed} requests already wait for server '${server}': try again later`);
    }
    this.#waiting.set(key, waiting + 1);
    try {
      return await work();
    } finally {
      const left = (this.#waiting.get(key) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(key);
      else this.#waiting.set(key, left);
    }
  }

  #assertSize(what: string, value: Params, code: number): void {
    const { maxRelayedChars } = this.limits;
    if (JSON.stringify(value).length <= maxRelayedChars) return;
    throw new ProtocolError(code, `${what} longer than the ${maxRelayedChars} characters that are relayed`);
  }

  /** The context of a request that is no call: progress, logs and the server's own requests go to its client. */
  #createContext(
    server: CatalogServer,
    view: CatalogView,
    ctx: ServerContext,
    { method, limit }: { method: string; limit: AbortSignal },
  ): ToolContext {
    const { mcpReq } = ctx;
    const peer = getPeer(ctx, server);
    const progressToken = mcpReq._meta?.progressToken;
    return {
      signal: AbortSignal.any([mcpReq.signal, limit]),
      logger: SILENT,
      executionId: this.ports.newId(),
      toolName: method,
      actor: { id: view.principal.id, name: view.principal.name },
      source: "gateway",
      callerMeta: peer.meta,
      progress: (progress, total, message) => {
        if (progressToken === undefined) return;
        const params = { progressToken, progress, total, message };
        mcpReq.notify({ method: "notifications/progress", params } as never).catch(() => undefined);
      },
      relayLog: (_level, _text, { level, logger, data }) => {
        if (peer.logs) mcpReq.log(level as never, data, logger).catch(() => undefined);
      },
      hold: () => () => undefined,
      setTimeoutHint: () => undefined,
      usePersonalCredential: () => undefined,
      markTask: () => undefined,
      // The stateless protocol has questions inside results alone, and none inside those of extensions.
      ...(peer.stateless ? {} : { interact: createSessionHandler(peer, ctx) }),
    };
  }
}

const SILENT: ToolLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
