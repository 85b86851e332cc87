import type { IssuedTokens, ProvenToken } from "../../../lib/contract/proven-identity";
import { getMessage } from "../../../lib/get-message";
import { sameIssuer } from "../../../lib/same-issuer";
import { type GrantRequest, IdentityRefusal, type TokenExchange, type UserIdentities } from "../../engine/mcp-ports";
import type { AuditLog } from "../audit/audit-log";
import type { AccountStore } from "./account-store";
import { EndpointRest } from "./endpoint-rest";
import { ExchangedTokens } from "./exchanged-tokens";
import type { IdentityTokenStore } from "./identity-token-store";
import { UserTokens } from "./user-tokens";

/** The provider of single sign-on. Its errors are named ProviderUnavailable and TokenRefusal. */
export interface GrantingProvider {
  /** As users know it. */
  name: string;
  issuer: string;
  renew(before: IssuedTokens): Promise<IssuedTokens>;
  requestGrant(request: {
    idToken: string;
    audience: string;
    resource: string;
    scope?: string | undefined;
  }): Promise<string>;
}

export interface UserIdentityPorts {
  /** Null without single sign-on. */
  provider: GrantingProvider | null;
  /** Exchanges a token at a token endpoint, with errors as those of the provider. */
  exchange(
    request: Omit<TokenExchange, "server" | "issuer"> & { subject: { token: string; type: "access" | "id" } },
  ): Promise<{ token: string; lifetimeMs: number | null }>;
  store: IdentityTokenStore;
  users: Pick<AccountStore, "findUser">;
  /** Runs work while no other instance renews the same user's tokens. */
  exclusively<Result>(user: string, work: () => Promise<Result>): Promise<Result>;
  audit: Pick<AuditLog, "record">;
  now(): number;
}

/** A token is renewed so long before it expires. */
const MARGIN_MS = 30_000;
/** A server that gets tokens of a user again and again is written down once in this time. */
const RECORDED_FOR_MS = 12 * 3_600_000;
const MAX_RECORDED = 10_000;
const NO_SIGN_ON = "Toolroom has no single sign-on: an admin sets it up (TOOLROOM_OIDC_ISSUER)";

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;

/**
 * What identity providers prove about users, for servers. ID tokens never leave this module but for the provider that
 * issued them, or for the token endpoint that an admin named for their issuer.
 */
