import type { ConnectionState } from "../../../lib/contract";
import { DISABLED_CONNECTION, NO_CONNECTION } from "../../../lib/contract/server";
import { ToolFailure } from "../../engine/failures";
import type { ConnectionSettings, McpConnectionEvents } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import { AttemptHistory } from "./attempt-history";
import { ConnectionFault } from "./connection-fault";
import type { ConnectionLimits } from "./connection-limits";
import { whyNotConnected } from "./connection-states";
import { describeOtherFault, messageOf } from "./describe-fault";
import { Heartbeat } from "./heartbeat";
import { listTools } from "./lists";
import { capitalized, type ProtocolSession } from "./protocol-session";
import type { ServerLog } from "./server-log";
import { peerOf } from "./session-peer";
import { ToolWatch } from "./tool-watch";
import { sleep, waitUntilAborted } from "./wait";

export interface ServerConnectionOptions {
  events: McpConnectionEvents;
  logger: Logger;
  clock: Clock;
  limits: ConnectionLimits;
  log: ServerLog;
  /** What has to be gone before the first connection. */
  before: Promise<void>;
  /** @throws ConnectionFault, with nothing left behind */
  open(settings: ConnectionSettings, hooks: SessionHooks, signal: AbortSignal): Promise<ProtocolSession>;
}

export interface SessionHooks {
  onToolsChanged(session: ProtocolSession): void;
  onEnd(session: ProtocolSession, fault: ConnectionFault): void;
  onDoubt(session: ProtocolSession): void;
}

const MAX_REASON_CHARS = 5000;

/** Keeps one server connected as its settings say: attempts, waiting times, health, and an end without remains. */
export class ServerConnection {
  readonly log: ServerLog;
  readonly #options: ServerConnectionOptions;
  #settings: ConnectionSettings;
  #state: ConnectionState = DISABLED_CONNECTION;
  #session: ProtocolSession | null = null;
  #attempt: { done: Promise<void>; abort: AbortController } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #beat: Heartbeat | null = null;
  #watch: ToolWatch | null = null;
  /** Resolves when everything of earlier lives is gone. */
  #ending: Promise<unknown> = Promise.resolve();
  /** Sessions that only end their last calls. */
  readonly #retired = new Set<ProtocolSession>();
  readonly #history: AttemptHistory;
  /** Their tools changed while they were read for the first time. */
  readonly #changedEarly = new WeakSet<ProtocolSession>();
  #closed = false;

  constructor(settings: ConnectionSettings, options: ServerConnectionOptions) {
    this.#settings = settings;
    this.#options = options;
    this.log = options.log;
    this.#history = new AttemptHistory(options.limits, () => options.clock.elapsed());
    this.#ending = options.before;
    if (settings.enabled) void this.#connect();
    else this.#setState({ ...DISABLED_CONNECTION });
  }

  get settings(): ConnectionSettings {
    return this.#settings;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  apply(settings: ConnectionSettings): void {
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return;
    this.#settings = settings;
    this.#startAnew();
  }

