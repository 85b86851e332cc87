import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Principal } from "../../lib/contract/access";
import type { LiveEvent } from "../../lib/contract/live-event";
import { waitUntil } from "../../lib/wait-until.test-support";
import { INITIALIZE, post } from "../mcp/gateway/gateway.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";
import { createSignInRequest, readCookie } from "./sign-in-requests.test-support";

/** Less than the interval at which streams ask anyway. */
const AT_ONCE = { timeoutMs: 5000 };
const PROVIDER = { name: "models", kind: "openai" as const, apiKey: "sk-test", models: ["m"], prices: [] };
const PASSWORD = "correct horse battery";
const ORIGIN = "http://127.0.0.1:3000";

let folder: string;
let here: Container;
let url: string;
let admin: Principal;
const server = createServer((request, response) => {
  if (request.url?.startsWith("/mcp")) void here.gateway.handle(request, response);
  else here.liveEndpoint.handle(request, response);
});

const openContainer = () =>
  createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
      TOOLROOM_AUTH: "on",
    }),
  );

const request = createSignInRequest(() => here, ORIGIN);

/** A signed-in user with an API token. */
async function join(token: string, email: string) {
  await request("link/use", { token, name: email.split("@")[0], email, password: PASSWORD });
  const signedIn = await request("sign-in/email", { email, password: PASSWORD });
  const cookie = readCookie(signedIn);
  const headers = new Headers({ cookie });
  const user = await here.access.authenticate(headers);
  if (user === null) throw new Error("not signed in");
  const input = { name: "ci", scopes: ["run" as const], tools: null, servers: null, validDays: 1 };
  const { text, token: created } = await here.services.tokens.create(user, input);
  return { user, cookie, headers, text, tokenId: created.id };
}

async function invite() {
  const invitation = { role: "operator" as const, email: null, validDays: 1 };
  return join(await here.services.people.invite(admin, invitation), `bob-${randomUUID()}@example.org`);
}

/** The page's stream of live events. */
async function openPage(cookie: string) {
  const response = await fetch(`${url}/api/live`, { headers: { cookie } });
  expect(response.status).toBe(200);
  const page = { events: [] as LiveEvent[], isOpen: true };
  void (async () => {
    let text = "";
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      page.events = [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data]) => JSON.parse(data ?? "[]"));
    }
    page.isOpen = false;
    // Open ones are cut at the end of the test.
  })().catch(() => undefined);
  return page;
}

/** Opens a stream of the gateway, as a program with a token does. */
async function openProgram(text: string) {
  const bearer = { authorization: `Bearer ${text}` };
  const begun = await post(`${url}/mcp`, INITIALIZE, bearer);
  await begun.text();
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "", accept: "text/event-stream" };
  const stream = await fetch(`${url}/mcp`, { headers: { ...bearer, ...session } });
  expect(stream.status).toBe(200);
  const program = { streamOpen: true };
  const ended = () => {
    program.streamOpen = false;
  };
  void stream.text().then(ended, ended);
  return program;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-streams-"));
  here = await openContainer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const setup = (await here.setupPath())?.split("#")[1] ?? "";
  admin = (await join(setup, "ada@example.org")).user;
  await here.services.models.createProvider(admin, PROVIDER);
}, 120_000);
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await here.close();
  await rm(folder, { recursive: true, force: true });
});

describe("what a user has open", () => {
  it("ends as soon as the sessions are ended, and others keep theirs", async () => {
    const bob = await invite();
    const other = await invite();
    const page = await openPage(bob.cookie);
    const kept = await openPage(other.cookie);
    await here.services.people.endSessions(admin, bob.user.id);
    await waitUntil(() => expect(page.events.at(-1)).toEqual({ type: "signed_out" }), AT_ONCE);
    await waitUntil(() => !page.isOpen, AT_ONCE);
    expect(await here.access.authenticate(bob.headers)).toBeNull();
    await waitUntil(() => expect(kept.events).toContainEqual({ type: "account", personId: bob.user.id }), AT_ONCE);
    expect(kept.isOpen).toBe(true);
  });

  it("hears of a new role at once, which the next request has", async () => {
    const bob = await invite();
    const page = await openPage(bob.cookie);
    await here.services.people.setRole(admin, bob.user.id, "viewer");
    await waitUntil(() => expect(page.events).toContainEqual({ type: "account", personId: bob.user.id }), AT_ONCE);
    expect(await here.access.authenticate(bob.headers)).toMatchObject({ role: "viewer" });
    expect(page.isOpen).toBe(true);
  });

  it.each([
    ["a token is revoked", (bob: Bob) => here.services.tokens.revoke(admin, bob.tokenId)],
    ["the user is switched off", (bob: Bob) => here.services.people.setDisabled(admin, bob.user.id, true)],
    ["the user is removed", (bob: Bob) => here.services.people.remove(admin, bob.user.id)],
  ])("by a token ends at once when %s", async (_what, end) => {
    const bob = await invite();
    const program = await openProgram(bob.text);
    await end(bob);
    await waitUntil(() => expect(program).toEqual({ streamOpen: false }), AT_ONCE);
  });

  it("by a token keeps the stream where the owner may only read from now on", async () => {
    const bob = await invite();
    const page = await openPage(bob.cookie);
    const program = await openProgram(bob.text);
    await here.services.people.setRole(admin, bob.user.id, "viewer");
    await waitUntil(() => expect(page.events).toContainEqual({ type: "account", personId: bob.user.id }), AT_ONCE);
    expect(program.streamOpen).toBe(true);
  });

  it("is not slowed any more when an admin unlocks the sign-in", async () => {
    const bob = await invite();
    const email = (await here.services.people.list(admin)).find(({ id }) => id === bob.user.id)?.email ?? "";
    const guess = () => request("sign-in/email", { email, password: "wrong" }).catch((error: Error) => error.message);
    await waitUntil(async () => expect(await guess()).toContain(": 429"));
    await here.services.people.unlock(admin, bob.user.id);
    await waitUntil(async () => expect(await guess()).toContain(": 401"), AT_ONCE);
  });
});

type Bob = Awaited<ReturnType<typeof invite>>;
