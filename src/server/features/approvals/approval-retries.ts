import type { Logger } from "../../engine/ports";

export interface ApprovalRetriesPorts {
  everyMs: number;
  withdraw: (executionId: string) => Promise<boolean>;
  detach: (executionId: string) => Promise<boolean>;
  /** Continues a decided call in the background. */
  deliver: (executionId: string) => void;
  /** Resolves the callers that wait here. */
  noteChanges: () => Promise<void>;
  logger: Logger;
}

/** Repeats what failed to persist about approvals, for as long as this process lives. */
export class ApprovalRetries {
  readonly #unwithdrawn = new Set<string>();
  readonly #undetached = new Set<string>();
  readonly #undelivered = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #isWorking = false;
  #isStopped = false;

  constructor(private readonly ports: ApprovalRetriesPorts) {}

  /** Its caller withdrew it, which the database does not know yet. */
  isWithdrawn(executionId: string): boolean {
    return this.#unwithdrawn.has(executionId);
  }

  /** The withdrawal was written another way. */
  forgetWithdrawal(executionId: string): void {
    this.#unwithdrawn.delete(executionId);
  }

  withdraw(executionId: string): Promise<boolean> {
    return this.#tryOrRepeat(this.#unwithdrawn, executionId, this.ports.withdraw);
  }

  detach(executionId: string): Promise<boolean> {
    return this.#tryOrRepeat(this.#undetached, executionId, this.ports.detach);
  }

  deliverLater(executionId: string): void {
    this.#undelivered.add(executionId);
    this.#start();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #tryOrRepeat(
    failed: Set<string>,
    executionId: string,
    write: (executionId: string) => Promise<boolean>,
  ): Promise<boolean> {
    try {
      return await write(executionId);
    } catch (error) {
      failed.add(executionId);
      this.#start();
      throw error;
    }
  }

  #start(): void {
    const failures = this.#unwithdrawn.size + this.#undetached.size + this.#undelivered.size;
    if (failures === 0 || this.#timer !== null || this.#isWorking || this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#repeat(), this.ports.everyMs).unref();
  }

  async #repeat(): Promise<void> {
    const { withdraw, detach, deliver, noteChanges, logger } = this.ports;
    this.#timer = null;
    this.#isWorking = true;
    try {
      for (const executionId of [...this.#unwithdrawn]) {
        await withdraw(executionId);
        this.#unwithdrawn.delete(executionId);
      }
      for (const executionId of [...this.#undetached]) {
        if (!(await detach(executionId))) this.#undelivered.add(executionId);
        this.#undetached.delete(executionId);
      }
      await noteChanges();
    } catch (error) {
      logger.warn({ err: error }, "Changes of approvals could not be written; retrying");
    }
    for (const executionId of [...this.#undelivered]) {
      this.#undelivered.delete(executionId);
      deliver(executionId);
    }
    this.#isWorking = false;
    this.#start();
  }
}
