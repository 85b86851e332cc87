import { Client, type Transport } from "@modelcontextprotocol/client";
import type { ConnectionSettings, InteractionDesk } from "../../engine/mcp-ports";
import { AnswerLost, ConnectionFault } from "./connection-fault";
import type { ConnectionLimits } from "./connection-limits";
import { describeHttpFault, describeOtherFault, type HttpSituation, messageOf } from "./describe-fault";
import { describeProcessEnd, describeSilence } from "./describe-process";
import type { HttpClientTransport } from "./http-transport";
import { type InFlightCall, InFlightCalls } from "./in-flight-calls";
import { idInFragment, idsIn, type MessageId } from "./json-rpc";
import { createOutgoingRequest, ObservedTransport, type OutgoingRequest, REQUEST } from "./observed-transport";
import type { OpenQuestions } from "./open-questions";
import { ANY_RESULT } from "./result-schema";
import type { ServerLog } from "./server-log";
import type { StdioTransport } from "./stdio-transport";

export interface SessionOptions {
  settings: ConnectionSettings;
  client: { name: string; version: string };
  limits: ConnectionLimits;
  log: ServerLog;
  interactions: InteractionDesk;
  /** Of the server, whose former connection may still wait for answers. */
  questions: OpenQuestions;
  /** The server's tools changed. */
  onToolsChanged(): void;
  /** It ended without our doing. */
  onEnd(fault: ConnectionFault): void;
  /** Something happened that a server which is still there would not do. */
  onDoubt(): void;
}

export interface RequestLimits {
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

export type SessionChannel =
  | { kind: "stdio"; transport: StdioTransport }
  | { kind: "http"; transport: HttpClientTransport; situation: HttpSituation; release(): void };

/** The SDK wants a limit for each request; of a call the executor keeps the time. */
export const NO_TIMEOUT_MS = 2_147_483_647;
const QUOTED_CHARS = 300;

/** One connection of the SDK's client, from its opening to its end; the next connection is another session. */
export class ProtocolSession {
  readonly client: Client;
  readonly calls: InFlightCalls;
  readonly log: ServerLog;
  readonly limits: ConnectionLimits;
  readonly settings: ConnectionSettings;
  readonly channel: SessionChannel;
  readonly transport: ObservedTransport;
  readonly options: SessionOptions;
  /** Tools whose arguments the 2026-07-28 protocol wants repeated in headers, with their schemas. */
  readonly headerTools = new Map<string, unknown>();
  #lastGarbage = "";
  #closing = false;
  #retired: (() => void) | null = null;
  #opened = false;
  #endMessage: string | null = null;

  constructor(options: SessionOptions, makeChannel: (session: ProtocolSession) => SessionChannel, legacy: boolean) {
    const { settings, limits, log } = options;
    this.options = options;
    this.settings = settings;
    this.limits = limits;
    this.calls = new InFlightCalls(limits.progressEveryMs);
    this.log = log;
    this.channel = makeChannel(this);
    this.transport = new ObservedTransport(this.channel.transport as Transport, log, this.channel.kind);
    this.client = new Client(options.client, {
      capabilities: { roots: {}, elicitation: { form: {}, url: {} }, sampling: {} },
      versionNegotiation: {
        mode: legacy ? "legacy" : "auto",
        probe: this.channel.kind === "stdio" ? { timeoutMs: limits.probeTimeoutMs } : {},
      },
      // Results are judged elsewhere; the default would build a validator for each connection.
      jsonSchemaValidator: {
        getValidator: () => () => ({ valid: true, data: undefined as never, errorMessage: undefined }),
      },
    });
    this.client.onclose = () => this.#closed();
    this.client.onerror = (error) => this.#noteError(error);
  }

