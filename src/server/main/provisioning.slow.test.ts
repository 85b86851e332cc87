import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Principal, Role } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { INITIALIZE, post } from "../mcp/gateway/gateway.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";
import { createSignInRequest, readCookie } from "./sign-in-requests.test-support";

const PASSWORD = "correct horse battery";
const ORIGIN = "http://127.0.0.1:3000";
const API = "urn:ietf:params:scim:api:messages:2.0";
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";

let folder: string;
let here: Container;
let url: string;
let admin: Principal;
let adaId: string;
let secret: string;

async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === "string") headers.set(name, value);
  const { method = "GET" } = request;
  const body = method === "GET" || method === "DELETE" ? null : Buffer.concat(chunks);
  const answered = await here.scim(
    new Request(`http://${request.headers.host}${request.url}`, { method, headers, body }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text());
}

const server = createServer((request, response) => {
  here.admitRequest(request);
  if (request.url?.startsWith("/scim/")) void passOn(request, response);
  else if (request.url?.startsWith("/mcp")) void here.gateway.handle(request, response);
  else here.liveEndpoint.handle(request, response);
});

interface Resource {
  id: string;
  active: boolean;
  userName: string;
  detail: string;
  scimType: string;
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: Resource[];
  members: { value: string }[];
  meta: { location: string; version: string };
  Operations: {
    method: string;
    bulkId?: string;
    location?: string;
    version?: string;
    status: string;
    response?: object;
  }[];
}

