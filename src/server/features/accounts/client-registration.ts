import { isLoopbackName } from "../../../lib/http-guard/host-policy";

const MAX_REDIRECTS = 10;
const MAX_NAME_CHARS = 80;
const MAX_URI_CHARS = 2000;

export type Registration = { body: Record<string, unknown> } | { error: string; description: string };

/**
 * What is registered of a program's request: what it needs to receive a sign-in, and a name to show. Each one is a public
 * client with PKCE, since a secret that anyone can get by registering proves nothing.
 */
export function readRegistration(given: Record<string, unknown>): Registration {
  const { redirect_uris: redirectUris, client_name: name, application_type: type } = given;
  if (!isRedirectList(redirectUris)) {
    return { error: "invalid_redirect_uri", description: `redirect_uris must be a list of 1 to ${MAX_REDIRECTS} URLs` };
  }
  const usesRefresh = Array.isArray(given.grant_types) ? given.grant_types.includes("refresh_token") : true;
  return {
    body: {
      ...(typeof name === "string" && name.trim() !== "" ? { client_name: cleanName(name) } : {}),
      redirect_uris: redirectUris,
      grant_types: ["authorization_code", ...(usesRefresh ? ["refresh_token"] : [])],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      // Clients of the 2025-11-25 protocol do not say that they run on the person's machine.
      application_type: type === "web" || type === "native" ? type : redirectUris.every(isLoopback) ? "native" : "web",
    },
  };
}

function isRedirectList(value: unknown): value is string[] {
  const fits = (uri: unknown): boolean =>
    typeof uri === "string" && uri.length <= MAX_URI_CHARS && URL.canParse(uri) && new URL(uri).hash === "";
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_REDIRECTS && value.every(fits);
}

export function isLoopback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === "http:" && isLoopbackName(hostname.replace(/[[\]]/g, ""));
}

/** One line without control and direction characters: the consent page shows it beside the product's own words. */
function cleanName(name: string): string {
  return name
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS);
}
