import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type Result,
  type ServerCapabilities,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../../lib/contract/json";
import { WHOLE_RESULT_KEY } from "../../../../lib/contract/lens";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import { toJsonText, withMembers } from "../../../../lib/json/known-text";
import { copyDigits, writeExactly } from "../../../../lib/json/number-digits";
import type { ClientObserver, ClientPeer } from "../../../engine/client-ports";
import type { ListedTool } from "../../../engine/registry/list-tool";
import type { GatewayTelemetry, Outcome } from "../../../platform/telemetry/telemetry";
import { toCallArguments } from "../../fast-path/call-argument-texts";
import { type AnswerTransport, type CallContext, createCallContext, readEnvelope } from "../../fast-path/call-context";
import { isDirectCall } from "../../fast-path/choose-path";
import type { CallAnswer, CallHandler } from "../../fast-path/http-transport";
import { SdkServer } from "../../fast-path/sdk-server";
import { type CallRequest, upstreamMeta } from "../call-message";
import type { CacheHints } from "../content/content-port";
import type { GatewayCalls } from "../gateway-calls";
import type { ServerIdentity } from "../gateway-ports";
import { forbidsTasks } from "../tasks/plan-task";
import type { CatalogView } from "./catalog-view";
import { nameOfCursor, toCursor } from "./list-cursor";

/** No tool has a longer one; an attempt's name is recorded, so it must not be of any size. */
const MAX_NAME_CHARS = 256;

/** The one revision with tasks in the protocol itself. */
const TASKS_PROTOCOL = "2025-11-25";

/** Beyond what the SDK checks nothing is: names and arguments are checked where they are used. */
const ANY_PARAMS: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "toolroom",
    validate: (value) => (isPlainObject(value) ? { value } : { issues: [{ message: "must be an object" }] }),
  },
};

export interface CatalogServerOptions {
  view: CatalogView;
  calls: GatewayCalls;
  identity: ServerIdentity;
  /** `stateless` serves one request of the 2026 protocol, `session` one client of the earlier ones. */
  era: "session" | "stateless";
  /** @param limitMs how long it may take; null for the usual time */
  beforeList?: ((limitMs: number | null) => Promise<unknown> | null) | undefined;
  /** The other content of the address; null for tools only. */
  content: ServedContent | null;
  /** Null where clients get no tasks. */
  tasks: ServedTasks | null;
  telemetry?: GatewayTelemetry | undefined;
  clients?: ClientObserver | undefined;
}

export interface ServedTasks {
  capabilities: ServerCapabilities;
  serve(server: CatalogServer): void;
}

export interface ServedContent {
  capabilities: ServerCapabilities;
  serve(server: CatalogServer): void;
  /** Hints of the stateless protocol: how long a list may be kept, and by whom. */
  cacheOf(method: string): Promise<CacheHints>;
  /** Called when a session requests another level of log messages. Never rejects. */
  logLevelSet(): Promise<void>;
}

/** One part of the catalog for one peer, as a server of the SDK. */
export class CatalogServer extends SdkServer {
  /** Log lines turn a single answer into a stream, so only clients that request them get them. */
  wantsLogs = false;
  /** The level that the client has set. */
  logLevel: string | null = null;
  /** How long the address of the last request lets a list wait for servers; null for the usual time. */
  listWaitMs: number | null = null;
  /** The client's `initialize` was answered. */
  onInitialized?: () => void;
  /** The client has set the level of log messages that it wants. */
  onLogLevel?: (level: string) => void;
  /** A request that the client has cancelled has ended: the SDK sends nothing for it. */
  onCancelled?: (id: RequestId) => void;
  readonly #options: CatalogServerOptions;

