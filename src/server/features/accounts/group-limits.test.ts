import { expect, it } from "vitest";
import { explainDenial, isLimited, type Principal, type Role } from "../../../lib/contract/access";
import type { AuditDoor } from "../../../lib/contract/audit";
import { AccountAccess } from "./account-access";
import { hashToken } from "./one-time-token";

const ORIGIN = "https://tools.example.org";
const JWT = `${"a".repeat(30)}.${"b".repeat(30)}.${"c".repeat(30)}`;
const WAYS: readonly [string, Record<string, string>][] = [
  ["an API token", { authorization: "Bearer trm_own" }],
  ["a client that signed in", { authorization: "Bearer trc_client" }],
  ["a JWT of the company", { authorization: `Bearer ${JWT}` }],
  ["a cookie", { cookie: "session" }],
];

/** Each way to prove that a request is the user's. */
function open(role: Role, limits: { toolsets: string[] | null }) {
  const user = { id: "ada", name: "Ada", email: "ada@example.org", role, disabledAt: null };
  const token = {
    id: "token_1",
    name: "ci",
    scopes: ["run"],
    tools: null,
    servers: null,
    expiresAt: null,
    lastUsedAt: Date.now(),
  };
  const endsAt = Number.POSITIVE_INFINITY;
  const grant = {
    user,
    clientId: "c",
    clientName: "C",
    scopes: ["mcp:run"],
    expiresAt: endsAt,
    resources: [`${ORIGIN}/mcp`],
  };
  const ports = {
    auth: { readCookie: (cookie: string | null) => cookie },
    accounts: { findSession: async () => ({ id: "s", user, expiresAt: endsAt }) },
    tokens: {
      findByHash: async (hash: string) =>
        hash === hashToken("trm_own") ? { token, owner: user, revokedAt: null } : null,
    },
    clients: { grants: { findAccessToken: async () => grant }, origin: ORIGIN },
    provisioned: null,
    issuers: {
      find: async () => ({ user, issuer: "https://id.example.org", audiences: [ORIGIN], scopes: ["run"], endsAt }),
      origin: ORIGIN,
    },
    proxyUsers: null,
    findGroupToolsets: async ({ role }: { role: Role }) => (role === "admin" ? null : limits.toolsets),
    limits: null,
    audit: { record: async () => undefined },
    now: Date.now,
  };
  return new AccountAccess(ports as unknown as ConstructorParameters<typeof AccountAccess>[0]);
}

const enter = (access: AccountAccess, headers: Record<string, string>, door: AuditDoor): Promise<Principal | null> =>
  access.authenticate(new Headers(headers), door, "/mcp/sets/sales");

it.each(WAYS)("holds for an MCP client with %s, and ends at once with the group", async (_, headers) => {
  const limits: { toolsets: string[] | null } = { toolsets: ["sales"] };
  const access = open("operator", limits);
  const found = await enter(access, headers, "gateway");
  expect(found?.token?.groupToolsets).toEqual(["sales"]);
  expect(found && explainDenial(found, "run")).toBeNull();
  limits.toolsets = [];
  expect((await enter(access, headers, "gateway"))?.token?.groupToolsets, "remembered").toEqual(["sales"]);
  access.applyChange("ada");
  expect((await enter(access, headers, "gateway"))?.token?.groupToolsets).toEqual([]);
  limits.toolsets = null;
  access.applyChange("ada");
  expect((await enter(access, headers, "gateway"))?.token?.groupToolsets).toBeUndefined();
});

it("holds for tokens at every door, and not for the console", async () => {
  for (const [name, headers] of WAYS) {
    const found = await enter(open("editor", { toolsets: ["sales"] }), headers, "rest");
    const isConsole = name === "a cookie";
    expect([name, found?.token === null]).toEqual([name, isConsole]);
    expect([name, found?.token ? isLimited(found.token) : false]).toEqual([name, !isConsole]);
  }
});

it.each(WAYS)("never holds for an admin with %s", async (_, headers) => {
  const found = await enter(open("admin", { toolsets: ["sales"] }), headers, "gateway");
  expect(found?.role).toBe("admin");
  expect(found?.token?.groupToolsets).toBeUndefined();
});
