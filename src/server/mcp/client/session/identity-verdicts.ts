import type { OAuthError } from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../../lib/contract/server";
import type { Quote } from "../log/redactor";
import type { ConnectionError } from "./connection-error";

export type Verdict = readonly [status: ConnectionError["status"], message: string, kind?: ConnectionError["kind"]];

const MAX_QUOTED_CHARS = 300;

const isIdentityAuth = (auth: ServerAuth["type"]): boolean => auth === "cross_app_access" || auth === "token_exchange";

/** The identity provider gave a grant, and the server's authorization server refused it. */
export function refusedGrant({ code, message }: OAuthError, quote: Quote): Verdict {
  const said = `${code}: ${quote(message, MAX_QUOTED_CHARS)}`;
  const remedy =
    code === "invalid_client"
      ? "check client id and client secret"
      : "ask its admin to trust the identity provider for this client id and your account";
  const text = `The server's authorization server refused the identity provider's grant (${said}): ${remedy}`;
  return ["failed", text, "rejected"];
}

/** The server refused a token that it was just issued; null for other sign-ins. */
export function refusedUserToken(auth: ServerAuth["type"]): Verdict | null {
  if (!isIdentityAuth(auth)) return null;
  const issued = auth === "token_exchange" ? "of the token exchange" : "of its authorization server";
  const text = `The server refused the token ${issued} (401): ask its admin whether your account has access`;
  return ["failed", text, "rejected"];
}

/** The token of a user lacks a scope; null for other sign-ins. @param named what the server requires */
export function missingUserScope(auth: ServerAuth["type"], named: string): Verdict | null {
  if (!isIdentityAuth(auth)) return null;
  const text = `The server requires ${named} (403), which your account did not get: ask its admin for this access`;
  return ["failed", text, "rejected"];
}
