import { createHash, timingSafeEqual } from "node:crypto";
import { sameIssuer } from "../../../../lib/same-issuer";
import { expandVariables } from "../../../../lib/server-settings/expand-variables";

export const CLIENT_NAME = "Toolroom";

/** The document about this Toolroom that authorization servers fetch in place of a registration. */
export interface OwnClientDocument {
  /** Its address, which is the client id. */
  url: string;
  /** The address of the console that it names for answers. */
  redirectUrl: string;
}

/** Client ID Metadata Documents: what is at the address of a document. */
export function describeOwnClient({ url, redirectUrl }: OwnClientDocument) {
  return {
    client_id: url,
    client_name: CLIENT_NAME,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "web",
  };
}

/**
 * Expands the variables in a client id or secret.
 * @throws Error that names the setting and the variables that are not set
 */
export function expandClientSetting(
  setting: string,
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  const expanded = expandVariables(text, variables);
  if (expanded.missing.length === 0) return expanded.text;
  const names = expanded.missing.join(", ");
  throw new Error(`The ${setting} needs the environment variable ${names}: set it and restart Toolroom`);
}

/** The steps for a user where Toolroom cannot register itself. */
export function describeRegistration(redirectUrl: string | undefined, fault: string): string {
  return `The authorization server ${fault}: register an application there with the redirect address ${redirectUrl}, and enter its Client ID under Edit`;
}

/** @throws Error when the server names another authorization server than the one that this client registered with */
export function assertSameIssuer(known: string | undefined, named: string | undefined): void {
  if (known === undefined || named === undefined || sameIssuer(known, named)) return;
  throw new Error(
    `The server now sends us to the authorization server ${named}, formerly ${known}. The client's credentials were not sent there; if this change is expected, sign out and sign in again`,
  );
}

/**
 * The scope to request. Configured scopes replace those that the server merely supports; scopes that the server demanded
 * for this request are added. `offline_access` stays, since without it some authorization servers give no refresh token.
 */
export function chooseScope(
  requested: string | undefined,
  configured: string | undefined,
  supported: readonly string[] | undefined,
): string | undefined {
  if (configured === undefined || configured.trim() === "") return requested;
  const wanted = configured.split(/\s+/).filter(Boolean);
  const requestedScopes = (requested ?? "").split(/\s+/).filter(Boolean);
  const merelySupported =
    supported !== undefined && requestedScopes.every((scope) => scope === OFFLINE || supported.includes(scope));
  const added = merelySupported ? requestedScopes.filter((scope) => scope === OFFLINE) : requestedScopes;
  return [...new Set([...wanted, ...added])].join(" ");
}

const OFFLINE = "offline_access";

/** Leaks no timing information about where the two differ. */
export function equalInConstantTime(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
