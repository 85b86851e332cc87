import { fetchOwn, findForeignAnswer } from "@/app/_ui/foreign-answer";
import { toAddress } from "@/lib/base-path";
import type { LinkPreview, LinkUse } from "@/lib/contract/account";
import type { Problem } from "@/lib/contract/problem";

/** Why the server refused, for a form. */
export interface AuthRefusal {
  message: string;
  problems: readonly Problem[];
  /** Seconds until another try is answered; null where it need not wait. */
  retryAfter: number | null;
  /** True when the requested thing does not or no longer exist, such as a link that was used. */
  gone: boolean;
}

type AuthAnswer<T> = { body: T } | { refusal: AuthRefusal };

const UNREACHABLE: AuthRefusal = {
  message: "The server could not be reached. Check the connection and try again.",
  problems: [],
  retryAfter: null,
  gone: false,
};

/** A proxy's own answer says more than that there was none. */
function findMessage(error: unknown): Partial<AuthRefusal> {
  const foreign = findForeignAnswer(error);
  return foreign === null ? {} : { message: foreign.message };
}

/** Sends with `fetch`, since the pages of users who are not signed in have no tRPC client. */
async function postAuth<T>(path: string, body: object): Promise<AuthAnswer<T>> {
  const response = await fetchOwn(toAddress(`/api/auth/${path}`), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch((error: unknown) => ({ ...UNREACHABLE, ...findMessage(error) }));
  if (!("status" in response)) return { refusal: response };
  if (!response.ok) return { refusal: await readRefusal(response) };
  return { body: (response.status === 204 ? null : await response.json()) as T };
}

/** The form of Toolroom's own refusals, or of RFC 6749. */
interface RefusalBody {
  error?: { message?: string | undefined; problems?: Problem[] } | string;
  error_description?: string;
}

async function readRefusal(response: Response): Promise<AuthRefusal> {
  const body = (await response.json().catch(() => ({}))) as RefusalBody;
  const error = typeof body.error === "object" ? body.error : { message: body.error_description };
  const wait = Number(response.headers.get("retry-after"));
  return {
    message: error.message ?? `The server answered with status ${response.status}`,
    problems: error.problems ?? [],
    retryAfter: response.status === 429 && wait > 0 ? wait : null,
    gone: response.status === 404,
  };
}

export interface Credentials {
  email: string;
  password: string;
  /** Keeps the session after the browser closes. */
  rememberMe: boolean;
}

export const signIn = (credentials: Credentials): Promise<AuthAnswer<null>> => postAuth("sign-in/email", credentials);

/** @param given where to go afterwards, or that the signed-in user connects an identity. @returns the provider's address */
export const startSingleSignOn = (
  given: { to: string } | { connect: true; to?: string },
): Promise<AuthAnswer<{ url: string }>> => postAuth("sign-in/sso", given);

export const signOut = (): Promise<AuthAnswer<unknown>> => postAuth("sign-out", {});

export const previewLink = (token: string): Promise<AuthAnswer<LinkPreview>> => postAuth("link", { token });

export const redeemLink = (token: string, use: LinkUse): Promise<AuthAnswer<{ email: string; signedIn: boolean }>> =>
  postAuth("link/use", { token, ...use });

interface ConsentDecision {
  accept: boolean;
  /** The requested scopes that are allowed. */
  scopes: readonly string[];
  /** The query of the consent page, as the server signed it. */
  oauth_query: string;
}

/** @returns the address of the program that asked */
export const decideConsent = (decision: ConsentDecision): Promise<AuthAnswer<{ url: string }>> =>
  postAuth("oauth2/consent", decision);
