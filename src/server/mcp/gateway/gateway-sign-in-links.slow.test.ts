import { randomBytes } from "node:crypto";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import Database from "../../../../scripts/sqlite.mjs";
import type { Principal } from "../../../lib/contract/access";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "./gateway-container.test-support";

const ECHO = path.resolve("e2e/support/mcp-servers/echo.mjs");
const PEOPLE = ["ada", "bob", "eve"] as const;
const principal = (id: string): Principal => ({ id, name: id, role: "admin", token: null });
const buildValues = (id: string) => ({ API_TOKEN: `${id}-own-secret`, SERVER_NAME: id });
const CONSOLE = "https://tools.example.org";

let running: GatewayContainer;
const clients: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  const databaseUrl = await newDatabaseUrl();
  const accounts = { TOOLROOM_AUTH: "on", TOOLROOM_PUBLIC_URL: CONSOLE };
  running = await startGatewayContainer(databaseUrl, 0, accounts);
  const { servers, credentials, tools } = running.container.services;
  const raw = new Database(databaseUrl.slice("file:".length));
  const add = raw.prepare(
    `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES (?, ?, ? || '@x.test', 'admin', 0, 0)`,
  );
  for (const id of PEOPLE) add.run(id, id, id);
  raw.close();
  await servers.create(principal("eve"), {
    name: "own",
    transport: "stdio",
    command: process.execPath,
    args: [ECHO],
    credentials: { mode: "personal", slots: [{ name: "API_TOKEN" }, { name: "SERVER_NAME" }] },
  });
  await credentials.save(principal("eve"), "own", buildValues("eve"));
  await credentials.test(principal("eve"), "own");
  await waitUntil(() => tools.list().items.some(({ name }) => name === "own__who"));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const id of ["ada", "bob"]) await running.container.services.credentials.remove(principal(id), "own");
});
afterAll(() => running.stop());

const FORMS: Record<string, Record<string, never>> = { form: {} };
const FORMS_AND_PAGES: Record<string, Record<string, never>> = { form: {}, url: {} };

type Visit = { action: "accept" | "decline" | "cancel" };
interface Asked {
  message: string;
  url: string;
  elicitationId?: string;
}

/** A real client that signs in as this user. @param answer absent: it declares forms only */
async function connect(
  id: string,
  revision: "2025-11-25" | "2026-07-28",
  answer?: (asked: Asked) => Visit | Promise<Visit>,
) {
  const { tokens } = running.container.services;
  const limits = { tools: null, servers: null, validDays: 1 };
  const { text } = await tokens.create(principal(id), { name: "t", scopes: ["run"], ...limits });
  const requestInit = { headers: { authorization: `Bearer ${text}` } };
  const capabilities = { elicitation: answer === undefined ? FORMS : FORMS_AND_PAGES };
  const completed: string[] = [];
  const toResult = (result: unknown) => {
    const { content, isError = false } = result as { content: { text: string }[]; isError?: boolean };
    return { text: content[0]?.text ?? "", isError };
  };
  if (revision === "2025-11-25") {
    const client = new FirstClient({ name: "claude-code", version: "1" }, { capabilities });
    client.setRequestHandler(
      ElicitRequestSchema,
      async ({ params }) => (await answer?.(params as never)) ?? { action: "cancel" },
    );
    client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
      completed.push(params.elicitationId);
    });
    await client.connect(new FirstTransport(new URL(running.url), { requestInit }) as never);
    clients.push(client);
    return { call: async () => toResult(await client.callTool({ name: "own__who", arguments: {} })), completed };
  }
  const client = new Client(
    { name: "claude-code", version: "1" },
    { versionNegotiation: { mode: "auto" }, capabilities },
  );
  client.setRequestHandler(
    "elicitation/create",
    async ({ params }) => (await answer?.(params as never)) ?? { action: "cancel" },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url), { requestInit }));
  clients.push(client);
  return { call: async () => toResult(await client.callTool({ name: "own__who", arguments: {} })), completed };
}

const readId = (url: string): string => url.slice(`${CONSOLE}/oauth/connect/`.length);
const view = (user: string, id: string) =>
  running.container.servicesFor(principal(user)).credentials.signInLink(principal(user), id);
