import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Principal } from "../../../../lib/contract/access";
import type { Method } from "../../../platform/api/route";
import { type Container, createContainer } from "../../container";
import { readEnv } from "../../env";
import { createSignInRequest, readCookie } from "../../sign-in-requests.test-support";
import { callAs } from "../call-as";
import { createRestClient } from "./rest.test-support";

const ORIGIN = "http://127.0.0.1:3000";
const PASSWORD = "correct horse battery";
const TOKEN = { id: "token_1", scopes: ["manage" as const], tools: null, servers: null };

let container: Container;
/** An admin's program, and the admin. */
let program: Principal;
let ada: Principal;
let bob = "";

const request = createSignInRequest(() => container, ORIGIN);

async function join(token: string, email: string): Promise<Principal> {
  await request("link/use", { token, name: email.split("@")[0], email, password: PASSWORD });
  const signedIn = await request("sign-in/email", { email, password: PASSWORD });
  const user = await container.access.authenticate(new Headers({ cookie: readCookie(signedIn) }));
  if (user === null) throw new Error("not signed in");
  return user;
}

/** The client checks each answer by the document. */
async function ask(method: Method, address: string, body?: object, actor = program) {
  const response = await createRestClient(container)({ method, address, actor, ...(body && { body }) });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-people-"));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/people.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_AUTH: "on" }),
  );
  const setup = (await container.setupPath())?.split("#")[1] ?? "";
  ada = await join(setup, "ada@example.org");
  program = { ...ada, token: TOKEN };
  const invited = await callAs(container, ada).people.invite({ role: "editor", email: null, validDays: 1 });
  bob = (await join(invited, "bob@example.org")).id;
});
afterAll(() => container.close());

describe("users and accounts over REST", () => {
  it("an admin's token lists users, and takes sessions, tokens and access away", async () => {
    const { body } = await ask("GET", "/people");
    expect(body.items).toMatchObject([{ email: "ada@example.org" }, { email: "bob@example.org", disabledAt: null }]);
    expect((await ask("GET", "/people/directory")).body.items).toContainEqual({ id: bob, name: "bob" });
    expect(await ask("DELETE", `/people/${bob}/sessions`)).toEqual({ status: 204, body: null });
    const made = { name: "ci", scopes: ["read" as const], tools: null, servers: null, validDays: 1 };
    const editor: Principal = { id: bob, name: "bob", role: "editor", token: null };
    await callAs(container, editor).tokens.create(made);
    expect(await ask("DELETE", `/people/${bob}/tokens`)).toEqual({ status: 200, body: { revoked: 1 } });
    expect(await ask("PATCH", `/people/${bob}`, { disabled: true })).toEqual({ status: 204, body: null });
    expect((await ask("PATCH", `/people/${ada.id}`, { disabled: true })).body.error.code).toBe("INVALID");
    expect((await ask("DELETE", `/people/${bob}`)).status).toBe(204);
    expect((await ask("DELETE", `/people/${bob}`)).status).toBe(404);
    expect((await ask("GET", "/people")).body.items).toHaveLength(1);
  });

  it("a token reads its owner's account, sessions and clients, and has no other account", async () => {
    expect((await ask("GET", "/account")).body).toMatchObject({ id: ada.id, email: "ada@example.org" });
    expect((await ask("GET", "/account/sessions")).body.items).toMatchObject([{ current: false }]);
    expect((await ask("GET", "/account/clients")).body).toEqual({ items: [] });
    expect((await ask("DELETE", "/account/clients/none")).status).toBe(404);
    expect((await ask("PATCH", "/account", { name: "Ada L." })).status).toBe(204);
    expect((await ask("GET", "/account")).body.name).toBe("Ada L.");
    const automation: Principal = { id: "automation", name: "Automation", role: "admin", token: TOKEN };
    expect(await ask("GET", "/account", undefined, automation)).toEqual({ status: 200, body: null });
  });

  it("an admin's token gets no link, role or password, also through the procedures of the console", async () => {
    const { people, account, tokens } = callAs(container, program);
    const invitation = { role: "admin" as const, email: null, validDays: 1 };
    const token = { name: "more", scopes: ["manage" as const], tools: null, servers: null, validDays: null };
    const attempts = [
      people.invite(invitation),
      people.createReset({ id: ada.id }),
      people.setRole({ id: ada.id, role: "admin" }),
      people.unlock({ id: ada.id }),
      account.changePassword({ current: PASSWORD, next: "another good password" }),
      account.endAllSessions(),
      tokens.create(token),
    ];
    for (const attempt of await Promise.allSettled(attempts)) {
      expect(attempt).toMatchObject({ status: "rejected", reason: { code: "FORBIDDEN" } });
    }
    expect((await ask("POST", "/tokens", token)).body.error.code).toBe("DENIED");
    expect((await ask("GET", "/people/invitations")).body).toEqual({ items: [] });
    expect((await ask("GET", "/tokens")).body).toEqual({ items: [], nextCursor: null });
  });

  it("the system and the models are described as the console shows them", async () => {
    expect((await ask("GET", "/system/info")).body).toMatchObject({ accountMode: { accounts: true } });
    expect((await ask("GET", "/models")).body.items).toContainEqual(expect.objectContaining({ provider: "demo" }));
    const settings = { name: "acme", kind: "openai", baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-0123456789" };
    expect((await ask("POST", "/models/providers", settings)).status).toBe(201);
    const got = await ask("GET", "/models/providers/acme");
    expect(got.body).toMatchObject({ name: "acme", key: { state: "stored" }, lastEdit: { revision: 1 } });
    expect(JSON.stringify(got.body)).not.toContain("sk-0123456789");
    const elsewhere = { name: "acme", kind: "openai", baseUrl: "http://127.0.0.1:10/v1" };
    expect((await ask("PUT", "/models/providers/acme", elsewhere)).body.error.problems).toMatchObject([
      { path: "apiKey" },
    ]);
    expect((await ask("POST", "/models/providers/acme/test")).body).toMatchObject({ ok: false, models: [] });
    expect((await ask("GET", "/models/providers/acme/models")).body).toMatchObject({ models: [] });
    expect((await ask("DELETE", "/models/providers/acme")).status).toBe(204);
    expect((await ask("DELETE", "/system/damaged?kind=tool&name=none")).status).toBe(404);
  });
});
