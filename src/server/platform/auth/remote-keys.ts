import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import type { OutgoingFetch } from "../outgoing/outgoing-fetch";
import { readCappedText } from "../shared/read-capped-text";

/** The limits of what an identity provider sends. */
export const PROVIDER_TIMEOUT_MS = 10_000;
export const PROVIDER_MAX_BYTES = 1024 * 1024;
/** Only asymmetric algorithms: with a shared secret, anyone who knows it could sign. */
export const SIGNING_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

/** The published keys of a provider, read under the address policy, and again when a token names an unknown one. */
export function createRemoteKeys(url: string, fetch: OutgoingFetch): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(url), {
    [customFetch]: async (address, init) => {
      const response = await fetch(address, init as RequestInit);
      return new Response(await readCappedText(response, PROVIDER_MAX_BYTES), { status: response.status });
    },
  });
}

/** A claim whose name has dots, or one inside of others. */
export function readClaim(claims: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Null for a value that is not a text with content. */
export const readClaimText = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 254) : null;
