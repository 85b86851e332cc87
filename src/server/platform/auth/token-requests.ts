import { z } from "zod";
import { getMessage } from "../../../lib/get-message";
import type { OutgoingFetch } from "../outgoing/outgoing-fetch";
import { readCappedText } from "../shared/read-capped-text";
import { PROVIDER_MAX_BYTES, PROVIDER_TIMEOUT_MS } from "./remote-keys";

/** Not to be had at the moment; callers know it by its name. */
export class ProviderUnavailable extends Error {
  override name = "ProviderUnavailable";

  constructor(provider: string, cause: unknown) {
    super(`${provider} could not be reached: ${getMessage(cause)}`, { cause });
  }
}

/** A token endpoint answered that it does not do what was asked, or with something else; callers know it by its name. */
export class TokenRefusal extends Error {
  override name = "TokenRefusal";
}

export interface TokenClient {
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
}

const MAX_SAID_CHARS = 300;
/** An endpoint may quote the token that it refused. */
const TOKEN_LIKE = /[\w-]{10,}\.[\w-]{10,}\.[\w-]*|[\w-]{40,}/g;
const errorSchema = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) });

export async function readJson(fetch: OutgoingFetch, url: string, init: RequestInit = {}) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) });
  const body = await readCappedText(response, PROVIDER_MAX_BYTES);
  try {
    return { status: response.status, body: JSON.parse(body) as unknown };
  } catch {
    throw new Error(`${new URL(url).host} answered with status ${response.status} and no JSON`);
  }
}

/**
 * Posts a form as a client (RFC 6749, section 2.3.1).
 * @param methods of the endpoint; basic is what one supports that says nothing
 */
export function postAsClient(
  fetch: OutgoingFetch,
  url: string,
  form: Readonly<Record<string, string>>,
  { clientId, clientSecret }: TokenClient,
  methods: readonly string[] = ["client_secret_basic"],
) {
  const body = new URLSearchParams(form);
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  if (clientSecret !== null && methods.includes("client_secret_basic")) {
    const pair = [clientId, clientSecret].map((part) => encodeURIComponent(part)).join(":");
    headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  } else {
    body.set("client_id", clientId);
    if (clientSecret !== null) body.set("client_secret", clientSecret);
  }
  return readJson(fetch, url, { method: "POST", headers, body: body.toString() });
}

/** The error of a token response, without anything else that the endpoint sent. */
export function describeTokenError(status: number, body: unknown): string {
  const parsed = errorSchema.safeParse(body);
  if (!parsed.success) return `status ${status}`;
  const { error, error_description: said } = parsed.data;
  const text = said === undefined ? error : `${error}: ${said}`;
  return text
    .slice(0, 10 * MAX_SAID_CHARS)
    .replaceAll(TOKEN_LIKE, "[redacted]")
    .slice(0, MAX_SAID_CHARS);
}

/** @throws ProviderUnavailable for a fault of the endpoint, TokenRefusal for another status than 200 */
export async function requireTokens(
  name: string,
  request: Promise<{ status: number; body: unknown }>,
): Promise<unknown> {
  const { status, body } = await request.catch((error: unknown) => {
    throw new ProviderUnavailable(name, error);
  });
  if (status >= 500 || status === 429) throw new ProviderUnavailable(name, new Error(`status ${status}`));
  if (status !== 200) throw new TokenRefusal(describeTokenError(status, body));
  return body;
}