const listConnected = async (id: string) => await running.container.services.credentials.list(principal(id));

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a call without its user's account asks for it on a page of Toolroom, and continues by itself once it is connected (%s)",
  async (revision) => {
    const { credentials } = running.container.services;
    const visits: Asked[] = [];
    const ada = await connect("ada", revision, (asked) => {
      visits.push(asked);
      return { action: "accept" };
    });
    const call = ada.call();
    await waitUntil(() => visits.length === 1, { what: "the page" });
    const [visit] = visits;
    expect(visit?.url).toMatch(/^https:\/\/tools\.example\.org\/oauth\/connect\/[\w-]{32}$/);
    expect(visit?.message).toContain("'own__who' uses your own account at 'own'");
    const id = readId(visit?.url ?? "");
    expect(await view("ada", id)).toEqual({ server: "own", toolName: "own__who", isConnected: false });
    // A change that connects nothing does not end the wait.
    await credentials.remove(principal("ada"), "own");
    await credentials.save(principal("ada"), "own", buildValues("ada"));
    expect(await call).toEqual({ text: expect.stringContaining("ada"), isError: false });
    expect(await view("ada", id)).toMatchObject({ isConnected: true });
    if (revision === "2025-11-25") expect(ada.completed).toEqual([visit?.elicitationId]);
    expect(visits).toHaveLength(1);
  },
);

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a user who refuses the page gets today's refusal (%s)",
  async (revision) => {
    for (const action of ["decline", "cancel"] as const) {
      const visits: Asked[] = [];
      const ada = await connect("ada", revision, (asked) => {
        visits.push(asked);
        return { action };
      });
      expect(await ada.call()).toEqual({
        text: `Error: Connect your account for 'own' first: ${CONSOLE}/servers/own`,
        isError: true,
      });
      await expect(view("ada", readId(visits[0]?.url ?? ""))).rejects.toMatchObject({ code: "CONFLICT" });
    }
  },
);

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a client that opens no pages gets today's refusal (%s)",
  async (revision) => {
    const ada = await connect("ada", revision);
    expect(await ada.call()).toMatchObject({
      text: expect.stringContaining("Connect your account for 'own' first"),
      isError: true,
    });
  },
);

it("a link connects nothing for anyone but the user of its call: 1,000 forwarded, altered, foreign and used links", {
  timeout: 120_000,
}, async () => {
  const { credentials } = running.container.services;
  const visits: Asked[] = [];
  const answers: ((visit: Visit) => void)[] = [];
  const ada = await connect("ada", "2025-11-25", (asked) => {
    visits.push(asked);
    return new Promise((resolve) => answers.push(resolve));
  });
  const call = ada.call();
  await waitUntil(() => visits.length === 1, { what: "the page" });
  const id = readId(visits[0]?.url ?? "");
  const alter = (at: number): string => {
    const place = at % id.length;
    const letter = id[place] === "A" ? "B" : "A";
    return `${id.slice(0, place)}${letter}${id.slice(place + 1)}`;
  };
  const foreign = { code: "DENIED" };
  const unknown = { code: "NOT_FOUND" };
  for (let at = 0; at < 250; at += 1) {
    await expect(view(at % 2 === 0 ? "bob" : "eve", id)).rejects.toMatchObject(foreign);
    await expect(view("ada", alter(at))).rejects.toMatchObject(unknown);
    await expect(view("bob", randomBytes(24).toString("base64url"))).rejects.toMatchObject(unknown);
    await expect(view("ada", [`${id}x`, id.slice(1), "", "../x", `${id}%00`][at % 5] ?? "")).rejects.toMatchObject(
      unknown,
    );
  }
  // Whoever else connects their own account meanwhile connects it for themselves: Ada's call still waits.
  await credentials.save(principal("bob"), "own", buildValues("bob"));
  expect(await listConnected("ada")).toEqual([]);
  expect(await view("ada", id)).toMatchObject({ isConnected: false });
  await credentials.save(principal("ada"), "own", buildValues("ada"));
  expect((await call).text).toContain("ada");
  // Used: for its user it says so, for others it stays what it was.
  expect(await view("ada", id)).toMatchObject({ isConnected: true });
  await expect(view("bob", id)).rejects.toMatchObject(foreign);
  await credentials.remove(principal("ada"), "own");
  const again = ada.call();
  await waitUntil(() => visits.length === 2, { what: "another page" });
  expect(visits[1]?.url).not.toBe(visits[0]?.url);
  answers[1]?.({ action: "decline" });
  expect((await again).isError).toBe(true);
});
