import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  LOCAL_PRINCIPAL,
  type Principal,
  REQUIREMENTS,
  ROLES,
  type Role,
  type Scope,
} from "../../../../lib/contract/access";
import type { Method } from "../../../platform/api/route";
import { type Container, createContainer } from "../../container";
import { readEnv } from "../../env";
import { listOperations } from "../operations";
import { createRestClient } from "./rest.test-support";
import { ROUTES } from "./routes";

/** Those that have a route, also by their routes of the version before. */
const declared = listOperations().flatMap(({ operation }) => {
  if (operation.rest === null) return [];
  const former = (operation.formerly ?? []).map(({ rest }) => rest);
  return [operation.rest, ...former].map((rest) => ({ ...operation, rest }));
});
/** A token needs more than the scope of their role for these: they change the owner's account. */
const OWN = declared.filter(({ allow }) => allow === "own").map(({ rest }) => rest);
/** The routes that a token limited to tools may use, for these tools. */
const LIMITED = declared.filter(({ forLimitedTokens }) => forLimitedTokens !== undefined).map(({ rest }) => rest);
const SCOPE_OF: Record<Role, Scope> = { viewer: "read", operator: "run", editor: "manage", admin: "manage" };
const SCOPES: readonly Scope[] = ["read", "run", "manage"];

const leastRoles = new Map(declared.map(({ rest, allow }) => [rest, REQUIREMENTS[allow].role]));
const person = (role: Role): Principal => ({ ...LOCAL_PRINCIPAL, id: "ada", name: "Ada", role });
const token = (role: Role, scope: Scope, tools: string[] | null = null): Principal => ({
  ...person(role),
  token: { id: "t", scopes: [scope], tools, servers: null },
});

let container: Container;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-rest-access-"));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/rest.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: "" }),
  );
});
afterAll(() => container.close());

/** Nothing has the name, and the body is empty: a caller with the permission gets another refusal, or an empty list. */
async function mayUse(route: string, actor: Principal | null): Promise<boolean> {
  const [method = "", pattern = ""] = route.split(" ");
  const address = pattern.replace(/\{\w+\}/g, "nothing");
  const body = method === "GET" || method === "DELETE" ? undefined : {};
  const { status } = await createRestClient(container)({ method: method as Method, address, body, actor });
  return status !== 401 && status !== 403;
}

describe("who may use which route of the REST API", { timeout: 300_000 }, () => {
  it("is declared for each of them", () => {
    expect(ROUTES.map(({ method, path: pattern }) => `${method} ${pattern}`).sort()).toEqual(
      [...leastRoles.keys()].sort(),
    );
  });

  it.each(ROLES)("a %s may use what the role allows, and nothing else", async (role) => {
    for (const [route, least] of leastRoles) {
      const allowed = ROLES.indexOf(role) >= ROLES.indexOf(least);
      expect([route, await mayUse(route, person(role))]).toEqual([route, allowed]);
    }
  });

  it.each(SCOPES)("a token with the scope %s may use what it allows, within its owner's role", async (scope) => {
    for (const role of ROLES) {
      for (const [route, least] of leastRoles) {
        const needed = OWN.includes(route) ? "manage" : SCOPE_OF[least];
        // What no token may do says so once the body is valid: `operations.test.ts` proves that.
        const allowed = ROLES.indexOf(role) >= ROLES.indexOf(least) && SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
        expect([route, role, await mayUse(route, token(role, scope))]).toEqual([route, role, allowed]);
      }
    }
  });

  it("a token that is limited to tools may use what is for these, and nobody may use any", async () => {
    for (const route of leastRoles.keys()) {
      expect([route, await mayUse(route, null)]).toEqual([route, false]);
      // A tool that the token is not limited to: its guard refuses the call, other routes say that nothing has the name.
      const allowed = LIMITED.includes(route) && route !== "POST /tools/{name}/execute";
      expect([route, await mayUse(route, token("admin", "manage", ["echo"]))]).toEqual([route, allowed]);
    }
  });
});
