import type { FiredLimit } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { DEFAULT_RESPONSE_LIMITS } from "../agent/chat-ports";
import type { ExecutionLimits } from "../ports";

export const DEFAULT_LIMITS: Readonly<ExecutionLimits> = {
  timeoutMs: 30_000,
  slowMs: 1000,
  maxStoredBytes: 1_048_576,
  maxModelChars: 20_000,
  maxArgumentDepth: 64,
  ...DEFAULT_RESPONSE_LIMITS,
};

/** Node's timers fire at once past this: 2^31 − 1 ms, 24.8 days. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** The time limit of one call and where it was set. */
export interface CallTimeout {
  timeoutMs: number;
  setBy: FiredLimit["setBy"];
}

/** @throws RangeError for a value that is not a positive number */
export function getTimeout(
  definition: ToolDefinition,
  callTimeoutMs: number | undefined,
  limits: Pick<ExecutionLimits, "timeoutMs">,
): CallTimeout {
  const setBy = callTimeoutMs !== undefined ? "call" : definition.timeout_ms !== undefined ? "tool" : "global";
  const timeoutMs = callTimeoutMs ?? definition.timeout_ms ?? limits.timeoutMs;
  if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs must be a positive number of milliseconds, got ${timeoutMs}`);
  return { timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT_MS), setBy };
}

/** `1500` → `1.5 s (1500 ms)`, `250` → `250 ms`. */
export function spokenDuration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(2))} s (${ms} ms)`;
}

/**
 * The time limit of one run. It is paused while the tool waits for a user, and each progress report restarts it, up to a
 * total.
 */
export class CallLimit {
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #elapsed: () => number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #expire: (() => void) | null = null;
  #holds = 0;
  /** Milliseconds that the limit was paused; they do not count against the total. */
  #heldMs = 0;
  #heldSince = 0;

  /** @param maxTotalMs how long progress can keep the run alive; null where it cannot */
  constructor(timeoutMs: number, maxTotalMs: number | null, elapsed: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#elapsed = elapsed;
    this.#endsAt = maxTotalMs === null ? 0 : elapsed() + maxTotalMs;
  }

  start(expire: () => void): void {
    this.#expire = expire;
    if (this.#holds === 0) this.#arm(this.#timeoutMs);
  }

  stop(): void {
    this.#expire = null;
    this.#disarm();
  }

  /** Restarts the limit after a progress report. */
  extend(): void {
    if (this.#timer === null || this.#endsAt === 0) return;
    const left = this.#endsAt + this.#heldMs - this.#elapsed();
    this.#arm(Math.max(1, Math.min(this.#timeoutMs, left)));
  }

  /** Pauses until the returned function is called; further calls of it do nothing. */
  hold(): () => void {
    this.#holds += 1;
    if (this.#holds === 1) {
      this.#heldSince = this.#elapsed();
      this.#disarm();
    }
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      if (this.#holds > 0) return;
      this.#heldMs += this.#elapsed() - this.#heldSince;
      if (this.#expire !== null) this.#arm(this.#timeoutMs);
    };
  }

  /** Milliseconds that the run has waited for a user. */
  get heldMs(): number {
    return this.#heldMs + (this.#holds > 0 ? this.#elapsed() - this.#heldSince : 0);
  }

  #arm(ms: number): void {
    this.#disarm();
    this.#timer = setTimeout(() => this.#expire?.(), ms);
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
