import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { betterAuth } from "better-auth/minimal";
import type { BetterAuthPlugin, Session } from "better-auth/types";
import { removeBasePath } from "../../../../scripts/base-path.mjs";
import type { NewUser } from "../../../lib/contract/proven-identity";
import { getClientAddress, type RequestHeaders } from "../../../lib/http-guard/request-headers";
import { RateLimiter } from "../shared/rate-limiter";
import type { ClientSignIn } from "./client-authorization";
import type { IdentityProvider } from "./identity-provider";
import { attempts, createSignOnCalls, createSingleSignOn, OIDC } from "./single-sign-on";

export interface BetterAuthOptions {
  /** The database of better-auth: `createAuthDatabase`. */
  database: Record<string, unknown>;
  /** Signs cookies; a holder of the secret can sign in as anyone. */
  secret: string;
  /** Distinguishes the cookies of several servers on one host, which share them across ports. */
  instance: string;
  /** The address at which users reach the server, such as `https://tools.example.org`; null for plain HTTP. */
  publicUrl: string | null;
  /** How MCP clients may sign in; null where they may not. */
  clientSignIn?: ClientSignIn | null;
  /** The identity provider; null without single sign-on. */
  identityProvider?: IdentityProvider | null;
  now(): number;
  isDisabled(userId: string): Promise<boolean>;
  /** Lets the instances of the server count together; absent where there is one. */
  shareLimit?: ((name: string, limiter: RateLimiter) => void) | undefined;
  /** Hashes passwords; absent: the library's scrypt, 60 ms of a processor for each password. */
  passwords?: {
    hash(password: string): Promise<string>;
    verify(given: { hash: string; password: string }): Promise<boolean>;
  };
}

const BASE_PATH = "/api/auth";
/** Everything else of the library is reached through our services, so that policy and log of changes see it. */
const SERVED: readonly { method: string; path: string }[] = [
  { method: "POST", path: "/sign-in/email" },
  { method: "POST", path: "/sign-out" },
];
const SERVED_TO_CLIENTS: typeof SERVED = [
  { method: "GET", path: "/.well-known/oauth-authorization-server" },
  { method: "GET", path: "/oauth2/authorize" },
  { method: "POST", path: "/oauth2/consent" },
  { method: "POST", path: "/oauth2/token" },
  { method: "POST", path: "/oauth2/register" },
  { method: "POST", path: "/oauth2/revoke" },
];
const SESSION_SECONDS = 30 * 24 * 60 * 60;
/** The role and the right to sign in are taken from the provider at each sign-in, so at least once a day. */
const SINGLE_SIGN_ON_SECONDS = 24 * 60 * 60;
const SIGN_INS_PER_MINUTE = 60;
const CREDENTIAL = "credential";

interface Cookie {
  name: string;
  secure: boolean;
}

