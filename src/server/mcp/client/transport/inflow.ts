import type { ConnectionLimits } from "../connection/connection-limits";
import type { ServerLog } from "../log/server-log";

/** Each request and notification has work that runs later: after so many of them other work gets a turn. */
const MESSAGES_IN_A_TURN = 50;
/** A request takes more work than a notification, since it is answered. */
const REQUEST_WEIGHT = 5;
const MIN_PAUSE_MS = 20;

const FLOOD = "too many requests and notifications";

export interface FloodedSession {
  log: Pick<ServerLog, "add">;
  /** The running calls, each of which may have messages. */
  calls: { readonly size: number };
  end(reason: string): void;
}

/** Limits how fast the requests and notifications of one connection's server are read. */
export class Inflow {
  #allowance: number;
  #at = performance.now();
  #inThisTurn = 0;
  #floodsSince: number | null = null;

  constructor(
    private readonly limits: ConnectionLimits["inflow"],
    private readonly session: FloodedSession,
  ) {
    this.#allowance = limits.burst;
  }

  readonly count = (isRequest: boolean): void => {
    this.#inThisTurn += 1;
    this.#allowance -= isRequest ? REQUEST_WEIGHT : 1;
  };

  /** A promise that delays the next read; null when the next message may be read at once. */
  readonly pause = (): Promise<void> | null => {
    const { limits, session } = this;
    if (this.#inThisTurn === 0) return null;
    const now = performance.now();
    const perMs = (limits.perSecond + limits.perCall * session.calls.size) / 1000;
    this.#allowance = Math.min(limits.burst, this.#allowance + (now - this.#at) * perMs);
    this.#at = now;
    if (this.#allowance > limits.perSecond) this.#floodsSince = null;
    if (this.#allowance > 0)
      return this.#inThisTurn < MESSAGES_IN_A_TURN ? null : this.#wait((resume) => setImmediate(resume));
    if (this.#floodsSince === null) {
      this.#floodsSince = now;
      session.log.add("toolroom", "warn", `The server sends ${FLOOD}: its messages are read more slowly`);
    } else if (now - this.#floodsSince > limits.maxFloodMs) {
      session.end(`the server kept sending ${FLOOD}: correct it, then reconnect`);
    }
    const ms = Math.max(MIN_PAUSE_MS, (1 - this.#allowance) / perMs);
    return this.#wait((resume) => setTimeout(resume, ms));
  };

  async #wait(schedule: (resume: () => void) => unknown): Promise<void> {
    await new Promise<void>((resume) => void schedule(resume));
    this.#inThisTurn = 0;
  }
}
