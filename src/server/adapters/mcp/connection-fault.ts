import type { ConnectionStatus } from "../../../lib/contract";

/** Why there is no connection, with what becomes of the server. The message is for people and names the way out. */
export class ConnectionFault extends Error {
  override readonly name = "ConnectionFault";
  constructor(
    readonly status: Extract<ConnectionStatus, "disconnected" | "failed" | "sign_in_needed">,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server does not know our session any more and refused a request without running it. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
  constructor() {
    super("the server no longer knows this session");
  }
}

/** The answer to one request will not come, or came damaged; the connection may go on. */
export class AnswerLost extends Error {
  override readonly name = "AnswerLost";
}
