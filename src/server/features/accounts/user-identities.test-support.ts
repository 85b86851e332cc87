import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { Actor } from "../../../lib/contract/actor";
import type { ServerAuth } from "../../../lib/contract/server";
import type { OpenSignInPage } from "../../engine/mcp-ports";
import type { InteractionHandler } from "../../engine/ports";
import { buildContext, remote } from "../../mcp/client/connections.test-support";
import { openPersonalBench } from "../../mcp/client/personal/personal.test-support";
import { createIdentityProvider } from "../../platform/auth/identity-provider";
import { CLIENT, startOpenIdProvider } from "../../platform/auth/identity-provider.test-support";
import { createSecretBox } from "../../platform/auth/secret-box";
import { createTokenExchange } from "../../platform/auth/token-exchange";
import { createAddressPolicy } from "../../platform/outgoing/address-policy";
import { createOutgoingAgents } from "../../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../../platform/outgoing/outgoing-fetch";
import { createKeyedMutex } from "../../platform/shared/mutex";
import { openAccounts } from "./accounts.test-support";
import { createIdentityTokenStore } from "./db/identity-token-store";
import { createUserIdentities } from "./user-identities";

export type IdentityBench = Awaited<ReturnType<typeof openIdentityBench>>;

interface BenchSettings {
  privateAddresses?: string;
  openSignInPage?: OpenSignInPage;
}

/** The client that a server's authorization server knows. */
const AT_SERVER = { client_id: "toolroom-there", client_secret: "secret-of-the-client-there" };

/** Accounts on a real database, an identity provider, and connections to servers that it lets users in to. */
export async function openIdentityBench({ privateAddresses = "allow", openSignInPage }: BenchSettings = {}) {
  const accounts = await openAccounts();
  const idp = await startOpenIdProvider();
  const fetch = createOutgoingFetch(createOutgoingAgents(createAddressPolicy({ privateAddresses, local: false })));
  const settings = { scopes: ["openid"], rolesClaim: null, trustEmail: false, name: "Example ID" };
  const provider = createIdentityProvider(
    { ...settings, issuer: idp.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret },
    fetch,
  );
  const secretBox = await createSecretBox({ secretKey: randomBytes(32).toString("hex"), keyFile: "" });
  const time = { aheadMs: 0 };
  const now = (): number => Date.now() + time.aheadMs;
  const identities = createUserIdentities({
    provider,
    exchange: createTokenExchange(fetch),
    store: createIdentityTokenStore({ db: accounts.db, secretBox, now }),
    users: accounts.store,
    exclusively: createKeyedMutex(),
    audit: accounts.audit,
    now,
  });
  const bench = openPersonalBench({ clock: { now, elapsed: () => performance.now() } }, openSignInPage, identities);
  const changed = (user: string): Promise<void> => bench.connections.credentialsChanged(user);

  /** A server with an authorization server of its own, which trusts the provider. */
  async function addServer(
    name: string,
    auth: Partial<ServerAuth> = {},
    given: Parameters<typeof startOAuthServer>[0] = {},
  ) {
    const server = await startOAuthServer({
      clients: [AT_SERVER],
      checkAssertion: async (assertion) => {
        const { aud, resource, sub } = await idp.check(assertion);
        return aud === server.issuer && resource === server.url ? (sub ?? null) : null;
      },
      ...given,
    });
    onTestFinished(() => server.close());
    const common = { clientId: AT_SERVER.client_id, clientSecret: AT_SERVER.client_secret };
    const complete = { type: "cross_app_access", ...common, ...auth } as ServerAuth;
    const personal = { slots: [], binding: server.url };
    bench.connections.apply(remote(name, server.url, { auth: complete, personal }));
    return server;
  }

  /** The same for tokens that the provider exchanges; it knows the server by its name. */
  async function addExchangeServer(
    name: string,
    more: Partial<ServerAuth> = {},
    given: Parameters<typeof startOAuthServer>[0] = {},
  ) {
    const tokenUrl = `${idp.issuer}/token`;
    const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    const exchange = {
      type: "token_exchange",
      issuer: idp.issuer,
      tokenUrl,
      audience: name,
      ...client,
      ...more,
    } as ServerAuth;
    const server = await addServer(name, exchange, given);
    const before = idp.state.onExchange;
    idp.state.onExchange = (token, user, form) => {
      before(token, user, form);
      if (form.get("audience") !== name) return;
      const grant = { client: "exchanged", scope: "", expiresAt: Date.now() + 300_000, family: token, user };
      server.authorization.access.set(token, grant);
      server.authorization.owners.set(token, user);
    };
    return server;
  }

  return {
    ...accounts,
    ...bench,
    idp,
    identities,
    time,
    addServer,
    addExchangeServer,
    /** The user comes back from the provider. */
    async signOn({ id }: Actor, seconds = 300, refreshToken: string | null = null): Promise<void> {
      const idToken = await idp.signIn(id, seconds);
      await identities.keep(id, provider.keepable({ idToken, accessToken: null, refreshToken }));
      await changed(id);
    },
    /** The user is switched off, as the service does it. */
    async switchOff({ id }: Actor): Promise<void> {
      await accounts.db.prisma.user.update({ where: { id }, data: { disabledAt: new Date() } });
      await identities.forget(id);
      // The real store reads nothing for this user from now on.
      for (const key of bench.stored.keys()) if (key.endsWith(`,${JSON.stringify(id)}]`)) bench.stored.delete(key);
      await changed(id);
    },
    async switchOn({ id }: Actor): Promise<void> {
      await accounts.db.prisma.user.update({ where: { id }, data: { disabledAt: null } });
    },
    /** Calls as the user, with the user's name as argument. @returns the error of a call that fails */
    async callAs(
      actor: Actor,
      server: string,
      interact?: InteractionHandler,
    ): Promise<{ kind: string; message: string } | null> {
      const context = buildContext({ actor, ...(interact && { interact }) });
      return await bench.connections.call(server, "whoami", { as: actor.id }, context).then(
        () => null,
        (error: { kind: string; message: string }) => ({ kind: error.kind, message: error.message }),
      );
    },
  };
}

/** How many grants of this type an authorization server gave, or refused. */
export const countGrants = (server: Awaited<ReturnType<IdentityBench["addServer"]>>): number =>
  server.authorization.log.filter(({ path }) => path === "/token").length;
