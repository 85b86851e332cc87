import {
  type Implementation,
  type JSONRPCRequest,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";

export const STATELESS_PROTOCOL = "2026-07-28";

/** Results of these are sent as a server gave them. The SDK would check some of them and refuse content that it does not know. */
const UNCHECKED = new Set(["tools/call", "resources/read", "prompts/get", "tasks/get", "tasks/result", "tasks/list"]);

export interface SdkServerOptions {
  info: Implementation;
  instructions: string | null;
  capabilities: ServerCapabilities;
  /** `stateless` serves one request of the 2026 protocol, `session` one client of the earlier ones. */
  era: "session" | "stateless";
}

/** The SDK's server with what Toolroom uses of its protected members, which no other room names. */
export abstract class SdkServer extends Server {
  constructor({ info, instructions, capabilities, era }: SdkServerOptions) {
    super(info, { capabilities, ...(instructions === null ? {} : { instructions }) });
    // The SDK learns of the era from transports of its own only.
    if (era === "stateless") this._negotiatedProtocolVersion = STATELESS_PROTOCOL;
    // Clients of the first SDK take the id 0 for none: they would not hear that the first request was withdrawn.
    Reflect.set(this, "_requestMessageId", 1);
  }

  /** Whether a stateless request describes its client as the protocol demands. */
  acceptsEnvelope(envelope: Record<string, unknown> | undefined): boolean {
    return this._wireCodec().checkInboundEnvelope({ envelope } as never) === undefined;
  }

  /** A result as the protocol sends it. */
  encode(method: string, result: Result): Result {
    return this._wireCodec().encodeResult(method, result, this._outboundServerInfo()) as Result;
  }

  /** The code that the protocol has for an error. */
  encodeErrorCode(code: number): number {
    return this._wireCodec().encodeErrorCode(code);
  }

  /** Runs a handler of the SDK's, and what has to happen around it. */
  protected abstract handle(
    request: JSONRPCRequest,
    run: () => Promise<Result>,
    asked: Pick<ServerContext["mcpReq"], "signal" | "_meta" | "envelope">,
  ): Promise<Result>;

  protected override _wrapHandler(
    method: string,
    handler: (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>,
  ): (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result> {
    const wrapped = UNCHECKED.has(method) ? handler : super._wrapHandler(method, handler);
    return (request, ctx) => this.handle(request, () => wrapped(request, ctx), ctx.mcpReq);
  }
}