  constructor(options: CatalogServerOptions) {
    const { content, tasks } = options;
    const capabilities = {
      tools: { listChanged: true },
      logging: {},
      ...content?.capabilities,
      ...tasks?.capabilities,
      ...mergeExtensions(content?.capabilities, tasks?.capabilities),
    };
    super({ ...options.identity, capabilities, era: options.era });
    this.#options = options;
    this.on("tools/list", async (params, ctx) => {
      await options.beforeList?.(this.listWaitMs);
      const hints = this.isStateless ? await options.content?.cacheOf("tools/list") : undefined;
      const page = this.#listPage(params.cursor, hints);
      if (params.cursor === undefined) options.clients?.listed(this.toPeer(ctx.mcpReq.envelope));
      return page;
    });
    this.on("tools/call", async (params, { mcpReq }) => {
      const isCallerGone = (): boolean => (this.transport as AnswerTransport | undefined)?.isGone?.(mcpReq.id) === true;
      return (await this.#call(params, { mcpReq, isCallerGone })).projected;
    });
    content?.serve(this);
    tasks?.serve(this);
  }

  /** Handles a method whose params only have to be an object. */
  on(method: string, handler: (params: Record<string, unknown>, ctx: ServerContext) => Promise<Result>): void {
    this.setRequestHandler(method as "tools/list", { params: ANY_PARAMS }, handler as never);
  }

  /** Handles the methods that have no handler. */
  onUnknown(
    handler: (method: string, params: Record<string, unknown>, ctx: ServerContext) => Promise<Result>,
    onNotification: (method: string, params: Record<string, unknown>) => Promise<void>,
  ): void {
    this.fallbackRequestHandler = (request, ctx) =>
      this.handle(request, () => handler(request.method, { ...request.params }, ctx), ctx.mcpReq);
    this.fallbackNotificationHandler = ({ method, params }) => onNotification(method, { ...params });
  }

  get isStateless(): boolean {
    return this.#options.era === "stateless";
  }

  /** Its client, which a stateless request introduces in its envelope. */
  toPeer(envelope?: unknown): ClientPeer {
    const introduced = isPlainObject(envelope) ? envelope[CLIENT_INFO_META_KEY] : undefined;
    return {
      sessionId: this.sessionId,
      clientInfo: introduced ?? this.getClientVersion(),
      protocol: this.getNegotiatedProtocolVersion() ?? LATEST_PROTOCOL_VERSION,
      view: this.#options.view,
    };
  }

  /** Null in the stateless protocol. */
  get sessionId(): string | null {
    return this.transport?.sessionId ?? null;
  }

  /** Whether its client can call tools as tasks of revision 2025-11-25. */
  get offersTasks(): boolean {
    return this.#options.tasks !== null && this.getNegotiatedProtocolVersion() === TASKS_PROTOCOL;
  }

  /** Answers calls without the SDK's request path, which costs as much as a short call. */
  answerOn(transport: AnswerTransport): CallHandler {
    return {
      takes: (message): message is JSONRPCRequest => isDirectCall(message, this),
      answer: (request, controller) => {
        const ctx = createCallContext(request, transport, {
          controller,
          envelope: readEnvelope(request),
          logLevel: () => this.logLevel ?? undefined,
          // A question to a user on the way is a request of the SDK's, with its own answer.
          ask: (asked, resultSchema, options) => this.request(asked as never, resultSchema, options as never),
        });
        const isQuiet = !this.isStateless && ctx.mcpReq._meta?.progressToken === undefined && this.#hearsAnswersOnly;
        return { answer: this.#answerCall(request, ctx), isQuiet };
      },
    };
  }

  /** Gives the servers behind the address the level that the client has set. */
  async applyLogLevel(): Promise<void> {
    await this.#options.content?.logLevelSet();
  }

  get #hearsAnswersOnly(): boolean {
    const { elicitation, sampling, roots } = this.getClientCapabilities() ?? {};
    return !this.wantsLogs && elicitation === undefined && sampling === undefined && roots === undefined;
  }

  #listPage(cursor: unknown, hints: CacheHints | undefined): Result {
    const { view } = this.#options;
    const { tools: listed, last, hasDigits } = view.page(nameOfCursor(cursor));
    const tools = this.offersTasks
      ? listed.map((tool) => ({ ...tool, execution: toServedExecution(view.find(tool.name)) }))
      : listed;
    const page: Result = { tools, ...(last !== null && { nextCursor: toCursor(last) }), ...hints };
    if (!hasDigits) return page;
    const encoded = this.isStateless ? page : this.encode("tools/list", page);
    copyWrappedDigits(tools, encoded.tools);
    return writeExactly(encoded);
  }

  async #call(params: Record<string, unknown>, ctx: CallContext) {
    const { view, calls, clients } = this.#options;
    clients?.seen(this.toPeer(ctx.mcpReq.envelope));
    const result = (await calls.call(view, callRequest(params, ctx, this), ctx)) as Result & { content: never };
    return { result, projected: this.projectCallToolResult(result, view.find(String(params.name))?.outputSchema) };
  }

  async #answerCall({ id, params = {} }: JSONRPCRequest, ctx: CallContext): Promise<CallAnswer> {
    try {
      const { result, projected } = await this.#call(params, ctx);
      const encoded = this.encode("tools/call", projected);
      this.#noteAnswer(ctx.mcpReq._meta, { result });
      return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, toExtendedText(result, encoded), "}"];
    } catch (thrown) {
      const { code, message, data } = neutral(thrown, "tools/call") as ProtocolError;
      const error = { code: this.encodeErrorCode(code), message, ...(data === undefined ? {} : { data }) };
      this.#noteAnswer(ctx.mcpReq._meta, { error });
      return { jsonrpc: "2.0", id, error };
    }
  }

  /** A handler throws only protocol errors. */
  protected override async handle(
    { id, method, params }: JSONRPCRequest,
    run: () => Promise<Result>,
    { signal, _meta: meta, envelope }: Pick<ServerContext["mcpReq"], "signal" | "_meta" | "envelope">,
  ): Promise<Result> {
    try {
      const result = await run();
      this.#noteAnswer(meta, { result });
      if (method === "initialize") {
        this.onInitialized?.();
        this.#options.clients?.seen(this.toPeer());
      }
      if (method === "server/discover") this.#options.clients?.seen(this.toPeer(envelope));
      if (method === "logging/setLevel") {
        this.wantsLogs = true;
        this.logLevel = String(params?.level);
        this.onLogLevel?.(this.logLevel);
        await this.applyLogLevel();
      }
      return result;
    } catch (thrown) {
      const error = neutral(thrown, method);
      this.#noteAnswer(meta, { error: error as ProtocolError });
      throw error;
    } finally {
      if (signal.aborted) this.onCancelled?.(id);
    }
  }

  #noteAnswer(meta: unknown, outcome: Outcome): void {
    const session = { id: this.sessionId, protocol: this.getNegotiatedProtocolVersion() };
    this.#options.telemetry?.answer(meta, outcome, session);
  }
}

