import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { readMcpScopes } from "../../../../lib/contract/connected-client";
import type { Database } from "../../../platform/db/database";
import type { ClientGrantStore, GrantedToken } from "../client-grant-store";
import { toUser } from "./account-store";

const DAY_MS = 24 * 60 * 60_000;
/** A client without any grant. */
const UNUSED_MS = DAY_MS;
/** Longer than a refresh token lives. */
const IDLE_MS = 40 * DAY_MS;
/** A rotated refresh token is kept so that its reuse ends the whole family. */
const ROTATED_MS = 7 * DAY_MS;
const MAX_CLIENTS = 200;
/** The redirect addresses kept of one consent; a program on the user's machine may use another port each time. */
const MAX_REDIRECTS = 20;

const storedTexts = z.array(z.string()).catch([]);

/** A list as the library stores it: JSON text. */
function readList(text: string | null): string[] {
  try {
    return storedTexts.parse(JSON.parse(text ?? "[]"));
  } catch {
    return [];
  }
}

/** `claude.ai`, `localhost`, and `cursor://anysphere.cursor-mcp` for a private-use scheme. */
function formatHost(uri: string): string {
  if (!URL.canParse(uri)) return "";
  const { protocol, hostname } = new URL(uri);
  if (protocol === "http:" || protocol === "https:") return hostname;
  return hostname === "" ? protocol : `${protocol}//${hostname}`;
}

function listHosts(redirectUris: string | null): string[] {
  const hosts = readList(redirectUris).map(formatHost);
  return [...new Set(hosts.filter((host) => host !== ""))];
}

const UNNAMED = "Unnamed program";

export function createClientGrantStore({ db }: { db: Database }): ClientGrantStore {
  const { oauthClient, oauthConsent, oauthAccessToken, oauthRefreshToken, oauthResource } = db.prisma;
  const newestToken = (userId: string) => ({
    where: { userId },
    orderBy: { createdAt: "desc" as const },
    take: 1,
    select: { createdAt: true },
  });

  return {
    async findClient(id) {
      const row = await oauthClient.findUnique({ where: { clientId: id } });
      if (row === null || row.disabled === true) return null;
      const refreshes = readList(row.grantTypes).includes("refresh_token");
      return { id, name: row.name ?? UNNAMED, redirectUris: readList(row.redirectUris), refreshes };
    },

    async setRedirects(id, redirectUris) {
      const data = { redirectUris: JSON.stringify(redirectUris) };
      await db.write(() => oauthClient.update({ where: { clientId: id }, data }));
    },

    async saveDocumentClient({ id, name, redirectUris, grantTypes, isNative }) {
      const at = new Date();
      const described = {
        name,
        redirectUris: JSON.stringify(redirectUris),
        grantTypes: JSON.stringify(grantTypes),
        applicationType: isNative ? "native" : "web",
        updatedAt: at,
      };
      const created = {
        id: `oauthclient_${randomUUID()}`,
        clientId: id,
        createdAt: at,
        tokenEndpointAuthMethod: "none",
        responseTypes: JSON.stringify(["code"]),
        ...described,
      };
      await db.write(() => oauthClient.upsert({ where: { clientId: id }, create: created, update: described }));
    },

    ...createConsents(db),

    async list(userId) {
      const rows = await oauthConsent.findMany({
        where: { userId },
        orderBy: [{ createdAt: "desc" }, { id: "asc" }],
        take: MAX_CLIENTS,
        include: {
          client: { include: { refreshTokens: newestToken(userId), accessTokens: newestToken(userId) } },
        },
      });
      return rows.map(({ client, scopes, createdAt, updatedAt }) => {
        const tokens = [...client.refreshTokens, ...client.accessTokens].map((token) => token.createdAt.getTime());
        return {
          id: client.clientId,
          name: client.name ?? UNNAMED,
          hosts: listHosts(client.redirectUris),
          scopes: readMcpScopes(readList(scopes)),
          connectedAt: createdAt.getTime(),
          lastSeenAt: Math.max(updatedAt.getTime(), ...tokens),
        };
      });
    },

    async revoke(userId, clientId) {
      const where = { userId, ...(clientId === null ? {} : { clientId }) };
      // Deletes refresh tokens first, so that a rotation at the same time finds none to replace and gives no new one.
      const counts = [
        await db.write(() => oauthRefreshToken.deleteMany({ where })),
        await db.write(() => oauthAccessToken.deleteMany({ where })),
        await db.write(() => oauthConsent.deleteMany({ where })),
      ];
      return counts.some(({ count }) => count > 0);
    },

    addGranted: (grant) => addGranted(db, grant),

    async findAccessToken(hash) {
      const row = await oauthAccessToken.findUnique({ where: { token: hash }, include: { user: true, client: true } });
      // A token that is bound to a key is no bearer token.
      if (row === null || row.user === null || row.revoked !== null || row.confirmation !== null) return null;
      if (row.client.disabled === true) return null;
      return {
        clientId: row.clientId,
        clientName: row.client.name ?? UNNAMED,
        scopes: readList(row.scopes),
        resources: readList(row.resources),
        expiresAt: row.expiresAt.getTime(),
        user: toUser(row.user, null),
      };
    },

    async addResource(identifier) {
      if ((await oauthResource.findUnique({ where: { identifier } })) !== null) return;
      const at = new Date();
      const data = { id: `resource_${randomUUID()}`, identifier, name: identifier, createdAt: at, updatedAt: at };
      await db.write(() => oauthResource.upsert({ where: { identifier }, create: data, update: {} }));
    },

    async keepResources(origin) {
      await db.write(() => oauthResource.deleteMany({ where: { NOT: { identifier: { startsWith: `${origin}/` } } } }));
    },

    async deleteUnused(now) {
      const before = (ms: number) => ({ lt: new Date(now - ms) });
      await db.write(() => oauthAccessToken.deleteMany({ where: { expiresAt: { lte: new Date(now) } } }));
      await db.write(() => db.prisma.oauthClientAssertion.deleteMany({ where: { expiresAt: { lte: new Date(now) } } }));
      await db.write(() =>
        oauthRefreshToken.deleteMany({
          where: { OR: [{ expiresAt: { lte: new Date(now) } }, { revoked: before(ROTATED_MS) }] },
        }),
      );
      const tokenless = { refreshTokens: { none: {} }, accessTokens: { none: {} } };
      const idle = [
        { consents: { none: {} }, createdAt: before(UNUSED_MS) },
        { consents: { every: { updatedAt: before(IDLE_MS) } }, createdAt: before(IDLE_MS) },
      ];
      await db.write(() => oauthClient.deleteMany({ where: { ...tokenless, OR: idle } }));
    },
  };
}

