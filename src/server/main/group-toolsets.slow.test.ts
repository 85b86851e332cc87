import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLimited, type Principal } from "../../lib/contract/access";
import type { RequestOrigin } from "../../lib/contract/audit";
import { toolsetInputSchema } from "../../lib/contract/toolset";
import { waitUntil } from "../../lib/wait-until.test-support";
import { INITIALIZE, post } from "../mcp/gateway/gateway.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";
import { createSignInRequest, readCookie } from "./sign-in-requests.test-support";

const PASSWORD = "correct horse battery";
const ORIGIN = "http://127.0.0.1:3000";
const BY: RequestOrigin = { door: "console", address: null };
const TOOLS = ["t0", "t1", "t2", "t3"];
const SETS = ["s0", "s1", "s2"];
const GROUPS = ["g0", "g1", "g2"];
const USERS = ["una@example.org", "ugo@example.org"];
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

let folder: string;
let here: Container;
let url: string;
let admin: Principal;
const server = createServer((request, response) => {
  here.admitRequest(request);
  void here.gateway.handle(request, response);
});
/** The id and an API token of each user. */
const accounts = new Map<string, { id: string; text: string }>();
const groupIds = new Map<string, string>();

/** What the test expects: kept apart from the product's own state. */
const model = {
  sets: new Map<string, readonly string[]>(),
  members: new Map<string, Set<string>>(GROUPS.map((name) => [name, new Set()])),
  limits: new Map<string, readonly string[]>(),
};

const start = () =>
  createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
      TOOLROOM_AUTH: "on",
      TOOLROOM_RATE_LIMIT: "1000000",
    }),
  );

const request = createSignInRequest(() => here, ORIGIN);

async function signIn(email: string): Promise<{ user: Principal; cookie: string }> {
  const response = await request("sign-in/email", { email, password: PASSWORD });
  const cookie = readCookie(response);
  const user = await here.access.authenticate(new Headers({ cookie }));
  if (user === null) throw new Error("not signed in");
  return { user, cookie };
}

async function addUser(email: string): Promise<void> {
  const attributes = { userName: email, displayName: email, emails: [{ value: email, primary: true }], active: true };
  const { id } = (await here.services.provisioning.createUser(attributes, BY)).user;
  await here.services.people.setRole(admin, id, "operator");
  await request("link/use", { token: await here.services.people.createReset(admin, id), password: PASSWORD });
  const { user } = await signIn(email);
  const input = { name: "ci", scopes: ["run" as const], tools: null, servers: null, validDays: 1 };
  accounts.set(email, { id, text: (await here.services.tokens.create(user, input)).text });
}

const bearer = (email: string) => ({ authorization: `Bearer ${accounts.get(email)?.text}` });

