import type { Principal } from "../../../lib/contract/access";
import type { ApiToken, User } from "../../../lib/contract/account";
import { AUTOMATION, isServiceAccount } from "../../../lib/contract/actor";
import { type AuditDoor, type RequestOrigin, UNKNOWN_ACTOR } from "../../../lib/contract/audit";
import { readMcpScopes } from "../../../lib/contract/connected-client";
import { getMessage } from "../../../lib/get-message";
import {
  getClientAddress,
  type RequestHeaders,
  readProxyUser,
  TOKEN_HEADER,
} from "../../../lib/http-guard/request-headers";
import { AppError } from "../../platform/shared/app-error";
import type { RequestQuota } from "../../platform/shared/rate-limiter";
import type { AuditLog } from "../audit/audit-log";
import { type Access, getOrigin } from "./access";
import type { AuthLibrary } from "./account-ports";
import type { AccountStore } from "./account-store";
import type { ClientGrantStore } from "./client-grant-store";
import { ACCESS_TOKEN_PREFIX, isForPath, readMcpPath } from "./client-tokens";
import { type FindGroupToolsets, limitPrincipal } from "./group-limits";
import { type FindIssuerUser, formatIssuer, ISSUER_TOKEN, isCompactToken } from "./issuer-users";
import { hashToken } from "./one-time-token";
import type { FindProxyUser } from "./proxy-users";
import type { RequestLimits } from "./request-limits";
import type { TokenStore } from "./token-store";

/** The lifetime of what was read about a session or a token. A change by a command takes effect after it at the latest. */
export const REMEMBERED_MS = { one: 5_000, several: 2_000 };
const MAX_REMEMBERED = 10_000;
const CLIENT_KEY = "client ";
/** "Last used" is written at most this often. */
const MARK_USED_MS = 60_000;
const BEARER = /^Bearer +([\x21-\x7e]{1,500})$/i;
/** Tokens of issuers are longer than ours. */
const BEARER_JWT = /^Bearer +([\w.-]{20,16000})$/i;
/** Tokens of other schemes belong to the proxy: its users sign in to Toolroom by the cookie. */
const OWN_SCHEME = /^Bearer(?: |$)/i;
const TOKEN = /^[\x21-\x7e]{1,500}$/;

interface AccessPorts {
  auth: AuthLibrary;
  accounts: AccountStore;
  tokens: TokenStore;
  /** Tokens of MCP clients, and the origin that they are for; null where such clients cannot sign in. */
  clients: { grants: Pick<ClientGrantStore, "findAccessToken">; origin: string } | null;
  /** The token of `TOOLROOM_API_TOKEN`, for automation; null where it is not set. */
  provisioned: string | null;
  /** Null where no issuer of JWTs is trusted. */
  issuers: { find: FindIssuerUser; origin: string | null } | null;
  /** Null where proxies name no users. */
  proxyUsers: FindProxyUser | null;
  findGroupToolsets: FindGroupToolsets;
  /** Null for no limits. */
  limits: RequestLimits | null;
  audit: AuditLog;
  now(): number;
  /** Default: `REMEMBERED_MS.one`. */
  rememberedMs?: number;
}

interface FoundPrincipal {
  principal: Principal;
  userId: string;
  sessionId: string | null;
  endsAt: number;
  /** The addresses that the token of an MCP client is for. */
  audience?: readonly string[];
  groupToolsets?: readonly string[] | null;
}

type Found = FoundPrincipal | { refusal: string };

/** Reads sessions and tokens with one indexed query, then the limits of their user, and remembers them for some seconds. */
export class AccountAccess implements Access {
  readonly accounts = true;
  readonly #remembered = new Map<string, { found: Found | null; until: number }>();
  readonly #provisionedHash: string | null;
  readonly #listeners = new Set<(userId: string | null) => void>();
  #changes = 0;

  constructor(private readonly ports: AccessPorts) {
    this.#provisionedHash = ports.provisioned === null ? null : hashToken(ports.provisioned);
  }

  async authenticate(headers: RequestHeaders, door?: AuditDoor, path?: string): Promise<Principal | null> {
    return this.#admit(await this.#find(headers, door), headers, door, path);
  }

  async enter(headers: RequestHeaders, door?: AuditDoor, path?: string): Promise<Principal | null> {
    const found = await this.#find(headers, door);
    this.ports.limits?.admit(principalIn(found), getClientAddress(headers));
    return this.#admit(found, headers, door, path);
  }