async function addGranted(db: Database, grant: GrantedToken): Promise<boolean> {
  const { oauthClientAssertion, oauthAccessToken, oauthConsent } = db.prisma;
  const { userId, clientId, assertion } = grant;
  const used = { id: `grant_${assertion.hash}`, expiresAt: new Date(assertion.expiresAt) };
  const isUsed = async (): Promise<boolean> =>
    (await oauthClientAssertion.findUnique({ where: { id: used.id } })) !== null;
  if (await isUsed()) return false;
  try {
    await db.write(() => oauthClientAssertion.create({ data: used }));
  } catch (error) {
    // Another request may have used it at the same time.
    if (await isUsed()) return false;
    throw error;
  }
  const at = new Date(grant.createdAt);
  const allowed = { scopes: JSON.stringify(grant.scopes), resources: JSON.stringify(grant.resources) };
  const consent = await oauthConsent.findFirst({ where: { userId, clientId } });
  if (consent === null) {
    // A client asks for the tokens of several servers at the same time, and they make one consent.
    const id = `oauthconsent_${createHash("sha256").update(`${userId} ${clientId}`).digest("base64url")}`;
    const data = { id, userId, clientId, createdAt: at, updatedAt: at, ...allowed };
    await db.write(() => oauthConsent.upsert({ where: { id }, create: data, update: { updatedAt: at } }));
  } else {
    const scopes = JSON.stringify([...new Set([...readList(consent.scopes), ...grant.scopes])]);
    const resources = JSON.stringify([...new Set([...readList(consent.resources), ...grant.resources])]);
    await db.write(() =>
      oauthConsent.updateMany({ where: { id: consent.id }, data: { scopes, resources, updatedAt: at } }),
    );
  }
  const token = { id: `oauthaccesstoken_${randomUUID()}`, token: grant.tokenHash, userId, clientId, createdAt: at };
  const data = { ...token, expiresAt: new Date(grant.expiresAt), ...allowed };
  await db.write(() => oauthAccessToken.create({ data }));
  return true;
}

/** Stores the consents of users. */
function createConsents(db: Database): Pick<ClientGrantStore, "findConsent" | "addConsentRedirect"> {
  const { oauthConsent } = db.prisma;
  return {
    async findConsent(userId, clientId) {
      const row = await oauthConsent.findFirst({ where: { userId, clientId } });
      if (row === null) return null;
      return {
        scopes: readList(row.scopes),
        resources: readList(row.resources),
        redirectUris: readList(row.redirectUris),
        allowedAt: row.updatedAt.getTime(),
      };
    },

    async addConsentRedirect(userId, clientId, redirectUri) {
      const row = await oauthConsent.findFirst({ where: { userId, clientId } });
      const known = readList(row?.redirectUris ?? null).filter((uri) => uri !== redirectUri);
      const redirectUris = JSON.stringify([...known, redirectUri].slice(-MAX_REDIRECTS));
      await db.write(() => oauthConsent.updateMany({ where: { userId, clientId }, data: { redirectUris } }));
    },
  };
}
