import {
  type AuthProvider,
  CrossAppAccessProvider,
  type OAuthClientInformationContext,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../../lib/contract/server";
import { ToolFailure } from "../../../engine/failures";
import type { GrantRequest, TokenExchange, UserIdentity } from "../../../engine/mcp-ports";
import { ConnectionError } from "../session/connection-error";
import { chooseResource } from "./lenient-metadata";
import { assertSameIssuer, CLIENT_NAME, expandClientSetting } from "./oauth-client-settings";
import { type CredentialFile, storeTokens } from "./oauth-credentials";

type Variables = Readonly<Record<string, string | undefined>>;
type SettingsOf<Type extends ServerAuth["type"]> = Extract<ServerAuth, { type: Type }>;

interface IdentityOptions {
  server: string;
  variables: Variables;
  /** Absent for a connection that runs for no user. */
  identity?: UserIdentity | undefined;
}

/** A refusal as a connection reports it: a call that it ends was rejected, and one that lacks a sign-in can be repeated. */
async function asConnectionError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { name, reason, message } = error as { name?: unknown; reason?: unknown; message: string };
    if (name !== "IdentityRefusal") throw error;
    if (reason === "missing") throw new ConnectionError("sign_in_needed", message, { cause: error });
    if (reason === "unavailable") throw new ConnectionError("disconnected", message, { cause: error });
    throw new ConnectionError("failed", message, { cause: error }, "rejected");
  }
}

function requireIdentity({ identity, server }: IdentityOptions): UserIdentity {
  if (identity !== undefined) return identity;
  throw new ConnectionError(
    "failed",
    `Server '${server}' signs in as the user of each call, and this connection is no user's`,
  );
}

/** Optional where the client is public. */
function readSecret(settings: { clientSecret?: string | null | undefined }, variables: Variables): string | null {
  return settings.clientSecret ? expandClientSetting("OAuth client secret", settings.clientSecret, variables) : null;
}

/**
 * The SDK's provider of cross-app access, with tokens that are stored as a user's other sign-ins are, and the client's
 * secret only sent to the authorization server that received it first.
 */
export function createCrossAppProvider(
  settings: SettingsOf<"cross_app_access">,
  options: IdentityOptions & { file: CredentialFile; now: () => number },
): OAuthClientProvider {
  const { server, variables, file, now } = options;
  const clientId = (): string => expandClientSetting("OAuth client id", settings.clientId, variables);
  let hadTokens = false;
  const clearTokens = (): Promise<void> =>
    file.update((credentials) => {
      delete credentials.tokens;
      delete credentials.tokensExpireAt;
    });
  const provider = new CrossAppAccessProvider({
    clientId: settings.clientId,
    clientSecret: "",
    clientName: CLIENT_NAME,
    // Unused: `clientInformation` below compares the issuers.
    expectedIssuer: settings.acceptedIssuer || CLIENT_NAME,
    assertion: ({ authorizationServerUrl: audience, resourceUrl: resource, scope }) => {
      const request: GrantRequest = { server, audience, resource, scope };
      return asConnectionError(() => requireIdentity(options).requestGrant(request));
    },
  });
  return Object.assign(provider, {
    async clientInformation(context?: OAuthClientInformationContext) {
      const { issuer } = await file.read();
      assertSameIssuer(issuer, context?.issuer);
      const stamp = context?.issuer ?? issuer;
      const secret = readSecret(settings, variables);
      return {
        client_id: clientId(),
        ...(secret === null ? {} : { client_secret: secret }),
        ...(stamp === undefined ? {} : { issuer: stamp }),
      };
    },
    validateResourceURL: async (address: string | URL, named?: string) => chooseResource(address, named),
    async tokens() {
      const { tokens } = await file.read();
      // Without its token a request would run as no user, where the server lets anyone call its tools.
      if (hadTokens && tokens === undefined) {
        throw new ConnectionError("sign_in_needed", `Sign in to Toolroom with single sign-on to use '${server}'`);
      }
      hadTokens ||= tokens !== undefined;
      return tokens;
    },
    saveTokens: (tokens: Parameters<OAuthClientProvider["saveTokens"]>[0]) =>
      file.update((credentials) => storeTokens(credentials, tokens, now())),
    prepareTokenRequest: (scope?: string) =>
      // Configured scopes win: the server may demand scopes that this client must not request.
      CrossAppAccessProvider.prototype.prepareTokenRequest.call(provider, settings.scope || scope),
    invalidateCredentials: async (scope: string) => {
      if (scope === "tokens" || scope === "all") await clearTokens();
    },
  });
}

/** Exchanges tokens for the requests of an HTTP API. */
export function createExchangeSource(
  settings: SettingsOf<"token_exchange">,
  options: IdentityOptions & { onSecret(value: string): void },
) {
  const provider = createExchangeProvider(settings, options);
  return {
    /** @throws ToolFailure */
    async get(): Promise<string | null> {
      try {
        return (await provider.token()) ?? null;
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        const kind = error.kind ?? (error.status === "sign_in_needed" ? "sign_in_needed" : "unavailable");
        throw new ToolFailure(kind, `Server '${options.server}': ${error.message}`);
      }
    },
    discard: (token: string): void => options.identity?.discard(token),
  };
}

/** Sends each request with a token for its user; one that the server refuses is exchanged once more. */
export function createExchangeProvider(
  settings: SettingsOf<"token_exchange">,
  options: IdentityOptions & { onSecret(value: string): void },
): AuthProvider {
  const { server, variables } = options;
  const expand = (setting: string, text: string): string => expandClientSetting(setting, text, variables);
  let last: string | null = null;
  let renewal: Promise<string> | null = null;
  async function exchange(): Promise<string> {
    const request: TokenExchange = {
      server,
      issuer: settings.issuer,
      tokenUrl: expand("token URL", settings.tokenUrl),
      clientId: expand("OAuth client id", settings.clientId),
      clientSecret: readSecret(settings, variables),
      audience: settings.audience,
      resource: settings.resource,
      scope: settings.scope,
    };
    last = await asConnectionError(() => requireIdentity(options).exchange(request));
    options.onSecret(last);
    return last;
  }
  return {
    token: exchange,
    async onUnauthorized() {
      // Calls that are refused together share one exchange.
      if (renewal === null && last !== null) options.identity?.discard(last);
      renewal ??= exchange().finally(() => {
        renewal = null;
      });
      await renewal;
    },
  };
}
