import { isLoopbackName } from "../../../lib/http-guard/host-policy";
import { findRedirectFault, readPrivateScheme } from "./redirect-addresses";

const MAX_REDIRECTS = 10;
const MAX_NAME_CHARS = 80;
/** A placeholder for addresses with a private-use scheme, of which the auth library accepts one form only. */
const PLACEHOLDER = "http://127.0.0.1/";

export type Registration =
  | {
      /** The body of the registration at the auth library. */
      body: Record<string, unknown>;
      /** The addresses of the client. */
      redirectUris: string[];
    }
  | { error: string; description: string };

/**
 * What is registered of a program's request: what it needs to receive a sign-in, and a name to show. Each one is a public
 * client with PKCE, since a secret that anyone can get by registering proves nothing.
 * @param schemes that this installation allows beside the known ones
 */
export function readRegistration(given: Record<string, unknown>, schemes: readonly string[]): Registration {
  const { redirect_uris: redirectUris, client_name: name } = given;
  const fault = findListFault(redirectUris, schemes);
  if (fault !== null) return { error: "invalid_redirect_uri", description: fault };
  const addresses = redirectUris as string[];
  const known = addresses.filter((uri) => readPrivateScheme(uri) === null);
  const usesRefresh = Array.isArray(given.grant_types) ? given.grant_types.includes("refresh_token") : true;
  return {
    redirectUris: addresses,
    body: {
      ...(typeof name === "string" && name.trim() !== "" ? { client_name: cleanName(name) } : {}),
      redirect_uris: known.length === 0 ? [PLACEHOLDER] : known,
      grant_types: ["authorization_code", ...(usesRefresh ? ["refresh_token"] : [])],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      // Programs on the user's machine say nothing, or "web" as a default of their library.
      application_type: isNative(addresses, given.application_type) ? "native" : "web",
    },
  };
}

function isNative(addresses: string[], type: unknown): boolean {
  return type === "native" || addresses.some((uri) => !uri.startsWith("https:"));
}

function findListFault(value: unknown, schemes: readonly string[]): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECTS) {
    return `redirect_uris must be a list of 1 to ${MAX_REDIRECTS} URLs`;
  }
  for (const [index, uri] of value.entries()) {
    const fault = findRedirectFault(uri, schemes);
    if (fault !== null) return `redirect_uris[${index}] ${fault}`;
  }
  return null;
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
