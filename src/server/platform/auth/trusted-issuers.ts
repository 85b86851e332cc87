import { decodeJwt, decodeProtectedHeader, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import type { ProvenGrant, ProvenIdentity, ProvenToken } from "../../../lib/contract/proven-identity";
import { getMessage } from "../../../lib/get-message";
import { withoutEndSlash } from "../../../lib/same-issuer";
import type { OutgoingFetch } from "../outgoing/outgoing-fetch";
import { readCappedText } from "../shared/read-capped-text";
import { createRemoteKeys, PROVIDER_MAX_BYTES, PROVIDER_TIMEOUT_MS, readClaim, readClaimText } from "./remote-keys";

/** An issuer of JWTs with which its users may sign in. */
export interface TrustedIssuer {
  issuer: string;
  /** Whether its ID-JAGs give clients access without a consent page. */
  grants: boolean;
  /** A token must be for one of these; empty where the issuer's tokens are no access tokens here. */
  audiences: readonly string[];
  /** Null where the issuer's OpenID configuration names it. */
  jwksUrl: string | null;
  algorithms: readonly string[];
  /** The claims that identify the user. */
  claims: { user: string; email: string; name: string; roles: string | null };
  /** Whether addresses that the issuer does not call verified count as verified. */
  trustEmail: boolean;
}

/** OpenID Connect Discovery 1.0, section 3: the part that is needed. */
const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });
const METADATA_MS = 60 * 60_000;
/** A provider that does not answer is not asked for each request. */
const FAILED_MS = 10_000;
const TOLERANCE_SECONDS = 30;
/** Longer lifetimes would outlive the issuer's decisions about the user. */
const ACCESS_LIFETIME = { seconds: 24 * 60 * 60, name: "a day" };
const GRANT_LIFETIME = { seconds: 60 * 60, name: "an hour" };
/** RFC 9068 and tokens without a type; others, such as ID-JAGs and logout tokens, are for something else. */
const ACCESS_TYPES = new Set(["jwt", "at+jwt", "application/at+jwt"]);
const GRANT_TYPES = new Set(["oauth-id-jag+jwt", "application/oauth-id-jag+jwt"]);

interface TokenPurpose {
  types: ReadonlySet<string>;
  /** Null for the audiences of the issuer's settings. */
  audiences: readonly string[] | null;
  lifetime: { seconds: number; name: string };
}
/** The keys could not be read at the moment; callers know it by its name. */
class IssuerUnavailable extends Error {
  override name = "IssuerUnavailable";
}

/** Checks JWTs of configured issuers: signature, audience, times, type. */
export function createTrustedIssuers(trusted: readonly TrustedIssuer[], fetch: OutgoingFetch, now: () => number) {
  const known = new Map(trusted.map((each) => [each.issuer, { ...each, findKeys: createKeyFinder(each, fetch, now) }]));

  async function verify(token: string, purpose: TokenPurpose) {
    const found = known.get(String(decodeJwt(token).iss));
    if (found === undefined) throw new Error("its issuer is not trusted here");
    const audiences = purpose.audiences ?? found.audiences;
    const { typ = "JWT" } = decodeProtectedHeader(token);
    if (!purpose.types.has(typ.toLowerCase()) || audiences.length === 0) {
      throw new Error(`a token of the type '${typ.slice(0, 40)}' is for something else`);
    }
    const { payload } = await jwtVerify(token, await found.findKeys(), {
      issuer: found.issuer,
      audience: [...audiences],
      algorithms: [...found.algorithms],
      clockTolerance: TOLERANCE_SECONDS,
      requiredClaims: ["iss", "aud", "exp", "iat"],
      currentDate: new Date(now()),
    });
    const { iat = 0, exp = 0, aud = [] } = payload;
    if (iat > now() / 1_000 + TOLERANCE_SECONDS) throw new Error("it was issued in the future");
    if (exp - iat > purpose.lifetime.seconds) throw new Error(`it is valid for more than ${purpose.lifetime.name}`);
    if (payload.cnf !== undefined) throw new Error("it is bound to a key, which is not checked here");
    const proven: ProvenToken = {
      issuer: found.issuer,
      identity: toIdentity(payload, found),
      audiences: [aud].flat().filter((each) => audiences.includes(each)),
      scopes: readScopes(payload),
      issuedAt: iat * 1_000,
      expiresAt: exp * 1_000,
    };
    return { proven, payload, isGranting: found.grants };
  }

  async function checkGrant(assertion: string, audience: string): Promise<ProvenGrant> {
    const purpose = { types: GRANT_TYPES, audiences: [audience], lifetime: GRANT_LIFETIME };
    const { proven, payload, isGranting } = await verify(assertion, purpose);
    const { aud, jti, client_id: clientId, resource } = payload;
    if (!isGranting) throw new Error("its issuer may not sign clients in");
    if ([aud].flat().length !== 1) throw new Error("it is for more than this authorization server");
    if (typeof jti !== "string" || jti === "") throw new Error('missing "jti" claim');
    if (typeof clientId !== "string" || clientId === "") throw new Error('missing "client_id" claim');
    const resources = [resource].flat().filter((each) => typeof each === "string");
    if (resources.length === 0) throw new Error('missing "resource" claim');
    return { ...proven, id: jti, clientId, resources };
  }

  return {
    /** @throws Error that says what is wrong with the token; one named IssuerUnavailable where it could not be checked */
    check: async (token: string): Promise<ProvenToken> => {
      const purpose = { types: ACCESS_TYPES, audiences: null, lifetime: ACCESS_LIFETIME };
      return (await explain("token", () => verify(token, purpose))).proven;
    },
    /** An ID-JAG: the issuer lets a client in for a user. @param audience this authorization server @throws as `check` */
    checkGrant: (assertion: string, audience: string): Promise<ProvenGrant> =>
      explain("assertion", () => checkGrant(assertion, audience)),
  };
}

