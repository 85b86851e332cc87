import { createHash } from "node:crypto";
import { hasRole, LOCAL_PRINCIPAL, type Principal, type TokenLimits } from "../../lib/contract/access";
import { type Actor, AUTOMATION, isServiceAccount, LOCAL_OWNER } from "../../lib/contract/actor";
import type { AuditDoor } from "../../lib/contract/audit";
import { readMcpScopes } from "../../lib/contract/connected-client";
import { getClientAddress } from "../../lib/http-guard/request-headers";
import { createAbsentAccounts } from "../features/accounts/absent-accounts";
import { type Access, OPEN_ACCESS } from "../features/accounts/access";
import { createAccessEndings } from "../features/accounts/access-endings";
import { createAccessRules, readAccessRules } from "../features/accounts/access-rules";
import { AccountAccess, REMEMBERED_MS } from "../features/accounts/account-access";
import { AccountLinks } from "../features/accounts/account-links";
import type { AuthLibrary } from "../features/accounts/account-ports";
import { createAccountService, createPeopleService } from "../features/accounts/account-service";
import type { AccountStore } from "../features/accounts/account-store";
import { createClientAuthorization } from "../features/accounts/client-authorization";
import { createClientDocuments } from "../features/accounts/client-documents";
import { createClientGrants } from "../features/accounts/client-grants";
import { createClientMetadata } from "../features/accounts/client-metadata";
import { createClientSignIn } from "../features/accounts/client-tokens";
import { createAccountStore } from "../features/accounts/db/account-store";
import { createClientGrantStore } from "../features/accounts/db/client-grant-store";
import { createFailureStore } from "../features/accounts/db/failure-store";
import { createIdentityTokenStore } from "../features/accounts/db/identity-token-store";
import { createLocalRecordStore } from "../features/accounts/db/local-record-store";
import { createServiceAccountStore } from "../features/accounts/db/service-account-store";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { createTokenStore } from "../features/accounts/db/token-store";
import { limitPrincipal, NO_TOKEN } from "../features/accounts/group-limits";
import { createIssuerUsers, type FindIssuerUser, ISSUER_TOKEN } from "../features/accounts/issuer-users";
import { createKnownDevices } from "../features/accounts/known-devices";
import { createKnownRoles } from "../features/accounts/known-roles";
import { createLocalRecords } from "../features/accounts/local-records";
import { createProxyUsers, type FindProxyUser } from "../features/accounts/proxy-users";
import { RequestLimits } from "../features/accounts/request-limits";
import { createServiceAccountService } from "../features/accounts/service-account-service";
import { createSignInRequests } from "../features/accounts/sign-in-requests";
import { createMemoryFailures, createSignInThrottle, FAILURE_LIMITS } from "../features/accounts/sign-in-throttle";
import { createAdmission } from "../features/accounts/sign-on-admission";
import { createSignOnRequests } from "../features/accounts/sign-on-requests";
import { createTokenService } from "../features/accounts/token-service";
import { createUserIdentities, type UserIdentityService } from "../features/accounts/user-identities";
import type { AuditLog } from "../features/audit/audit-log";
import { createProvisioningStore } from "../features/provisioning/db/provisioning-store";
import { createGroupLimits } from "../features/provisioning/group-limits";
import type { IdentityProvider } from "../platform/auth/identity-provider";
import { runExclusively } from "../platform/coordination/run-exclusively";
import { createSharedLimits, type ShareLimit } from "../platform/coordination/shared-limits";
import { createAuthDatabase } from "../platform/db/auth-database";
import { createOutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { AppError } from "../platform/shared/app-error";
import { createEvent } from "../platform/shared/event";
import { ACCOUNTS_SETTING, decideAccountMode } from "./account-mode";
import { decideOauthOrigin } from "./client-sign-in";
import type { Foundation } from "./foundation";
import { type OidcSettings, readOidcSettings } from "./oidc-settings";
import { createProvisioning } from "./provisioning-services";

const INSTANCE_CHARS = 8;
const MARK_SEEN_MS = 60 * 60_000;
const SWEEP_MS = 60 * 60_000;
const SINGLE_SIGN_ON_MS = 24 * 60 * 60_000;
/** The purpose of the key for cookies of known browsers. */
const KNOWN_BROWSERS = "known browsers";
/** The purpose of the key for stored failures of sign-ins. */
const SIGN_IN_FAILURES = "sign-in failures";
/** The detail of a change of everyone's tokens of MCP clients. */
const CLIENT_TOKENS = "client tokens";

/** A change to more users is published as one to all. */
const MAX_PUBLISHED = 20;

/** Tokens that programs got by signing in have ids that begin with it. */
const CLIENT_TOKEN = "client ";
/** The limits of the token in `TOOLROOM_API_TOKEN`. */
const PROVISIONED: TokenLimits = { id: "provisioned", scopes: ["manage"], tools: null, servers: null };

type AccountParts = Awaited<ReturnType<typeof openParts>>;

/**
 * Users, tokens, connected clients, and who makes a request.
 * @param served the addresses that clients may sign in at, below that of the whole catalog, and the toolsets
 */
export async function createAccountServices(
  foundation: Foundation,
  audit: AuditLog,
  served: { names(): string[]; hasToolset(name: string): boolean },
) {
  const { env, db, mode } = foundation;
  const parts = await openParts(foundation, audit);
  const { store, auth, access, clients, grants, links, oidc, onlySignOn, now, publishChange } = parts;
  const settings = createSettingStore({ db });
  const userLeft = createEvent<[userId: string]>();
  const identityKept = createEvent<[userId: string]>();
  const { identities } = parts;
  if (identities !== null) userLeft.on(identities.forget);
  const namesChanged = createEvent();
  const clientMetadata =
    auth === null || clients === null
      ? null
      : createClientMetadata({
          ...clients,
          auth,
          takesAssertions: foundation.jwtIssuers.some(({ issuer }) => issuer.grants),
          serverNames: served.names,
        });
  const ports = { ...parts, clientMetadata };
  const signOn = { signOnName: oidc?.provider.name ?? null, onlySignOn: onlySignOn !== null };
  async function switchOn(): Promise<void> {
    if (env.auth === "off") throw new AppError("INVALID", "TOOLROOM_AUTH=off is set: remove it and start again");
    await settings.write(ACCOUNTS_SETTING, "on");
  }
  const switchOffAbsent =
    oidc === null
      ? null
      : createAbsentAccounts({
          store,
          endings: parts.endings,
          audit,
          settings,
          readRules: () => readAccessRules(settings),
          onLeft: userLeft.emit,
          provider: oidc.provider.name,
          now,
        });
  async function sweep(): Promise<void> {
    await store.deleteExpired(now());
    await grants.deleteUnused(now());
    await switchOffAbsent?.();
  }
  const roles = createKnownRoles({
    people: async () => [...(await store.people()), ...(await parts.serviceAccounts.list())],
    onChange: access.onChange,
    owners: [LOCAL_OWNER.id, AUTOMATION.id],
    logger: foundation.logger,
  });
  await roles.load();
  const users = createPeopleService({ ...ports, switchOn, onLeft: userLeft.emit });
  const tokenService = createTokenService({
    accounts: mode.accounts,
    store: parts.tokens,
    readMaxDays: async () => (await readAccessRules(settings)).maxTokenDays,
    now,
    publishChange,
  });
  foundation.clockWatch.onSetBack((at) => store.keepWithinLifetime(at));
  if (auth !== null) foundation.coordination.jobs.repeat("accounts.sweep", SWEEP_MS, sweep);
  return {
    mode,
    ...signOn,
    /** The current mode, and the mode after the next start. */
    readMode: async () => ({
      accounts: mode.accounts,
      decidedBy: mode.decidedBy,
      ...signOn,
      clientSignIn: clientMetadata !== null,
      maxTokenDays: (await readAccessRules(settings)).maxTokenDays,
      pending: decideAccountMode(env, await settings.read(ACCOUNTS_SETTING)).accounts && !mode.accounts,
      signOnRoles: (oidc?.admission.roleOf ?? null) !== null,
    }),
    access,
    readRole: roles.read,
    /** A user was switched off or removed. */
    userLeft,
    /** A user signed in with the identity provider. */
    identityKept,
    /** What identity providers prove about users; null while accounts are off. */
    identities,
    /** Users's names, or whose their things are, changed in the database. */
    namesChanged,
    /** How MCP clients sign in; null where they may not. */
    clientMetadata,
    people: users,
    ...createProvisioning(foundation, audit, {
      ...parts,
      people: users,
      onRenamed: namesChanged.emit,
      rolesFromSignOn: (oidc?.admission.roleOf ?? null) !== null,
      hasToolset: served.hasToolset,
    }),
    account: {
      ...createAccountService({ ...ports, onRenamed: namesChanged.emit }),
      ...createLocalRecords({
        store: createLocalRecordStore({ db, localOwner: LOCAL_OWNER }),
        accounts: store,
        onClaimed: namesChanged.emit,
      }),
    },
    /** A user with an active account, who can own things; null while accounts are off. */
    async findActive(id: string): Promise<Actor | null> {
      const user = auth === null || isServiceAccount({ id }) ? null : await store.findUser(id);
      return user === null || user.disabledAt !== null ? null : { id, name: user.name };
    },
    /** Why calls may not be made for this user by themselves; null where they may. */
    async findRunDenial({ id, name }: Actor): Promise<string | null> {
      if (auth === null || (id === AUTOMATION.id && env.apiToken !== null)) return null;
      const user = await store.findUser(id);
      if (user === null || user.disabledAt !== null) return `${name} has no active account any more`;
      return hasRole(user.role, "operator") ? null : `${name} may not run tools any more`;
    },
    /**
     * The rights that a user has now with a token that was used, by its limits then; or why there are none.
     * @param door where they are used
     */
    async readRights(
      actor: Actor,
      used: TokenLimits | null,
      door: AuditDoor = "console",
    ): Promise<{ principal: Principal } | { refusal: string }> {
      if (actor.id === AUTOMATION.id) return { principal: { ...AUTOMATION, role: "admin", token: used } };
      const user = await store.findUser(actor.id);
      if (user === null) return { refusal: `The account of ${actor.name} was removed` };
      if (user.disabledAt !== null) return { refusal: `The account of ${actor.name} is switched off` };
      const unlimited = { id: user.id, name: user.name, role: user.role, token: used };
      const principal = limitPrincipal(unlimited, await parts.findGroupToolsets(user), door);
      // A program that signed in has its user's rights, which are read again.
      if (used === null || used.id === NO_TOKEN.id) return { principal };
      if (used.id.startsWith(CLIENT_TOKEN) || used.id.startsWith(ISSUER_TOKEN)) return { principal };
      const token = (await parts.tokens.list(actor.id)).find(({ id }) => id === used.id);
      const name = used.name ?? used.id;
      if (token === undefined) return { refusal: `The API token '${name}' was revoked` };
      const isOver = token.expiresAt !== null && token.expiresAt <= now();
      return isOver ? { refusal: `The API token '${name}' has expired` } : { principal };
    },
    /** The rights that a user has now with a token that a call was made with. @throws AppError DENIED where there are none */
    async readCallerRights(actor: Actor, tokenId: string | null): Promise<Principal> {
      if (auth === null) return LOCAL_PRINCIPAL;
      const user = actor.id === AUTOMATION.id ? null : await store.findUser(actor.id);
      if (user === null && actor.id === AUTOMATION.id && env.apiToken !== null) {
        return { ...AUTOMATION, role: "admin", token: PROVISIONED };
      }
      if (user === null || user.disabledAt !== null) {
        throw new AppError("DENIED", `${actor.name} has no active account any more`);
      }
      const principal = { id: user.id, name: user.name, role: user.role };
      if (tokenId === null) return { ...principal, token: null };
      const token = tokenId === NO_TOKEN.id ? NO_TOKEN : await findTokenLimits(parts, user.id, tokenId, now());
      if (token === null) throw new AppError("DENIED", "The token of this call was revoked or has expired");
      return limitPrincipal({ ...principal, token }, await parts.findGroupToolsets(user), "gateway");
    },
    tokens: tokenService,
    serviceAccounts: createServiceAccountService({
      accounts: mode.accounts,
      store: parts.serviceAccounts,
      users: store,
      tokens: tokenService,
      endings: parts.endings,
      onLeft: userLeft.emit,
      onRenamed: namesChanged.emit,
      now,
    }),
    accessRules: createAccessRules({ settings, now }),
    /** Answers `/api/auth/*`; null while accounts are off. */
    signInRequests:
      auth === null ? null : createSignIn(foundation, audit, { ...ports, auth, onIdentityKept: identityKept.emit }),
    /** The path of a page that creates the first account; null where there is one, or none are needed. */
    async setupPath(): Promise<string | null> {
      const token = auth === null ? null : await links.createSetup(LOCAL_OWNER);
      // The token is in the fragment, which browsers send to no server.
      return token === null ? null : `/join#${token}`;
    },
  };
}

/** The stores, and the services that check a request with them. */
async function openParts(foundation: Foundation, audit: AuditLog) {
  const { env, db, mode, live, shared, coordination, secretBox } = foundation;
  const store = createAccountStore({ db });
  const tokens = createTokenStore({ db });
  const serviceAccounts = createServiceAccountStore({ db });
  const grants = createClientGrantStore({ db });
  const now = (): number => Date.now();
  const oauthOrigin = decideOauthOrigin(env, mode.accounts);
  const oidc = readOidcSettings(env, mode.accounts);
  const isShared = db.kind !== "sqlite";
  const shareLimit = isShared ? createSharedLimits(coordination.bulletin) : undefined;
  const identityProvider = oidc === null ? null : await openProvider(oidc, foundation.addresses);
  const auth = mode.accounts ? await openAuth(foundation, store, { oauthOrigin, identityProvider, shareLimit }) : null;
  const identities =
    auth === null ? null : await openIdentities(foundation, { provider: identityProvider, store, audit });
  const clients = oauthOrigin === null ? null : { grants, origin: oauthOrigin };
  const limits = env.rateLimit === null ? null : new RequestLimits(env.rateLimit, now, shareLimit);
  const provisioned = env.apiToken;
  const findGroupToolsets = createGroupLimits({
    settings: createSettingStore({ db }),
    store: createProvisioningStore({ db }),
  });
  const access: Access =
    auth === null
      ? OPEN_ACCESS
      : new AccountAccess({
          auth,
          accounts: store,
          tokens,
          clients,
          audit,
          now,
          provisioned,
          findGroupToolsets,
          limits,
          issuers:
            foundation.jwtIssuers.length === 0
              ? null
              : { find: (...token) => findIssuerUser(...token), origin: env.publicUrl },
          proxyUsers: foundation.proxyUsers === null ? null : (...user) => findNamed(...user),
          rememberedMs: isShared ? REMEMBERED_MS.several : REMEMBERED_MS.one,
        });
  const failures = isShared
    ? createFailureStore({ db, secret: secretBox.derive(SIGN_IN_FAILURES), now, limits: FAILURE_LIMITS })
    : createMemoryFailures();
  const throttle = createSignInThrottle(failures, now);
  function publishChange(userId: string): Promise<void> {
    access.applyChange(userId);
    const onShared = (): void => live.publish({ type: "account", personId: userId });
    return shared.changed("access", { detail: userId, onShared });
  }
  async function publishLimits(userIds: readonly string[]): Promise<void> {
    const changed = userIds.length > MAX_PUBLISHED ? [null] : userIds;
    for (const userId of changed) access.applyChange(userId);
    await Promise.all(changed.map((userId) => shared.changed("access", { detail: userId })));
  }
  function forgetTokens(): Promise<void> {
    access.forgetClientTokens();
    return shared.changed("access", { detail: CLIENT_TOKENS });
  }
  shared.follow("access", (detail) => {
    if (detail === CLIENT_TOKENS) access.forgetClientTokens();
    else access.applyChange(detail);
  });
  const liftThrottle = (email: string): Promise<void> => throttle.lift(email);
  const endings = createAccessEndings({ store, tokens, grants, publishChange, now });
  const { proxyUsers } = foundation;
  const findNamed: FindProxyUser =
    auth === null || proxyUsers === null
      ? async () => null
      : createProxyUsers({
          admission: createAdmission({
            rules: proxyUsers.admission,
            store: { ...store, markSeenAtProvider: markSeenSometimes(store) },
            auth,
            endings,
            audit,
            now,
          }),
          emailDomain: proxyUsers.emailDomain,
          audit,
          now,
        });
  const issuers =
    auth === null || foundation.jwtIssuers.length === 0
      ? null
      : await openIssuers(foundation, {
          store: { ...store, markSeenAtProvider: markSeenSometimes(store) },
          auth,
          endings,
          audit,
          identities,
          now,
        });
  const findIssuerUser: FindIssuerUser = async (...token) => {
    if (issuers === null) throw new Error("No issuer of tokens is trusted here");
    return issuers.users.find(...token);
  };
  const onlySignOn = oidc?.only === true ? oidc.provider.name : null;
  const hasOthers = (): boolean => coordination.copies.list().length > 1;
  const links = new AccountLinks({
    store,
    auth,
    grants,
    tokens,
    audit,
    endings,
    liftThrottle,
    onlySignOn,
    now,
    hasOthers,
  });
  await store.hashSessionTokens();
  // Sessions that a password opened and that outlive a sign-in with the provider.
  if (onlySignOn !== null) await store.deleteSessionsLongerThan(SINGLE_SIGN_ON_MS);
  // Tokens are checked by these rows: tokens of an earlier public URL must not stay valid.
  if (clients !== null) await grants.keepResources(clients.origin);
  return {
    store,
    tokens,
    serviceAccounts,
    grants,
    oidc,
    auth,
    clients,
    /** Null where no issuer of JWTs is trusted. */
    issuers,
    identities,
    limits,
    access,
    throttle,
    publishChange,
    publishLimits,
    findGroupToolsets,
    liftThrottle,
    endings,
    onlySignOn,
    links,
    now,
    forgetTokens,
  };
}

/** What identity providers prove about users, for connections to servers. */
async function openIdentities(
  { db, secretBox, coordination, addresses }: Foundation,
  { provider, store, audit }: { provider: IdentityProvider | null; store: AccountStore; audit: AuditLog },
): Promise<UserIdentityService> {
  const { createTokenExchange } = await import("../platform/auth/token-exchange");
  const now = (): number => Date.now();
  return createUserIdentities({
    provider,
    exchange: createTokenExchange(createOutgoingFetch(createOutgoingAgents(addresses))),
    store: createIdentityTokenStore({ db, secretBox, now }),
    users: store,
    exclusively: (user, work) => runExclusively(coordination.locks, `identity:${user}`, work),
    audit,
    now,
  });
}

async function openIssuers(
  { jwtIssuers, addresses }: Foundation,
  {
    identities,
    ...ports
  }: Omit<Parameters<typeof createAdmission>[0], "rules"> & { identities: UserIdentityService | null },
) {
  const { createTrustedIssuers } = await import("../platform/auth/trusted-issuers");
  const fetch = createOutgoingFetch(createOutgoingAgents(addresses));
  const admissions = jwtIssuers.map(
    ({ issuer, admission }) => [issuer.issuer, createAdmission({ ...ports, rules: admission })] as const,
  );
  const trusted = createTrustedIssuers(
    jwtIssuers.map(({ issuer }) => issuer),
    fetch,
    ports.now,
  );
  const users = createIssuerUsers({
    ...ports,
    check: trusted.check,
    admissions: new Map(admissions),
    ...(identities !== null && { onAdmitted: identities.hold }),
  });
  const grantAny = jwtIssuers.some(({ issuer }) => issuer.grants);
  return {
    users,
    names: jwtIssuers.map(({ issuer }) => issuer.issuer),
    checkGrant: grantAny ? trusted.checkGrant : null,
  };
}

/** The limits of a token as they are now; null for one that is no longer valid. */
async function findTokenLimits(
  { tokens, grants, issuers }: Pick<AccountParts, "tokens" | "grants" | "issuers">,
  userId: string,
  tokenId: string,
  now: number,
): Promise<TokenLimits | null> {
  if (tokenId.startsWith(CLIENT_TOKEN)) {
    const consent = await grants.findConsent(userId, tokenId.slice(CLIENT_TOKEN.length));
    return consent && { id: tokenId, scopes: readMcpScopes(consent.scopes), tools: null, servers: null };
  }
  // Uses the rights that the issuer's tokens may have, since the token itself has expired by now.
  if (tokenId.startsWith(ISSUER_TOKEN)) {
    const isTrusted = issuers?.names.includes(tokenId.slice(ISSUER_TOKEN.length));
    return isTrusted === true ? { id: tokenId, scopes: ["read", "run"], tools: null, servers: null } : null;
  }
  const token = (await tokens.list(userId)).find(({ id }) => id === tokenId);
  if (token === undefined || (token.expiresAt !== null && token.expiresAt <= now)) return null;
  const { id, name, scopes, tools, servers, toolsets } = token;
  return { id, name, scopes, tools, servers, ...(toolsets ? { toolsets } : {}) };
}

/** A proxy names a user with each request. */
function markSeenSometimes(store: AccountStore): AccountStore["markSeenAtProvider"] {
  const seen = new Map<string, number>();
  return async (userId, at) => {
    if (Math.abs(at - (seen.get(userId) ?? 0)) < MARK_SEEN_MS) return;
    seen.set(userId, at);
    await store.markSeenAtProvider(userId, at);
  };
}

function createSignIn(
  { logger, secretBox, oauthSchemes, addresses }: Foundation,
  audit: AuditLog,
  parts: AccountParts & {
    auth: AuthLibrary;
    clientMetadata: ReturnType<typeof createClientMetadata> | null;
    onIdentityKept: (userId: string) => unknown;
  },
) {
  const { store, auth, access, clients, clientMetadata, limits, links, oidc, endings, issuers, now } = parts;
  const documents = createClientDocuments({
    fetch: createOutgoingFetch(createOutgoingAgents(addresses)),
    grants: parts.grants,
    schemes: oauthSchemes,
    now,
  });
  const authenticate = (headers: Headers) => access.authenticate(headers, "console");
  return createSignInRequests({
    auth,
    links,
    audit,
    logger,
    authenticate,
    throttle: parts.throttle,
    onlySignOn: parts.onlySignOn,
    publishChange: parts.publishChange,
    onAccessChange: access.onChange,
    admit: (headers) => limits?.admit(null, getClientAddress(headers)),
    devices: createKnownDevices({ cookie: auth.cookie, secret: secretBox.derive(KNOWN_BROWSERS) }),
    clients:
      clients === null || clientMetadata === null
        ? null
        : createClientAuthorization({
            ...clients,
            auth,
            access,
            audit,
            schemes: oauthSchemes,
            documents,
            assertions:
              issuers === null || issuers.checkGrant === null
                ? null
                : createClientGrants({
                    ...clients,
                    checkGrant: issuers.checkGrant,
                    users: issuers.users,
                    documents,
                    audit,
                    isServed: clientMetadata.isServed,
                    now,
                  }),
            isServed: clientMetadata.isServed,
            forgetTokens: parts.forgetTokens,
          }),
    signOn:
      oidc === null
        ? null
        : createSignOnRequests({
            auth,
            audit,
            logger,
            origin: oidc.origin,
            name: oidc.provider.name,
            admission: createAdmission({ rules: oidc.admission, store, auth, endings, audit, now }),
            authenticate,
            onAccessChange: access.onChange,
            async keepTokens(user, tokens) {
              await parts.identities?.keep(user, tokens);
              await parts.onIdentityKept(user);
            },
          }),
    findUser: (email) => store.findUserByEmail(email),
  });
}

interface OpenAuthOptions {
  oauthOrigin: string | null;
  identityProvider: IdentityProvider | null;
  shareLimit: ShareLimit | undefined;
}

async function openAuth(
  { env, db, secretBox }: Foundation,
  store: AccountStore,
  { oauthOrigin, identityProvider, shareLimit }: OpenAuthOptions,
): Promise<AuthLibrary> {
  // Loaded only where it is needed: it costs half a second and 40 MB.
  const { createBetterAuth } = await import("../platform/auth/better-auth");
  const secret = secretBox.derive("session cookies");
  return createBetterAuth({
    database: createAuthDatabase(db),
    secret,
    instance: createHash("sha256").update(secret).digest("hex").slice(0, INSTANCE_CHARS),
    publicUrl: env.publicUrl,
    clientSignIn: oauthOrigin === null ? null : createClientSignIn(oauthOrigin),
    identityProvider,
    now: Date.now,
    shareLimit,
    isDisabled: async (id) => isServiceAccount({ id }) || (await store.findUser(id))?.disabledAt !== null,
  });
}

async function openProvider({ provider }: OidcSettings, addresses: Foundation["addresses"]) {
  const { createIdentityProvider } = await import("../platform/auth/identity-provider");
  return createIdentityProvider(provider, createOutgoingFetch(createOutgoingAgents(addresses)));
}