function ask(headers: Record<string, string>, address: string, method: string, params: object): Promise<Response> {
  const name: Record<string, string> = "name" in params ? { "mcp-name": String(params.name) } : {};
  return post(
    `${url}${address}`,
    { jsonrpc: "2.0", id: 1, method, params: { _meta: META, ...params } },
    { ...headers, "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name },
  );
}

interface Answer {
  status: number;
  text: string;
  tools: string[];
}

async function list(headers: Record<string, string>, address: string): Promise<Answer> {
  const response = await ask(headers, address, "tools/list", {});
  const text = await response.text();
  const parsed = JSON.parse(text) as { result?: { tools: { name: string }[] } };
  const names = (parsed.result?.tools ?? []).map(({ name }) => name);
  return { status: response.status, text, tools: names.filter((name) => TOOLS.includes(name)) };
}

async function isCalled(headers: Record<string, string>, address: string, tool: string): Promise<boolean> {
  const response = await ask(headers, address, "tools/call", { name: tool, arguments: {} });
  const parsed = (await response.json()) as { result?: { isError?: boolean } };
  return response.status === 200 && parsed.result !== undefined && parsed.result.isError !== true;
}

async function saveLimits(): Promise<void> {
  const groups = GROUPS.map((group) => {
    const toolsets = model.limits.get(group);
    return toolsets === undefined ? { group, role: null } : { group, role: null, toolsets: [...toolsets] };
  });
  const { revision } = await here.services.provisioningSettings.get(admin);
  await here.services.provisioning.saveRoles(admin, { defaultRole: "viewer", groups }, revision);
}

type Change =
  | { kind: "limit"; group: string; sets: string[] | null }
  | { kind: "member"; group: string; email: string; isMember: boolean }
  | { kind: "create"; set: string; tools: string[] }
  | { kind: "delete"; set: string }
  | { kind: "rename"; set: string; to: string };

const set = fc.constantFrom(...SETS);
const group = fc.constantFrom(...GROUPS);
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("limit" as const),
      group,
      sets: fc.option(fc.subarray(SETS, { minLength: 1 })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("member" as const),
      group,
      email: fc.constantFrom(...USERS),
      isMember: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("create" as const),
      set,
      tools: fc.subarray(TOOLS, { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), set }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename" as const), set, to: set }) },
);

const toInput = (name: string, tools: readonly string[]) => toolsetInputSchema.parse({ name, tools: [...tools] });

/** Makes a change in the product and in the model; one that the state does not allow is left out. */
async function apply(next: Change): Promise<void> {
  const { toolsets, provisioning } = here.services;
  switch (next.kind) {
    case "limit": {
      const known = next.sets?.filter((name) => model.sets.has(name));
      if (next.sets === null) model.limits.delete(next.group);
      else if (known !== undefined && known.length > 0) model.limits.set(next.group, known);
      return await saveLimits();
    }
    case "member": {
      const members = model.members.get(next.group) as Set<string>;
      if (next.isMember) members.add(next.email);
      else members.delete(next.email);
      const value = [...members].map((email) => ({ value: accounts.get(email)?.id ?? "" }));
      await provisioning.updateGroup(groupIds.get(next.group) ?? "", (before) => ({ ...before, members: value }), BY);
      return;
    }
    case "create":
      if (model.sets.has(next.set)) await toolsets.update(admin, next.set, toInput(next.set, next.tools));
      else await toolsets.create(admin, toInput(next.set, next.tools));
      model.sets.set(next.set, next.tools);
      return;
    case "delete":
      if (!model.sets.delete(next.set)) return;
      await toolsets.delete(admin, next.set);
      for (const [name, sets] of model.limits)
        model.limits.set(
          name,
          sets.filter((each) => each !== next.set),
        );
      return;
    case "rename": {
      const tools = model.sets.get(next.set);
      if (tools === undefined || model.sets.has(next.to)) return;
      await toolsets.update(admin, next.set, toInput(next.to, tools));
      model.sets.delete(next.set);
      model.sets.set(next.to, tools);
      for (const [name, sets] of model.limits) {
        model.limits.set(
          name,
          sets.map((each) => (each === next.set ? next.to : each)),
        );
      }
    }
  }
}

/** The toolsets that the model gives a user; null for no limit. */
function findUnion(email: string): Set<string> | null {
  const own = GROUPS.filter((name) => model.members.get(name)?.has(email) && model.limits.has(name));
  return own.length === 0 ? null : new Set(own.flatMap((name) => model.limits.get(name) ?? []));
}

async function expectLimits(email: string, tool: string): Promise<void> {
  const union = findUnion(email);
  const headers = bearer(email);
  const all = await list(headers, "/mcp");
  if (union === null) expect([email, all.status, all.tools]).toEqual([email, 200, TOOLS]);
  else {
    expect([email, all.status, all.tools]).toEqual([email, 403, []]);
    for (const name of union) expect(all.text).toContain(`/mcp/sets/${name}`);
    if (union.size === 0) expect(all.text).toContain("none is left");
  }
  expect([email, await isCalled(headers, "/mcp", tool)]).toEqual([email, union === null]);
  for (const name of SETS) {
    const address = `/mcp/sets/${name}`;
    const served = union === null || union.has(name) ? (model.sets.get(name) ?? []) : [];
    expect([email, name, (await list(headers, address)).tools]).toEqual([email, name, [...served]]);
    expect([email, name, tool, await isCalled(headers, address, tool)]).toEqual([
      email,
      name,
      tool,
      served.includes(tool),
    ]);
  }
  const principal = await here.access.authenticate(new Headers(headers), "rest");
  expect([email, principal?.token ? isLimited(principal.token) : null]).toEqual([email, union !== null]);
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-group-toolsets-"));
  here = await start();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const setup = (await here.setupPath())?.split("#")[1] ?? "";
  await request("link/use", { token: setup, name: "Ada", email: "ada@example.org", password: PASSWORD });
  admin = (await signIn("ada@example.org")).user;
  for (const name of TOOLS) {
    await here.services.tools.create(
      admin,
      JSON.stringify({
        name,
        description: name,
        type: "function",
        handler: name,
        parameters: { type: "object", properties: {} },
        implementation: { type: "builtin", handler: "echo" },
      }),
    );
  }
  for (const email of USERS) await addUser(email);
  for (const displayName of GROUPS) {
    const { id } = await here.services.provisioning.createGroup({ displayName, members: [] }, BY);
    groupIds.set(displayName, id);
  }
}, 120_000);
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await here.close();
  await rm(folder, { recursive: true, force: true });
});

