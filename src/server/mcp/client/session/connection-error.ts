import type { ConnectionStatus } from "../../../../lib/contract/connection-state";
import type { ToolFailure } from "../../../engine/failures";

/** Why there is no connection, and the resulting status. The message is for users and says what to do. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  constructor(
    readonly status: Extract<ConnectionStatus, "disconnected" | "failed" | "sign_in_needed">,
    message: string,
    options?: ErrorOptions,
    /** The kind of the calls that fail with it; null for the kind that follows from the status. */
    readonly kind: "rejected" | null = null,
  ) {
    super(message, options);
  }
}

const MAX_CAUSES = 5;

/** The ConnectionError that an error is, or that caused it. */
export function findConnectionError(thrown: unknown): ConnectionError | null {
  let current = thrown;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof ConnectionError) return current;
    current = current.cause;
  }
  return null;
}

/** The server no longer knows the session. */
export class SessionLostError extends Error {
  override readonly name = "SessionLostError";
  /** @param suspected what the server said, where the protocol does not say that it means this, and that the request did not run */
  constructor(readonly suspected: ToolFailure | null = null) {
    super("the server no longer knows this session");
  }
}

/** Compares the name, since an error may come from another bundle. */
export function isSessionLost(error: unknown): error is SessionLostError {
  return (error as { name?: unknown } | null)?.name === "SessionLostError";
}

/** The response to one request is lost or damaged; the connection may still work. */
export class ResponseLostError extends Error {
  override readonly name = "ResponseLostError";
}
