import { createHash } from "node:crypto";
import { decodeJwt, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import type { IssuedTokens, ProvenIdentity } from "../../../lib/contract/proven-identity";
import { getMessage } from "../../../lib/get-message";
import { withoutEndSlash } from "../../../lib/same-issuer";
import type { OutgoingFetch } from "../outgoing/outgoing-fetch";
import { createRemoteKeys, readClaim, readClaimText, SIGNING_ALGORITHMS } from "./remote-keys";
import { type IdJagRequest, requestIdJag } from "./token-exchange";
import {
  describeTokenError,
  ProviderUnavailable,
  postAsClient,
  readJson,
  requireTokens,
  TokenRefusal,
} from "./token-requests";

export interface IdentityProviderSettings {
  issuer: string;
  clientId: string;
  /** Null for a public client, which PKCE alone protects. */
  clientSecret: string | null;
  /** The provider's name for users. */
  name: string;
  scopes: readonly string[];
  /** Sent with each sign-in; `consent` is how some providers want to be asked for a refresh token (OpenID Connect Core, 11). */
  prompt?: string | null;
  /** The claim that roles are read from, such as `groups` or `realm_access.roles`. */
  rolesClaim: string | null;
  /** Whether addresses that the provider does not call verified count as verified. */
  trustEmail: boolean;
}

/** OpenID Connect Discovery 1.0, section 3. */
const discoverySchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
type Discovery = z.infer<typeof discoverySchema>;

/** The lifetime of the provider's metadata. Its keys are read again when a token names an unknown one. */
const REMEMBERED_MS = 60 * 60_000;
const CLOCK_TOLERANCE = "30s";

export interface AuthorizationRequest {
  state: string;
  codeVerifier: string;
  nonce: string;
  redirectUri: string;
}

export interface IdentityTokens {
  idToken: string;
  accessToken: string | null;
  refreshToken: string | null;
}

const tokensSchema = z.object({
  id_token: z.string(),
  access_token: z.string().optional(),
  refresh_token: z.string().optional(),
});

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** @returns reads what the provider says about itself, when it is needed; only what succeeds is remembered */
function createDiscovery({ issuer, name }: IdentityProviderSettings, fetch: OutgoingFetch) {
  let known: { document: Discovery; keys: JWTVerifyGetKey; until: number } | null = null;
  return async () => {
    const leftMs = (known?.until ?? 0) - Date.now();
    // A longer remaining time means that the clock was put back.
    if (known !== null && leftMs > 0 && leftMs <= REMEMBERED_MS) return known;
    const url = `${withoutEndSlash(issuer)}/.well-known/openid-configuration`;
    const answer = await readJson(fetch, url).catch((error: unknown) => {
      throw new ProviderUnavailable(name, error);
    });
    const parsed = discoverySchema.safeParse(answer.body);
    if (answer.status !== 200 || !parsed.success) {
      const fault = `${url} answered with status ${answer.status} and no OpenID configuration`;
      throw new ProviderUnavailable(name, new Error(fault));
    }
    const { data } = parsed;
    if (data.issuer !== issuer) {
      const fault = `it calls itself '${data.issuer}', but TOOLROOM_OIDC_ISSUER is '${issuer}'`;
      throw new ProviderUnavailable(name, new Error(fault));
    }
    const keys = createRemoteKeys(data.jwks_uri, fetch);
    known = { document: data, keys, until: Date.now() + REMEMBERED_MS };
    return known;
  };
}

/**
 * The relying party's side of OpenID Connect (authorization code, PKCE). A provider that is down at start works once it is
 * back.
 */
export function createIdentityProvider(settings: IdentityProviderSettings, fetch: OutgoingFetch) {
  const { issuer, clientId, clientSecret, name, scopes } = settings;
  const discover = createDiscovery(settings, fetch);

  async function readUserInfo({ userinfo_endpoint: url }: Discovery, accessToken: string | null, subject: string) {
    if (url === undefined || accessToken === null) return {};
    const { status, body } = await readJson(fetch, url, { headers: { authorization: `Bearer ${accessToken}` } });
    const claims = z.record(z.string(), z.unknown()).safeParse(body);
    if (status !== 200 || !claims.success) throw new Error(`its user info endpoint answered with status ${status}`);
    // OpenID Connect Core, section 5.3.2: it may be another user's.
    if (claims.data.sub !== subject) throw new Error("its user info is of another subject");
    return claims.data;
  }

  const post = (document: Discovery, form: Record<string, string>) =>
    postAsClient(
      fetch,
      document.token_endpoint,
      form,
      { clientId, clientSecret },
      document.token_endpoint_auth_methods_supported,
    );

  /** @throws Error for an ID token that is not of this provider, for this server */
  async function verify(idToken: string): Promise<JWTPayload & { sub: string; exp: number }> {
    const { payload } = await jwtVerify(idToken, (await discover()).keys, {
      issuer,
      audience: clientId,
      algorithms: [...SIGNING_ALGORITHMS],
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
    });
    const { aud, azp, sub, exp = 0 } = payload;
    if (Array.isArray(aud) && aud.length > 1 && azp !== clientId) throw new Error('unexpected "azp" claim value');
    if (typeof sub !== "string" || sub === "") throw new Error('missing "sub" claim');
    return { ...payload, sub, exp };
  }

  return {
    name,
    issuer,
    /** @throws ProviderUnavailable */
    prepare: async (): Promise<void> => void (await discover()),

    async authorizationUrl({ state, codeVerifier, nonce, redirectUri }: AuthorizationRequest): Promise<URL> {
      const url = new URL((await discover()).document.authorization_endpoint);
      const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
      const query = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(" "),
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: "S256",
        ...(settings.prompt && { prompt: settings.prompt }),
      };
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
      return url;
    },

    async exchange(code: string, codeVerifier: string, redirectUri: string): Promise<IdentityTokens> {
      const { document } = await discover();
      const form = {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      };
      const answer = await post(document, form).catch((error: unknown) => {
        throw new ProviderUnavailable(name, error);
      });
      const tokens = tokensSchema.safeParse(answer.body);
      if (answer.status !== 200 || !tokens.success) {
        const said = answer.status === 200 ? "no id_token" : describeTokenError(answer.status, answer.body);
        throw new Error(`its token endpoint answered with status ${answer.status}: ${said}`);
      }
      return toTokens(tokens.data);
    },

    /** @throws Error for a token that is not of this provider, for this server and of this sign-in */
    async identify(tokens: Pick<IdentityTokens, "idToken" | "accessToken">, nonce: string): Promise<ProvenIdentity> {
      const { document } = await discover();
      const payload = await verify(tokens.idToken);
      if (payload.nonce !== nonce) throw new Error('unexpected "nonce" claim value');
      const missing = [
        payload.email === undefined,
        settings.rolesClaim !== null && readClaim(payload, settings.rolesClaim) === undefined,
      ].includes(true);
      const more = missing ? await readUserInfo(document, tokens.accessToken, payload.sub) : {};
      return toIdentity({ ...more, ...payload }, settings);
    },

    /** Reads what is kept of the tokens of a sign-in that `identify` accepted. */
    keepable: ({ idToken, refreshToken }: IdentityTokens): IssuedTokens => {
      const { sub = "", exp = 0 } = decodeJwt(idToken);
      return { issuer, subject: sub, idToken, refreshToken, expiresAt: exp * 1_000 };
    },

    /** @throws TokenRefusal once the sign-in has ended, ProviderUnavailable */
    async renew(before: IssuedTokens): Promise<IssuedTokens> {
      const { document } = await discover();
      const form = { grant_type: "refresh_token", refresh_token: before.refreshToken ?? "" };
      const parsed = tokensSchema.safeParse(await requireTokens(name, post(document, form)));
      if (!parsed.success) throw new TokenRefusal("it sent no id_token");
      const { idToken, refreshToken } = toTokens(parsed.data);
      const { sub, exp } = await verify(idToken).catch((error: unknown) => {
        throw new TokenRefusal(getMessage(error));
      });
      if (sub !== before.subject) throw new TokenRefusal("its ID token is of another subject");
      const kept = refreshToken ?? before.refreshToken;
      return { issuer, subject: sub, idToken, refreshToken: kept, expiresAt: exp * 1_000 };
    },

    /** @throws TokenRefusal, ProviderUnavailable */
    async requestGrant(request: IdJagRequest): Promise<string> {
      const { token_endpoint: tokenEndpoint, token_endpoint_auth_methods_supported: methods } = (await discover())
        .document;
      const provider = { name, issuer, tokenEndpoint, methods, clientId, clientSecret };
      return requestIdJag(fetch, provider, request);
    },
  };
}

function toTokens(answer: z.infer<typeof tokensSchema>): IdentityTokens {
  const { id_token: idToken, access_token: accessToken = null, refresh_token: refreshToken = null } = answer;
  return { idToken, accessToken, refreshToken };
}

function toIdentity(
  claims: JWTPayload & Record<string, unknown>,
  { issuer, rolesClaim, trustEmail }: IdentityProviderSettings,
): ProvenIdentity {
  const { sub, email, email_verified: verified } = claims;
  const roles = rolesClaim === null ? [] : [readClaim(claims, rolesClaim)].flat();
  return {
    // Another issuer may give the same subject to someone else.
    subject: `${issuer}#${sub}`,
    email: readClaimText(email)?.toLowerCase() ?? null,
    emailVerified: verified === true || verified === "true" || (verified === undefined && trustEmail),
    name: (readClaimText(claims.name) ?? readClaimText(claims.preferred_username))?.slice(0, 100) ?? null,
    roles: roles.filter((role) => typeof role === "string"),
  };
}
