/**
 * The gateway of a complete server, execution log on, connected to the echo server over stdio and over HTTP. A separate
 * process for `bench/gateway.ts`; the argument is the HTTP echo server's URL. `/memory` returns the memory use after a
 * garbage collection.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitUntil } from "../src/lib/wait-until.test-support";
import { createContainer } from "../src/server/composition/container";
import { readEnv } from "../src/server/composition/env";

const folder = await mkdtemp(path.join(tmpdir(), "toolroom-bench-"));
const configPath = path.join(folder, "toolroom.json");
const echo = path.join(import.meta.dirname, "gateway-echo-server.mjs");
const mcpServers = {
  stdio: { type: "stdio", command: process.execPath, args: [echo, "stdio"] },
  http: { type: "http", url: process.argv[2] },
};
await writeFile(configPath, JSON.stringify({ tools: { registry: [] }, mcpServers }));
const container = await createContainer(
  readEnv({
    ...process.env,
    DATABASE_URL: `file:${path.join(folder, "toolroom.db")}`,
    TOOLROOM_CONFIG: configPath,
    TOOLROOM_ROOT: path.resolve(import.meta.dirname, ".."),
    // As in production: a line per call would measure the logger.
    TOOLROOM_LOG_LEVEL: process.env.TOOLROOM_LOG_LEVEL ?? "warn",
  }),
);

const server = createServer((request, response) => {
  if (request.url !== "/memory") return void container.gateway.handle(request, response);
  globalThis.gc?.();
  globalThis.gc?.();
  response.end(JSON.stringify({ ...process.memoryUsage(), collected: globalThis.gc !== undefined }));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

const { servers } = container.services;
await waitUntil(() => Object.keys(mcpServers).every((name) => servers.get(name).toolCount > 0), {
  what: "the echo servers' tools",
  timeoutMs: 30_000,
});
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);

process.once("SIGTERM", async () => {
  container.beginStop();
  server.closeAllConnections();
  await container.close();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
