import type { Transport } from "@modelcontextprotocol/client";
import type {
  AskedInput,
  ConnectionSettings,
  ContentChange,
  InteractionBroker,
  SamplingResponder,
} from "../../../engine/mcp-ports";
import { findFragmentId } from "../../../platform/shared/line-splitter.mjs";
import { CallClient } from "../../fast-path/call-client";
import { ANY_RESULT, NO_TIMEOUT_MS } from "../../fast-path/sdk-results";
import type { ConnectionLimits } from "../connection/connection-limits";
import type { PendingRequests } from "../interaction/pending-requests";
import type { ServerLog } from "../log/server-log";
import type { HttpChannel } from "../transport/http-channel";
import { Inflow } from "../transport/inflow";
import { findIds, looksLikeResponse, type MessageId } from "../transport/json-rpc";
import { ObservedTransport } from "../transport/observed-transport";
import type { TracedPeer } from "../transport/request-spans";
import { createOutgoingRequest, type OutgoingRequest, REQUEST } from "../transport/sent-request";
import type { OversizedMessage, StdioTransport } from "../transport/stdio-transport";
import { abortable } from "../wait";
import { clientCapabilities } from "./client-capabilities";
import { ConnectionError, ResponseLostError } from "./connection-error";
import {
  capitalize,
  describeHttpError,
  describeOtherError,
  describeProcessEnd,
  describeSilence,
  getMessage,
} from "./describe-error";
import { withoutOwnMeta } from "./own-meta";
import type { ProtocolEra } from "./protocol-memory";
import { type RunningToolCall, RunningToolCalls } from "./running-tool-calls";

export interface SessionOptions {
  settings: ConnectionSettings;
  client: { name: string; version: string };
  limits: ConnectionLimits;
  log: ServerLog;
  interactions: InteractionBroker;
  sampling: SamplingResponder;
  /** Called with each request of a server for input whose call is known, before it is answered. */
  onAsked?: ((asked: AskedInput) => void) | undefined;
  /** Shared by all connections of the server, since a former one may still wait for answers. */
  pendingRequests: PendingRequests;
  /** False: calls take the SDK's own path. Default: true. */
  fastPath?: boolean | undefined;
  /** Absent where telemetry is off. */
  traced?: Omit<TracedPeer, "isLost"> | undefined;
  /** Starts with `initialize`, without a request for the newer protocol. */
  legacy: boolean;
  createChannel(session: ProtocolSession): SessionChannel;
  onToolsChanged(): void;
  onContent(change: ContentChange): void;
  /** The session ended, and Toolroom did not end it. */
  onEnd(error: ConnectionError): void;
  /** Called for events that suggest that the server is gone. */
  onSuspectedLoss(): void;
}

export type SessionChannel = { kind: "stdio"; transport: StdioTransport } | HttpChannel;

const QUOTED_CHARS = 300;
const CLOSED = "the connection was closed by Toolroom";

/** One connection of the SDK's client, from its opening to its end; the next connection is another session. */
export class ProtocolSession {
  readonly client: CallClient;
  readonly calls: RunningToolCalls;
  readonly log: ServerLog;
  readonly limits: ConnectionLimits;
  readonly settings: ConnectionSettings;
  readonly inflow: Inflow;
  readonly channel: SessionChannel;
  readonly transport: ObservedTransport;
  /** Schemas of the tools whose arguments the 2026-07-28 protocol repeats in headers. */
  readonly headerTools = new Map<string, unknown>();
  /** Why the entries of a list, by its method, are not all of them. */
  readonly listProblems = new Map<string, string>();
  /** The methods of lists that the server lets caches share among users. */
  readonly publicLists = new Set<string>();
  /** Tools that are marked as safe to call twice. */
  readonly repeatableTools = new Set<string>();
  /** Tools of the 2025-11-25 protocol that can, or have to, run as tasks. */
  readonly taskTools = new Map<string, "optional" | "required">();
  #closing = false;
  #onRetired: (() => void) | null = null;
  #opened = false;
  #timedOut = false;
  #endReason: string | null = null;