describe("toolsets of groups", () => {
  it("are all that a member lists and calls as an MCP client, after any changes and after a restart", {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...TOOLS),
        async (all, tool) => {
          for (const each of all) await apply(each);
          for (const email of USERS) await expectLimits(email, tool);
        },
      ),
      // The state outlives a run, so that a shorter list of changes is another one.
      { numRuns: 40, endOnFailure: true },
    );
    await apply({ kind: "create", set: "s0", tools: ["t0", "t1"] });
    await apply({ kind: "limit", group: "g0", sets: ["s0"] });
    for (const email of USERS) await apply({ kind: "member", group: "g0", email, isMember: true });
    await here.close();
    here = await start();
    for (const email of USERS) await expectLimits(email, "t0");
  });

  it("stay with a group that the provider renames", async () => {
    for (const name of GROUPS) await apply({ kind: "limit", group: name, sets: null });
    const [email = ""] = USERS;
    await apply({ kind: "create", set: "s2", tools: ["t2"] });
    await apply({ kind: "limit", group: "g2", sets: ["s2"] });
    await apply({ kind: "member", group: "g2", email, isMember: true });
    const rename = (displayName: string) =>
      here.services.provisioning.updateGroup(groupIds.get("g2") ?? "", (before) => ({ ...before, displayName }), BY);
    await rename("crew");
    await expectLimits(email, "t2");
    const { roles } = await here.services.provisioningSettings.get(admin);
    expect(roles.groups).toContainEqual({ group: "crew", role: null, toolsets: ["s2"] });
    await rename("g2");
    await expectLimits(email, "t2");
  });

  it("leave members whose toolsets were all deleted without any, and limit no admin", async () => {
    for (const name of GROUPS) await apply({ kind: "limit", group: name, sets: null });
    await apply({ kind: "create", set: "s0", tools: ["t0"] });
    await apply({ kind: "limit", group: "g0", sets: ["s0"] });
    const [email = ""] = USERS;
    await apply({ kind: "member", group: "g0", email, isMember: true });
    await apply({ kind: "delete", set: "s0" });
    expect(findUnion(email)).toEqual(new Set());
    await expectLimits(email, "t0");
    await apply({ kind: "create", set: "s0", tools: ["t0"] });
    await expectLimits(email, "t0");
    const { id } = accounts.get(email) as { id: string };
    await here.services.people.setRole(admin, id, "admin");
    expect((await list(bearer(email), "/mcp")).tools).toEqual(TOOLS);
    await here.services.people.setRole(admin, id, "operator");
    expect((await list(bearer(email), "/mcp")).status).toBe(403);
  });

  it("end the streams of a session at an address that they do not have, and the Clients page says why", async () => {
    for (const name of GROUPS) await apply({ kind: "limit", group: name, sets: null });
    const [email = ""] = USERS;
    await apply({ kind: "create", set: "s1", tools: ["t1"] });
    await apply({ kind: "member", group: "g1", email, isMember: true });
    const client = { ...INITIALIZE, params: { ...INITIALIZE.params, clientInfo: { name: "desk", version: "1" } } };
    const begun = await post(`${url}/mcp`, client, bearer(email));
    await begun.text();
    const session = { ...bearer(email), "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const fetchList = () => post(`${url}/mcp`, { jsonrpc: "2.0", id: 2, method: "tools/list" }, session);
    expect((await fetchList()).status).toBe(200);
    const stream = await fetch(`${url}/mcp`, { headers: { ...session, accept: "text/event-stream" } });
    expect(stream.status).toBe(200);
    let isOpen = true;
    const end = () => {
      isOpen = false;
    };
    void stream.text().then(end, end);
    await apply({ kind: "limit", group: "g1", sets: ["s1"] });
    await waitUntil(() => !isOpen, { what: "the end of the stream", timeoutMs: 5000 });
    expect((await fetchList()).status).toBe(403);
    const answer = await here.services.clients.explain("desk", "t0");
    expect(answer).toMatchObject({ verdict: "limit", link: "/settings/people" });
    expect(answer.answer).toContain(
      `The groups of ${email} at the identity provider limit this user to toolsets: use /mcp/sets/s1`,
    );
    expect((await here.services.clients.get("desk")).barrier).toContain("/mcp/sets/s1");
  });

  it("hold for a client that sends a cookie instead of a token, and not for the console", async () => {
    const [email = ""] = USERS;
    for (const name of GROUPS) await apply({ kind: "limit", group: name, sets: null });
    await apply({ kind: "create", set: "s1", tools: ["t1"] });
    await apply({ kind: "limit", group: "g1", sets: ["s1"] });
    await apply({ kind: "member", group: "g1", email, isMember: true });
    const { cookie, user } = await signIn(email);
    expect(user.token).toBeNull();
    expect((await list({ cookie }, "/mcp")).status).toBe(403);
    expect((await list({ cookie }, "/mcp/sets/s1")).tools).toEqual(["t1"]);
    expect(await isCalled({ cookie }, "/mcp/sets/s1", "t1")).toBe(true);
  });
});
