import type { InstanceInfo } from "./instance-directory";

/** An `interaction` is a server's request for user input. */
export type CallKind = "execution" | "run" | "model_check" | "interaction";

export type CallOutcome =
  | { status: "done" }
  /** It had ended, alone or with the copy that owned it. */
  | { status: "ended" }
  /** The owner lives and did not answer in time; the call may still be running there. */
  | { status: "unreachable"; owner: InstanceInfo };

/** Finds, cancels and answers what any copy of the server is running. Registering costs nothing per call. */
export interface CallRegistry {
  /**
   * What this copy does with what it owns; one handler for each kind.
   * @param carryOut cancels where the payload is null; resolves to false where the call has ended or is unknown here
   */
  handle(kind: CallKind, carryOut: (id: string, payload: string | null) => Promise<boolean>): void;
  /** The copy that a call runs or waits in; null where it has ended or never began. */
  findOwner(kind: CallKind, id: string): Promise<string | null>;
  /** Reaches the owner wherever it is. Waits for at most 5 s until the owner takes the request, then for at most 30 s. */
  cancel(kind: CallKind, id: string): Promise<CallOutcome>;
  /** As `cancel`, with something for the owner's handler. It is stored as it is given: encrypt secrets. */
  send(kind: CallKind, id: string, payload: string): Promise<CallOutcome>;
}
