import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { LogLine } from "../../../lib/contract/execution";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import { CallerLeft } from "../../engine/failures";
import type { SentLogMessage } from "../../engine/ports";
import { PROTOCOL_LEVELS } from "../fast-path/call-context";
import type { GatewayLimits } from "./gateway-ports";
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

  /** Drops values that do not increase, which the protocol forbids. */
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

  /** @param sent the message of an MCP server: the client receives its level, logger and data unchanged */
  readonly log = ({ level, message }: LogLine, sent?: SentLogMessage): void => {
    const sentLevel: LoggingLevel | undefined = PROTOCOL_LEVELS.find((known) => known === sent?.level);
    this.listener.ctx?.mcpReq.log(sentLevel ?? LEVELS[level], sent?.data ?? message, sent?.logger).catch(ignore);
  };

  /** Sends delayed progress before the answer. Without a listener it stays delayed. */
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

/** Most clients extend their timeout with each progress notification. */
const PATIENCE_WITH_PROGRESS = 10;
/** Progress has to grow; these steps stay below the progress that the tool reports once it runs. */
const NOTICE_STEP = 1e-6;
/** Messages and code of the SDKs. */
const TIMED_OUT = /tim(?:ed?|ing)[ -]?out|-32001/i;

/** Reports to the client that its call waits for approval, as long as the client listens. */
export class ApprovalWait {
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  /** Asks the user of the client; undefined where the client cannot be asked. */
  ask: ((ended: AbortSignal, gone: AbortSignal) => Promise<void> | undefined) | undefined;
  readonly options: Required<Pick<ExecuteOptions, "approvalWaitMs" | "onWaiting" | "onApproved">>;

  constructor(
    private readonly notices: CallNotices,
    private readonly listener: Listener,
    limits: Pick<GatewayLimits, "approvalWaitMs" | "approvalNoticeMs">,
  ) {
    const hears = listener.ctx?.mcpReq._meta?.progressToken !== undefined;
    this.options = {
      approvalWaitMs: limits.approvalWaitMs * (hears ? PATIENCE_WITH_PROGRESS : 1),
      onWaiting: (_expiresAt, signal) => {
        listener.awaitsApproval = true;
        this.#notify();
        const gone = new AbortController();
        this.#timer = setInterval(() => {
          // A lost connection ends a stateless call, but no call of a session.
          if (listener.ctx?.isCallerGone?.() === true) gone.abort();
          else this.#notify();
        }, limits.approvalNoticeMs).unref();
        return this.ask?.(signal, gone.signal);
      },
      onApproved: () => {
        this.end();
        listener.message = null;
      },
    };
  }

  end(): void {
    this.listener.awaitsApproval = false;
    clearInterval(this.#timer);
  }

  #notify(): void {
    this.notices.progress(this.#sent * NOTICE_STEP, null, "Waiting for approval in Toolroom");
    this.#sent += 1;
  }
}

/**
 * The abort reason for a client's cancel. After a timeout or a lost connection, a call that waits for approval stays in the
 * inbox. In the stateless protocol, closing the connection is the only cancel.
 */
export function abortReason(reason: unknown): unknown {
  const { code, name } = (typeof reason === "object" && reason !== null ? reason : {}) as {
    code?: unknown;
    name?: unknown;
  };
  const left = code === "CONNECTION_CLOSED" || name === "TimeoutError" || TIMED_OUT.test(String(reason));
  return left ? new CallerLeft() : reason;
}
