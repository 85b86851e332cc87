import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { LogLine } from "../../../lib/contract/execution";
import type { SentLogMessage } from "../../engine/ports";
import { PROTOCOL_LEVELS } from "../fast-path/call-context";
import type { Listener } from "./pending-input";

const LEVELS = { debug: "debug", info: "info", warn: "warning", error: "error" } as const;
/** After a burst, progress is sent at this interval; only the newest is kept. */
const PROGRESS_EVERY_MS = 50;
const PROGRESS_AT_ONCE = 10;

/** Sends progress and log lines of a call to the request that currently waits for it. */
export class CallNotices {
  #last = Number.NEGATIVE_INFINITY;
  #waiting: Record<string, unknown> | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** When the next notification is due at even intervals. */
  #dueAt = 0;

  constructor(private readonly listener: Listener) {}

  /** Drops values that do not grow, which the protocol forbids. */
  readonly progress = (progress: number, total: number | null, message: string | null): void => {
    if (!(progress > this.#last)) return;
    this.#last = progress;
    this.listener.message = message;
    this.#waiting = { progress, ...(total === null ? {} : { total }), ...(message === null ? {} : { message }) };
    if (this.#timer !== undefined) return;
    const waitMs = this.#dueAt - PROGRESS_AT_ONCE * PROGRESS_EVERY_MS - performance.now();
    if (waitMs <= 0) void this.flush();
    else this.#timer = setTimeout(() => void this.flush(), waitMs).unref();
  };

  /** @param sent what an MCP server sent: the client gets its level, logger and data unchanged */
  readonly log = ({ level, message }: LogLine, sent?: SentLogMessage): void => {
    const sentLevel: LoggingLevel | undefined = PROTOCOL_LEVELS.find((known) => known === sent?.level);
    this.listener.ctx?.mcpReq.log(sentLevel ?? LEVELS[level], sent?.data ?? message, sent?.logger).catch(ignore);
  };

  /** Sends held-back progress before the answer. Without a listener it stays held back. */
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

/** Discards messages for a closed session. */
function ignore(): void {}
