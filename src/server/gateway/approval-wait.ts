import { CallerLeft } from "../engine/failures";
import type { ExecuteOptions } from "../engine/tool-executor";
import type { CallNotices } from "./call-notices";
import type { GatewayLimits } from "./gateway-ports";
import type { Listener } from "./parked-calls";

/** Progress keeps most clients waiting. */
const PATIENCE_WITH_PROGRESS = 10;
/** Progress has to grow; these steps stay below whatever the tool itself will tell once it runs. */
const NOTICE_STEP = 1e-6;
/** The words of the SDKs, and their code for it. */
const TIMED_OUT = /tim(?:ed?|ing)[ -]?out|-32001/i;

/** One call while it waits for a person: the client hears that it does, for as long as it listens. */
export class ApprovalWait {
  #timer: NodeJS.Timeout | undefined;
  #told = 0;
  readonly options: Required<Pick<ExecuteOptions, "approvalWaitMs" | "onWaiting" | "onApproved">>;

  constructor(
    private readonly notices: CallNotices,
    { ctx }: Listener,
    limits: Pick<GatewayLimits, "approvalWaitMs" | "approvalNoticeMs">,
  ) {
    const hears = ctx?.mcpReq._meta?.progressToken !== undefined;
    this.options = {
      approvalWaitMs: limits.approvalWaitMs * (hears ? PATIENCE_WITH_PROGRESS : 1),
      onWaiting: () => {
        this.#tell();
        this.#timer = setInterval(() => this.#tell(), limits.approvalNoticeMs).unref();
      },
      onApproved: () => this.end(),
    };
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    this.notices.progress(this.#told * NOTICE_STEP, null, "Waiting for approval in Toolroom");
    this.#told += 1;
  }
}

/**
 * What a client's cancel means for a call. One that gave up waiting, or whose connection broke, has not taken its wish
 * back: if that waits for approval, it stays in the inbox. The stateless protocol has no other cancel than to close the
 * connection.
 */
export function abortReason(reason: unknown): unknown {
  const { code, name } = (typeof reason === "object" && reason !== null ? reason : {}) as {
    code?: unknown;
    name?: unknown;
  };
  const left = code === "CONNECTION_CLOSED" || name === "TimeoutError" || TIMED_OUT.test(String(reason));
  return left ? new CallerLeft() : reason;
}