  constructor(readonly options: SessionOptions) {
    const { settings, limits, log } = options;
    this.settings = settings;
    this.limits = limits;
    this.calls = new RunningToolCalls(limits.progressEveryMs);
    this.log = log;
    this.inflow = new Inflow(limits.inflow, { log, calls: this.calls, end: (reason) => this.lose(reason, "failed") });
    this.channel = options.createChannel(this);
    const traced = options.traced && { ...options.traced, isLost: () => ![null, CLOSED].includes(this.#endReason) };
    this.transport = new ObservedTransport(this.channel.transport as Transport, log, this.channel.kind, traced);
    this.transport.onServerMessage = this.inflow.count;
    this.client = new CallClient(options.client, {
      fastPath: options.fastPath ?? true,
      capabilities: clientCapabilities(settings),
      versionNegotiation: {
        mode: options.legacy ? "legacy" : "auto",
        // Silence proves nothing: `open` keeps the time, and the opener decides what follows.
        probe: { timeoutMs: NO_TIMEOUT_MS },
      },
      // Toolroom checks results itself; the default would build a validator for each connection.
      jsonSchemaValidator: {
        getValidator: () => () => ({ valid: true, data: undefined as never, errorMessage: undefined }),
      },
    });
    this.client.onclose = () => this.#handleClose();
    this.client.onerror = (error) => this.#handleError(error);
  }

  /**
   * Connects.
   * @param patienceMs for the answer to `server/discover`; the answer to `initialize` may take the whole connect timeout
   * @throws ConnectionError, after which everything is closed
   */
  async open(signal: AbortSignal, patienceMs = this.settings.connectTimeoutMs): Promise<void> {
    const timeout = this.settings.connectTimeoutMs;
    const silence = new AbortController();
    const limit = AbortSignal.any([AbortSignal.timeout(timeout), silence.signal]);
    const timer = setTimeout(() => {
      if (!this.options.legacy && !this.transport.hasSentInitialize) silence.abort();
    }, patienceMs);
    try {
      await abortable(this.client.connect(this.transport, { timeout }), AbortSignal.any([signal, limit]));
      this.#opened = true;
    } catch (error) {
      this.#timedOut = limit.aborted && error === limit.reason;
      const failure = signal.aborted
        ? new ConnectionError("disconnected", "The connection was abandoned")
        : this.#toConnectionError(error);
      await this.close();
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  get modern(): boolean {
    return this.client.getProtocolEra() === "modern";
  }

  get era(): ProtocolEra {
    return this.modern ? "modern" : "legacy";
  }

  /** False for a command that could not be started, which has no protocol. */
  get started(): boolean {
    return this.channel.kind === "http" || this.channel.transport.pid !== null;
  }

  /** The server did not respond within the connect timeout. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** The process ended on its own. */
  get hasExited(): boolean {
    return this.channel.kind === "stdio" && this.channel.transport.end !== null;
  }

  get pid(): number | null {
    return this.channel.kind === "stdio" ? this.channel.transport.pid : null;
  }

  get capabilities(): Record<string, unknown> {
    return { ...this.client.getServerCapabilities() };
  }

  /** Null while the session is alive. */
  get endReason(): string | null {
    return this.#endReason;
  }

  get ended(): boolean {
    return this.#endReason !== null;
  }

  /** Sends a request and returns the result as it came. @throws what the SDK throws, or a more precise ResponseLostError */
  async request(
    method: string,
    params: Record<string, unknown>,
    { timeoutMs = this.limits.listTimeoutMs, signal }: { timeoutMs?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<unknown> {
    const request = createOutgoingRequest();
    const outgoing = { method, params: { ...params, [REQUEST]: request } };
    return this.awaitResult(request, this.client.request(outgoing, ANY_RESULT, { timeout: timeoutMs, signal }));
  }

  /** Waits for a request that carries `request` in its params. */
  async awaitResult(request: OutgoingRequest, sending: Promise<unknown>): Promise<unknown> {
    try {
      const seen = await sending;
      return withoutOwnMeta(request.result ?? seen);
    } catch (error) {
      throw request.error ?? error;
    } finally {
      this.transport.forgetRequest(request);
    }
  }

  /** Resolves when the server's processes have ended. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#endReason ??= CLOSED;
    // The SDK forgets its transport when connecting failed, so ours is closed as well.
    await this.client.close().catch(() => undefined);
    await this.channel.transport.close().catch(() => undefined);
    if (this.channel.kind === "http") this.channel.release();
  }

  /** Closes the session once its running calls have ended. */
  retire(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRetired = resolve;
      this.closeWhenIdle();
    });
  }

  closeWhenIdle(): void {
    if (this.#onRetired !== null && this.calls.size === 0) void this.close().then(this.#onRetired);
  }

  /** Accepts no new calls; the running ones may still end. */
  abandon(error: ConnectionError): void {
    if (this.#endReason === null && this.#onRetired === null) this.options.onEnd(error);
  }

  /** Ends a session that is no longer usable although the transport has not closed. */
  lose(reason: string, status: "disconnected" | "failed" = "disconnected"): void {
    if (this.#endReason !== null) return;
    this.#endReason = reason;
    if (this.#onRetired === null) this.options.onEnd(new ConnectionError(status, capitalize(reason)));
    void this.close();
  }

  /** Text on standard output that is no message; `recovered` when the message beside it could still be read. */
  handleNoise(text: string, recovered: boolean): void {
    if (!this.#opened) this.log.noteStdout(text);
    const added = this.log.add("stdout", "warn", text);
    const quoted = this.log.quoteForCaller(text, QUOTED_CHARS);
    // When the server sends too many lines, the call's log leaves out the same ones as the server's.
    if (added) {
      this.calls.only()?.context.logger.warn(`The server printed text that is not a protocol message: ${quoted}`);
    }
    if (recovered) return;
    const damaged = findIds(text).find((id) => this.transport.isPending(id));
    if (damaged === undefined) {
      for (const call of this.calls) call.addStdoutNoise(quoted);
      return;
    }
    const reason = `the server mixed other text into its response, which cannot be parsed: ${quoted}`;
    this.transport.failRequest(damaged, new ResponseLostError(reason));
  }

  handleOversized({ head, tail, bytes, reason }: OversizedMessage): void {
    const fault = reason ?? `it is larger than the ${this.limits.maxMessageBytes} bytes allowed for a message`;
    const error = new ResponseLostError(`the server's answer was dropped: ${fault}`);
    const id = findFragmentId({ head, tail });
    if (id !== null && this.transport.failRequest(id, error)) return;
    if (bytes !== undefined) {
      this.log.add("toolroom", "error", `A message of ${bytes} bytes was dropped: ${fault}`);
      for (const call of this.calls) call.addStdoutNoise(`(a message of ${bytes} bytes was dropped as too large)`);
      return;
    }
    const only = this.calls.only();
    if (only !== null && id === null && looksLikeResponse(head ?? "")) this.transport.failCall(only, error);
  }

  /** The call that a request of the server belongs to; null where it may be any or none. */
  findCallOfRequest(id: MessageId): RunningToolCall | null {
    const call = this.transport.findCallOfRequest(id);
    return call === undefined ? this.calls.only() : call;
  }

  #handleClose(): void {
    if (this.#closing || this.#endReason !== null) return;
    const reason =
      this.channel.kind === "stdio" ? describeProcessEnd(this.channel.transport, this.log) : "the connection ended";
    // The SDK closes the transport itself when it cannot use an answer.
    if (reason === null) return;
    if (this.#opened) this.lose(reason);
    else this.#endReason = reason;
  }

  #handleError(error: Error): void {
    if (this.#closing) return;
    const message = getMessage(error);
    if (this.#opened && this.channel.kind === "http") {
      if (message.startsWith("SSE error:")) return void this.lose("the event stream was cut");
      if (message.startsWith("Maximum reconnection attempts")) this.options.onSuspectedLoss();
    }
    this.log.add("toolroom", "debug", message);
  }

  #toConnectionError(error: unknown): ConnectionError {
    const { channel, settings, log } = this;
    const timeoutError = (): ConnectionError =>
      new ConnectionError("disconnected", describeSilence(channel.kind, settings.connectTimeoutMs, log));
    if (this.#timedOut) return timeoutError();
    if ((error as { code?: unknown } | null)?.code === "INVALID_RESULT") {
      const needs = "protocolVersion, capabilities and serverInfo (name, version)";
      return new ConnectionError("disconnected", `The server's answer to 'initialize' is not valid: it needs ${needs}`);
    }
    if (channel.kind === "http") return describeHttpError(error, channel.errorContext);
    if (this.#endReason !== null) {
      return new ConnectionError("disconnected", capitalize(this.#endReason), { cause: error });
    }
    if (/timed out/i.test(getMessage(error))) return timeoutError();
    return describeOtherError(error, (text, maxChars) => log.quote(text, maxChars));
  }
}