async function createInstance(options: BetterAuthOptions, { name: cookieName, secure }: Cookie) {
  const { database, secret, publicUrl, clientSignIn = null, identityProvider = null, isDisabled, passwords } = options;
  return betterAuth({
    plugins: [
      ...(await loadPlugins(clientSignIn)),
      ...(identityProvider === null ? [] : [createSingleSignOn(identityProvider)]),
    ],
    secret,
    basePath: BASE_PATH,
    ...(publicUrl === null ? {} : { baseURL: publicUrl + BASE_PATH }),
    telemetry: { enabled: false },
    // Its own page has inline styles, which the content security policy forbids.
    onAPIError: { errorURL: clientSignIn?.consentPage ?? "/sign-in" },
    logger: { disabled: true },
    // Also for PostgreSQL: lists are JSON text in both databases.
    database: prismaAdapter(database as never, { provider: "sqlite" }),
    emailAndPassword: { enabled: true, disableSignUp: true, ...(passwords ? { password: passwords } : {}) },
    user: {
      additionalFields: {
        role: { type: "string", defaultValue: "viewer", input: false },
        disabledAt: { type: "date", required: false, input: false },
      },
    },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    // Toolroom decides whose identity it is, and the tokens of the identity provider are not kept.
    account: {
      encryptOAuthTokens: true,
      updateAccountOnSignIn: false,
      accountLinking: { enabled: false, disableImplicitLinking: true },
    },
    // The limit of one address, which a whole team may share; SignInThrottle counts the tries for one account.
    rateLimit: {
      enabled: true,
      customStorage: createLimitStore(options),
      customRules: {
        "/sign-in/email": { window: 60, max: SIGN_INS_PER_MINUTE },
        "/sign-in/social": { window: 60, max: SIGN_INS_PER_MINUTE },
        "/callback/*": { window: 60, max: SIGN_INS_PER_MINUTE },
      },
    },
    // Our own guard has refused foreign origins before.
    trustedOrigins: (request) => [getOrigin(request)].filter((origin) => origin !== null),
    advanced: {
      // Without this, the library would put its own prefix before the name.
      useSecureCookies: false,
      defaultCookieAttributes: { secure },
      cookies: {
        session_token: { name: cookieName, attributes: { path: "/", sameSite: "lax", httpOnly: true, secure } },
        state: { name: `${cookieName}_state`, attributes: { path: "/", sameSite: "lax", httpOnly: true, secure } },
      },
      ipAddress: { ipAddressHeaders: ["x-toolroom-peer"] },
      database: { generateId: ({ model }) => newId(model) },
    },
    databaseHooks: {
      session: {
        create: {
          async before(session) {
            if (await isDisabled(session.userId)) return false;
            if (attempts.getStore() === undefined) return true;
            return { data: { ...session, expiresAt: new Date(Date.now() + SINGLE_SIGN_ON_SECONDS * 1000) } };
          },
        },
      },
    },
  });
}

/** The library's own store belongs to the process, and forgets an address only after a whole window without a request. */
function createLimitStore({ now, shareLimit }: Pick<BetterAuthOptions, "now" | "shareLimit">) {
  const limiters = new Map<string, RateLimiter>();
  return {
    async consume(key: string, rule: { window: number; max: number }) {
      const name = `${rule.max} in ${rule.window}`;
      let limiter = limiters.get(name);
      if (limiter === undefined) {
        limiter = new RateLimiter(rule.max, now, rule.window * 1000);
        limiters.set(name, limiter);
        shareLimit?.(`sign-in ${name}`, limiter);
      }
      const retryAfter = limiter.take(key);
      return { allowed: retryAfter === 0, retryAfter };
    },
  };
}

