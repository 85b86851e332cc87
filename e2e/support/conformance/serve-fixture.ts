/**
 * Serves the gateway of a whole server with the conformance fixture behind it, on a free port of loopback, with an empty
 * database: `tsx e2e/support/conformance/serve-fixture.ts [fixture file]`. Prints the address; ends on SIGTERM or when
 * stdin closes.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitUntil } from "../../../src/lib/wait-until.test-support";
import { createContainer } from "../../../src/server/main/container";
import { readEnv } from "../../../src/server/main/env";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const SERVER = "fixture";

const folder = await mkdtemp(path.join(tmpdir(), "toolroom-conformance-"));
const config = path.join(folder, "toolroom.json");
const fixture = {
  type: "stdio",
  command: process.execPath,
  args: [path.join(import.meta.dirname, process.argv[2] ?? "fixture-server.mjs")],
};
await writeFile(config, JSON.stringify({ tools: { registry: [] }, mcpServers: { [SERVER]: fixture } }));
const container = await createContainer(
  readEnv({
    ...process.env,
    DATABASE_URL: `file:${path.join(folder, "toolroom.db")}`,
    TOOLROOM_CONFIG: config,
    TOOLROOM_ROOT: ROOT,
    TOOLROOM_LOG_LEVEL: process.env.TOOLROOM_LOG_LEVEL ?? "warn",
  }),
);

const server = createServer((request, response) => {
  // Some scenarios drop the query of the address that they are given, and all expect the fixture's own names.
  if (request.url === "/mcp") request.url = `/mcp/${SERVER}?names=plain`;
  if (request.url === "/healthz") response.end(JSON.stringify({ status: "ok" }));
  else void container.gateway.handle(request, response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;

async function end(): Promise<never> {
  container.beginStop();
  server.closeAllConnections();
  await container.close();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
}
process.once("SIGTERM", () => void end());
process.stdin.once("end", () => void end()).resume();

await waitUntil(() => container.services.servers.get?.(SERVER)?.state.status === "connected", { timeoutMs: 30_000 });
console.log(`http://127.0.0.1:${port}/mcp`);
