/** An `interaction` is a server's request for user input; a `change_replay` is named by its server. */
export type CallKind = "execution" | "run" | "suite_run" | "conformance_run" | "change_replay" | "interaction";

export type CallOutcome =
  | { status: "done" }
  /** The call had ended, or never began. */
  | { status: "ended" };

/** Finds, cancels and answers what runs or waits. Registering costs nothing per call. */
export interface CallRegistry {
  /**
   * Registers how the owner of a call handles a command; one handler for each kind.
   * @param carryOut cancels where the payload is null; resolves to false where the call has ended or is unknown
   */
  handle(kind: CallKind, carryOut: (id: string, payload: string | null) => Promise<boolean>): void;
  cancel(kind: CallKind, id: string): Promise<CallOutcome>;
  /** Sends like `cancel`, with a payload for the owner's handler. */
  send(kind: CallKind, id: string, payload: string): Promise<CallOutcome>;
}
