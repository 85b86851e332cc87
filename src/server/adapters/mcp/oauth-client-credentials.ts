import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../lib/contract";
import { CLIENT_NAME, expandClientSetting, refuseOtherIssuer } from "./oauth-client-settings";
import { type CredentialFile, keepTokens } from "./oauth-credentials";

/**
 * Signing in as a program, with a client id and a secret and no person. The secret goes to the authorization server that
 * the MCP server names the first time, and to no other one afterwards.
 */
export function createClientCredentialsProvider(
  settings: Extract<ServerAuth, { type: "client_credentials" }>,
  variables: Readonly<Record<string, string | undefined>>,
  file: CredentialFile,
  now: () => number,
): OAuthClientProvider {
  return {
    redirectUrl: undefined,
    get clientMetadata() {
      return {
        client_name: CLIENT_NAME,
        redirect_uris: [],
        grant_types: ["client_credentials"],
        ...(settings.scope ? { scope: settings.scope } : {}),
      };
    },
    async clientInformation(ctx) {
      if (!settings.clientSecret)
        throw new Error("The OAuth client secret is not set: type it in the server's settings");
      const { issuer } = await file.read();
      refuseOtherIssuer(issuer, ctx?.issuer);
      const stamp = ctx?.issuer ?? issuer;
      return {
        client_id: expandClientSetting("OAuth client id", settings.clientId, variables),
        client_secret: expandClientSetting("OAuth client secret", settings.clientSecret, variables),
        ...(stamp === undefined ? {} : { issuer: stamp }),
      };
    },
    tokens: async () => (await file.read()).tokens,
    saveTokens: (tokens) => file.update((credentials) => keepTokens(credentials, tokens, now())),
    prepareTokenRequest(scope) {
      const params = new URLSearchParams({ grant_type: "client_credentials" });
      // What the client was given is known to who set it; the server's wishes may be more than it may ask for.
      const wanted = settings.scope || scope;
      if (wanted) params.set("scope", wanted);
      return params;
    },
    async invalidateCredentials(scope) {
      if (scope !== "tokens" && scope !== "all") return;
      await file.update((credentials) => {
        delete credentials.tokens;
        delete credentials.tokensExpireAt;
      });
    },
    redirectToAuthorization: noPerson,
    saveCodeVerifier: noPerson,
    codeVerifier: noPerson,
  };
}

function noPerson(): never {
  throw new Error("Client credentials need no sign-in page");
}