  async reconnect(): Promise<ConnectionState> {
    if (!this.#settings.enabled || this.#closed) return this.#state;
    this.#startAnew();
    return this.ready();
  }

  /** Connects where that makes sense now, and waits for what comes of it. */
  async ready(signal?: AbortSignal): Promise<ConnectionState> {
    while (!signal?.aborted && !this.#closed) {
      const { status } = this.#state;
      if (status === "disconnected" && this.#attempt === null && !this.#history.mayHurry) break;
      if (status !== "connecting" && status !== "disconnected") break;
      await waitUntilAborted(this.#connect(), signal);
      if (this.#attempt === null) break;
    }
    return this.#state;
  }

  /** @throws ToolFailure that says why there is no session and what to do about it */
  async requireSession(signal?: AbortSignal): Promise<ProtocolSession> {
    if (this.#session !== null && this.#state.status === "connected") return this.#session;
    await this.ready(signal);
    if (this.#session !== null && this.#state.status === "connected") return this.#session;
    if (signal?.aborted) throw new ToolFailure("cancelled", "The call was given up while the server was connecting");
    throw new ToolFailure("unavailable", whyNotConnected(this.#settings.name, this.#state));
  }

  /** The server forgot this session: the next one is opened at once, while calls on the old one come to their end. */
  async replace(session: ProtocolSession, signal?: AbortSignal): Promise<void> {
    if (this.#session === session) {
      this.log.add("toolroom", "warn", "The server no longer knows the session: connecting anew");
      this.#leave(session);
      this.#retire(session);
      await waitUntilAborted(this.#connect(), signal);
    } else await this.ready(signal);
  }

  /** Ends everything; resolves when no process is left. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#drop();
    await Promise.all([...this.#retired].map((session) => session.close()));
    await this.#ending;
  }

  #retire(session: ProtocolSession): void {
    this.#retired.add(session);
    void session.retire().finally(() => this.#retired.delete(session));
  }

  #startAnew(): void {
    this.#history.forget();
    this.#drop();
    if (this.#settings.enabled) void this.#connect();
    else this.#setState({ ...DISABLED_CONNECTION });
  }

  #drop(): void {
    this.#stopTimer();
    const session = this.#session;
    if (session !== null) this.#leave(session);
    const attempt = this.#attempt;
    this.#attempt = null;
    attempt?.abort.abort();
    this.#ending = Promise.allSettled([this.#ending, attempt?.done, session?.close()]);
  }

  #leave(session: ProtocolSession): void {
    if (this.#session === session) this.#session = null;
    this.#beat?.stop();
    this.#watch?.stop();
    this.#beat = null;
    this.#watch = null;
  }

  #connect(): Promise<void> {
    if (this.#attempt !== null) return this.#attempt.done;
    if (this.#closed) return Promise.resolve();
    this.#stopTimer();
    const abort = new AbortController();
    this.#setState({ ...this.#state, ...NO_CONNECTION, status: "connecting", reason: null, nextAttemptAt: null });
    const attempt = { abort, done: Promise.resolve() };
    this.#attempt = attempt;
    attempt.done = this.#try(abort.signal).finally(() => {
      if (this.#attempt === attempt) this.#attempt = null;
    });
    return attempt.done;
  }

  async #try(signal: AbortSignal): Promise<void> {
    await this.#ending;
    if (this.#history.spacingMs > 0) await sleep(this.#history.spacingMs, signal);
    if (signal.aborted) return;
    this.#history.attempt();
    let session: ProtocolSession | null = null;
    try {
      session = await this.#options.open(this.#settings, this.#hooks(), signal);
      const tools = await this.#firstTools(session, signal);
      if (session.ended || signal.aborted) throw new Error("the session ended");
      this.#begin(session, tools);
    } catch (error) {
      const ended = session?.endMessage ?? null;
      const fault =
        ended === null
          ? describeOtherFault(error, (text, maxChars) => this.log.quote(text, maxChars))
          : new ConnectionFault("disconnected", capitalized(ended));
      await session?.close();
      if (!signal.aborted) this.#failed(fault);
    }
  }

  /** A server that cannot say what tools it has is connected all the same: its page shows why. */
  async #firstTools(session: ProtocolSession, signal: AbortSignal): Promise<unknown[] | null> {
    // Nobody else knows of this session yet; closing it ends every request on it.
    const end = (): void => void session.close();
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    try {
      return await listTools(session);
    } catch (error) {
      if (session.ended) throw error;
      this.log.add("toolroom", "error", `The tools could not be listed: ${messageOf(error)}`);
      return null;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  #begin(session: ProtocolSession, tools: unknown[] | null): void {
    const { clock, limits, events } = this.#options;
    const { name } = this.#settings;
    this.#session = session;
    this.#history.connected();
    this.#beat = new Heartbeat(session, limits, {
      onBeat: (pingMs) => this.#setState({ ...this.#state, pingMs }),
      onDead: (reason) => session.lose(reason),
    });
    this.#watch = new ToolWatch(session, limits, (changed) => events.onTools(name, changed));
    if (tools !== null) events.onTools(name, tools);
    if (this.#changedEarly.has(session)) this.#watch.changed();
    this.log.add("toolroom", "info", `Connected (protocol ${session.client.getNegotiatedProtocolVersion() ?? "?"})`);
    this.#setState({
      ...DISABLED_CONNECTION,
      ...peerOf(session),
      status: "connected",
      connectedAt: clock.now(),
      pid: session.pid,
    });
  }

  #hooks(): SessionHooks {
    return {
      onToolsChanged: (session) => {
        if (session === this.#session) this.#watch?.changed();
        else this.#changedEarly.add(session);
      },
      onEnd: (session, fault) => {
        if (session !== this.#session) return;
        this.#leave(session);
        if (session.ended) this.#ending = Promise.allSettled([this.#ending, session.close()]);
        else this.#retire(session);
        this.#history.lost();
        this.#failed(fault);
      },
      onDoubt: (session) => {
        if (session === this.#session) this.#beat?.check();
      },
    };
  }

  #failed(fault: ConnectionFault): void {
    const { clock, logger } = this.#options;
    const reason = this.log.quote(fault.message, MAX_REASON_CHARS);
    const waitMs = this.#history.failed();
    const delayMs = fault.status === "disconnected" ? waitMs : null;
    this.log.add("toolroom", "error", reason);
    logger.warn({ server: this.#settings.name, status: fault.status, nextAttemptInMs: delayMs }, reason);
    this.#setState({
      ...this.#state,
      ...NO_CONNECTION,
      status: fault.status,
      reason,
      attempts: this.#history.attempts,
      nextAttemptAt: delayMs === null ? null : clock.now() + delayMs,
    });
    if (delayMs === null || this.#closed) return;
    this.#stopTimer();
    this.#timer = setTimeout(() => void this.#connect(), delayMs);
    this.#timer.unref();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    if (!this.#closed) this.#options.events.onState(this.#settings.name, state);
  }
}
