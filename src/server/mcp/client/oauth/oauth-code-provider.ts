import { randomBytes } from "node:crypto";
import {
  computeScopeUnion,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../../lib/contract/server";
import { sameIssuer } from "../../../../lib/same-issuer";
import { ConnectionError } from "../session/connection-error";
import { chooseResource } from "./lenient-metadata";
import {
  assertSameIssuer,
  CLIENT_NAME,
  chooseScope,
  describeRegistration,
  expandClientSetting,
  type OwnClientDocument,
} from "./oauth-client-settings";
import { type CredentialFile, storeTokens } from "./oauth-credentials";
import type { SignInAttempts } from "./sign-in-attempts";

/** Never sent: the SDK renews tokens only for clients with a redirect URL. */
const NO_REDIRECT_URL = "http://127.0.0.1/oauth/callback";
const SIGN_IN_NEEDED = "The server requires a sign-in: sign in on its page in the console";

/** Authorization code with PKCE. The SDK calls in this order: metadata, discovery, client, tokens, state. */
export class AuthorizationCodeProvider implements OAuthClientProvider {
  /** A refresh token was sent; the response is pending. */
  #renewing = false;
  #lastAskedScope: string | undefined;
  /** Demanded by the server's challenge; the next sign-in requests it in addition. */
  demandedScope: string | undefined;

  constructor(
    readonly settings: Extract<ServerAuth, { type: "oauth" }>,
    readonly attempts: SignInAttempts,
    readonly file: CredentialFile,
    readonly currentRedirectUrl: () => string | null,
    readonly variables: Readonly<Record<string, string | undefined>>,
    readonly document: OwnClientDocument | null,
  ) {}

  /** Read by the SDK where the authorization server takes documents. At another address of the console none describes it. */
  get clientMetadataUrl(): string | undefined {
    return this.document?.redirectUrl === this.redirectUrl ? this.document.url : undefined;
  }

  get redirectUrl(): string {
    return this.attempts.exchanging?.redirectUrl ?? this.currentRedirectUrl() ?? NO_REDIRECT_URL;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: CLIENT_NAME,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      // A public client with PKCE: a registered secret would add no protection, and may expire.
      token_endpoint_auth_method: "none",
      ...(this.settings.scope ? { scope: this.settings.scope } : {}),
    };
  }

  async clientInformation(ctx?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    const { client: registered, issuer, discovery } = await this.file.read();
    const configured = this.#configuredClient();
    if (configured !== null) {
      assertSameIssuer(issuer, ctx?.issuer);
      const stamp = ctx?.issuer ?? issuer;
      return stamp === undefined ? configured : { ...configured, issuer: stamp };
    }
    if (this.#inBackground) {
      // Otherwise the SDK would register a client without a user to sign in.
      if (registered === undefined || !isRegisteredWith(registered, ctx?.issuer))
        throw new UnauthorizedError(SIGN_IN_NEEDED);
      return registered;
    }
    const usable = this.attempts.finishing || acceptsRedirect(registered, this.redirectUrl);
    if (usable && registered !== undefined) return registered;
    const metadata = discovery?.authorizationServerMetadata;
    const takesDocument =
      metadata?.client_id_metadata_document_supported === true && this.clientMetadataUrl !== undefined;
    if (metadata !== undefined && !metadata.registration_endpoint && !takesDocument) {
      const reason = describeRegistration(this.redirectUrl, "registers no applications by itself");
      throw new ConnectionError("sign_in_needed", reason);
    }
    return undefined;
  }

  async saveClientInformation(information: StoredOAuthClientInformation): Promise<void> {
    if (this.#configuredClient() !== null) return;
    await this.file.update((credentials) => {
      credentials.client = information;
    });
  }

  async tokens(ctx?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    if (ctx !== undefined) this.attempts.beginOther();
    const { tokens, askedScope } = await this.file.read();
    this.#lastAskedScope = askedScope;
    return tokens;
  }

  /** The scope of the last request: every request reads the tokens first. */
  get lastAskedScope(): string | undefined {
    return this.#lastAskedScope;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    const { exchanging } = this.attempts;
    await this.file.update((credentials) => {
      storeTokens(credentials, tokens, this.attempts.now());
      if (exchanging === null) return;
      credentials.attempts = [];
      credentials.askedScope = exchanging.scope ?? "";
      this.#lastAskedScope = credentials.askedScope;
    });
    this.#renewing = false;
    if (exchanging !== null) this.attempts.forget();
  }

  /** Requests the granted scopes only. The SDK calls this right before it sends a refresh token. */
  scopeForRefresh(): undefined {
    this.#renewing = true;
  }

  validateResourceURL = async (server: string | URL, named?: string): Promise<URL | undefined> =>
    chooseResource(server, named);

  state(): string {
    if (this.#inBackground) {
      const failed = this.#renewing;
      this.#renewing = false;
      // The SDK starts a new sign-in after any failure except a refusal, but a network error may be temporary.
      if (failed)
        throw new Error("The sign-in could not be renewed: the authorization server returned no usable response");
      throw new UnauthorizedError(SIGN_IN_NEEDED);
    }
    this.#renewing = false;
    this.attempts.beginSignIn();
    return randomBytes(32).toString("base64url");
  }

  saveCodeVerifier(codeVerifier: string): void {
    this.attempts.addVerifier(codeVerifier);
  }

  async redirectToAuthorization(authorizationUrl: URL): Promise<void> {
    if (this.#inBackground) throw new UnauthorizedError(SIGN_IN_NEEDED);
    const url = new URL(authorizationUrl);
    const supported = (await this.file.read()).discovery?.resourceMetadata?.scopes_supported;
    const chosen = chooseScope(url.searchParams.get("scope") ?? undefined, this.settings.scope, supported);
    const scope = computeScopeUnion(chosen, this.demandedScope);
    if (scope !== undefined) url.searchParams.set("scope", scope);
    await this.attempts.add(url);
  }

  codeVerifier(): Promise<string> {
    return this.attempts.takeVerifier();
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    // Each new sign-in discovers again, since servers move; its callback must use the same discovery as its start.
    const isStarting = !this.#inBackground && !this.attempts.finishing;
    return isStarting ? undefined : (await this.file.read()).discovery;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.file.update((credentials) => {
      credentials.discovery = discovery;
    });
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const named = (part: typeof scope): boolean => scope === part || scope === "all";
    if (named("tokens")) this.#renewing = false;
    // A refused code does not invalidate earlier tokens.
    const tokensToo = named("tokens") && this.attempts.exchanging === null;
    await this.file.update((credentials) => {
      if (tokensToo) delete credentials.tokens;
      if (tokensToo) delete credentials.tokensExpireAt;
      if (named("client")) delete credentials.client;
      if (named("discovery")) delete credentials.discovery;
      if (named("verifier")) credentials.attempts = [];
    });
  }

  get #inBackground(): boolean {
    return this.currentRedirectUrl() === null;
  }

  #configuredClient(): StoredOAuthClientInformation | null {
    const { clientId, clientSecret } = this.settings;
    if (!clientId) return null;
    const expand = (name: string, text: string): string => expandClientSetting(name, text, this.variables);
    return {
      client_id: expand("OAuth client id", clientId),
      ...(clientSecret ? { client_secret: expand("OAuth client secret", clientSecret) } : {}),
    };
  }
}

function isRegisteredWith(client: StoredOAuthClientInformation, issuer: string | undefined): boolean {
  return client.issuer === undefined || issuer === undefined || sameIssuer(client.issuer, issuer);
}

/** The authorization server refuses a registration for another address of the console. */
function acceptsRedirect(client: StoredOAuthClientInformation | undefined, redirectUrl: string): boolean {
  if (client === undefined || !("redirect_uris" in client)) return false;
  return Array.isArray(client.redirect_uris) && client.redirect_uris.includes(redirectUrl);
}
