import { isSessionForgotten } from "../session/call-failure";
import { getMessage, isUnreachable, readErrorTrail } from "../session/describe-error";
import type { ProtocolSession } from "../session/protocol-session";
import type { ConnectionLimits } from "./connection-limits";

export interface HeartbeatEvents {
  onAlive(pingMs: number): void;
  onDead(reason: string): void;
}

/** One lost ping may be a pause of the server. */
const MAX_FAILURES = 2;

/**
 * Pings a server at intervals. The 2026-07-28 protocol has no ping: there only `check` sends a request, `server/discover`,
 * which every server must support.
 */
export class Heartbeat {
  readonly #session: ProtocolSession;
  readonly #limits: ConnectionLimits;
  readonly #events: HeartbeatEvents;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #pinging = false;
  #stopped = false;

  constructor(session: ProtocolSession, limits: ConnectionLimits, events: HeartbeatEvents) {
    this.#session = session;
    this.#limits = limits;
    this.#events = events;
    this.#schedule(limits.pingEveryMs);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  check(): void {
    void this.#ping();
  }

  #schedule(afterMs: number): void {
    if (this.#stopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#session.modern && this.#failures === 0) return;
    this.#timer = setTimeout(() => void this.#ping(), afterMs);
    this.#timer.unref();
  }

  async #ping(): Promise<void> {
    if (this.#pinging || this.#stopped) return;
    this.#pinging = true;
    const startedAt = performance.now();
    try {
      await this.#sendPing();
      this.#recordSuccess(performance.now() - startedAt);
    } catch (error) {
      this.#recordFailure(error, performance.now() - startedAt);
    } finally {
      this.#pinging = false;
    }
  }

  async #sendPing(): Promise<void> {
    const timeout = this.#limits.pingTimeoutMs;
    if (this.#session.modern) await this.#session.client.discover({ timeout });
    else await this.#session.request("ping", {}, { timeoutMs: timeout });
  }

  #recordSuccess(tookMs: number): void {
    if (this.#stopped) return;
    this.#failures = 0;
    this.#events.onAlive(Math.round(tookMs * 10) / 10);
    this.#schedule(this.#limits.pingEveryMs);
  }

  #recordFailure(error: unknown, tookMs: number): void {
    if (this.#stopped) return;
    // An error response counts as a sign of life too.
    const { status, unauthorized, missingScope } = readErrorTrail(error);
    if (isSessionForgotten(error, this.#session)) {
      this.#events.onDead("it no longer knows the session");
      return;
    }
    if ((error as { name?: unknown }).name === "ProtocolError" || missingScope !== null) {
      this.#recordSuccess(tookMs);
      return;
    }
    const gone = isUnreachable(error) || status === 404 || status === 401 || unauthorized;
    // A single-threaded server may be too busy to respond.
    if (this.#session.calls.size > 0 && !gone) {
      this.#schedule(this.#limits.pingEveryMs);
      return;
    }
    this.#failures += 1;
    if (gone || this.#failures >= MAX_FAILURES) {
      this.#events.onDead(`it no longer answers pings (${getMessage(error)})`);
      return;
    }
    this.#schedule(Math.min(this.#limits.pingEveryMs, this.#limits.pingTimeoutMs));
  }
}
