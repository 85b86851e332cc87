import { randomBytes } from "node:crypto";
import {
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../lib/contract";
import type { SignInAttempts } from "./oauth-attempts";
import { CLIENT_NAME, chooseScope, expandClientSetting, refuseOtherIssuer, sameIssuer } from "./oauth-client-settings";
import { type CredentialFile, keepTokens } from "./oauth-credentials";

/** Never sent: the SDK renews tokens only for clients that have an address. */
const NO_REDIRECT_URL = "http://127.0.0.1/oauth/callback";
const SIGN_IN_NEEDED = "A person has to sign in to this server, on its page in the console";

/** Authorization code with PKCE. What the SDK asks for, in the order in which it asks: metadata, discovery, client, tokens, state. */
export class CodeProvider implements OAuthClientProvider {
  /** A refresh token was sent and nothing came of it yet. */
  #renewing = false;

  constructor(
    readonly settings: Extract<ServerAuth, { type: "oauth" }>,
    readonly attempts: SignInAttempts,
    readonly file: CredentialFile,
    readonly currentRedirectUrl: () => string | null,
    readonly variables: Readonly<Record<string, string | undefined>>,
  ) {}

  get redirectUrl(): string {
    return this.attempts.exchanging?.redirectUrl ?? this.currentRedirectUrl() ?? NO_REDIRECT_URL;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: CLIENT_NAME,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      // A public client with PKCE: a secret from a registration would protect nothing more, and may expire.
      token_endpoint_auth_method: "none",
      ...(this.settings.scope ? { scope: this.settings.scope } : {}),
    };
  }

  async clientInformation(ctx?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    const { client: registered, issuer } = await this.file.read();
    const configured = this.#configuredClient();
    if (configured !== null) {
      refuseOtherIssuer(issuer, ctx?.issuer);
      const stamp = ctx?.issuer ?? issuer;
      return stamp === undefined ? configured : { ...configured, issuer: stamp };
    }
    if (this.#inBackground) {
      // Without this the SDK would register a client that no person is there for.
      if (registered === undefined || !isKnownTo(registered, ctx?.issuer)) throw new UnauthorizedError(SIGN_IN_NEEDED);
      return registered;
    }
    const usable = this.attempts.finishing || mayReturnTo(registered, this.redirectUrl);
    return usable ? registered : undefined;
  }

  async saveClientInformation(information: StoredOAuthClientInformation): Promise<void> {
    if (this.#configuredClient() !== null) return;
    await this.file.update((credentials) => {
      credentials.client = information;
    });
  }

  async tokens(ctx?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    if (ctx !== undefined) this.attempts.beginOther();
    return (await this.file.read()).tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    const signedIn = this.attempts.exchanging !== null;
    await this.file.update((credentials) => {
      keepTokens(credentials, tokens, this.attempts.now());
      if (signedIn) credentials.attempts = [];
    });
    this.#renewing = false;
    if (signedIn) this.attempts.forget();
  }

  /** Asks for no other scope than was granted; that it is called says that a refresh token is about to be sent. */
  scopeForRefresh(): undefined {
    this.#renewing = true;
  }

  state(): string {
    if (this.#inBackground) {
      const failed = this.#renewing;
      this.#renewing = false;
      // The SDK goes on to a new sign-in after any failure but a refusal; a line that is down will be up again.
      if (failed) throw new Error("The sign-in could not be renewed: the authorization server gave no usable answer");
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
    const scope = chooseScope(url.searchParams.get("scope") ?? undefined, this.settings.scope, supported);
    if (scope !== undefined) url.searchParams.set("scope", scope);
    await this.attempts.add(url);
  }

  codeVerifier(): Promise<string> {
    return this.attempts.takeVerifier();
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    // Each sign-in that a person begins looks anew, since servers move; its callback must find what its start saw.
    const begins = !this.#inBackground && !this.attempts.finishing;
    return begins ? undefined : (await this.file.read()).discovery;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.file.update((credentials) => {
      credentials.discovery = discovery;
    });
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const named = (part: typeof scope): boolean => scope === part || scope === "all";
    if (named("tokens")) this.#renewing = false;
    // A refused code says nothing about tokens that are still there from before.
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

function isKnownTo(client: StoredOAuthClientInformation, issuer: string | undefined): boolean {
  return client.issuer === undefined || issuer === undefined || sameIssuer(client.issuer, issuer);
}

/** A registration for another address of the console is refused by the authorization server. */
function mayReturnTo(client: StoredOAuthClientInformation | undefined, redirectUrl: string): boolean {
  if (client === undefined || !("redirect_uris" in client)) return false;
  return Array.isArray(client.redirect_uris) && client.redirect_uris.includes(redirectUrl);
}
