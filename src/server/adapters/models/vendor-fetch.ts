/** An address answered that something else should be asked, which is not done: keys and conversations would go along. */
export class RedirectError extends Error {
  override readonly name = "RedirectError";
  constructor(
    readonly status: number,
    /** With its port where it is not the usual one; null where none was named. Untrusted. */
    readonly host: string | null,
  ) {
    super("a redirect is not followed");
  }
}

/** `fetch` that stays where it was sent to. @throws RedirectError for any answer of 300 to 399 */
export async function vendorFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  if (response.type !== "opaqueredirect" && (response.status < 300 || response.status > 399)) return response;
  await response.body?.cancel().catch(() => undefined);
  throw new RedirectError(response.status, hostOf(response));
}

function hostOf({ url, headers }: Response): string | null {
  const location = headers.get("location");
  return location ? URL.parse(location, url || undefined)?.host || null : null;
}
