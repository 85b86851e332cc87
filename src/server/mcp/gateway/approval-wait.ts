import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import { CallerLeft } from "../../engine/failures";
import type { CallNotices } from "./call-notices";
import type { GatewayLimits } from "./gateway-ports";
import type { Listener } from "./pending-input";

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
  readonly options: Required<Pick<ExecuteOptions, "approvalWaitMs" | "onWaiting" | "onApproved">>;

  constructor(
    private readonly notices: CallNotices,
    listener: Listener,
    limits: Pick<GatewayLimits, "approvalWaitMs" | "approvalNoticeMs">,
  ) {
    const hears = listener.ctx?.mcpReq._meta?.progressToken !== undefined;
    this.options = {
      approvalWaitMs: limits.approvalWaitMs * (hears ? PATIENCE_WITH_PROGRESS : 1),
      onWaiting: () => {
        this.#notify();
        this.#timer = setInterval(() => this.#notify(), limits.approvalNoticeMs).unref();
      },
      onApproved: () => {
        this.end();
        listener.message = null;
      },
    };
  }

  end(): void {
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
