import type { ConnectionState } from "../../../../lib/contract/connection-state";
import { DISABLED_CONNECTION, NO_CONNECTION } from "../../../../lib/contract/server";
import { ToolFailure } from "../../../engine/failures";
import type { ConnectionSettings, McpConnectionEvents } from "../../../engine/mcp-ports";
import type { Clock, Logger } from "../../../engine/ports";
import type { ServerLog } from "../log/server-log";
import { toAccessError } from "../session/access-error";
import { ConnectionError } from "../session/connection-error";
import { capitalize, describeOtherError, getMessage } from "../session/describe-error";
import { listTools } from "../session/lists";
import type { ProtocolSession } from "../session/protocol-session";
import { readPeer } from "../session/session-peer";
import { sleep, waitUntilAborted } from "../wait";
import { AttemptHistory } from "./attempt-history";
import type { ConnectionLimits } from "./connection-limits";
import type { ConnectionPace } from "./connection-pace";
import { recordFailedAttempt } from "./failed-state";
import { Heartbeat } from "./heartbeat";
import { ToolWatch } from "./tool-watch";

export interface ServerConnectionOptions {
  events: McpConnectionEvents;
  logger: Logger;
  clock: Clock;
  limits: ConnectionLimits;
  log: ServerLog;
  /** A session serves requests from now on; null when it has ended. */
  onSession(session: ProtocolSession | null): void;
  /** The end of an earlier server of the same name, awaited before the first connection. */
  previousCleanup: Promise<void>;
  /** Shared by the servers of a process. */
  pace: ConnectionPace;
  /** @throws ConnectionFault and leaves nothing open */
  open(settings: ConnectionSettings, hooks: SessionHooks, signal: AbortSignal): Promise<ProtocolSession>;
}

export interface SessionHooks {
  onToolsChanged(session: ProtocolSession): void;
  onEnd(session: ProtocolSession, error: ConnectionError): void;
  onSuspectedLoss(session: ProtocolSession): void;
}

interface Attempt {
  done: Promise<void>;
  abort: AbortController;
  /** Aborts once a call or a list waits for the connection: it begins out of turn. */
  awaited: AbortController;
}

/** Keeps one server connected as its settings say: attempts, backoff, health checks, and a clean end. */
export class ServerConnection {
  readonly log: ServerLog;
  readonly #options: ServerConnectionOptions;
  #settings: ConnectionSettings;
  #state: ConnectionState = DISABLED_CONNECTION;
  #session: ProtocolSession | null = null;
  #attempt: Attempt | null = null;
  #timer: NodeJS.Timeout | null = null;
  #heartbeat: Heartbeat | null = null;
  #toolWatch: ToolWatch | null = null;
  /** Resolves when earlier sessions have closed and their processes have ended. */
  #cleanup: Promise<unknown>;
  /** Sessions that accept no new calls and still have running ones. */
  readonly #retired = new Set<ProtocolSession>();
  readonly #history: AttemptHistory;
  /** Why there is no session; null before the first failure and while there is one. */
  #failure: ConnectionError | null = null;
  /** Sessions whose tools changed while they were listed for the first time. */
  readonly #changedWhileOpening = new WeakSet<ProtocolSession>();
  #closed = false;

  constructor(settings: ConnectionSettings, options: ServerConnectionOptions) {
    this.#settings = settings;
    this.#options = options;
    this.log = options.log;
    this.#history = new AttemptHistory(options.limits, () => options.clock.elapsed());
    this.#cleanup = options.previousCleanup;
    if (settings.enabled) void this.#connect();
    else this.#setState({ ...DISABLED_CONNECTION, reason: this.#settings.withheld ?? null });
  }