  async quota(headers: RequestHeaders): Promise<RequestQuota | null> {
    const { limits } = this.ports;
    return limits === null ? null : limits.look(principalIn(await this.#find(headers)), getClientAddress(headers));
  }

  async #admit(
    anywhere: Found | null,
    headers: RequestHeaders,
    door: AuditDoor = "api",
    path = "",
  ): Promise<Principal | null> {
    const found = this.#atPath(anywhere, path);
    if (found === null) return null;
    const origin = getOrigin(headers, door);
    if (!("refusal" in found)) {
      return { ...limitPrincipal(found.principal, found.groupToolsets ?? null, door), origin };
    }
    const by = { ...UNKNOWN_ACTOR, token: null, origin };
    const attempt = { by, action: "token.refused", target: null, outcome: "denied" as const, error: found.refusal };
    await this.ports.audit.record(attempt).catch(() => undefined);
    throw new AppError("UNAUTHENTICATED", found.refusal);
  }

  #atPath(found: Found | null, path: string): Found | null {
    if (found === null || "refusal" in found || found.audience === undefined) return found;
    const origin = this.ports.clients?.origin ?? this.ports.issuers?.origin ?? "";
    const admitted = isForPath(found.audience, origin, path);
    return admitted ? found : { refusal: "This access token is for another address" };
  }

  async sessionId(headers: RequestHeaders): Promise<string | null> {
    const found = await this.#find(headers);
    return found === null || "refusal" in found ? null : found.sessionId;
  }

  applyChange(userId: string | null): void {
    this.#changes += 1;
    for (const [key, { found }] of this.#remembered) {
      const isOther = found !== null && !("refusal" in found) && userId !== null && found.userId !== userId;
      if (!isOther) this.#remembered.delete(key);
    }
    for (const listener of this.#listeners) listener(userId);
  }

  onChange = (listener: (userId: string | null) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  forgetClientTokens(): void {
    this.#changes += 1;
    for (const key of this.#remembered.keys()) if (key.startsWith(CLIENT_KEY)) this.#remembered.delete(key);
  }

  #find(headers: RequestHeaders, door: AuditDoor = "api"): Promise<Found | null> {
    const token = readToken(headers);
    if (token !== null && typeof token !== "string") return Promise.resolve(token);
    const { issuers } = this.ports;
    if (token !== null && issuers !== null && isCompactToken(token)) {
      const origin = getOrigin(headers, door);
      return this.#remember(`jwt ${hashToken(token)}`, () => readIssuerToken(issuers, token, origin));
    }
    if (token?.startsWith(ACCESS_TOKEN_PREFIX)) {
      const hash = hashToken(token.slice(ACCESS_TOKEN_PREFIX.length));
      return this.#remember(`${CLIENT_KEY}${hash}`, () => this.#readClientToken(hash));
    }
    if (token !== null) {
      const hash = hashToken(token);
      return this.#remember(`token ${hash}`, () => this.#readToken(hash));
    }
    return this.ports.proxyUsers === null ? this.#findSession(headers) : this.#findNamed(headers, door);
  }

  /** A user whom the proxy names is that one, also in a browser with another one's cookie. */
  async #findNamed(headers: RequestHeaders, door: AuditDoor): Promise<Found | null> {
    const user = readProxyUser(headers);
    if (user === null) return this.#findSession(headers);
    const key = `proxy ${JSON.stringify(user)}`;
    const found = await this.#remember(key, async () => {
      const findSignedIn = async (): Promise<string | null> => getUserId(await this.#findSession(headers));
      const person = (await this.ports.proxyUsers?.(user, getOrigin(headers, door), findSignedIn)) ?? null;
      if (person === null) return null;
      const endsAt = Number.POSITIVE_INFINITY;
      return { principal: toPrincipal(person, null), userId: person.id, sessionId: null, endsAt };
    });
    return found ?? this.#findSession(headers);
  }

