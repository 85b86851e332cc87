/**
 * The gateway of a complete server, execution log on, connected to the echo server over stdio and over HTTP. A separate
 * process for `bench/gateway.ts`; the argument is the HTTP echo server's URL. `/memory` returns the memory use after a
 * garbage collection, `/cpu` the processor time so far. With `TOOLROOM_AUTH=on` it prints an API token behind its address.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { LOCAL_PRINCIPAL } from "../src/lib/contract";
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
  if (request.url === "/cpu") return void response.end(JSON.stringify(process.cpuUsage()));
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

/** Of a person who was created by the setup link. */
async function createToken(): Promise<string> {
  const person = { name: "Ada", email: "ada@example.org", password: "a password of the bench" };
  const body = { token: (await container.setupPath())?.split("#")[1], ...person };
  const address = "http://127.0.0.1/api/auth/link/use";
  await container.signInRequests?.(new Request(address, { method: "POST", body: JSON.stringify(body) }));
  const [ada] = await container.services.people.list(LOCAL_PRINCIPAL);
  if (ada === undefined) throw new Error("the person was not created");
  const input = { name: "bench", scopes: ["run" as const], tools: null, servers: null, validDays: 1 };
  return (await container.services.tokens.create({ ...LOCAL_PRINCIPAL, id: ada.id }, input)).text;
}

const token = container.access.accounts ? ` ${await createToken()}` : "";
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp${token}`);

process.once("SIGTERM", async () => {
  container.beginStop();
  server.closeAllConnections();
  await container.close();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
