import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import type { ServerSettingsInput } from "../../src/lib/contract/server";
import { describeApi } from "../../src/server/main/api/rest/openapi";
import { ROUTES } from "../../src/server/main/api/rest/routes";
import { seedChangedServers } from "./changed-server";
import { DOCS } from "./find-story";
import type { SeedContext, Services } from "./seed-context";

const packaged = (name: string): string => `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;

/** Published servers of others, and one whose program does not exist. */
const SERVERS: readonly ServerSettingsInput[] = [
  {
    name: "everything",
    title: "Everything, the reference server",
    transport: "stdio",
    command: "node",
    args: [packaged("everything")],
    maxTotalTimeoutMs: 120_000,
  },
  { name: "docs", title: "Our documents", transport: "stdio", command: "node", args: [packaged("filesystem"), DOCS] },
  {
    name: "memory",
    transport: "stdio",
    command: "node",
    args: [packaged("memory")],
    env: [{ name: "MEMORY_FILE_PATH", value: "data/seed-memory.jsonl" }],
  },
  { name: "tickets", title: "Not installed yet", transport: "stdio", command: "tickets-mcp-server" },
];

/** An API that is there as soon as Toolroom runs. Its document is made here, so nothing is fetched. */
const ownApi = (port: number): ServerSettingsInput => ({
  name: "toolroom-api",
  title: "Toolroom's REST API",
  transport: "openapi",
  url: `http://127.0.0.1:${port}/api/v1`,
  document: { from: "text", text: JSON.stringify(describeApi(ROUTES, "1")) },
});

const TESTED = "everything";
const CHECKS_LIMIT_MS = 60_000;

const CALLS: readonly { tool: string; args: object }[] = [
  { tool: "everything__echo", args: { message: "Hello from the seed" } },
  { tool: "everything__get-sum", args: { a: 19, b: 23 } },
  { tool: "everything__get-sum", args: { a: "19" } },
  { tool: "everything__get-tiny-image", args: {} },
  { tool: "everything__get-structured-content", args: { location: "Chicago" } },
  { tool: "everything__get-resource-links", args: { count: 2 } },
  { tool: "everything__trigger-long-running-operation", args: { duration: 1, steps: 4 } },
  { tool: "docs__list_directory", args: { path: "." } },
  { tool: "docs__read_text_file", args: { path: "requirements.md", head: 12 } },
  { tool: "docs__read_text_file", args: { path: "/etc/hostname" } },
  { tool: "memory__search_nodes", args: { query: "toolroom" } },
  { tool: "ghost__read", args: {} },
];

/** MCP servers in every state, an API, and calls of their tools: images, structured content, resource links, errors. */
export async function seedServers({ port, withServices }: SeedContext): Promise<string> {
  return withServices(async (services) => {
    const there = new Set(services.servers.list().items.map(({ name }) => name));
    const missing = [...SERVERS, ownApi(port)].filter(({ name }) => !there.has(name));
    const { created } = await services.api.servers.import({
      servers: missing.map((settings) => ({ settings, enabled: true })),
    });
    await Promise.all(created.map((name) => services.api.servers.reconnect({ name })));
    for (const { tool, args } of CALLS) await call(services, tool, args);
    if (created.includes(TESTED)) await testServer(services);
    const changed = await seedChangedServers(services);
    const connected = services.servers.list().items.filter(({ state }) => state.status === "connected");
    return `${created.length} servers, ${connected.length} of all connected, ${CALLS.length} calls of their tools${changed > 0 ? `, ${changed} servers with changed tools` : ""}`;
  });
}

/** The reference server has a fault that its page shows: a call without a name is an internal error. */
async function testServer({ conformance }: Services): Promise<void> {
  const { id } = await conformance.start(LOCAL_PRINCIPAL, TESTED, "own");
  await conformance.get(id, CHECKS_LIMIT_MS);
}

async function call({ executions }: Services, tool: string, args: object): Promise<void> {
  await executions.run(LOCAL_PRINCIPAL, { tool, argumentsText: JSON.stringify(args) });
}
