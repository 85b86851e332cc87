import type { ConnectionStatus } from "../../../../lib/contract/connection-state";

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

/** The server no longer knows the session and refused a request without running it. */
export class SessionLostError extends Error {
  override readonly name = "SessionLostError";
  constructor() {
    super("the server no longer knows this session");
  }
}

/** By name, since an error may come from another bundle. */
export function isSessionLost(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === "SessionLostError";
}

/** The response to one request is lost or damaged; the connection may still work. */
export class ResponseLostError extends Error {
  override readonly name = "ResponseLostError";
}
