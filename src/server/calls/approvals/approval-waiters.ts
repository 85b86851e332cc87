import type { ApprovalAsk, ApprovalResult } from "../../engine/approvals/approval-ports";
import { isCallerLeft, isServerStopping } from "../../engine/failures";
import type { ApprovalStore, StoredApproval } from "./approval-store";
import { toApprovalResult, withdrawal } from "./approved-call";
import type { HeldArguments } from "./held-arguments";

interface Waiter {
  decided(verdict: ApprovalResult): void;
  /** Called where waiting ended without a decision. */
  ended(reason: unknown): void;
}

export interface ApprovalWaitersPorts {
  find: ApprovalStore["find"];
  held: HeldArguments;
  /** Takes a request back for its caller. False where it was decided before. */
  withdraw: (executionId: string) => Promise<boolean>;
  /** Lets a request stay without its caller. False where it was decided before. */
  detach: (executionId: string) => Promise<boolean>;
  /** Continues a decided call whose caller has left. */
  goOn: (executionId: string) => void;
  /** Called when a request arrived. */
  onChange: () => void;
  onError: (error: unknown, what: string) => void;
}

/** The waiting callers in this process, by execution. */
export class ApprovalWaiters {
  readonly #waiters = new Map<string, Waiter>();

  constructor(private readonly ports: ApprovalWaitersPorts) {}

  get ids(): string[] {
    return [...this.#waiters.keys()];
  }

  get size(): number {
    return this.#waiters.size;
  }

  has(executionId: string): boolean {
    return this.#waiters.has(executionId);
  }

  /**
   * Waits for a user. It listens before `open` is called, so that no decision falls between.
   * @param open gives the request once it is durable
   */
  wait(request: ApprovalAsk, signal: AbortSignal, open: () => Promise<StoredApproval>): Promise<ApprovalResult> {
    const { executionId } = request;
    const { held } = this.ports;
    held.hold(request);
    return new Promise((resolve, reject) => {
      let over = false;
      const end = (): void => {
        over = true;
        signal.removeEventListener("abort", onAbort);
        // A later caller may have replaced this one.
        if (this.#waiters.get(executionId) !== waiter) return;
        this.#waiters.delete(executionId);
      };
      const waiter: Waiter = {
        decided(verdict) {
          end();
          held.drop(executionId);
          resolve(verdict);
        },
        ended(reason) {
          end();
          // A call without its caller is run here later.
          if (!isCallerLeft(reason)) held.drop(executionId);
          reject(reason);
        },
      };
      const onAbort = (): void => void this.#leave(executionId, waiter, signal.reason);
      this.#waiters.set(executionId, waiter);
      open()
        .then((stored) => {
          if (over || settle(stored, waiter, held)) return;
          signal.addEventListener("abort", onAbort, { once: true });
          this.ports.onChange();
          request.opened(stored.expiresAt);
          if (signal.aborted) onAbort();
        })
        .catch(waiter.ended);
    });
  }

  /** Notifies the waiting callers of the current state. No effect while the request is open or without callers. */
  async tell(executionId: string): Promise<void> {
    const waiter = this.#waiters.get(executionId);
    if (waiter !== undefined) await this.#tell(executionId, waiter);
  }

  async #tell(executionId: string, waiter: Waiter): Promise<void> {
    const stored = await this.ports.find(executionId);
    if (stored === null) waiter.ended(withdrawal());
    else settle(stored, waiter, this.ports.held);
  }

  async #leave(executionId: string, waiter: Waiter, reason: unknown): Promise<void> {
    const { withdraw, detach, goOn, onError } = this.ports;
    if (isServerStopping(reason)) return waiter.ended(reason);
    const stays = isCallerLeft(reason);
    let left: boolean;
    try {
      // A user may still decide until the change is durable; that decision then counts.
      left = await (stays ? detach(executionId) : withdraw(executionId));
    } catch {
      return waiter.ended(reason);
    }
    if (stays) {
      waiter.ended(reason);
      if (!left) goOn(executionId);
    } else if (left) waiter.ended(withdrawal());
    // Where that fails the waiter stays and is notified later.
    else await this.#tell(executionId, waiter).catch((error: unknown) => onError(error, "Telling a caller"));
  }
}

/** False where it is open and its call waits. */
function settle(stored: StoredApproval, waiter: Waiter, held: HeldArguments): boolean {
  const verdict = toApprovalResult(stored, held);
  if (verdict !== null) waiter.decided(verdict);
  else if (stored.status !== "open" || !stored.waits) waiter.ended(withdrawal());
  else return false;
  return true;
}
