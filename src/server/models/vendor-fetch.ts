import { DEFAULT_RESPONSE_LIMITS, type ResponseLimits } from "../engine/agent/chat-ports";
import { createOutgoingFetch, type OutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { limitBody } from "./limit-body";
import { parseErrorText, VendorError } from "./vendor-error";

/** An error's body is not read further than this. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The address answered with a redirect. It is not followed: keys and conversations would go along. */
export class RedirectError extends Error {
  override readonly name = "RedirectError";
  constructor(
    readonly status: number,
    /** With its port unless it is the default one; null if the response names none. Untrusted. */
    readonly host: string | null,
  ) {
    super("a redirect is not followed");
  }
}

export type VendorFetch = OutgoingFetch;

/**
 * `fetch` for all vendors: follows no redirects, limits how much is read, and reads error responses of any form.
 * @throws RedirectError for a status of 300 to 399, VendorError for any other that is not 200 to 299
 */
export function createVendorFetch(
  limits: ResponseLimits = DEFAULT_RESPONSE_LIMITS,
  fetch: OutgoingFetch = createOutgoingFetch(),
): VendorFetch {
  return async (input, init) => {
    const response = limitBody(await fetch(input, init), limits);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    if (status >= 300 && status <= 399) {
      await response.body?.cancel().catch(() => undefined);
      throw new RedirectError(status, redirectHost(response));
    }
    throw new VendorError({ ...parseErrorText(await readHead(response), statusText), status, headers });
  };
}

function redirectHost({ url, headers }: Response): string | null {
  const location = headers.get("location");
  return location ? URL.parse(location, url || undefined)?.host || null : null;
}

async function readHead(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString("utf8");
}