/** better-auth behind our port: passwords (scrypt, outside the event loop), sessions, signed cookies. */
export async function createBetterAuth(options: BetterAuthOptions) {
  const { secret, instance, publicUrl, clientSignIn = null, identityProvider = null } = options;
  const secure = publicUrl?.startsWith("https:") === true;
  const basePath = publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
  // Browsers take `__Host-` only for cookies of the whole host.
  const prefix = basePath === "" ? "__Host-" : "__Secure-";
  const cookieName = `${secure ? prefix : ""}toolroom_${instance}`;
  const served = clientSignIn === null ? SERVED : [...SERVED, ...SERVED_TO_CLIENTS];
  const auth = await createInstance(options, { name: cookieName, secure });
  const context = await auth.$context;
  const signOn = createSignOnCalls({ identityProvider, publicUrl, cookieName, handle: auth.handler });

  async function findCredential(userId: string): Promise<{ password?: string | null | undefined } | undefined> {
    const accounts = await context.internalAdapter.findAccounts(userId);
    return accounts.find(({ providerId }) => providerId === CREDENTIAL);
  }

  const link = (account: Parameters<typeof context.internalAdapter.linkAccount>[0]) =>
    context.internalAdapter.linkAccount(account);

  return {
    cookie: { name: cookieName, secure },

    async openSession(userId: string, headers: RequestHeaders): Promise<string[] | null> {
      const more = { ipAddress: getClientAddress(headers), userAgent: headers.get("user-agent") ?? "" };
      // The library's type leaves out that the hook may refuse.
      const session = (await context.internalAdapter.createSession(userId, true, more, true)) as Session | null;
      if (session === null) return null;
      const value = encodeURIComponent(`${session.token}.${signToken(session.token, secret).toString("base64")}`);
      return [`${cookieName}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`];
    },

    async handle(request: Request): Promise<Response | null> {
      const path = removeBasePath(new URL(request.url).pathname, basePath).slice(BASE_PATH.length);
      const isServed = served.some((each) => each.path === path && each.method === request.method);
      return isServed ? auth.handler(toPublicRequest(request, basePath)) : null;
    },

    readCookie(header: string | null): string | null {
      const value = header === null ? null : cookieValue(header, cookieName);
      return value === null ? null : verifySignature(value, secret);
    },

    async createUser({ email, name, password, role, emailVerified }: NewUser) {
      const hash = password === null ? null : await context.password.hash(password);
      const user = await context.internalAdapter
        .createUser({ email, name, emailVerified, role }, undefined as never)
        .catch((error: unknown) => {
          if (!String(error).includes("Unique constraint")) throw error;
          return null;
        });
      if (user === null) return null;
      const userId = user.id;
      if (hash !== null) await link({ userId, providerId: CREDENTIAL, accountId: userId, password: hash });
      return { id: userId };
    },

    async setPassword(userId: string, password: string): Promise<void> {
      const hash = await context.password.hash(password);
      if ((await findCredential(userId)) === undefined) {
        await link({ userId, providerId: CREDENTIAL, accountId: userId, password: hash });
      } else await context.internalAdapter.updatePassword(userId, hash);
    },

    async verifyPassword(userId: string, password: string): Promise<boolean> {
      const hash = (await findCredential(userId))?.password;
      return hash === undefined || hash === null ? false : context.password.verify({ hash, password });
    },

    async findIdentity(subject: string): Promise<string | null> {
      const key = { providerId: OIDC, accountId: subject };
      return (await context.internalAdapter.findAccountByKey(key))?.userId ?? null;
    },

    addIdentity: async (userId: string, subject: string): Promise<void> =>
      void (await link({ userId, providerId: OIDC, accountId: subject })),

    startSingleSignOn: signOn.start,
    finishSingleSignOn: signOn.finish,
  };
}

/** Loaded only where they are needed. */
async function loadPlugins(clientSignIn: ClientSignIn | null): Promise<BetterAuthPlugin[]> {
  if (clientSignIn === null) return [];
  const { createClientAuthorization } = await import("./client-authorization");
  return [createClientAuthorization(clientSignIn)];
}

function getOrigin(request: Request | undefined): string | null {
  return request?.headers.get("origin") ?? null;
}

/** The library compares the path with that of its public address. */
function toPublicRequest(request: Request, basePath: string): Request {
  const url = new URL(request.url);
  url.pathname = basePath + removeBasePath(url.pathname, basePath);
  return basePath === "" ? request : new Request(url, request);
}

function cookieValue(header: string, name: string): string | null {
  for (const part of header.split(";")) {
    const at = part.indexOf("=");
    if (at === -1 || part.slice(0, at).trim() !== name) continue;
    try {
      return decodeURIComponent(part.slice(at + 1).trim());
    } catch {
      return null;
    }
  }
  return null;
}

const signToken = (token: string, secret: string): Buffer => createHmac("sha256", secret).update(token).digest();

/** `<token>.<base64 HMAC-SHA256 of the token>`, as better-auth signs it. */
function verifySignature(value: string, secret: string): string | null {
  const dot = value.lastIndexOf(".");
  if (dot < 1) return null;
  const token = value.slice(0, dot);
  const given = Buffer.from(value.slice(dot + 1), "base64");
  const wanted = signToken(token, secret);
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? token : null;
}

/** `user_` and the like, then 120 random bits. */
function newId(model: string): string {
  return `${model.toLowerCase()}_${randomBytes(15).toString("base64url")}`;
}
