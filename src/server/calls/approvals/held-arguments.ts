import type { ApprovalAsk } from "../../engine/approvals/approval-ports";
import { CallArguments } from "../../engine/executor/call-arguments";

interface Held {
  /** The arguments that would run. */
  args: CallArguments;
  /** Replaces the masks in a text by their values. */
  restore: (text: string) => string;
  edited: boolean;
}

/** The clear arguments of calls that wait in this process and whose stored arguments have masks. */
export class HeldArguments {
  readonly #held = new Map<string, Held>();

  hold({ executionId, masked }: ApprovalAsk): void {
    if (masked !== undefined) this.#held.set(executionId, { ...masked, edited: false });
  }

  has(executionId: string): boolean {
    return this.#held.has(executionId);
  }

  /** Arguments as a user edited them, with the values of the masks that were left in them. */
  restore(executionId: string, edited: CallArguments): CallArguments {
    const text = this.#held.get(executionId)?.restore(edited.text);
    return text === undefined || text === edited.text ? edited : CallArguments.parse(text);
  }

  /** Replaces the arguments with which the call will run. */
  replace(executionId: string, args: CallArguments): void {
    const restore = this.#held.get(executionId)?.restore ?? ((text) => text);
    this.#held.set(executionId, { args, restore, edited: true });
  }

  /** Null where the stored arguments are to run. */
  getArguments(executionId: string): CallArguments | null {
    return this.#held.get(executionId)?.args ?? null;
  }

  /** Null when the arguments were not edited in this process. */
  getEdited(executionId: string): CallArguments | null {
    const held = this.#held.get(executionId);
    return held?.edited === true ? held.args : null;
  }

  drop(executionId: string): void {
    this.#held.delete(executionId);
  }
}