function mergeExtensions(...all: (ServerCapabilities | undefined)[]): Pick<ServerCapabilities, "extensions"> {
  const merged = Object.assign({}, ...all.map((each) => each?.extensions)) as NonNullable<
    ServerCapabilities["extensions"]
  >;
  return Object.keys(merged).length === 0 ? {} : { extensions: merged };
}

/** Replaces the SDK's error for params, which is its validator's own list of issues, in its own language. */
function neutral(error: unknown, method: string): unknown {
  if (Number.isSafeInteger((error as { code?: unknown } | null)?.code)) return error;
  return method.endsWith("/list")
    ? new ProtocolError(ProtocolErrorCode.InternalError, "The list could not be created")
    : new ProtocolError(ProtocolErrorCode.InvalidParams, `The params of ${method} are invalid`);
}

function callRequest(params: Record<string, unknown>, ctx: CallContext, server: CatalogServer): CallRequest {
  const { name } = params;
  if (typeof name !== "string") {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "tools/call needs the tool's name: params.name, a string");
  }
  if (name.length > MAX_NAME_CHARS) {
    const message = `params.name is longer than ${MAX_NAME_CHARS} characters: tools/list has the names`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  const call = { name, args: toCallArguments(params.arguments), ...getPeer(ctx, server) };
  return params.task === undefined || !server.offersTasks ? call : { ...call, task: readTask(params.task, server) };
}

function readTask(task: unknown, peer: CatalogServer): CallRequest["task"] {
  const { ttl = null } = isPlainObject(task) ? task : { ttl: false };
  if (ttl === null || (typeof ttl === "number" && ttl >= 0)) return { ttlMs: ttl, peer };
  const message = "params.task must be an object, and its ttl a number of milliseconds";
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** Returns the peer of a request: the sender, the protocol, and what is passed on to a tool's server. */
export function getPeer(ctx: CallContext, server: CatalogServer) {
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined;
  return {
    meta: upstreamMeta(ctx.mcpReq._meta),
    whole: ctx.mcpReq._meta?.[WHOLE_RESULT_KEY] === true,
    protocol: server.getNegotiatedProtocolVersion() ?? LATEST_PROTOCOL_VERSION,
    clientInfo: envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion(),
    clientCapabilities: envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities(),
    sessionId: server.sessionId,
    // A stateless request names its level, and the SDK keeps to it.
    logs: envelope !== undefined || server.wantsLogs,
    stateless: envelope !== undefined,
  };
}

/** The gateway makes tasks of its own, so it refuses them only where the tool's server does. */
function toServedExecution(definition: ToolDefinition | undefined): Record<string, unknown> {
  const execution = definition?.listed?.execution;
  return {
    ...(isPlainObject(execution) ? execution : {}),
    taskSupport: forbidsTasks(definition) ? "forbidden" : "optional",
  };
}

/** Copies the digits of output schemas that the SDK wraps in an object for clients of earlier revisions. */
function copyWrappedDigits(tools: readonly ListedTool[], encoded: unknown): void {
  for (const [index, { outputSchema }] of tools.entries()) {
    const sent = (encoded as readonly ListedTool[])[index]?.outputSchema;
    const properties = sent === outputSchema || !isPlainObject(sent) ? undefined : sent.properties;
    if (isPlainObject(properties)) copyDigits(outputSchema, properties.result);
  }
}

/** The JSON text of `extended`, made from the kept text of `value`. */
export function toExtendedText(value: object, extended: object): string {
  const before = value as Record<string, unknown>;
  const after = extended as Record<string, unknown>;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = Array.from(keys).filter((key) => after[key] !== before[key]);
  const changes = Object.fromEntries(changed.map((key) => [key, after[key]]));
  if (changed.some((key) => Object.hasOwn(before, key))) return toJsonText(withMembers(value, changes)) ?? "{}";
  // The text of what is only added to is not read: results may be long.
  const text = toJsonText(value) ?? "{}";
  const members = JSON.stringify(changes).slice(1, -1);
  return `{${[text.slice(1, -1), members].filter(Boolean).join(",")}}`;
}
