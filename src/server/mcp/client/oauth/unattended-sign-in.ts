import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { chooseResource } from "./lenient-metadata";
import { assertSameIssuer } from "./oauth-client-settings";
import { type CredentialFile, storeTokens } from "./oauth-credentials";

interface UnattendedOptions {
  file: CredentialFile;
  now(): number;
  /** The way to sign in, as the subject of an error, such as `Client credentials need`. */
  subject: string;
}

/** The part of the SDK's provider that every sign-in without a user has. */
export function createUnattendedParts({ file, now, subject }: UnattendedOptions) {
  const rejectInteractive = (): never => {
    throw new Error(`${subject} no sign-in page`);
  };
  return {
    redirectUrl: undefined,
    validateResourceURL: async (server, named) => chooseResource(server, named),
    tokens: async () => (await file.read()).tokens,
    saveTokens: (tokens) => file.update((credentials) => storeTokens(credentials, tokens, now())),
    async invalidateCredentials(scope) {
      if (scope !== "tokens" && scope !== "all") return;
      await file.update((credentials) => {
        delete credentials.tokens;
        delete credentials.tokensExpireAt;
      });
    },
    redirectToAuthorization: rejectInteractive,
    saveCodeVerifier: rejectInteractive,
    codeVerifier: rejectInteractive,
  } satisfies Partial<OAuthClientProvider>;
}

/**
 * The authorization server that credentials are for: the one that the MCP server names now, else the one that it named first.
 * @throws Error where these two differ
 */
export async function findIssuer(file: CredentialFile, named: string | undefined): Promise<string | undefined> {
  const { issuer } = await file.read();
  assertSameIssuer(issuer, named);
  return named ?? issuer;
}

/** Adds the scopes to a token request. Configured ones win: the server may demand scopes that this client must not request. */
export function withScope(params: URLSearchParams, configured: string | undefined, demanded?: string): URLSearchParams {
  const wanted = configured || demanded;
  if (wanted) params.set("scope", wanted);
  return params;
}
