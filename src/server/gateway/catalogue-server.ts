import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "../../lib/contract";
import type { CatalogueView } from "./catalogue-view";
import type { CallRequest, GatewayCalls } from "./gateway-calls";

export const STATELESS_PROTOCOL = "2026-07-28";

/** Beyond what the SDK checks nothing is: names and arguments are judged where they are used. */
const ANY_PARAMS: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "toolroom",
    validate: (value) => (isPlainObject(value) ? { value } : { issues: [{ message: "must be an object" }] }),
  },
};

export interface CatalogueServerOptions {
  view: CatalogueView;
  calls: GatewayCalls;
  version: string;
  /** `stateless` serves one request of the 2026 protocol, `session` one client of the earlier ones. */
  era: "session" | "stateless";
}

/** One part of the catalogue for one peer, as a server of the SDK. */
export class CatalogueServer extends Server {
  /** Log lines make a stream of what could be one answer, so they go only to those who have asked for them. */
  wantsLogs = false;

  constructor(options: CatalogueServerOptions) {
    super(
      { name: "toolroom", title: "Toolroom", version: options.version },
      { capabilities: { tools: { listChanged: true }, logging: {} } },
    );
    // The SDK learns of the era from transports of its own only.
    if (options.era === "stateless") this._negotiatedProtocolVersion = STATELESS_PROTOCOL;
    const { view, calls } = options;
    this.setRequestHandler("tools/list", { params: ANY_PARAMS }, (params) => listPage(view, params.cursor));
    this.setRequestHandler("tools/call", { params: ANY_PARAMS }, async (params, ctx) =>
      this.projectCallToolResult(
        (await calls.call(view, callRequest(params, ctx, this), ctx)) as never,
        typeof params.name === "string" ? view.find(params.name)?.outputSchema : undefined,
      ),
    );
  }

  /**
   * The SDK checks results of `tools/call` and refuses content that it does not know. What a server has answered goes
   * on as it came, so the handler stays bare; nothing it throws but protocol errors leaves it.
   */
  protected override _wrapHandler(
    method: string,
    handler: (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>,
  ): (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result> {
    if (method === "tools/call") return handler;
    const wrapped = super._wrapHandler(method, handler);
    if (method !== "logging/setLevel") return wrapped;
    return (request, ctx) => {
      this.wantsLogs = true;
      return wrapped(request, ctx);
    };
  }
}

function callRequest(params: Record<string, unknown>, ctx: ServerContext, server: CatalogueServer): CallRequest {
  const { name } = params;
  if (typeof name !== "string") {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "tools/call needs the tool's name: params.name, a string");
  }
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined;
  return {
    name,
    args: params.arguments,
    protocol: server.getNegotiatedProtocolVersion() ?? LATEST_PROTOCOL_VERSION,
    clientInfo: envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion(),
    clientCapabilities: envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities(),
    // A stateless request names its level, and the SDK keeps to it.
    logs: envelope !== undefined || server.wantsLogs,
    stateless: envelope !== undefined,
  };
}

function listPage(view: CatalogueView, cursor: unknown): Result {
  const { tools, last } = view.page(cursor === undefined ? null : nameOfCursor(cursor));
  return last === null ? { tools } : { tools, nextCursor: Buffer.from(last).toString("base64url") };
}

function nameOfCursor(cursor: unknown): string {
  const name = typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString() : "";
  if (name === "" || Buffer.from(name).toString("base64url") !== cursor) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "cursor is none that tools/list has given");
  }
  return name;
}
