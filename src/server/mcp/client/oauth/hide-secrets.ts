import type { FetchLike } from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";

/** What proves a client or a user in a token request. */
const SECRETS = ["assertion", "client_assertion", "client_secret", "refresh_token", "code", "code_verifier"];
/** A shorter one is no secret, and would hide words of the answer. */
const MIN_SECRET_CHARS = 8;

/** A `fetch` for the SDK, which prints why an authorization server refused: that may quote the secrets of the request. */
export function hideSecrets(fetchFn: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetchFn(url, init);
    const secrets = listSecrets(init);
    return secrets.length > 0 && (await isRefusal(response)) ? await withoutTexts(response, secrets) : response;
  };
}

function listSecrets(init: RequestInit | undefined): string[] {
  const { body } = init ?? {};
  if (!(body instanceof URLSearchParams)) return [];
  return SECRETS.flatMap((name) => body.get(name) ?? []).filter(({ length }) => length >= MIN_SECRET_CHARS);
}

export function getAssertion(init: RequestInit | undefined): string | null {
  return (init?.body instanceof URLSearchParams && init.body.get("assertion")) || null;
}

/** Some authorization servers refuse with status 200, which the SDK prints as other refusals. */
export async function isRefusal(response: Response): Promise<boolean> {
  if (!response.ok) return true;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return isPlainObject(body) && Object.hasOwn(body, "error") && typeof body.access_token !== "string";
}

export async function withoutTexts(response: Response, secrets: readonly string[]): Promise<Response> {
  const said = await response.clone().text();
  if (!secrets.some((secret) => said.includes(secret))) return response;
  const headers = new Headers(response.headers);
  // They describe the body that was sent.
  for (const name of ["content-length", "content-encoding"]) headers.delete(name);
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), said);
  return new Response(shown, { status: response.status, headers });
}
