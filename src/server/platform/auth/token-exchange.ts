import { requestJwtAuthorizationGrant } from "@modelcontextprotocol/client";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { z } from "zod";
import { sameIssuer } from "../../../lib/same-issuer";
import type { OutgoingFetch } from "../outgoing/outgoing-fetch";
import { postAsClient, requireTokens, type TokenClient, TokenRefusal } from "./token-requests";

/** RFC 8693, section 3. */
const TOKEN_TYPES = {
  access: "urn:ietf:params:oauth:token-type:access_token",
  id: "urn:ietf:params:oauth:token-type:id_token",
};
const GRANT_TYPES = new Set(["oauth-id-jag+jwt", "application/oauth-id-jag+jwt"]);
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

const exchangedSchema = z.object({
  access_token: z.string().min(1).max(16_000),
  token_type: z.string(),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

export interface ExchangeRequest extends TokenClient {
  tokenUrl: string;
  subject: { token: string; type: keyof typeof TOKEN_TYPES };
  audience?: string | undefined;
  resource?: string | undefined;
  scope?: string | undefined;
}

export interface ExchangedToken {
  token: string;
  /** Null where the endpoint did not say. */
  lifetimeMs: number | null;
}

/** Exchanges a user's token at a token endpoint (RFC 8693). @throws TokenRefusal, ProviderUnavailable */
export function createTokenExchange(fetch: OutgoingFetch) {
  return async ({
    tokenUrl,
    subject,
    audience,
    resource,
    scope,
    ...client
  }: ExchangeRequest): Promise<ExchangedToken> => {
    const form = {
      grant_type: EXCHANGE,
      subject_token: subject.token,
      subject_token_type: TOKEN_TYPES[subject.type],
      requested_token_type: TOKEN_TYPES.access,
      ...(audience ? { audience } : {}),
      ...(resource ? { resource } : {}),
      ...(scope ? { scope } : {}),
    };
    const body = await requireTokens(new URL(tokenUrl).host, postAsClient(fetch, tokenUrl, form, client));
    const parsed = exchangedSchema.safeParse(body);
    if (!parsed.success) throw new TokenRefusal("it sent no access token");
    const { access_token: token, token_type: type, expires_in: seconds } = parsed.data;
    if (type.toLowerCase() !== "bearer") throw new TokenRefusal(`it sent a token of the type '${type.slice(0, 40)}'`);
    return { token, lifetimeMs: seconds === undefined ? null : seconds * 1_000 };
  };
}

export interface IdJagRequest {
  idToken: string;
  audience: string;
  resource: string;
  scope?: string | undefined;
}

interface IdJagIssuer extends TokenClient {
  name: string;
  issuer: string;
  tokenEndpoint: string;
  methods: readonly string[] | undefined;
}

/**
 * Requests an ID-JAG with the SDK's function, over a bounded `fetch` that knows how the provider wants to be asked.
 * @throws TokenRefusal, also for an ID-JAG of another issuer or audience; ProviderUnavailable
 */
export async function requestIdJag(
  fetch: OutgoingFetch,
  { name, issuer, tokenEndpoint, methods, ...client }: IdJagIssuer,
  { idToken, audience, resource, scope }: IdJagRequest,
): Promise<string> {
  let failure: unknown;
  const post = async (_url: string | URL, init?: RequestInit): Promise<Response> => {
    const {
      client_id: _id,
      client_secret: _secret,
      ...form
    } = Object.fromEntries(new URLSearchParams(String(init?.body)));
    try {
      return Response.json(await requireTokens(name, postAsClient(fetch, tokenEndpoint, form, client, methods)));
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const request = { tokenEndpoint, audience, resource, idToken, clientId: client.clientId, fetchFn: post };
  const { jwtAuthGrant } = await requestJwtAuthorizationGrant(
    scope === undefined ? request : { ...request, scope },
  ).catch(() => {
    // The SDK's message may quote the whole answer.
    throw failure ?? new TokenRefusal("it sent no ID-JAG");
  });
  assertGrant(jwtAuthGrant, issuer, audience);
  return jwtAuthGrant;
}

/** The authorization server checks the signature: one that is for another server must not be sent to this one. */
function assertGrant(grant: string, issuer: string, audience: string): void {
  let claims: ReturnType<typeof decodeJwt>;
  let type: unknown;
  try {
    claims = decodeJwt(grant);
    type = decodeProtectedHeader(grant).typ;
  } catch {
    throw new TokenRefusal("its ID-JAG is no JWT");
  }
  if (!GRANT_TYPES.has(String(type).toLowerCase())) throw new TokenRefusal("it sent a JWT that is no ID-JAG");
  if (claims.iss !== issuer) throw new TokenRefusal("its ID-JAG is of another issuer");
  const audiences = [claims.aud ?? []].flat();
  const isFor = audiences.every((each) => sameIssuer(each, audience));
  if (!isFor || audiences.length === 0) throw new TokenRefusal("its ID-JAG is for another authorization server");
}