  /** Speaks to the server for the first time. @throws ConnectionFault, after which everything is closed */
  async open(signal: AbortSignal): Promise<void> {
    const timeoutMs = this.settings.connectTimeoutMs;
    let timer: NodeJS.Timeout | undefined;
    let abort: (() => void) | undefined;
    const stopped = new Promise<never>((_, reject) => {
      abort = () => reject(new ConnectionFault("disconnected", "The connection was given up"));
      timer = setTimeout(() => reject(this.#silence(timeoutMs)), timeoutMs);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
    });
    try {
      const connecting = this.client.connect(this.transport, { timeout: timeoutMs });
      // When the other one wins, nobody waits for it any more.
      connecting.catch(() => undefined);
      await Promise.race([connecting, stopped]);
      this.#opened = true;
    } catch (error) {
      const fault = this.#openingFault(error);
      await this.close();
      throw fault;
    } finally {
      clearTimeout(timer);
      if (abort !== undefined) signal.removeEventListener("abort", abort);
      stopped.catch(() => undefined);
    }
  }

  get modern(): boolean {
    return this.client.getProtocolEra() === "modern";
  }

  /** Whether there was somebody to speak to: a command that cannot be started has no protocol. */
  get started(): boolean {
    return this.channel.kind === "http" || this.channel.transport.pid !== null;
  }

  get pid(): number | null {
    return this.channel.kind === "stdio" ? this.channel.transport.pid : null;
  }

  get capabilities(): Record<string, unknown> {
    return { ...this.client.getServerCapabilities() };
  }

  /** Why it ended, for the errors of the calls that ended with it. */
  get endMessage(): string | null {
    return this.#endMessage;
  }

  get ended(): boolean {
    return this.#endMessage !== null;
  }

  /** Sends a request and gives the result as it came. @throws what the SDK throws, or an AnswerLost that says more */
  async request(
    method: string,
    params: Record<string, unknown>,
    { timeoutMs = this.limits.listTimeoutMs, signal }: RequestLimits = {},
  ): Promise<unknown> {
    const request = createOutgoingRequest();
    const outgoing = { method, params: { ...params, [REQUEST]: request } };
    const options = { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) };
    return this.settle(request, this.client.request(outgoing, ANY_RESULT, options));
  }

  /** Waits for a request that carries `request` in its params. */
  async settle(request: OutgoingRequest, sending: Promise<unknown>): Promise<unknown> {
    try {
      const seen = await sending;
      return request.result ?? seen;
    } catch (error) {
      throw request.fault ?? error;
    } finally {
      this.transport.forget(request);
    }
  }

  /** Ends it and waits for its processes' end. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#endMessage ??= "the connection was closed by Toolroom";
    // The SDK forgets its transport when connecting failed, so ours is closed as well.
    await this.client.close().catch(() => undefined);
    await this.channel.transport.close().catch(() => undefined);
    if (this.channel.kind === "http") this.channel.release();
  }

  /** Lets the calls that are still on their way come to their end, and is closed then. */
  retire(): Promise<void> {
    return new Promise((resolve) => {
      this.#retired = resolve;
      this.closeWhenIdle();
    });
  }

  closeWhenIdle(): void {
    if (this.#retired !== null && this.calls.size === 0) void this.close().then(this.#retired);
  }

  /** No new calls shall use it; those on their way may still come to their end. */
  abandon(fault: ConnectionFault): void {
    if (this.#endMessage === null && this.#retired === null) this.options.onEnd(fault);
  }

  /** It is of no use any more although nobody has closed it. */
  lose(message: string): void {
    if (this.#endMessage !== null) return;
    this.#endMessage = message;
    if (this.#retired === null) this.options.onEnd(new ConnectionFault("disconnected", capitalized(message)));
    void this.close();
  }

  /** Text on standard output that is no message. */
  garbage(text: string, recovered: boolean): void {
    this.#lastGarbage = text;
    const noted = this.log.add("stdout", "warn", text);
    const quoted = this.log.quote(text, QUOTED_CHARS);
    // Of a flood the call's log gets no more than the server's.
    if (noted)
      this.calls.only()?.context.logger.warn(`The server printed what is no message of the protocol: ${quoted}`);
    if (recovered) return;
    const damaged = idsIn(text).find((id) => this.transport.has(id));
    if (damaged !== undefined) {
      const why = `the server printed other text into its answer, which cannot be read: ${quoted}`;
      this.transport.fail(damaged, new AnswerLost(why));
      return;
    }
    for (const call of this.#waiting()) call.pollute(quoted);
  }

  /** A message that passed the limit. */
  tooLong({ head, tail, bytes }: { head?: string; tail?: string; bytes?: number }): void {
    const limit = `the ${this.limits.maxMessageBytes} bytes that a message may have`;
    const fault = new AnswerLost(`the server's answer is larger than ${limit}, and was dropped`);
    const id = idInFragment({ ...(head === undefined ? {} : { head }), ...(tail === undefined ? {} : { tail }) });
    if (id !== null && this.transport.fail(id, fault)) return;
    if (bytes !== undefined) {
      this.log.add("toolroom", "error", `A message of ${bytes} bytes was dropped: it is larger than ${limit}`);
      for (const call of this.#waiting()) call.pollute(`(a message of ${bytes} bytes was dropped as too large)`);
      return;
    }
    const only = this.calls.only();
    if (only !== null && id === null && mayBeAnswer(head ?? "")) this.transport.failCall(only, fault);
  }

  /** The call that a request of the server belongs to; null where it may be any or none. */
  callBehind(id: MessageId): InFlightCall | null {
    const call = this.transport.callBehind(id);
    return call === undefined ? this.calls.only() : call;
  }

  #waiting(): InFlightCall[] {
    return [...this.calls];
  }

  #closed(): void {
    if (this.#closing || this.#endMessage !== null) return;
    const message =
      this.channel.kind === "stdio" ? describeProcessEnd(this.channel.transport.end, this.log) : "the connection ended";
    if (this.#opened) this.lose(message);
    else this.#endMessage = message;
  }

  #noteError(error: Error): void {
    if (this.#closing) return;
    const { message } = error;
    if (this.#opened && this.channel.kind === "http") {
      if (error.name === "SseError" || message.startsWith("SSE error:")) {
        this.lose("the event stream was cut");
        return;
      }
      if (message.startsWith("Maximum reconnection attempts")) this.options.onDoubt();
    }
    this.log.add("toolroom", "debug", message);
  }

  #silence(timeoutMs: number): ConnectionFault {
    return new ConnectionFault(
      "disconnected",
      describeSilence(this.channel.kind, timeoutMs, this.#lastGarbage, this.log),
    );
  }

  #openingFault(error: unknown): ConnectionFault {
    if (error instanceof ConnectionFault) return error;
    if (this.channel.kind === "http") return describeHttpFault(error, this.channel.situation);
    if (this.#endMessage !== null)
      return new ConnectionFault("disconnected", capitalized(this.#endMessage), { cause: error });
    if (/timed out/i.test(messageOf(error))) return this.#silence(this.settings.connectTimeoutMs);
    return describeOtherFault(error, (text, maxChars) => this.log.quote(text, maxChars));
  }
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** An endless line of other text, or a notification, is no answer. */
function mayBeAnswer(head: string): boolean {
  return /^\s*\{/.test(head) && !/^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"/.test(head);
}
