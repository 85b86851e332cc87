import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Principal } from "../../../lib/contract/access";
import { isServiceAccount } from "../../../lib/contract/actor";
import type { RequestOrigin } from "../../../lib/contract/audit";
import type { AuditEntry } from "../../../lib/contract/audit-entry";
import { createBetterAuth } from "../../platform/auth/better-auth";
import type { IdentityProvider } from "../../platform/auth/identity-provider";
import { createAuthDatabase } from "../../platform/db/auth-database";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { NO_SECRETS } from "../audit/audit.test-support";
import { createAuditChain } from "../audit/audit-chain";
import { createAuditLog } from "../audit/audit-log";
import { createAuditStore } from "../audit/db/audit-store";
import { createAccessEndings } from "./access-endings";
import { createAccessRules, readAccessRules } from "./access-rules";
import { AccountAccess } from "./account-access";
import { AccountLinks } from "./account-links";
import { createAccountService, createPeopleService } from "./account-service";
import { createClientSignIn } from "./client-tokens";
import { createAccountStore } from "./db/account-store";
import { createClientGrantStore } from "./db/client-grant-store";
import { createServiceAccountStore } from "./db/service-account-store";
import { createSettingStore } from "./db/setting-store";
import { createTokenStore } from "./db/token-store";
import { createIssuerUsers, type IssuerUserPorts } from "./issuer-users";
import { createKnownDevices } from "./known-devices";
import { createProxyUsers, type FindProxyUser } from "./proxy-users";
import { RequestLimits } from "./request-limits";
import { createServiceAccountService } from "./service-account-service";
import { createMemoryFailures, createSignInThrottle } from "./sign-in-throttle";
import { type AdmissionRules, createAdmission } from "./sign-on-admission";
import { createTokenService } from "./token-service";

export const PASSWORD = "correct horse battery";
export const HERE: RequestOrigin = { door: "console", address: "127.0.0.1" };

