import { messageOf, trailOf, wasNotReached } from "./describe-fault";
import type { ProtocolSession } from "./protocol-session";

export interface HeartbeatLimits {
  pingEveryMs: number;
  pingTimeoutMs: number;
}

export interface HeartbeatEvents {
  /** Milliseconds that the answer took. */
  onBeat(pingMs: number): void;
  onDead(reason: string): void;
}

/** One lost ping may be a pause of the server. */
const FAILURES_TO_DIE = 2;

/**
 * Asks a server now and then whether it is there. The 2026-07-28 protocol has no ping: there only `check` asks, with the
 * request that every server must know.
 */
export class Heartbeat {
  readonly #session: ProtocolSession;
  readonly #limits: HeartbeatLimits;
  readonly #events: HeartbeatEvents;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #beating = false;
  #stopped = false;

  constructor(session: ProtocolSession, limits: HeartbeatLimits, events: HeartbeatEvents) {
    this.#session = session;
    this.#limits = limits;
    this.#events = events;
    this.#schedule(limits.pingEveryMs);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Now, because something happened that makes one doubt. */
  check(): void {
    void this.#beat();
  }

  #schedule(afterMs: number): void {
    if (this.#stopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#session.modern && this.#failures === 0) return;
    this.#timer = setTimeout(() => void this.#beat(), afterMs);
    this.#timer.unref();
  }

  async #beat(): Promise<void> {
    if (this.#beating || this.#stopped) return;
    this.#beating = true;
    const startedAt = performance.now();
    try {
      await this.#ask();
      this.#alive(performance.now() - startedAt);
    } catch (error) {
      this.#missed(error, performance.now() - startedAt);
    } finally {
      this.#beating = false;
    }
  }

  async #ask(): Promise<void> {
    const timeout = this.#limits.pingTimeoutMs;
    if (this.#session.modern) await this.#session.client.discover({ timeout });
    else await this.#session.request("ping", {}, { timeoutMs: timeout });
  }

  #alive(tookMs: number): void {
    if (this.#stopped) return;
    this.#failures = 0;
    this.#events.onBeat(Math.round(tookMs * 10) / 10);
    this.#schedule(this.#limits.pingEveryMs);
  }

  #missed(error: unknown, tookMs: number): void {
    if (this.#stopped) return;
    // Whatever it answers, it answers.
    if ((error as { name?: unknown }).name === "ProtocolError") {
      this.#alive(tookMs);
      return;
    }
    const { status, unauthorized } = trailOf(error);
    const gone = wasNotReached(error) || status === 404 || status === 401 || unauthorized;
    // A server with one thread may be too busy to answer.
    if (this.#session.calls.size > 0 && !gone) {
      this.#schedule(this.#limits.pingEveryMs);
      return;
    }
    this.#failures += 1;
    if (gone || this.#failures >= FAILURES_TO_DIE) {
      this.#events.onDead(`it no longer answers pings (${messageOf(error)})`);
      return;
    }
    this.#schedule(Math.min(this.#limits.pingEveryMs, this.#limits.pingTimeoutMs));
  }
}
