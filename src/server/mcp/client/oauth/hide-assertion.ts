import type { FetchLike } from "@modelcontextprotocol/client";

/** A `fetch` for the SDK, which prints why an authorization server refused: that may quote the assertion of the request. */
export function hideAssertion(fetchFn: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetchFn(url, init);
    const assertion = init?.body instanceof URLSearchParams ? init.body.get("assertion") : null;
    if (!assertion || response.ok) return response;
    const { status, headers } = response;
    const said = (await response.text()).replaceAll(assertion, "[redacted]");
    return new Response(said, { status, headers: { "content-type": headers.get("content-type") ?? "text/plain" } });
  };
}