  get settings(): ConnectionSettings {
    return this.#settings;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** @returns whether the settings changed */
  apply(settings: ConnectionSettings): boolean {
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return false;
    this.#settings = settings;
    this.#restart();
    return true;
  }

  async reconnect(): Promise<ConnectionState> {
    if (!this.#settings.enabled || this.#closed) return this.#state;
    this.#restart();
    return this.ready();
  }

  /** Connects unless the server keeps failing, and waits for the outcome. */
  async ready(signal?: AbortSignal): Promise<ConnectionState> {
    while (!signal?.aborted && !this.#closed) {
      const { status } = this.#state;
      if (status === "disconnected" && this.#attempt === null && !this.#history.canSkipWait) break;
      if (status !== "connecting" && status !== "disconnected") break;
      const done = this.#connect();
      this.#attempt?.awaited.abort();
      await waitUntilAborted(done, signal);
      if (this.#attempt === null) break;
    }
    return this.#state;
  }

  /** @throws ToolFailure that says why there is no session and what to do about it */
  async requireSession(signal?: AbortSignal): Promise<ProtocolSession> {
    if (this.#session === null || this.#state.status !== "connected") await this.ready(signal);
    if (this.#session !== null && this.#state.status === "connected") return this.#session;
    if (signal?.aborted) throw new ToolFailure("cancelled", "The call was cancelled while the server was connecting");
    const needed = this.#state.status === "sign_in_needed" ? "sign_in_needed" : "unavailable";
    const kind = this.#state.status === "failed" ? (this.#failure?.kind ?? needed) : needed;
    const { name } = this.#settings;
    const message =
      kind === "rejected" ? `Server '${name}': ${this.#state.reason}` : describeUnavailable(name, this.#state);
    throw new ToolFailure(kind, message);
  }

  /** Opens a new session at once; running calls on the old one may finish. */
  async replace(session: ProtocolSession, reason: string, signal?: AbortSignal): Promise<void> {
    if (this.#session === session) {
      this.log.add("toolroom", "warn", `${reason}: reconnecting`);
      this.#detach(session);
      this.#retire(session);
      const done = this.#connect();
      this.#attempt?.awaited.abort();
      await waitUntilAborted(done, signal);
    } else await this.ready(signal);
  }

  /** Resolves when all processes have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#disconnect();
    await Promise.all([...this.#retired].map((session) => session.close()));
    await this.#cleanup;
  }

  #retire(session: ProtocolSession): void {
    this.#retired.add(session);
    void session.retire().finally(() => this.#retired.delete(session));
  }

  #restart(): void {
    this.#history.reset();
    this.#disconnect();
    if (this.#settings.enabled) void this.#connect();
    else this.#setState({ ...DISABLED_CONNECTION, reason: this.#settings.withheld ?? null });
  }

  #disconnect(): void {
    this.#stopTimer();
    const session = this.#session;
    if (session !== null) this.#detach(session);
    const attempt = this.#attempt;
    this.#attempt = null;
    attempt?.abort.abort();
    this.#cleanup = Promise.allSettled([this.#cleanup, attempt?.done, session?.close()]);
  }

  #detach(session: ProtocolSession): void {
    if (this.#session === session) this.#session = null;
    this.#options.onSession(null);
    this.#heartbeat?.stop();
    this.#toolWatch?.stop();
    this.#heartbeat = null;
    this.#toolWatch = null;
  }

  #connect(): Promise<void> {
    if (this.#attempt !== null) return this.#attempt.done;
    if (this.#closed) return Promise.resolve();
    this.#stopTimer();
    const abort = new AbortController();
    const connectingSince = this.#options.clock.now();
    this.#setState({
      ...this.#state,
      ...NO_CONNECTION,
      status: "connecting",
      connectingSince,
      reason: null,
      nextAttemptAt: null,
    });
    const attempt: Attempt = { abort, awaited: new AbortController(), done: Promise.resolve() };
    this.#attempt = attempt;
    attempt.done = this.#attemptConnection(attempt).finally(() => {
      if (this.#attempt === attempt) this.#attempt = null;
    });
    return attempt.done;
  }

  async #attemptConnection({ abort: { signal }, awaited }: Attempt): Promise<void> {
    await this.#cleanup;
    const turnMs = this.#options.pace.take(this.#options.clock.elapsed());
    if (turnMs > 0) await sleep(turnMs, AbortSignal.any([signal, awaited.signal]));
    if (this.#history.spacingMs > 0) await sleep(this.#history.spacingMs, signal);
    if (signal.aborted) return;
    this.#history.recordAttempt();
    let session: ProtocolSession | null = null;
    try {
      session = await this.#options.open(this.#settings, this.#createHooks(), signal);
      const tools = await this.#listFirstTools(session, signal);
      if (session.ended || signal.aborted) throw new Error("the session ended");
      this.#start(session, tools);
    } catch (error) {
      const ended = session?.endReason ?? null;
      const failure =
        ended === null
          ? describeOtherError(error, (text, maxChars) => this.log.quote(text, maxChars))
          : new ConnectionError("disconnected", capitalize(ended));
      await session?.close();
      if (!signal.aborted) this.#handleFailure(failure);
    }
  }

  /** The reason of a server that cannot list its tools: it stays connected, and its page shows why. */
  async #listFirstTools(session: ProtocolSession, signal: AbortSignal): Promise<unknown[] | string> {
    // Closing the session ends every request on it.
    const end = (): void => void session.close();
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    try {
      return await listTools(session);
    } catch (error) {
      if (session.ended) throw error;
      const refused = toAccessError(error, session);
      if (refused !== null) throw refused;
      const reason = `The tools could not be listed: ${this.log.quote(getMessage(error), 300)}`;
      this.log.add("toolroom", "error", reason);
      return reason;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  #start(session: ProtocolSession, tools: unknown[] | string): void {
    const { clock, limits, events } = this.#options;
    const { name } = this.#settings;
    this.#session = session;
    this.#failure = null;
    this.#options.onSession(session);
    this.#history.recordSuccess();
    this.#heartbeat = new Heartbeat(session, limits, {
      onAlive: (pingMs) => this.#setState({ ...this.#state, pingMs }),
      onDead: (reason) => session.lose(reason),
    });
    this.#toolWatch = new ToolWatch(session, limits, (changed) => {
      const reason = session.listProblems.get("tools/list") ?? null;
      if (this.#state.reason !== reason) this.#setState({ ...this.#state, reason });
      events.onTools(name, changed);
    });
    if (typeof tools !== "string") events.onTools(name, tools);
    if (this.#changedWhileOpening.has(session)) this.#toolWatch.scheduleRead();
    this.log.add("toolroom", "info", `Connected (protocol ${session.client.getNegotiatedProtocolVersion() ?? "?"})`);
    this.#setState({
      ...DISABLED_CONNECTION,
      ...readPeer(session),
      status: "connected",
      reason: typeof tools === "string" ? tools : (session.listProblems.get("tools/list") ?? null),
      connectedAt: clock.now(),
      pid: session.pid,
    });
  }

  #createHooks(): SessionHooks {
    return {
      onToolsChanged: (session) => {
        if (session === this.#session) this.#toolWatch?.scheduleRead();
        else this.#changedWhileOpening.add(session);
      },
      onEnd: (session, error) => {
        if (session !== this.#session) return;
        this.#detach(session);
        if (session.ended) this.#cleanup = Promise.allSettled([this.#cleanup, session.close()]);
        else this.#retire(session);
        this.#history.recordLoss();
        this.#handleFailure(error);
      },
      onSuspectedLoss: (session) => {
        if (session === this.#session) this.#heartbeat?.check();
      },
    };
  }

  #handleFailure(error: ConnectionError): void {
    const { log } = this;
    this.#failure = error;
    const failed = { ...this.#options, server: this.#settings.name, log, history: this.#history };
    const { state, delayMs } = recordFailedAttempt(failed, this.#state, error);
    this.#setState(state);
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

function describeUnavailable(server: string, { status, reason }: ConnectionState): string {
  if (status === "disabled" && reason !== null) return `Server '${server}' is not connected: ${reason}`;
  if (status === "disabled") return `Server '${server}' is disabled: enable it on its page in the console`;
  if (status === "sign_in_needed") {
    return `Server '${server}' needs a sign-in: open its page in the console and press 'Sign in'`;
  }
  return `Server '${server}' is unavailable: ${reason ?? "it is not connected"}`;
}