/** The journeys of accounts use the real ones. `checks` counts the passwords that were compared. */
function createQuickPasswords() {
  const passwords = {
    checks: 0,
    /** Runs while a password is compared. */
    meanwhile: async (): Promise<unknown> => undefined,
    hash: async (password: string) => `quick:${hashText(password)}`,
    async verify({ hash, password }: { hash: string; password: string }) {
      passwords.checks += 1;
      // As the real one: outside the event loop.
      await setImmediate();
      await passwords.meanwhile();
      return hash === `quick:${hashText(password)}`;
    },
  };
  return passwords;
}
const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Accounts on a real database, with a clock that the test sets. */
export async function openAccounts({
  publicUrl = null as string | null,
  provisioned = null as string | null,
  oauthOrigin = null as string | null,
  perMinute = null as number | null,
  identityProvider = null as IdentityProvider | null,
  onlySignOn = null as string | null,
  proxyRules = null as AdmissionRules | null,
  emailDomain = null as string | null,
  /** Trusted issuers of JWTs, with the rules for their users. */
  issuers = null as { check: IssuerUserPorts["check"]; rules: Record<string, AdmissionRules> } | null,
} = {}) {
  const scratch = await createScratchDatabase();
  onTestFinished(() => scratch.remove());
  const { db } = scratch;
  const clock = { at: Date.now() };
  const now = (): number => clock.at;
  const passwords = createQuickPasswords();
  const store = createAccountStore({ db });
  const tokenStore = createTokenStore({ db });
  const auth = await createBetterAuth({
    database: createAuthDatabase(db),
    secret: "0123456789abcdef0123456789abcdef",
    instance: "test",
    publicUrl,
    clientSignIn: oauthOrigin === null ? null : createClientSignIn(oauthOrigin),
    identityProvider,
    passwords,
    now,
    isDisabled: async (id) => isServiceAccount({ id }) || (await store.findUser(id))?.disabledAt !== null,
  });
  const grants = createClientGrantStore({ db });
  const clients = oauthOrigin === null ? null : { grants, origin: oauthOrigin };
  const limits = perMinute === null ? null : new RequestLimits(perMinute, now);
  const auditStore = createAuditStore({ db, chain: createAuditChain("ab".repeat(32)) });
  const audit = createAuditLog({ store: auditStore, now, logger: { error: () => undefined }, masking: NO_SECRETS });
  onTestFinished(() => audit.close());
  /** Oldest first. */
  const audited = async (): Promise<AuditEntry[]> => (await auditStore.readAfter(0, 1000)).entries;
  let findNamed: FindProxyUser | null = null;
  const proxyUsers: FindProxyUser | null =
    proxyRules === null ? null : async (...user) => (await findNamed?.(...user)) ?? null;
  const access = new AccountAccess({
    findGroupToolsets: async () => null,
    auth,
    accounts: store,
    tokens: tokenStore,
    clients,
    provisioned,
    limits,
    audit,
    now,
    proxyUsers,
    issuers: issuers === null ? null : { find: async (...given) => issuerUsers.find(...given), origin: publicUrl },
  });
  const publishChange = async (userId: string): Promise<void> => access.applyChange(userId);
  const throttle = createSignInThrottle(createMemoryFailures(), now);
  const liftThrottle = (email: string): Promise<void> => throttle.lift(email);
  const endings = createAccessEndings({ store, tokens: tokenStore, grants, publishChange, now });
  const admissions = Object.entries(issuers?.rules ?? {}).map(
    ([issuer, rules]) => [issuer, createAdmission({ rules, store, auth, endings, audit, now })] as const,
  );
  const issuerUsers = createIssuerUsers({
    check: issuers?.check ?? (() => Promise.reject(new Error("no issuer"))),
    admissions: new Map(admissions),
    auth,
    store,
    audit,
    now,
  });
  if (proxyRules !== null) {
    const admission = createAdmission({ rules: proxyRules, store, auth, endings, audit, now });
    findNamed = createProxyUsers({ admission, audit, emailDomain, now });
  }
  const shared = { store, auth, grants, endings, liftThrottle, onlySignOn, now };
  const links = new AccountLinks({ ...shared, tokens: tokenStore, audit });
  const ports = { ...shared, links, clientMetadata: null, throttle };
  const devices = createKnownDevices({ cookie: auth.cookie, secret: "fedcba9876543210fedcba9876543210" });
  const users = createPeopleService({ ...ports, switchOn: async () => undefined, onLeft: async () => undefined });
  const settings = createSettingStore({ db });
  const accessRules = createAccessRules({ settings, now });
  const account = createAccountService({ ...ports, onRenamed: async () => undefined });
  const tokens = createTokenService({
    accounts: true,
    store: tokenStore,
    readMaxDays: async () => (await readAccessRules(settings)).maxTokenDays,
    now,
    publishChange,
  });

  const serviceAccounts = createServiceAccountService({
    accounts: true,
    store: createServiceAccountStore({ db }),
    users: store,
    tokens,
    endings,
    onLeft: async () => undefined,
    onRenamed: async () => undefined,
    now,
  });

  /** @param emailVerified as of an invitation that names the address */
  async function addUser(name: string, role: Principal["role"], emailVerified = false): Promise<Principal> {
    const email = `${name.toLowerCase()}@example.org`;
    const user = await auth.createUser({ name, email, password: PASSWORD, role, emailVerified });
    if (user === null) throw new Error(`${email} is taken`);
    return { id: user.id, name, role, token: null };
  }

  /** The Cookie header of a fresh sign-in, or the response that refused it. */
  async function signIn(email: string, password = PASSWORD): Promise<Response> {
    const response = await auth.handle(
      new Request("http://localhost:3000/api/auth/sign-in/email", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          origin: "http://localhost:3000",
          "x-toolroom-peer": "127.0.0.1",
        },
        body: JSON.stringify({ email, password }),
      }),
    );
    if (response === null) throw new Error("not served");
    return response;
  }

  const audits = { audit, audited };
  return {
    db,
    issuerUsers,
    clock,
    limits,
    ...audits,
    store,
    auth,
    access,
    links,
    grants,
    passwords,
    endings,
    throttle,
    devices,
    publishChange,
    settings,
    accessRules,
    onlySignOn,
    people: users,
    account,
    tokens,
    serviceAccounts,
    addUser: addUser,
    signIn,
  };
}

export function readCookie(response: Response): Headers {
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  return new Headers({ cookie });
}

export const bearer = (token: string): Headers => new Headers({ authorization: `Bearer ${token}` });