export function createUserIdentities(ports: UserIdentityPorts) {
  const { provider, store, users, audit, now } = ports;
  const held = new UserTokens(now);
  const exchanged = new ExchangedTokens(now);
  const rest = new EndpointRest(now);
  /** By user and server: when it was written down last. */
  const recorded = new Map<string, number>();

  function isRecorded(key: string): boolean {
    const age = now() - (recorded.get(key) ?? Number.NEGATIVE_INFINITY);
    if (age >= 0 && age < RECORDED_FOR_MS) return true;
    if (recorded.size >= MAX_RECORDED) recorded.clear();
    recorded.set(key, now());
    return false;
  }

  const isUsable = (kept: IssuedTokens | null): kept is IssuedTokens =>
    kept !== null && kept.issuer === provider?.issuer && (kept.refreshToken !== null || isFresh(kept));
  const isFresh = ({ expiresAt }: IssuedTokens): boolean => expiresAt - MARGIN_MS > now();

  function signInAgain(server: string): IdentityRefusal {
    return new IdentityRefusal(
      "missing",
      `Sign in to Toolroom with ${provider?.name ?? "single sign-on"} to use '${server}'`,
    );
  }

  /** @throws IdentityRefusal where the user has to sign in again */
  async function readIdToken(user: string, server: string): Promise<string> {
    const from = asGranting(provider);
    const kept = await store.read(user);
    if (!isUsable(kept)) throw signInAgain(server);
    return isFresh(kept) ? kept.idToken : await ports.exclusively(user, () => renew(from, user, server));
  }

  async function renew(from: GrantingProvider, user: string, server: string): Promise<string> {
    const kept = await store.read(user);
    if (!isUsable(kept)) throw signInAgain(server);
    if (isFresh(kept)) return kept.idToken;
    try {
      const renewed = await from.renew(kept);
      await store.write(user, renewed);
      return renewed.idToken;
    } catch (error) {
      if (!isNamed(error, "TokenRefusal")) throw toRefusal(error, "");
      await store.delete(user);
      throw signInAgain(server);
    }
  }

  /** Writes down that a server received a token for a user, or why it did not. */
  async function record<Result>(
    user: string,
    { server, issuer }: { server: string; issuer: string | null },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { name = user, disabledAt = 0 } = (await users.findUser(user)) ?? {};
    if (disabledAt !== null)
      throw new IdentityRefusal("refused", "The account of this user is switched off or removed");
    const event = {
      by: { id: user, name, token: null },
      action: "credentials.exchange",
      target: { kind: "server", name: server },
      after: { issuer },
    };
    try {
      const result = await work();
      if (!isRecorded(JSON.stringify([user, server, issuer]))) await audit.record({ ...event, outcome: "done" });
      return result;
    } catch (error) {
      const isRefused = isNamed(error, "IdentityRefusal") && (error as IdentityRefusal).reason === "refused";
      if (isRefused) await audit.record({ ...event, outcome: "denied", error: getMessage(error) });
      throw error;
    }
  }

  async function findSubject(
    user: string,
    { issuer, server }: TokenExchange,
  ): Promise<{ token: string; type: "access" | "id" }> {
    const own = held.find(user, issuer);
    if (own !== null) return { token: own, type: "access" };
    if (provider !== null && sameIssuer(provider.issuer, issuer)) {
      return { token: await readIdToken(user, server), type: "id" };
    }
    throw new IdentityRefusal("missing", `Call '${server}' with a token of ${issuer}`);
  }

  const identities: UserIdentities = {
    async isProven(user, issuer) {
      const isHeld = issuer !== null && held.find(user, issuer) !== null;
      const isProvider = provider !== null && (issuer === null || sameIssuer(provider.issuer, issuer));
      if (isHeld) return (await users.findUser(user))?.disabledAt === null;
      return isProvider && isUsable(await store.read(user));
    },

    requestGrant: (user: string, { server, ...request }: GrantRequest) =>
      record(user, { server, issuer: provider?.issuer ?? null }, () =>
        rest.ask(provider?.issuer ?? "", async () => {
          const idToken = await readIdToken(user, server);
          return await asGranting(provider)
            .requestGrant({ ...request, idToken })
            .catch((error: unknown) => {
              throw toRefusal(error, describeNoGrant(asGranting(provider).name, error));
            });
        }),
      ),

    exchange(user, request) {
      const { server, issuer, ...settings } = request;
      return exchanged.get(user, [issuer, server, settings], () =>
        record(user, { server, issuer }, () =>
          rest.ask(settings.tokenUrl, async () => {
            const subject = await findSubject(user, request);
            return await ports.exchange({ ...settings, subject }).catch((error: unknown) => {
              throw toRefusal(error, describeNoExchange(settings.tokenUrl, error));
            });
          }),
        ),
      );
    },

    discard: (token) => exchanged.discard(token),
  };

  return {
    ...identities,
    /** A request of the user came with this token. */
    hold(user: string, token: string, { issuer, issuedAt, expiresAt }: ProvenToken): void {
      held.hold(user, issuer, { token, issuedAt, expiresAt });
    },
    /** The user signed in with the provider. */
    keep: (user: string, tokens: IssuedTokens): Promise<void> => store.write(user, tokens),
    /** The credentials of the user changed, here or in another instance. */
    refresh: (user: string): void => exchanged.forget(user),
    /** The user was switched off or removed. */
    async forget(user: string): Promise<void> {
      held.forget(user);
      exchanged.forget(user);
      await store.delete(user);
    },
    /** The provider that the user signs in with for this issuer; null where there is none. */
    findProvider(issuer: string | null): string | null {
      return provider !== null && (issuer === null || sameIssuer(provider.issuer, issuer)) ? provider.name : null;
    },
  };
}

export type UserIdentityService = ReturnType<typeof createUserIdentities>;

/** @throws IdentityRefusal */
function asGranting(provider: GrantingProvider | null): GrantingProvider {
  if (provider === null) throw new IdentityRefusal("refused", NO_SIGN_ON);
  return provider;
}

function describeNoGrant(name: string, error: unknown): string {
  const remedy = `ask its admin to give you access, or sign in with ${name} again`;
  return `${name} gave no access to this server: ${getMessage(error)}. If you need it, ${remedy}`;
}

function describeNoExchange(tokenUrl: string, error: unknown): string {
  const remedy = "ask its admin to let this client exchange your tokens for this server";
  return `${new URL(tokenUrl).host} exchanged no token for this server: ${getMessage(error)}. If you need it, ${remedy}`;
}

/** Faults of the network are no refusals: the call can be repeated. */
function toRefusal(error: unknown, message: string): IdentityRefusal {
  if (isNamed(error, "IdentityRefusal")) return error as IdentityRefusal;
  if (isNamed(error, "TokenRefusal")) return new IdentityRefusal("refused", message, { cause: error });
  return new IdentityRefusal("unavailable", getMessage(error), { cause: error });
}
