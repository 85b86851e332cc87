import type { FetchLike } from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";

/** A `Response` with one of these statuses must not have a body. */
const BODILESS: readonly number[] = [204, 205, 304];

/** A `fetch` for the SDK, which prints why an authorization server refused: that may quote the assertion of the request. */
export function hideAssertion(fetchFn: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetchFn(url, init);
    const assertion = getAssertion(init);
    return assertion !== null && (await isRefusal(response)) ? await withoutText(response, assertion) : response;
  };
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

export async function withoutText(response: Response, secret: string): Promise<Response> {
  const { status, headers } = response;
  const kept = { "content-type": headers.get("content-type") ?? "text/plain" };
  const said = (await response.text()).replaceAll(secret, "[redacted]");
  return new Response(BODILESS.includes(status) ? null : said, { status, headers: kept });
}
