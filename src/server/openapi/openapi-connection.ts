import type { ConnectionState } from "../../lib/contract/connection-state";
import type { ToolCallResult } from "../../lib/contract/content";
import { DISABLED_CONNECTION, NO_CONNECTION } from "../../lib/contract/server";
import { ToolFailure } from "../engine/failures";
import type { ApiConnectionSettings, McpConnectionEvents } from "../engine/mcp-ports";
import type { Clock, Logger, ToolContext } from "../engine/ports";
import { AttemptHistory } from "../mcp/client/connection/attempt-history";
import type { ConnectionLimits } from "../mcp/client/connection/connection-limits";
import { recordFailedAttempt } from "../mcp/client/connection/failed-state";
import type { ServerLog } from "../mcp/client/log/server-log";
import { describeOtherError } from "../mcp/client/session/describe-error";
import { waitUntilAborted } from "../mcp/client/wait";
import type { ApiSession } from "./api-session";
import type { ReadApi } from "./document-reader";

export interface OpenApiConnectionOptions {
  events: McpConnectionEvents;
  logger: Logger;
  clock: Clock;
  limits: ConnectionLimits;
  log: ServerLog;
  /** @throws ConnectionError for settings that cannot be used */
  open(settings: ApiConnectionSettings): ApiSession;
  read(settings: ApiConnectionSettings, session: ApiSession, signal: AbortSignal): Promise<ReadApi>;
  /** The time after which a document with an address is read again. */
  refreshMs: number;
}

interface OpenApi {
  session: ApiSession;
  api: ReadApi;
}

