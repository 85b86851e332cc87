import { createHash } from "node:crypto";
import { LOCAL_OWNER } from "../../lib/contract";
import { listensOnLoopback } from "../../lib/http-guard/host-policy";
import { clientAddressOf } from "../../lib/http-guard/request-headers";
import { createAuthDatabase } from "../db/auth-database";
import { createAccountStore } from "../db/stores/account-store";
import { createSettingStore } from "../db/stores/setting-store";
import { createTokenStore } from "../db/stores/token-store";
import { type Access, AccountAccess, OPEN_ACCESS } from "../features/accounts/access";
import { AccountLinks } from "../features/accounts/account-links";
import type { AuthLibrary } from "../features/accounts/account-ports";
import { createAccountService, createPeopleService } from "../features/accounts/account-service";
import type { AccountStore } from "../features/accounts/account-store";
import { RequestLimits } from "../features/accounts/rate-limiter";
import { createSignInRequests } from "../features/accounts/sign-in-requests";
import { SignInThrottle } from "../features/accounts/sign-in-throttle";
import { createTokenService } from "../features/accounts/token-service";
import type { AuditLog } from "../features/audit/audit-log";
import { AppError } from "../shared/app-error";
import type { Env } from "./env";
import type { Foundation } from "./foundation";

const SETTING = "accounts";
const INSTANCE_CHARS = 8;
const SWEEP_MS = 60 * 60_000;

/** Whether accounts are needed, and what decided it. */
export interface AccountMode {
  accounts: boolean;
  decidedBy: "environment" | "setting" | "address";
}

/**
 * Accounts are needed wherever others can reach the server.
 * @throws Error where `TOOLROOM_AUTH=off` would leave the server open to others
 */
export function decideAccountMode({ auth, host }: Pick<Env, "auth" | "host">, setting: string | null): AccountMode {
  const local = listensOnLoopback(host);
  if (auth === "off" && !local) {
    throw new Error(
      `TOOLROOM_AUTH=off together with HOST=${host} would let everyone who reaches this machine run its tools: remove TOOLROOM_AUTH, or listen on 127.0.0.1`,
    );
  }
  if (auth !== null) return { accounts: auth === "on", decidedBy: "environment" };
  if (setting === "on") return { accounts: true, decidedBy: "setting" };
  return { accounts: !local, decidedBy: "address" };
}

/** People, API tokens, and who makes a request. */
export async function createAccountServices(foundation: Foundation, audit: AuditLog) {
  const { env, db, logger } = foundation;
  const settings = createSettingStore({ db });
  const mode = decideAccountMode(env, await settings.read(SETTING));
  const store = createAccountStore({ db });
  const tokenStore = createTokenStore({ db });
  const now = (): number => Date.now();
  const auth = mode.accounts ? await openAuth(foundation, store) : null;
  const limits = env.rateLimit === null ? null : new RequestLimits(env.rateLimit, now);
  const access: Access =
    auth === null
      ? OPEN_ACCESS
      : new AccountAccess({
          ...{ auth, accounts: store, tokens: tokenStore, audit, now },
          provisioned: env.apiToken,
          limits,
        });
  const forget = (userId: string): void => access.forget(userId);
  const links = new AccountLinks({ store, auth, audit, now, forget });
  const ports = { store, auth, links, now, forget };
  async function switchOn(): Promise<void> {
    if (env.auth === "off") throw new AppError("INVALID", "TOOLROOM_AUTH=off is set: remove it and start again");
    await settings.write(SETTING, "on");
  }
  if (auth !== null) foundation.coordination.jobs.repeat("accounts.sweep", SWEEP_MS, () => store.deleteExpired(now()));
  return {
    mode,
    access,
    people: createPeopleService({ ...ports, switchOn }),
    account: createAccountService(ports),
    tokens: createTokenService({ store: tokenStore, now, forget }),
    /** Answers `/api/auth/*`; null while accounts are off. */
    signInRequests:
      auth === null
        ? null
        : createSignInRequests({
            auth,
            links,
            audit,
            logger,
            admit: (headers) => limits?.admit(null, clientAddressOf(headers)),
            throttle: new SignInThrottle(now),
            forgetSession: (headers) => access.forgetSession(headers),
            findPerson: (email) => store.findPersonByEmail(email),
            authenticate: (headers) => access.authenticate(headers, "console"),
          }),
    /** The path of a page that creates the first account; null where there is one, or none are needed. */
    async setupPath(): Promise<string | null> {
      const token = auth === null ? null : await links.createSetup(LOCAL_OWNER);
      // In the fragment, which browsers send to no server.
      return token === null ? null : `/join#${token}`;
    },
  };
}

async function openAuth({ env, db, secretBox }: Foundation, store: AccountStore): Promise<AuthLibrary> {
  // Loaded only where it is needed: it costs half a second and 40 MB.
  const { createBetterAuth } = await import("../adapters/auth/better-auth");
  const secret = secretBox.derive("session cookies");
  return createBetterAuth({
    database: createAuthDatabase(db),
    secret,
    instance: createHash("sha256").update(secret).digest("hex").slice(0, INSTANCE_CHARS),
    publicUrl: env.publicUrl,
    isDisabled: async (userId) => (await store.findPerson(userId))?.disabledAt !== null,
  });
}
