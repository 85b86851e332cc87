/**
 * The gateway of a whole server, logbook on, with the echo server behind it twice: over stdio and over HTTP. A process of its
 * own for `bench/gateway.ts`; the argument is the HTTP echo server's address. `/memory` tells its memory after a collection.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createContainer } from "../src/server/container";
import { readEnv } from "../src/server/env";

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
    // As little as a server in production says: a line for each call would be the benchmark of a log.
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

const deadline = Date.now() + 30_000;
const { servers } = container.services;
while (!Object.keys(mcpServers).every((name) => servers.get(name).toolCount > 0)) {
  if (Date.now() > deadline) throw new Error("The echo servers did not connect");
  await new Promise((resolve) => setTimeout(resolve, 50));
}
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);

process.once("SIGTERM", async () => {
  container.beginStop();
  server.closeAllConnections();
  await container.close();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
