import { AsyncLocalStorage } from "node:async_hooks";
import { getOAuthState } from "better-auth/api";
import type { BetterAuthPlugin } from "better-auth/types";
import type {
  IssuedTokens,
  ProvenIdentity,
  SingleSignOnEnd,
  SingleSignOnStart,
} from "../../../lib/contract/proven-identity";
import type { IdentityProvider } from "./identity-provider";

/** The provider's id in the callback's address and in the rows of `Account`. */
export const OIDC = "oidc";

/** One redirect back from the provider, with facts that the library's answer leaves out. */
export interface Attempt {
  admit(identity: ProvenIdentity, start: SingleSignOnStart): Promise<{ id: string; email: string; name: string }>;
  start: SingleSignOnStart | null;
  identity: ProvenIdentity | null;
  tokens: IssuedTokens | null;
  error: unknown;
}

export const attempts = new AsyncLocalStorage<Attempt>();

/**
 * The identity provider as the library sees it: the library makes and checks `state`, the PKCE verifier and the nonce, and
 * opens the session. Who may sign in is decided before, by `admit`: the library finds an account that is linked already.
 * Its own plugin for OpenID Connect uses the global `fetch`, which the address policy does not see.
 */
export function createSingleSignOn(provider: IdentityProvider): BetterAuthPlugin {
  const social = {
    id: OIDC,
    name: provider.name,
    requiresIdTokenNonce: true,
    disableImplicitSignUp: true,
    disableSignUp: true,
    options: { disableSignUp: true, disableIdTokenSignIn: true },
    accountSubject: ({ profile }: { profile: { subject?: string } }) => profile.subject ?? "",
    createAuthorizationURL: (asked: {
      state: string;
      codeVerifier: string;
      idTokenNonce?: string;
      redirectURI: string;
    }) =>
      provider.authorizationUrl({
        state: asked.state,
        codeVerifier: asked.codeVerifier,
        redirectUri: asked.redirectURI,
        nonce: asked.idTokenNonce ?? "",
      }),
    validateAuthorizationCode: async (given: { code: string; codeVerifier?: string; redirectURI: string }) =>
      keepError(async () => {
        const tokens = await provider.exchange(given.code, given.codeVerifier ?? "", given.redirectURI);
        const attempt = attempts.getStore();
        if (attempt !== undefined) attempt.tokens = provider.keepable(tokens);
        return { idToken: tokens.idToken, ...(tokens.accessToken === null ? {} : { accessToken: tokens.accessToken }) };
      }),
    getUserInfo: (tokens: { idToken?: string; accessToken?: string; expectedIdTokenNonce?: string }) =>
      keepError(async () => {
        const attempt = attempts.getStore();
        const nonce = tokens.expectedIdTokenNonce ?? "";
        if (attempt === undefined || tokens.idToken === undefined || nonce === "") return null;
        const { idToken, accessToken = null } = tokens;
        attempt.identity = await provider.identify({ idToken, accessToken }, nonce);
        attempt.start = readStart(await getOAuthState());
        const { email, name } = await attempt.admit(attempt.identity, attempt.start);
        return { user: { email, name, emailVerified: true }, data: { subject: attempt.identity.subject } };
      }),
  };
  return {
    id: "single-sign-on",
    init: (context: { socialProviders: unknown[] }) => ({
      context: { socialProviders: [social, ...context.socialProviders] },
    }),
  } as unknown as BetterAuthPlugin;
}

/** The library answers every failure with a redirect that names a code. */
async function keepError<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    const attempt = attempts.getStore();
    if (attempt !== undefined) attempt.error = error;
    return null;
  }
}

/** The state was written by `start`, from nothing that the browser said but a checked path. */
function readStart(state: unknown): SingleSignOnStart {
  const { returnPath, connectTo } = (state ?? {}) as Partial<Record<keyof SingleSignOnStart, unknown>>;
  return {
    returnPath: typeof returnPath === "string" ? returnPath : "/",
    connectTo: typeof connectTo === "string" ? connectTo : null,
  };
}

export interface SignOnCallOptions {
  identityProvider: IdentityProvider | null;
  publicUrl: string | null;
  /** The name of the session's cookie. */
  cookieName: string;
  handle(request: Request): Promise<Response>;
}

/** The library's requests for single sign-on, with what only we may say in them. */
export function createSignOnCalls({ identityProvider, publicUrl, cookieName, handle }: SignOnCallOptions) {
  const base = `${publicUrl ?? "http://localhost"}/api/auth`;

  return {
    async start(request: Request, begun: SingleSignOnStart): Promise<Response> {
      if (identityProvider === null) throw new Error("Single sign-on is not configured");
      await identityProvider.prepare();
      const headers = new Headers(request.headers);
      headers.set("content-type", "application/json");
      headers.delete("content-length");
      const body = { provider: OIDC, callbackURL: "/", disableRedirect: true, additionalData: begun };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return handle(new Request(`${base}/sign-in/social`, init));
    },

    async finish(request: Request, admit: Attempt["admit"]): Promise<SingleSignOnEnd> {
      const attempt: Attempt = { admit, start: null, identity: null, tokens: null, error: undefined };
      const { search } = new URL(request.url);
      const { headers } = request;
      const response = await attempts.run(attempt, () =>
        handle(new Request(`${base}/callback/${OIDC}${search}`, { headers })),
      );
      const cookies = response.headers.getSetCookie();
      const signedIn = cookies.some((cookie) => cookie.startsWith(`${cookieName}=`) && !/max-age=0/i.test(cookie));
      const { start, identity, tokens, error } = attempt;
      return { response, start, identity, tokens, error, signedIn };
    },
  };
}