  #findSession(headers: RequestHeaders): Promise<Found | null> {
    const session = this.ports.auth.readCookie(headers.get("cookie"));
    return session === null
      ? Promise.resolve(null)
      : this.#remember(`session ${session}`, () => this.#readSession(session));
  }

  async #remember(key: string, read: () => Promise<Found | null>): Promise<Found | null> {
    const now = this.ports.now();
    const known = this.#remembered.get(key);
    if (known !== undefined && known.until > now) return known.found;
    const changes = this.#changes;
    const found = await this.#readLimited(read);
    // A read that overlaps a change may have the state before it.
    if (changes !== this.#changes) return this.#readLimited(read);
    const endsAt = found === null || "refusal" in found ? Number.POSITIVE_INFINITY : found.endsAt;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(key, { found, until: Math.min(now + (this.ports.rememberedMs ?? REMEMBERED_MS.one), endsAt) });
    return found;
  }

  async #readLimited(read: () => Promise<Found | null>): Promise<Found | null> {
    const found = await read();
    if (found === null || "refusal" in found) return found;
    return { ...found, groupToolsets: await this.ports.findGroupToolsets(found.principal) };
  }

  async #readSession(token: string): Promise<Found | null> {
    const session = await this.ports.accounts.findSession(token);
    if (session === null || session.expiresAt <= this.ports.now() || session.user.disabledAt !== null) return null;
    if (isServiceAccount(session.user)) return null;
    const { user, id, expiresAt } = session;
    return { principal: toPrincipal(user, null), userId: user.id, sessionId: id, endsAt: expiresAt };
  }

  async #readClientToken(hash: string): Promise<Found> {
    const found = (await this.ports.clients?.grants.findAccessToken(hash)) ?? null;
    if (found === null || found.expiresAt <= this.ports.now() || found.user.disabledAt !== null) {
      return { refusal: "This access token has expired or was revoked: sign in again" };
    }
    const { user, clientId, expiresAt, resources } = found;
    // Each token of a client has this same id, so that the client's session outlives the token.
    const token = {
      id: `client ${clientId}`,
      name: found.clientName,
      scopes: readMcpScopes(found.scopes),
      tools: null,
      servers: null,
    };
    const principal: Principal = { id: user.id, name: user.name, role: user.role, token };
    return { principal, userId: user.id, sessionId: null, endsAt: expiresAt, audience: resources };
  }

  async #readToken(hash: string): Promise<Found> {
    const now = this.ports.now();
    if (hash === this.#provisionedHash) {
      const token = {
        id: "provisioned",
        name: "TOOLROOM_API_TOKEN",
        scopes: ["manage" as const],
        tools: null,
        servers: null,
      };
      const principal: Principal = { ...AUTOMATION, role: "admin", token };
      return { principal, userId: AUTOMATION.id, sessionId: null, endsAt: Number.POSITIVE_INFINITY };
    }
    const found = await this.ports.tokens.findByHash(hash);
    if (found === null) return { refusal: "This API token is not known: it was mistyped, or its owner was removed" };
    const { token, owner, revokedAt } = found;
    if (owner.disabledAt !== null) return { refusal: `The account of the API token '${token.name}' is switched off` };
    if (revokedAt !== null) return { refusal: `The API token '${token.name}' was revoked` };
    if (token.expiresAt !== null && token.expiresAt <= now)
      return { refusal: `The API token '${token.name}' has expired` };
    if (token.lastUsedAt === null || token.lastUsedAt < now - MARK_USED_MS) {
      // The request does not wait for this note, and must not fail because of it.
      void this.ports.tokens.markUsed(token.id, now).catch(() => undefined);
    }
    const endsAt = token.expiresAt ?? Number.POSITIVE_INFINITY;
    return { principal: toPrincipal(owner, token), userId: owner.id, sessionId: null, endsAt };
  }
}

async function readIssuerToken(
  issuers: NonNullable<AccessPorts["issuers"]>,
  text: string,
  origin: RequestOrigin,
): Promise<Found> {
  try {
    const { user, issuer, audiences, scopes, endsAt } = await issuers.find(text, origin);
    const id = `${ISSUER_TOKEN}${issuer}`;
    const token = { id, name: formatIssuer(issuer), scopes, tools: null, servers: null };
    const principal: Principal = { id: user.id, name: user.name, role: user.role, token };
    const isBound = audiences.every((each) => isGatewayAddress(each, issuers.origin));
    const found = { principal, userId: user.id, sessionId: null, endsAt };
    return isBound ? { ...found, audience: audiences } : found;
  } catch (error) {
    return { refusal: getMessage(error) };
  }
}

/** An audience that is an address of the gateway; any other names the whole server. */
function isGatewayAddress(audience: string, origin: string | null): boolean {
  return (
    origin !== null && audience.startsWith(`${origin}/`) && readMcpPath(audience.slice(origin.length)) !== undefined
  );
}

/** Null for a request without a token of ours. */
function readToken(headers: RequestHeaders): string | { refusal: string } | null {
  const own = headers.get(TOKEN_HEADER);
  if (own !== null)
    return TOKEN.test(own) || isCompactToken(own) ? own : { refusal: "Send the token alone as 'X-Toolroom-Token'" };
  const authorization = headers.get("authorization");
  if (authorization === null || !OWN_SCHEME.test(authorization)) return null;
  const jwt = BEARER_JWT.exec(authorization)?.[1];
  if (jwt !== undefined && isCompactToken(jwt)) return jwt;
  return BEARER.exec(authorization)?.[1] ?? { refusal: "Send the token as 'Authorization: Bearer <token>'" };
}

function getUserId(found: Found | null): string | null {
  return found === null || "refusal" in found ? null : found.userId;
}

function principalIn(found: Found | null): Principal | null {
  return found === null || "refusal" in found ? null : found.principal;
}

function toPrincipal({ id, name, role }: User, token: ApiToken | null): Principal {
  if (token === null) return { id, name, role, token };
  const { scopes, tools, servers, toolsets } = token;
  const limits = { tools, servers, ...(toolsets ? { toolsets } : {}) };
  return { id, name, role, token: { id: token.id, name: token.name, scopes, ...limits } };
}
