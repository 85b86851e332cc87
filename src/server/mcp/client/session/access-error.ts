import { OAuthError } from "@modelcontextprotocol/client";
import type { ConnectionError } from "./connection-error";
import { describeHttpError, readErrorTrail } from "./describe-error";
import type { ProtocolSession } from "./protocol-session";

/** The error for a request that lacks a sign-in or a scope; null for any other failure. */
export function toAccessError(thrown: unknown, session: ProtocolSession): ConnectionError | null {
  if (session.channel.kind !== "http") return null;
  const { unauthorized, status, missingScope } = readErrorTrail(thrown);
  const isRefusedGrant = session.channel.errorContext.auth === "cross_app_access" && OAuthError.isInstance(thrown);
  if (!unauthorized && status !== 401 && missingScope === null && !isRefusedGrant) return null;
  return describeHttpError(thrown, session.channel.errorContext);
}

/**
 * Like `toAccessError`, and abandons a session that a user has to fix. A scope that a sign-in asked for and did not get
 * concerns single requests: the session stays.
 */
export function endOnAccessError(thrown: unknown, session: ProtocolSession): ConnectionError | null {
  const accessError = toAccessError(thrown, session);
  if (accessError === null) return null;
  if (accessError.status === "sign_in_needed" || readErrorTrail(thrown).missingScope === null)
    session.abandon(accessError);
  return accessError;
}
