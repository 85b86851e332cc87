import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Principal } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import type { Container } from "./container";
import { PATIENT_TIMING, startInstances } from "./start-copies.test-support";

const ECHO = path.resolve("e2e/support/mcp-servers/echo.mjs");
const CONSOLE = "https://tools.example.org";
const principal = (id: string): Principal => ({ id, name: id, role: "admin", token: null });
const buildValues = (id: string) => ({ API_TOKEN: `${id}-own-secret`, SERVER_NAME: id });

async function addUsers(url: string, ids: readonly string[]): Promise<void> {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  for (const id of ids) {
    await database.query(
      `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES ($1, $1, $2, 'admin', now(), now())`,
      [id, `${id}@x.test`],
    );
  }
  await database.end();
}

/** A client of one instance that opens pages. */
async function connect(copy: Container, address: string, onPage: (url: string) => void): Promise<Client> {
  const limits = { tools: null, servers: null, validDays: 1 };
  const { text } = await copy.services.tokens.create(principal("ada"), { name: "t", scopes: ["run"], ...limits });
  const client = new Client(
    { name: "claude-code", version: "1" },
    { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    onPage((params as { url: string }).url);
    return { action: "accept" };
  });
  const requestInit = { headers: { authorization: `Bearer ${text}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

describe.skipIf(!HAS_POSTGRES)(
  "a call that waits for its user's account, on two instances",
  { timeout: 180_000 },
  () => {
    it("continues when the user connects the account on the other instance, which knows the link", async () => {
      const { copies, listeners, url } = await startInstances(2, {
        env: { TOOLROOM_AUTH: "on", TOOLROOM_PUBLIC_URL: CONSOLE },
        timing: PATIENT_TIMING,
        listens: true,
      });
      const [one, two] = copies as [Container, Container];
      await addUsers(url, ["ada", "eve"]);
      await one.services.acting.answered(() =>
        one.services.servers.create(principal("eve"), {
          name: "own",
          transport: "stdio",
          command: process.execPath,
          args: [ECHO],
          credentials: { mode: "personal", slots: [{ name: "API_TOKEN" }, { name: "SERVER_NAME" }] },
        }),
      );
      await one.services.credentials.save(principal("eve"), "own", buildValues("eve"));
      await one.services.credentials.test(principal("eve"), "own");
      await waitUntil(() => one.services.tools.list().items.some(({ name }) => name === "own__who"));
      const pages: string[] = [];
      const client = await connect(one, listeners[0]?.address ?? "", (page) => void pages.push(page));
      const call = client.callTool({ name: "own__who", arguments: {} });
      await waitUntil(() => pages.length === 1, { what: "the page" });
      const id = (pages[0] ?? "").slice(`${CONSOLE}/oauth/connect/`.length);
      const view = () => two.servicesFor(principal("ada")).credentials.signInLink(principal("ada"), id);
      expect(await view()).toEqual({ server: "own", toolName: "own__who", isConnected: false });
      await two.services.credentials.save(principal("ada"), "own", buildValues("ada"));
      expect((await call).content).toMatchObject([{ text: expect.stringContaining("ada") }]);
      expect(await view()).toMatchObject({ isConnected: true });
    });
  },
);
