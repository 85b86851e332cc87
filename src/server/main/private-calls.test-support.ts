import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import Database from "../../../scripts/sqlite.mjs";
import type { Principal, Role } from "../../lib/contract/access";
import { runSettingsSchema } from "../../lib/contract/run";
import { waitUntil } from "../../lib/wait-until.test-support";
import { newDatabaseUrl, rawClient, startGatewayContainer } from "../mcp/gateway/gateway-container.test-support";

const SERVER = path.resolve("e2e/support/mcp-servers/private-mail.mjs");
/** Stands in everything that the private calls took and returned, and in nothing else. */
export const MARK = "Quetzalcoatlus";

const createUser = (id: string, role: Role): Principal => ({ id, name: id, role, token: null });
const BOB = createUser("bob", "admin");
export const ADA = createUser("ada", "operator");
export const READERS = [createUser("vera", "viewer"), createUser("olga", "operator"), createUser("ed", "editor")];

/** Each internal handler as a tool of its own name: they read what the server has. */
export const INTERNAL_TOOLS = ["search_executions", "get_execution", "execution_stats", "list_servers", "search_tools"];

/**
 * A server with accounts, and calls of Ada's own mail, recorded on every route: the console, a program, MCP, a run, a
 * replay by an admin, and one that waits for an admin's approval.
 */
export async function openMail() {
  const config = path.join(await mkdtemp(path.join(os.tmpdir(), "toolroom-mail-")), "toolroom.json");
  const credentials = { mode: "personal", slots: [{ name: "API_TOKEN", label: "Token" }, { name: "SERVER_NAME" }] };
  const mail = { command: process.execPath, args: [SERVER], credentials, approval: "never" };
  await writeFile(config, JSON.stringify({ mcpServers: { mail } }));
  const url = await newDatabaseUrl();
  const gateway = await startGatewayContainer(url, 0, { TOOLROOM_CONFIG: config, TOOLROOM_AUTH: "on" });
  onTestFinished(gateway.stop);
  const { container } = gateway;
  const { services, servicesFor, live } = container;
  const raw = new Database(url.slice("file:".length));
  onTestFinished(() => void raw.close());
  const add = raw.prepare(
    `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES (?, ?, ? || '@x.test', ?, 0, 0)`,
  );
  for (const { id, role } of [BOB, ADA, ...READERS]) add.run(id, id, id, role);

  const heard = new Map<string, string>();
  for (const reader of [ADA, ...READERS]) {
    const write = (message: Buffer): boolean => {
      heard.set(reader.id, (heard.get(reader.id) ?? "") + message);
      return true;
    };
    live.open(null, { write, end: () => undefined }, reader);
  }

  await services.webhooks.create(BOB, {
    url: "https://hooks.example.invalid/",
    description: "",
    events: ["execution.failed", "approval.requested", "run.failed", "suite.failed"],
    tools: [],
    enabled: true,
    approverId: null,
  });
  for (const handler of INTERNAL_TOOLS) {
    const definition = {
      type: "function",
      name: handler,
      description: `Reads with ${handler}`,
      handler,
      parameters: { type: "object" },
      implementation: { type: "internal", handler },
    };
    await services.tools.create(BOB, JSON.stringify(definition));
  }
  for (const user of [ADA, BOB]) {
    await services.credentials.save(user, "mail", { API_TOKEN: `${user.id}-own-secret`, SERVER_NAME: user.id });
    await services.credentials.test(user, "mail");
  }
  await waitUntil(() => services.tools.list().items.some(({ name }) => name === "mail__read"));

  // Clients of a tool with a lens may read results whole.
  await services.tools.setLens(BOB, "mail__read", "subject");
  const own = servicesFor(ADA);
  const argumentsText = JSON.stringify({ query: MARK });
  const read = await own.executions.run(ADA, { tool: "mail__read", argumentsText });
  const refused = await own.executions.run(ADA, { tool: "mail__refuse", argumentsText });
  const invalid = await own.executions.run(ADA, { tool: "mail__read", argumentsText: JSON.stringify({ [MARK]: 1 }) });

  const { text: token } = await services.tokens.create(ADA, {
    name: "agent",
    scopes: ["run"],
    tools: null,
    servers: null,
    validDays: 30,
  });
  const agent = await rawClient(gateway.url, "2025-11-25", { token, name: "ada-agent" });
  const callTool = async (name: string, args: object) =>
    JSON.stringify(await agent.ask("tools/call", { name, arguments: args }));
  await callTool("mail__read", { query: MARK });
  const [newest] = (await services.executions.list({ source: ["gateway"] }, undefined, 1)).items;
  const again = await callTool("read_result", { execution_id: newest?.id });
  const throughAgent = await callTool("get_execution", { id: read.id });
  const searched = await callTool("search_executions", { server: "mail" });

  const settings = runSettingsSchema.parse({
    provider: "demo",
    model: "demo",
    tools: { mode: "some", tools: ["mail__read"], servers: [] },
  });
  const run = await own.runs.start(ADA, { settings, text: `mail__read ${argumentsText}` });
  await waitUntil(async () => (await services.runs.get(run.id)).status === "succeeded");
  const transcript = await own.transcripts.create(ADA, {
    title: "Call",
    wakePhrases: ["computer"],
    provider: "demo",
    model: "demo",
    instructions: "",
    silenceMs: 1_000,
  });
  const replayed = await services.suites.startReplay(BOB, { ids: [read.id, refused.id] }, { reader: BOB });
  await services.suites.awaitRun(replayed.id, 30_000);

  await services.tools.setApproval(BOB, "mail__read", "admin");
  const waiting = await own.executions.run(ADA, { tool: "mail__read", argumentsText });
  // What no call of this server has, but others may.
  raw.prepare(`UPDATE "Execution" SET reason = ?, "lensFault" = ? WHERE id = ?`).run(MARK, MARK, read.id);
  raw
    .prepare(
      `INSERT INTO "SamplingRequest" ("executionId", "receivedAt", "durationMs", outcome, "requestText", "responseText")
       VALUES (?, 0, 1, 'answered', ?, ?)`,
    )
    .run(read.id, JSON.stringify({ messages: [{ role: "user", content: { type: "text", text: MARK } }] }), MARK);
  return {
    gateway,
    container,
    raw,
    heard,
    read,
    refused,
    invalid,
    waiting,
    run,
    replayed,
    viaAgent: newest?.id ?? "",
    transcript: transcript.id,
    answers: { again, throughAgent, searched },
  };
}
