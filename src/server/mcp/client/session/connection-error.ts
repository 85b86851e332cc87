import type { ConnectionStatus } from "../../../../lib/contract/connection-state";
import type { ToolFailure } from "../../../engine/failures";

/** Why there is no connection, and the resulting status. The message is for people and says what to do. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  constructor(
    readonly status: Extract<ConnectionStatus, "disconnected" | "failed" | "sign_in_needed">,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server no longer knows the session. */
export class SessionLostError extends Error {
  override readonly name = "SessionLostError";
  /** @param suspected what the server said, where the protocol does not say that it means this, and that the request did not run */
  constructor(readonly suspected: ToolFailure | null = null) {
    super("the server no longer knows this session");
  }
}

/** By name, since an error may come from another bundle. */
export function isSessionLost(error: unknown): error is SessionLostError {
  return (error as { name?: unknown } | null)?.name === "SessionLostError";
}

/** The response to one request is lost or damaged; the connection may still work. */
export class ResponseLostError extends Error {
  override readonly name = "ResponseLostError";
}
