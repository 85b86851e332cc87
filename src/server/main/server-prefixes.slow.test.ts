import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { placeEmptyDatabase } from "../platform/db/database.test-support";
import { createRestClient } from "./api/rest/rest.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

const BY = LOCAL_PRINCIPAL;
const tool = (name: string) => ({
  name,
  description: name,
  type: "function",
  handler: name,
  parameters: { type: "object" },
  implementation: { type: "mock", mock_response: null },
});
const server = (name: string) => ({ name, transport: "http", url: "https://example.com/mcp" });
const file = (part: Record<string, unknown>): string =>
  JSON.stringify({ toolroom: 1, exportedAt: "2026-01-01T00:00:00.000Z", ...part });
const fileTool = (name: string) => ({ definition: tool(name), enabled: true });
const fileServer = (name: string) => ({
  name,
  enabled: false,
  approval: null,
  settings: { transport: "http", url: "https://example.com/mcp", headers: [] },
});

let container: Container;
const services = () => container.services;

/** A configuration whose tools begin as the tools of its own server, and as those of a server that is added later. */
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-prefixes-"));
  const config = path.join(folder, "toolroom.json");
  const registry = [tool("configured__read"), tool("early__read")];
  const mcpServers = { configured: { url: "https://example.com/mcp", disabled: true } };
  await writeFile(config, JSON.stringify({ tools: { registry }, mcpServers }));
  await placeEmptyDatabase(path.join(folder, "test.db"));
  container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: config,
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
    }),
  );
  await services().servers.create(BY, server("files"), false);
  await services().tools.create(BY, JSON.stringify(tool("plain")));
  await services().tools.create(BY, JSON.stringify(tool("notes__read")));
});
afterAll(() => container.close());

async function importFile(part: Record<string, unknown>): Promise<unknown> {
  const text = file({ tools: [], servers: [], toolsets: [], ...part });
  const { digest } = await services().sharing.preview(BY, text);
  return services().sharing.import(BY, { text, digest, decisions: [] });
}
async function rest(method: "POST" | "PUT", address: string, body: object): Promise<unknown> {
  const ask = createRestClient({ services: services(), stopping: container.stopping });
  const response = await ask({ method, address, body, actor: BY });
  if (response.ok) return response.json();
  throw new Error(await response.text());
}

/** Everything that gives an own tool the name of a server's tool. */
const TOOLS: Record<string, () => Promise<unknown>> = {
  "a new tool": () => services().tools.create(BY, JSON.stringify(tool("files__own"))),
  "a renamed tool": () => services().tools.update(BY, "plain", JSON.stringify(tool("files__own"))),
  "a catalog file": () => importFile({ tools: [fileTool("files__own")] }),
  "a catalog file that brings the server": () =>
    importFile({ tools: [fileTool("brought__own")], servers: [fileServer("brought")] }),
  "the REST API": () => rest("POST", "/tools", { definition: tool("files__own") }),
};
/** Everything that gives a server a name that own tools begin with. */
const SERVERS: Record<string, () => Promise<unknown>> = {
  "a new server": () => services().servers.create(BY, server("notes"), false),
  "a renamed server": () => services().servers.update(BY, "files", server("notes")),
  "a server like a tool of the configuration": () => services().servers.create(BY, server("early"), false),
  "an import of servers": async () => {
    const { rejected } = await services().servers.import(BY, [{ settings: server("notes"), enabled: false }]);
    throw new Error(rejected[0]?.error);
  },
  "a catalog file": () => importFile({ servers: [fileServer("notes")] }),
  "the REST API": () => rest("POST", "/servers", { settings: server("notes"), enabled: false }),
};

describe("a tool that begins as the tools of a server", () => {
  it.each(Object.keys(TOOLS))("is refused with the name and the way out, by %s", async (door) => {
    await expect(TOOLS[door]?.()).rejects.toThrow(
      /(?:files|brought)__own' begins as the tools of the server '(?:files|brought)'/,
    );
    expect(
      services()
        .tools.list()
        .items.map(({ name }) => name),
    ).not.toContain("files__own");
  });

  it.each(Object.keys(SERVERS))("keeps a server from its name, by %s", async (door) => {
    await expect(SERVERS[door]?.()).rejects.toThrow(/(?:notes|early)__read/);
    expect(
      services()
        .servers.list()
        .items.map(({ name }) => name),
    ).not.toContain("notes");
  });

  it("is named while the tool or the server is written, and where the configuration has both", () => {
    expect(services().tools.checkDefinition(JSON.stringify(tool("files__own")), undefined).problems).toMatchObject([
      { path: "name", message: expect.stringContaining("'files'") },
    ]);
    expect(services().servers.checkSettings(server("notes"), undefined).problems).toMatchObject([
      { path: "name", message: expect.stringContaining("notes__read") },
    ]);
    expect(services().tools.list().problems).toMatchObject([
      { origin: "config", name: "configured__read", error: expect.stringContaining("the server 'configured'") },
    ]);
  });

  it("is restored only while no server has that beginning, and a server only while no tool has", async () => {
    const deleted = await services().tools.delete(BY, "notes__read");
    await services().servers.create(BY, server("notes"), false);
    await expect(services().tools.restore(BY, deleted.id)).rejects.toThrow(/the server 'notes'/);
    const { id } = await services().servers.delete(BY, "notes");
    await services().tools.create(BY, JSON.stringify(tool("notes__read")));
    await expect(services().servers.restore(BY, id)).rejects.toThrow(/notes__read/);
    expect(
      services()
        .servers.list()
        .items.map(({ name }) => name),
    ).not.toContain("notes");
  });

  it("stays usable and editable under its name where it was there first", async () => {
    const edited = { ...tool("notes__read"), description: "Edited" };
    await services().tools.update(BY, "notes__read", JSON.stringify(edited));
    expect(services().tools.get("notes__read").description).toBe("Edited");
  });
});
