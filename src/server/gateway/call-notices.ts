import type { LogLine } from "../../lib/contract";
import type { Listener } from "./parked-calls";

const LEVELS = { debug: "debug", info: "info", warn: "warning", error: "error" } as const;
/** Past a few at once, progress is told so often; what comes between gives way to the newest. */
const PROGRESS_EVERY_MS = 50;
const PROGRESS_AT_ONCE = 10;

/** What a call tells the request that waits for it now. */
export class CallNotices {
  #last = Number.NEGATIVE_INFINITY;
  #waiting: Record<string, unknown> | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** When the next would be due, had they come evenly. */
  #dueAt = 0;

  constructor(private readonly listener: Listener) {}

  /** It only ever grows, as the protocol wants it. */
  readonly progress = (progress: number, total: number | null, message: string | null): void => {
    if (!(progress > this.#last)) return;
    this.#last = progress;
    this.#waiting = { progress, ...(total === null ? {} : { total }), ...(message === null ? {} : { message }) };
    if (this.#timer !== undefined) return;
    const waitMs = this.#dueAt - PROGRESS_AT_ONCE * PROGRESS_EVERY_MS - performance.now();
    if (waitMs <= 0) void this.flush();
    else this.#timer = setTimeout(() => void this.flush(), waitMs).unref();
  };

  readonly log = ({ level, message }: LogLine): void => {
    this.listener.ctx?.mcpReq.log(LEVELS[level], message).catch(ignore);
  };

  /** Tells the progress that still waits, before the answer goes out. While nobody listens it goes on waiting. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { ctx } = this.listener;
    const progressToken = ctx?.mcpReq._meta?.progressToken;
    if (this.#waiting === null || ctx === null || progressToken === undefined) return;
    const params = { progressToken, ...this.#waiting } as never;
    this.#waiting = null;
    this.#dueAt = Math.max(performance.now(), this.#dueAt) + PROGRESS_EVERY_MS;
    await ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(ignore);
  }
}

/** The client went away: what was for it is for nobody. */
function ignore(): void {}