/** A request as an identity provider sends it. */
async function scim(method: string, target: string, body?: object, token = secret, more: Record<string, string> = {}) {
  const response = await fetch(`${url}/scim/v2${target}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json; charset=utf-8", ...more },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: (text === "" ? {} : JSON.parse(text)) as Resource };
}

const patch = (target: string, ...Operations: object[]) =>
  scim("PATCH", target, { schemas: [`${API}:PatchOp`], Operations });
const find = (filter: string) => scim("GET", `/Users?filter=${encodeURIComponent(filter)}&startIndex=1&count=100`);

/** What Okta sends for a new user. */
const oktaUser = (userName: string, more: object = {}) => ({
  schemas: [USER],
  userName,
  name: { givenName: "Otto", familyName: "Okta" },
  emails: [{ primary: true, value: userName, type: "work" }],
  displayName: `Otto ${userName}`,
  locale: "en-US",
  externalId: `00u-${userName}`,
  groups: [],
  password: "1mz050nq",
  active: true,
  ...more,
});

/** What Entra sends for one. */
const entraUser = (userName: string) => ({
  schemas: [USER, ENTERPRISE],
  externalId: userName.split("@")[0],
  userName,
  active: true,
  displayName: "Enno Entra",
  emails: [{ primary: true, type: "work", value: userName }],
  meta: { resourceType: "User" },
  name: { formatted: "Enno Entra", familyName: "Entra", givenName: "Enno" },
  roles: [],
  [ENTERPRISE]: { department: "R&D" },
});

async function create(userName: string): Promise<string> {
  const { status, body } = await scim("POST", "/Users", oktaUser(userName));
  expect([status, body]).toEqual([201, expect.anything()]);
  return body.id;
}

const readRole = async (id: string): Promise<Role | undefined> =>
  (await here.services.people.list(admin)).find((each) => each.id === id)?.role;

async function mapRoles(groups: { group: string; role: Role }[], defaultRole: Role = "viewer"): Promise<void> {
  const { revision } = await here.services.provisioningSettings.get(admin);
  await here.services.provisioning.saveRoles(admin, { defaultRole, groups }, revision);
}

const request = createSignInRequest(() => here, ORIGIN);

async function signIn(email: string): Promise<string> {
  const response = await request("sign-in/email", { email, password: PASSWORD });
  return readCookie(response);
}

/** Signs a provisioned user in with a password and creates an API token. */
async function enter(id: string, email: string) {
  const link = await here.services.people.createReset(admin, id);
  await request("link/use", { token: link, password: PASSWORD });
  const cookie = await signIn(email);
  const user = await here.access.authenticate(new Headers({ cookie }));
  if (user === null) throw new Error("not signed in");
  const input = { name: "ci", scopes: ["run" as const], tools: null, servers: null, validDays: 1 };
  const { text } = await here.services.tokens.create(user, input);
  return { cookie, text };
}

/** The live stream of a page and the stream of an MCP session. */
async function openStreams(cookie: string, text: string) {
  const open = { page: true, program: true };
  const page = await fetch(`${url}/api/live`, { headers: { cookie } });
  expect(page.status).toBe(200);
  const bearer = { authorization: `Bearer ${text}` };
  const begun = await post(`${url}/mcp`, INITIALIZE, bearer);
  await begun.text();
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "", accept: "text/event-stream" };
  const program = await fetch(`${url}/mcp`, { headers: { ...bearer, ...session } });
  expect(program.status).toBe(200);
  for (const [name, stream] of Object.entries({ page, program })) {
    const end = () => Object.assign(open, { [name]: false });
    void stream.text().then(end, end);
  }
  return open;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-scim-"));
  here = await createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
      TOOLROOM_AUTH: "on",
      TOOLROOM_RATE_LIMIT: "6000",
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const setup = (await here.setupPath())?.split("#")[1] ?? "";
  await request("link/use", { token: setup, name: "Ada", email: "ada@example.org", password: PASSWORD });
  const cookie = await signIn("ada@example.org");
  const found = await here.access.authenticate(new Headers({ cookie }));
  if (found === null) throw new Error("not signed in");
  admin = found;
  adaId = found.id;
  secret = (await here.services.provisioningSettings.createToken(admin)).text;
}, 120_000);
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await here.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the token of an identity provider", () => {
  it("is needed for every request, and each other one is refused in the form of SCIM", async () => {
    const user = { name: "ci", scopes: ["manage" as const], tools: null, servers: null, validDays: 1 };
    const { text } = await here.services.tokens.create(admin, user);
    for (const target of ["/Users", "/Groups", "/ServiceProviderConfig", "/Schemas", "/none"]) {
      for (const token of [text, "trm_scim_wrong", ""]) {
        const { status, headers, body } = await scim("GET", target, undefined, token);
        expect([target, status, body]).toEqual([target, 401, expect.objectContaining({ schemas: [`${API}:Error`] })]);
        expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
        expect(headers.get("content-type")).toBe("application/scim+json");
      }
    }
  });

  it("opens no other door", async () => {
    const headers = new Headers({ authorization: `Bearer ${secret}` });
    await expect(here.access.authenticate(headers)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect((await post(`${url}/mcp`, INITIALIZE, { authorization: `Bearer ${secret}` })).status).toBe(401);
  });

  it("ends when it is replaced or revoked, and is stored as a hash", async () => {
    const before = secret;
    secret = (await here.services.provisioningSettings.createToken(admin)).text;
    expect((await scim("GET", "/Users", undefined, before)).status).toBe(401);
    expect((await scim("GET", "/Users")).status).toBe(200);
    expect(JSON.stringify(await here.services.provisioningSettings.get(admin))).not.toContain(secret);
    await here.services.provisioningSettings.revokeToken(admin);
    expect((await scim("GET", "/Users")).status).toBe(401);
    secret = (await here.services.provisioningSettings.createToken(admin)).text;
  });
});

describe("the description of the server for providers", () => {
  it("are the features, resource types and schemas that it has", async () => {
    const config = await scim("GET", "/ServiceProviderConfig");
    const features = {
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 200 },
      etag: { supported: true },
    };
    expect(config).toMatchObject({ status: 200, body: features });
    expect((await scim("GET", "/ResourceTypes")).body.totalResults).toBe(2);
    expect((await scim("GET", `/Schemas/${USER}`)).body).toMatchObject({ id: USER, name: "User" });
    expect((await scim("GET", "/Bulk")).status).toBe(405);
    expect((await scim("POST", "/Schemas", {})).status).toBe(405);
  });
});

describe("Okta", () => {
  it("looks a user up, creates, replaces, switches off and on again, and lists in pages", async () => {
    const name = "otto@example.org";
    expect((await find(`userName eq "${name}"`)).body).toMatchObject({ totalResults: 0, Resources: [] });
    const created = await scim("POST", "/Users", oktaUser(name));
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect(created.headers.get("location")).toBe(`${url}/scim/v2/Users/${id}`);
    expect(created.body).toMatchObject({ userName: name, active: true, externalId: `00u-${name}` });
    expect(JSON.stringify(created.body)).not.toContain("1mz050nq");
    for (const filter of [
      `userName eq "OTTO@example.org"`,
      `externalId eq "00u-${name}"`,
      `emails.value eq "${name}"`,
    ]) {
      expect((await find(filter)).body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    }
    const replaced = await scim("PUT", `/Users/${id}`, oktaUser(name, { displayName: "Otto O." }));
    expect(replaced).toMatchObject({ status: 200, body: { displayName: "Otto O." } });
    expect((await here.services.people.list(admin)).find((each) => each.id === id)).toMatchObject({ name: "Otto O." });
    const off = await patch(`/Users/${id}`, { op: "replace", value: { active: false } });
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    const on = await patch(`/Users/${id}`, { op: "replace", value: { active: true } });
    expect(on).toMatchObject({ status: 200, body: { active: true } });

    for (const each of ["p1@example.org", "p2@example.org"]) await create(each);
    const pages = await Promise.all([1, 2, 3].map((at) => scim("GET", `/Users?startIndex=${at}&count=1`)));
    expect(new Set(pages.map(({ body }) => body.Resources[0]?.id)).size).toBe(3);
    expect(pages[0]?.body).toMatchObject({ startIndex: 1, itemsPerPage: 1, totalResults: expect.any(Number) });
    expect((await scim("GET", "/Users?count=0")).body).toMatchObject({ itemsPerPage: 0, totalResults: 3 });
    expect((await scim("GET", "/Users?startIndex=x")).status).toBe(400);
    expect((await find('userName sw "a"')).body).toMatchObject({ scimType: "invalidFilter" });
  });

  it("pushes a group with its members, renames it, and takes members away", async () => {
    await mapRoles([{ group: "Operators", role: "operator" }]);
    const one = await create("g1@example.org");
    const two = await create("g2@example.org");
    const group = await scim("POST", "/Groups", { schemas: [GROUP], displayName: "Operators", members: [] });
    expect(group.status).toBe(201);
    const target = `/Groups/${group.body.id}`;
    const members = [one, two].map((value) => ({ value, display: value }));
    expect((await patch(target, { op: "add", path: "members", value: members })).status).toBe(200);
    expect([await readRole(one), await readRole(two)]).toEqual(["operator", "operator"]);
    await patch(target, { op: "remove", path: `members[value eq "${one}"]` });
    expect([await readRole(one), await readRole(two)]).toEqual(["viewer", "operator"]);
    await patch(target, { op: "replace", value: { id: group.body.id, displayName: "Former operators" } });
    expect(await readRole(two)).toBe("viewer");
    await patch(target, { op: "replace", value: { displayName: "Operators" } });
    expect(await readRole(two)).toBe("operator");
    expect((await scim("DELETE", target)).status).toBe(204);
    expect((await scim("GET", target)).status).toBe(404);
    expect(await readRole(two)).toBe("viewer");
  });
});

describe("Entra", () => {
  it("tests the connection, creates a user, changes parts of it, and switches it off with a text", async () => {
    expect((await find('userName eq "1a2b-not-there"')).body).toMatchObject({ totalResults: 0 });
    const created = await scim("POST", "/Users", entraUser("enno@example.org"));
    expect(created.status).toBe(201);
    const target = `/Users/${created.body.id}`;
    const changed = await patch(
      target,
      { op: "Replace", path: 'emails[type eq "work"].value', value: "enno.e@example.org" },
      { op: "Replace", path: "name.familyName", value: "E." },
      { op: "Add", path: `${ENTERPRISE}:department`, value: "Sales" },
      { op: "Add", path: "displayName", value: "Enno E." },
    );
    expect(changed).toMatchObject({ status: 200, body: { displayName: "Enno E.", name: { familyName: "E." } } });
    const user = (await here.services.people.list(admin)).find(({ id }) => id === created.body.id);
    expect(user).toMatchObject({ name: "Enno E.", email: "enno.e@example.org", disabledAt: null });
    const off = await patch(target, { op: "Replace", path: "active", value: "False" });
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect((await scim("DELETE", target)).status).toBe(204);
    expect((await scim("GET", target)).status).toBe(404);
    expect((await scim("DELETE", target)).status).toBe(404);
  });

  it("looks groups up without their members, and adds and removes members with references", async () => {
    const id = await create("e1@example.org");
    const group = await scim("POST", "/Groups", { schemas: [GROUP], externalId: "8aa1", displayName: "Entra group" });
    const filter = encodeURIComponent('displayName eq "entra group"');
    const found = (await scim("GET", `/Groups?excludedAttributes=members&filter=${filter}`)).body;
    expect(found).toMatchObject({ totalResults: 1, Resources: [{ id: group.body.id, displayName: "Entra group" }] });
    expect(found.Resources[0]).not.toHaveProperty("members");
    const target = `/Groups/${group.body.id}`;
    await patch(target, { op: "Add", path: "members", value: [{ $ref: null, value: id }] });
    expect((await scim("GET", target)).body.members.map(({ value }) => value)).toEqual([id]);
    expect((await scim("GET", `/Users/${id}`)).body).toMatchObject({ groups: [{ display: "Entra group" }] });
    const member = encodeURIComponent(`id eq "${group.body.id}" and members eq "${id}"`);
    expect((await scim("GET", `/Groups?filter=${member}`)).body.totalResults).toBe(1);
    await patch(target, { op: "Remove", path: "members", value: [{ $ref: null, value: id }] });
    expect((await scim("GET", target)).body.members).toEqual([]);
    const unknown = await patch(target, { op: "Add", path: "members", value: [{ value: "user_none" }] });
    expect(unknown).toMatchObject({ status: 400, body: { scimType: "invalidValue" } });
  });
});

describe("the version of a resource", () => {
  const withHeaders = (method: string, target: string, more: Record<string, string>, body?: object) =>
    scim(method, target, body, secret, more);

  it("is in each answer, changes with the resource, and answers a reader who has it with 304", async () => {
    const id = await create("version@example.org");
    const target = `/Users/${id}`;
    const first = await scim("GET", target);
    const { version } = first.body.meta;
    expect([version, first.headers.get("etag")]).toEqual([expect.stringMatching(/^W\/"[\w-]{22}"$/), version]);
    expect((await scim("GET", `/Users?count=200`)).body.Resources.find((each) => each.id === id)?.meta.version).toBe(
      version,
    );
    for (const known of [version, version.slice(2), `"other", ${version}`, "*"]) {
      const { status, headers, body } = await withHeaders("GET", target, { "if-none-match": known });
      expect([known, status, headers.get("etag"), body]).toEqual([known, 304, version, {}]);
    }
    await patch(target, { op: "replace", value: { displayName: "Renamed" } });
    expect((await withHeaders("GET", target, { "if-none-match": version })).status).toBe(200);
    const renamed = (await scim("GET", target)).body.meta.version;
    await here.services.people.setDisabled(admin, id, true);
    expect((await scim("GET", target)).body.meta.version, "an admin's change counts").not.toBe(renamed);
  });

  it("that a change names decides whether it is made: 412 for a former one, and nothing is changed", async () => {
    const id = await create("match@example.org");
    const target = `/Users/${id}`;
    const version = (await scim("GET", target)).body.meta.version;
    const name = (displayName: string) => oktaUser("match@example.org", { displayName });
    const changed = await withHeaders("PUT", target, { "if-match": version }, name("One"));
    expect(changed).toMatchObject({ status: 200, body: { displayName: "One" } });
    const body = { schemas: [`${API}:PatchOp`], Operations: [{ op: "replace", value: { displayName: "Two" } }] };
    for (const [method, sent] of [
      ["PUT", name("Two")],
      ["PATCH", body],
      ["DELETE", undefined],
    ] as const) {
      for (const [header, value] of [
        ["if-match", version],
        ["if-match", "no-quotes"],
        ["if-none-match", "*"],
      ] as const) {
        const refused = await withHeaders(method, target, { [header]: value }, sent);
        expect([method, value, refused.status, refused.body.detail]).toEqual([
          method,
          value,
          412,
          expect.stringContaining("read it again"),
        ]);
      }
    }
    expect((await scim("GET", target)).body).toMatchObject({ displayName: "One" });
    expect((await withHeaders("DELETE", target, { "if-match": "*" })).status).toBe(204);
  });

  it("of a group changes with its members, and is left out of an answer without them", async () => {
    const id = await create("member@example.org");
    const { body: group } = await scim("POST", "/Groups", { displayName: "Versions", members: [] });
    const target = `/Groups/${group.id}`;
    const add = { op: "add", path: "members", value: [{ value: id }] };
    const body = { schemas: [`${API}:PatchOp`], Operations: [add] };
    const changed = await withHeaders("PATCH", target, { "if-match": group.meta.version }, body);
    expect(changed.status).toBe(200);
    expect(changed.body.meta.version).not.toBe(group.meta.version);
    expect((await withHeaders("PATCH", target, { "if-match": group.meta.version }, body)).status).toBe(412);
    await scim("DELETE", `/Users/${id}`);
    expect((await scim("GET", target)).body.meta.version).not.toBe(changed.body.meta.version);
    const brief = await scim("GET", `${target}?excludedAttributes=members`);
    expect([brief.body.meta.version, brief.headers.get("etag")]).toEqual([undefined, null]);
    expect((await withHeaders("DELETE", target, { "if-match": group.meta.version })).status).toBe(412);
    expect((await scim("DELETE", target)).status).toBe(204);
  });
});

describe("a bulk request", () => {
  const bulk = (Operations: object[], more: object = {}) =>
    scim("POST", "/Bulk", { schemas: [`${API}:BulkRequest`], Operations, ...more });
  const add = (bulkId: string, more: object = {}) => ({
    method: "POST",
    path: "/Users",
    bulkId,
    data: oktaUser(`${bulkId}@example.org`, more),
  });

  it("creates users and a group that refers to them, in any order, with the roles of the group", async () => {
    await mapRoles([{ group: "Bulk editors", role: "editor" }]);
    const members = [{ value: "bulkId:bulk-1" }, { value: "bulkId:bulk-2" }];
    const group = { method: "POST", path: "/Groups", bulkId: "g", data: { displayName: "Bulk editors", members } };
    const { status, body } = await bulk([group, add("bulk-1"), add("bulk-2")]);
    expect([status, body.Operations.map((each) => [each.method, each.bulkId, each.status])]).toEqual([
      200,
      [
        ["POST", "g", "201"],
        ["POST", "bulk-1", "201"],
        ["POST", "bulk-2", "201"],
      ],
    ]);
    const [, one] = body.Operations;
    const id = one?.location?.split("/").at(-1) ?? "";
    expect(one?.location).toBe(`${url}/scim/v2/Users/${id}`);
    expect(one?.version).toMatch(/^W\//);
    expect(await readRole(id)).toBe("editor");
    const changes = await bulk([
      { method: "PATCH", path: `/Users/${id}`, version: 'W/"former"', data: { Operations: [] } },
      { method: "PUT", path: `/Users/${id}`, data: oktaUser("bulk-1@example.org", { displayName: "Bulk One" }) },
      { method: "DELETE", path: body.Operations[0]?.location?.replace(`${url}/scim/v2`, "") ?? "" },
    ]);
    expect(changes.body.Operations.map((each) => each.status)).toEqual(["412", "200", "204"]);
    expect(changes.body.Operations[0]?.response).toMatchObject({ schemas: [`${API}:Error`], status: "412" });
    expect(await readRole(id), "the group is gone").toBe("viewer");
    expect((await scim("GET", `/Users/${id}`)).body).toMatchObject({ displayName: "Bulk One" });
  });

  it("stops after so many failures as it says, and goes on after each failure otherwise", async () => {
    const taken = { ...add("ada"), bulkId: "taken" };
    const stopped = await bulk([taken, add("bulk-3")], { failOnErrors: 1 });
    expect(stopped.body.Operations.map((each) => [each.bulkId, each.status])).toEqual([["taken", "409"]]);
    expect((await find('userName eq "bulk-3@example.org"')).body.totalResults).toBe(0);
    const members = [{ value: "bulkId:taken" }];
    const group = { method: "POST", path: "/Groups", bulkId: "g", data: { displayName: "Of no one", members } };
    const { body } = await bulk([taken, group, add("bulk-3")]);
    expect(body.Operations.map((each) => [each.bulkId, each.status])).toEqual([
      ["taken", "409"],
      ["g", "409"],
      ["bulk-3", "201"],
    ]);
  });

  it("is refused as a whole where it is too large or not well formed", async () => {
    const many = await bulk(Array.from({ length: 201 }, (_, at) => add(`n${at}`)));
    expect([many.status, many.body.detail]).toEqual([413, expect.stringContaining("200 operations")]);
    expect((await bulk([add("large", { title: "x".repeat(1024 * 1024) })])).status).toBe(413);
    for (const operation of [
      { method: "GET", path: "/Users" },
      { method: "POST", path: "/Users", data: {} },
      { method: "PUT", path: "/Users", data: {} },
      { method: "POST", path: "/ServiceProviderConfig", bulkId: "x", data: {} },
    ]) {
      const { status, body } = await bulk([add("whole"), operation]);
      expect([status, body.detail]).toEqual([400, expect.stringContaining("Operations[1]")]);
    }
    expect((await bulk([add("same"), add("same")])).body.detail).toContain("used twice");
    expect((await find('userName eq "whole@example.org"')).body.totalResults).toBe(0);
  });
});

describe("a user who leaves at the provider", () => {
  it.each([
    ["switched off by Okta", (id: string) => patch(`/Users/${id}`, { op: "replace", value: { active: false } })],
    ["switched off by Entra", (id: string) => patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" })],
    ["replaced", (id: string) => scim("PUT", `/Users/${id}`, oktaUser("leave-2@example.org", { active: false }))],
    ["deleted", (id: string) => scim("DELETE", `/Users/${id}`)],
  ])("loses sessions, tokens and open streams before the provider is answered: %s", async (_, leave) => {
    const email = "leave-2@example.org";
    const old = (await find(`userName eq "${email}"`)).body.Resources[0];
    if (old !== undefined) await scim("DELETE", `/Users/${old.id}`);
    const id = await create(email);
    await mapRoles([{ group: "Runners", role: "operator" }], "operator");
    const { cookie, text } = await enter(id, email);
    const open = await openStreams(cookie, text);
    expect((await leave(id)).status).toBeLessThan(300);
    expect(await here.access.authenticate(new Headers({ cookie }))).toBeNull();
    const bearer = new Headers({ authorization: `Bearer ${text}` });
    await expect(here.access.authenticate(bearer)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await waitUntil(() => !open.page && !open.program, { what: "the end of open streams", timeoutMs: 5000 });
    await patch(`/Users/${id}`, { op: "replace", value: { active: true } });
    expect(await here.access.authenticate(new Headers({ cookie }))).toBeNull();
    await expect(here.access.authenticate(bearer)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });

  it("stays off where an admin switched the account off, until the provider does so too", async () => {
    const id = await create("off@example.org");
    await here.services.people.setDisabled(admin, id, true);
    const again = await scim("PUT", `/Users/${id}`, oktaUser("off@example.org"));
    expect(again).toMatchObject({ status: 200, body: { active: false } });
    for (const active of [false, true]) await patch(`/Users/${id}`, { op: "replace", value: { active } });
    expect((await scim("GET", `/Users/${id}`)).body.active).toBe(true);
  });
});

describe("accounts that were here before", () => {
  it("are not taken over, by their address or in any other way, and are no resources", async () => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const body = method === "PUT" ? oktaUser("ada@example.org") : { Operations: [] };
      const { status } = await scim(method, `/Users/${adaId}`, method === "GET" ? undefined : body);
      expect([method, status]).toEqual([method, 404]);
    }
    const taken = await scim("POST", "/Users", oktaUser("ada@example.org"));
    expect(taken).toMatchObject({ status: 409, body: { scimType: "uniqueness", status: "409" } });
    const id = await create("eve@example.org");
    const moved = await patch(`/Users/${id}`, { op: "replace", path: "emails", value: [{ value: "ada@example.org" }] });
    expect(moved).toMatchObject({ status: 409, body: { scimType: "uniqueness" } });
    expect((await scim("POST", "/Users", oktaUser("EVE@example.org"))).body.scimType).toBe("uniqueness");
    expect(await here.access.authenticate(new Headers({ cookie: await signIn("ada@example.org") }))).toMatchObject({
      id: adaId,
      role: "admin",
    });
  });
});

describe("the last admin", () => {
  it("is neither switched off, deleted nor demoted by the provider; nothing of the request is done", async () => {
    const id = await create("boss@example.org");
    await mapRoles([{ group: "Admins", role: "admin" }]);
    const group = await scim("POST", "/Groups", { displayName: "Admins", members: [{ value: id }] });
    expect(await readRole(id)).toBe("admin");
    const boss: Principal = { id, name: "Boss", role: "admin", token: null };
    await here.services.people.setRole(boss, adaId, "viewer");
    const target = `/Groups/${group.body.id}`;
    const refused = [
      () => patch(`/Users/${id}`, { op: "replace", value: { active: false, displayName: "Gone" } }),
      () => scim("PUT", `/Users/${id}`, oktaUser("boss@example.org", { active: false })),
      () => scim("DELETE", `/Users/${id}`),
      () => patch(target, { op: "remove", path: "members" }),
      () => patch(target, { op: "replace", path: "displayName", value: "Others" }),
      () => scim("DELETE", target),
    ];
    for (const [at, ask] of refused.entries()) {
      const { status, body } = await ask();
      expect([at, status, body]).toEqual([at, 409, expect.objectContaining({ schemas: [`${API}:Error`] })]);
      expect(body.detail).toContain("is the only admin");
    }
    await expect(mapRoles([{ group: "Admins", role: "viewer" }])).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await scim("GET", target)).body).toMatchObject({ displayName: "Admins", members: [{ value: id }] });
    const kept = { active: true, displayName: "Otto boss@example.org" };
    expect((await scim("GET", `/Users/${id}`)).body).toMatchObject(kept);
    expect(await readRole(id)).toBe("admin");
    await here.services.people.setRole(boss, adaId, "admin");
  });
});

describe("a request that is no good", () => {
  it.each<[string, string, string | null, string, number]>([
    ["no JSON", "/Users", "{", "application/json", 400],
    ["a list", "/Users", "[]", "application/json", 400],
    ["no userName", "/Users", '{"active":true}', "application/json", 400],
    ["no address", "/Users", '{"userName":"nobody"}', "application/json", 400],
    ["no displayName", "/Groups", "{}", "application/json", 400],
    ["another content type", "/Users", "a=b", "application/x-www-form-urlencoded", 415],
    ["too much", "/Users", JSON.stringify({ userName: "x".repeat(5_000_000) }), "application/json", 413],
    ["a path below a user", "/Users/a/b", "{}", "application/json", 404],
  ])("is refused in the form of SCIM, with %s", async (_, target, body, type, status) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": type };
    const response = await fetch(`${url}/scim/v2${target}`, { method: "POST", headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ schemas: [`${API}:Error`], status: String(status) });
  });
});

describe("the audit log", () => {
  it("has each change with the identity provider as actor, and no secret", async () => {
    const { items } = await here.services.auditLog.list(admin, {}, undefined, 200);
    const done = new Set(items.filter(({ actor }) => actor.id === "scim").map(({ action }) => action));
    for (const action of ["createUser", "updateUser", "deleteUser", "createGroup", "updateGroup", "setRole"]) {
      expect([...done]).toContain(`scim.${action}`);
    }
    expect(JSON.stringify(items)).not.toContain(secret);
  });
});