async function explain<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.name === "IssuerUnavailable") throw error;
    throw new Error(`This ${what} is not accepted: ${getMessage(error)}`);
  }
}

/** @returns the keys that the issuer publishes */
function createKeyFinder({ issuer, jwksUrl }: TrustedIssuer, fetch: OutgoingFetch, now: () => number) {
  const read = createPatientFetch(new URL(issuer).host, fetch, now);
  let keys: { find: JWTVerifyGetKey; until: number } | null = null;
  return async (): Promise<JWTVerifyGetKey> => {
    if (keys !== null && isAhead(keys.until, METADATA_MS, now())) return keys.find;
    const url = jwksUrl ?? (await readKeyAddress(issuer, read));
    keys = { find: createRemoteKeys(url, read), until: now() + METADATA_MS };
    return keys.find;
  };
}

/** A longer remaining time means that the clock was put back. */
const isAhead = (until: number, ms: number, at: number): boolean => until > at && until <= at + ms;

/** A `fetch` of JSON that fails at once for some seconds after a failure: anyone may send tokens that need keys. */
function createPatientFetch(host: string, fetch: OutgoingFetch, now: () => number): OutgoingFetch {
  let failedUntil = Number.NEGATIVE_INFINITY;
  const fail = (cause?: unknown): Error =>
    new IssuerUnavailable(`The keys of ${host} could not be read: try again later`, { cause });

  return async (url, init) => {
    if (isAhead(failedUntil, FAILED_MS, now())) throw fail();
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) });
      const text = await readCappedText(response, PROVIDER_MAX_BYTES);
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      return Response.json(JSON.parse(text));
    } catch (error) {
      failedUntil = now() + FAILED_MS;
      throw fail(error);
    }
  };
}

async function readKeyAddress(issuer: string, fetch: OutgoingFetch): Promise<string> {
  const url = `${withoutEndSlash(issuer)}/.well-known/openid-configuration`;
  const parsed = metadataSchema.safeParse(await (await fetch(url)).json());
  if (!parsed.success) throw new IssuerUnavailable(`${url} has no OpenID configuration`);
  if (parsed.data.issuer !== issuer) throw new IssuerUnavailable(`${url} is of another issuer`);
  return parsed.data.jwks_uri;
}

function toIdentity(claims: JWTPayload, { issuer, claims: names, trustEmail }: TrustedIssuer): ProvenIdentity {
  const user = readClaimText(readClaim(claims, names.user));
  if (user === null) throw new Error(`missing "${names.user}" claim`);
  const { email_verified: verified } = claims;
  const roles = names.roles === null ? [] : [readClaim(claims, names.roles)].flat();
  return {
    // The subject equals that of single sign-on with this issuer; the value of another claim may be another user's
    // subject.
    subject: names.user === "sub" ? `${issuer}#${user}` : `${issuer}#${names.user}:${user}`,
    email: readClaimText(readClaim(claims, names.email))?.toLowerCase() ?? null,
    emailVerified: verified === true || verified === "true" || (verified === undefined && trustEmail),
    name: readClaimText(readClaim(claims, names.name))?.slice(0, 100) ?? null,
    roles: roles.filter((role) => typeof role === "string"),
  };
}

/** RFC 9068 has a text; some providers have a list, or the name `scp`. */
function readScopes({ scope, scp }: JWTPayload): string[] {
  return [scope ?? scp ?? []].flat().flatMap((each) => (typeof each === "string" ? each.split(" ") : []));
}
