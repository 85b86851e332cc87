import { createHash } from "node:crypto";
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import type { ProvenIdentity } from "../../../lib/contract/proven-identity";
import { getMessage } from "../../../lib/get-message";
import type { OutgoingFetch } from "../outgoing/outgoing-fetch";
import { readCappedText } from "../shared/read-capped-text";
import {
  createRemoteKeys,
  PROVIDER_MAX_BYTES,
  PROVIDER_TIMEOUT_MS,
  readClaim,
  readClaimText,
  SIGNING_ALGORITHMS,
} from "./remote-keys";

export interface IdentityProviderSettings {
  issuer: string;
  clientId: string;
  /** Null for a public client, which PKCE alone protects. */
  clientSecret: string | null;
  /** As people know it. */
  name: string;
  scopes: readonly string[];
  /** The claim that roles are read from, such as `groups` or `realm_access.roles`. */
  rolesClaim: string | null;
  /** Addresses that the provider does not call verified count as such. */
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
}

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** Not to be had at the moment; callers know it by its name. */
class ProviderUnavailable extends Error {
  override name = "ProviderUnavailable";

  constructor(provider: string, cause: unknown) {
    super(`${provider} could not be reached: ${getMessage(cause)}`, { cause });
  }
}

async function readJson(fetch: OutgoingFetch, url: string, init: RequestInit = {}) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) });
  const body = await readCappedText(response, PROVIDER_MAX_BYTES);
  try {
    return { status: response.status, body: JSON.parse(body) as unknown };
  } catch {
    throw new Error(`${new URL(url).host} answered with status ${response.status} and no JSON`);
  }
}

/** @returns reads what the provider says about itself, when it is needed; only what succeeds is remembered */
function createDiscovery({ issuer, name }: IdentityProviderSettings, fetch: OutgoingFetch) {
  let known: { document: Discovery; keys: JWTVerifyGetKey; until: number } | null = null;
  return async () => {
    const leftMs = (known?.until ?? 0) - Date.now();
    // More is left where the clock was put back.
    if (known !== null && leftMs > 0 && leftMs <= REMEMBERED_MS) return known;
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
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

  async function readUserInfo({ userinfo_endpoint: url }: Discovery, { accessToken }: IdentityTokens, subject: string) {
    if (url === undefined || accessToken === null) return {};
    const { status, body } = await readJson(fetch, url, { headers: { authorization: `Bearer ${accessToken}` } });
    const claims = z.record(z.string(), z.unknown()).safeParse(body);
    if (status !== 200 || !claims.success) throw new Error(`its user info endpoint answered with status ${status}`);
    // OpenID Connect Core, section 5.3.2: it may be another user's.
    if (claims.data.sub !== subject) throw new Error("its user info is of another subject");
    return claims.data;
  }

  return {
    name,
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
      };
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
      return url;
    },

    async exchange(code: string, codeVerifier: string, redirectUri: string): Promise<IdentityTokens> {
      const { document } = await discover();
      const body = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri });
      body.set("code_verifier", codeVerifier);
      const headers: Record<string, string> = {
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
      };
      // RFC 6749, section 2.3.1; basic is what a provider supports that says nothing.
      const methods = document.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
      if (clientSecret !== null && methods.includes("client_secret_basic")) {
        const pair = [clientId, clientSecret].map((part) => encodeURIComponent(part)).join(":");
        headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
      } else {
        body.set("client_id", clientId);
        if (clientSecret !== null) body.set("client_secret", clientSecret);
      }
      const init = { method: "POST", headers, body: body.toString() };
      const answer = await readJson(fetch, document.token_endpoint, init).catch((error: unknown) => {
        throw new ProviderUnavailable(name, error);
      });
      const tokens = z.object({ id_token: z.string(), access_token: z.string().optional() }).safeParse(answer.body);
      if (answer.status !== 200 || !tokens.success) {
        const { error } = z.object({ error: z.string() }).catch({ error: "no id_token" }).parse(answer.body);
        throw new Error(`its token endpoint answered with status ${answer.status}: ${error.slice(0, 100)}`);
      }
      return { idToken: tokens.data.id_token, accessToken: tokens.data.access_token ?? null };
    },

    /** @throws Error for a token that is not of this provider, for this server and of this sign-in */
    async identify(tokens: IdentityTokens, nonce: string): Promise<ProvenIdentity> {
      const { document, keys } = await discover();
      const { payload } = await jwtVerify(tokens.idToken, keys, {
        issuer,
        audience: clientId,
        algorithms: [...SIGNING_ALGORITHMS],
        clockTolerance: CLOCK_TOLERANCE,
        requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
      });
      if (payload.nonce !== nonce) throw new Error('unexpected "nonce" claim value');
      if (Array.isArray(payload.aud) && payload.aud.length > 1 && payload.azp !== clientId) {
        throw new Error('unexpected "azp" claim value');
      }
      if (typeof payload.sub !== "string" || payload.sub === "") throw new Error('missing "sub" claim');
      const missing = [
        payload.email === undefined,
        settings.rolesClaim !== null && readClaim(payload, settings.rolesClaim) === undefined,
      ].includes(true);
      const more = missing ? await readUserInfo(document, tokens, payload.sub) : {};
      return toIdentity({ ...more, ...payload }, settings);
    },
  };
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