/** Keeps one API's document read: it is "connected" while its operations are known. Requests hold no connection. */
export class OpenApiConnection {
  readonly log: ServerLog;
  readonly #options: OpenApiConnectionOptions;
  readonly #history: AttemptHistory;
  #settings: ApiConnectionSettings;
  #state: ConnectionState = DISABLED_CONNECTION;
  #open: OpenApi | null = null;
  #attempt: { done: Promise<void>; abort: AbortController } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(settings: ApiConnectionSettings, options: OpenApiConnectionOptions) {
    this.#settings = settings;
    this.#options = options;
    this.log = options.log;
    this.#history = new AttemptHistory(options.limits, () => options.clock.elapsed());
    this.#restart();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get settings(): ApiConnectionSettings {
    return this.#settings;
  }

  apply(settings: ApiConnectionSettings): void {
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return;
    this.#settings = settings;
    this.#restart();
  }

  async reconnect(): Promise<ConnectionState> {
    if (!this.#settings.enabled || this.#closed) return this.#state;
    if (this.#open !== null) {
      await this.#refresh();
      return this.#state;
    }
    this.#restart();
    return this.ready();
  }

  async ready(signal?: AbortSignal): Promise<ConnectionState> {
    const mayTry = this.#history.canSkipWait && this.#history.spacingMs === 0 && !this.#closed;
    if (this.#state.status === "disconnected" && mayTry) void this.#connect();
    if (this.#attempt !== null) await waitUntilAborted(this.#attempt.done, signal);
    return this.#state;
  }

  /** @throws ToolFailure */
  async call(tool: string, args: Record<string, unknown>, context: ToolContext): Promise<ToolCallResult> {
    if (this.#open === null) await this.ready(context.signal);
    if (context.signal.aborted)
      throw new ToolFailure("cancelled", "The call was cancelled while the server was connecting");
    const { name } = this.#settings;
    if (this.#open === null) {
      const { status, reason } = this.#state;
      const isDisabled = status === "disabled" && reason === null;
      const why = isDisabled ? "it is disabled: enable it on its page in the console" : reason;
      throw new ToolFailure(
        "unavailable",
        `Server '${name}' is unavailable: ${why ?? "its document has not been read"}`,
      );
    }
    const { session, api } = this.#open;
    const operation = api.operations.get(tool);
    if (operation === undefined) {
      throw new ToolFailure("unavailable", `Server '${name}' no longer has the operation '${tool}' in its document`);
    }
    return await session.call(operation, args, context);
  }

  close(): void {
    this.#closed = true;
    this.#end();
  }

  #restart(): void {
    this.#history.reset();
    this.#end();
    if (this.#settings.enabled) void this.#connect();
    else this.#setState({ ...DISABLED_CONNECTION, reason: this.#settings.withheld ?? null });
  }

  #end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#attempt?.abort.abort();
    this.#attempt = null;
    this.#open = null;
  }

  #connect(): Promise<void> {
    if (this.#attempt !== null) return this.#attempt.done;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const abort = new AbortController();
    this.#setState({ ...this.#state, ...NO_CONNECTION, status: "connecting", reason: null, nextAttemptAt: null });
    const attempt = { abort, done: Promise.resolve() };
    this.#attempt = attempt;
    this.#history.recordAttempt();
    attempt.done = this.#read(abort.signal)
      .then((open) => {
        if (!abort.signal.aborted) this.#start(open);
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted) this.#handleFailure(error);
      })
      .finally(() => {
        if (this.#attempt === attempt) this.#attempt = null;
      });
    return attempt.done;
  }

  async #read(signal: AbortSignal): Promise<OpenApi> {
    const settings = this.#settings;
    const session = this.#options.open(settings);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(settings.connectTimeoutMs)]);
    return { session, api: await this.#options.read(settings, session, limit) };
  }

  #start(open: OpenApi): void {
    const { clock, events } = this.#options;
    const { outline, tools, omitted, notes } = open.api;
    this.#open = open;
    this.#history.recordSuccess();
    events.onTools(
      this.#settings.name,
      tools.map((tool) => this.log.readEntry(tool)),
    );
    this.log.add("toolroom", "info", `Read ${outline.title} ${outline.version} (${tools.length} operations)`);
    if (omitted > 0) {
      this.log.add("toolroom", "warn", `${omitted} more operations were left out: select some by tag or path`);
    }
    for (const note of notes) this.log.add("toolroom", "warn", note);
    this.#setState({
      ...DISABLED_CONNECTION,
      status: "connected",
      connectedAt: clock.now(),
      protocolVersion: `OpenAPI ${outline.openapi}`,
      peer: { name: outline.title, version: outline.version },
      capabilities: ["tools"],
    });
    if (this.#settings.document.from === "url") this.#schedule(this.#options.refreshMs, () => void this.#refresh());
  }

  /** Reads the document again while its operations stay in use, also where it cannot be read. */
  async #refresh(): Promise<void> {
    if (this.#open === null) return;
    this.#attempt?.abort.abort();
    const abort = new AbortController();
    const attempt = { abort, done: Promise.resolve() };
    this.#attempt = attempt;
    try {
      const open = await this.#read(abort.signal);
      if (!abort.signal.aborted) this.#start(open);
    } catch (error) {
      if (abort.signal.aborted) return;
      const reason = `The document could not be read again, so the operations read before stay in use: ${this.#describe(error).message}`;
      this.log.add("toolroom", "warn", reason);
      this.#setState({ ...this.#state, reason });
      this.#schedule(this.#options.refreshMs, () => void this.#refresh());
    } finally {
      if (this.#attempt === attempt) this.#attempt = null;
    }
  }

  #describe(error: unknown) {
    return describeOtherError(error, (text, maxChars) => this.log.quote(text, maxChars));
  }

  #handleFailure(error: unknown): void {
    const { log } = this;
    const failed = { ...this.#options, server: this.#settings.name, log, history: this.#history };
    const { state, delayMs } = recordFailedAttempt(failed, this.#state, this.#describe(error));
    this.#setState(state);
    if (delayMs !== null) this.#schedule(delayMs, () => void this.#connect());
  }

  #schedule(ms: number, work: () => void): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#closed ? null : setTimeout(work, ms).unref();
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    if (!this.#closed) this.#options.events.onState(this.#settings.name, state);
  }
}
