import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { InstanceTiming } from "../platform/coordination/postgres/instance-timing";
import { createPostgresDatabase } from "../platform/db/postgres/scratch-postgres.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

/** Instances that miss each other within seconds; sooner, a busy machine would make them miss those that live. */
export const QUICK_TIMING: Partial<InstanceTiming> = {
  renewMs: 200,
  lostMs: 4_000,
  staleMs: 2_500,
  settleMs: 1_000,
  pollMs: 500,
};

/** Instances that a busy machine does not lose, and whose answers are waited for: for what they show each other. */
export const PATIENT_TIMING: Partial<InstanceTiming> = { lostMs: 120_000, staleMs: 120_000, askMs: 60_000 };

interface InstancesOptions {
  /** More variables of every instance. */
  env?: Record<string, string>;
  timing?: Partial<InstanceTiming>;
  /** Each serves other programs and the other instances at an address of its own; see `listeners`. */
  listens?: boolean;
}

/** What server.mjs serves of an instance for programs. */
async function listen(): Promise<{ server: Server; address: string; serve(copy: Container): void }> {
  let serving: Container | null = null;
  const server = createServer((request, response) => {
    if (serving === null) return void response.writeHead(503).end();
    const refusal = serving.admitRequest(request);
    if (refusal !== null) response.writeHead(403).end(refusal);
    else if (request.url === "/api/copies/servers") void serving.instanceEndpoint?.handle(request, response);
    else void serving.gateway.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const serve = (copy: Container): void => {
    serving = copy;
  };
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, serve };
}

/**
 * For tests: instances of the server in this process, on one database of PostgreSQL, which end with the test. Unless they listen, their addresses
 * are names.
 */
export async function startInstances(
  count: number,
  { env = {}, timing = QUICK_TIMING, listens = false }: InstancesOptions = {},
) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-copies-"));
  const { url, remove } = await createPostgresDatabase({ migrated: true });
  const copies: Container[] = [];
  const listeners: { server: Server; address: string }[] = [];
  onTestFinished(async () => {
    await Promise.all(copies.map((copy) => copy.close()));
    await remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** One more instance. @param own more variables of this one */
  async function start(own: Record<string, string> = {}): Promise<Container> {
    const listening = listens ? await listen() : null;
    const address = listening?.address ?? `http://copy${copies.length + 1}.test:3000`;
    const copy = await createContainer(
      readEnv({
        DATABASE_URL: url,
        TOOLROOM_DATA: folder,
        TOOLROOM_SECRET_KEY: "the key of the tests of copies",
        TOOLROOM_LOG_LEVEL: "silent",
        TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
        TOOLROOM_SHUTDOWN_GRACE_MS: "50",
        TOOLROOM_COPY_URL: address,
        ...env,
        ...own,
      }),
      { address, timing },
    );
    copies.push(copy);
    if (listening !== null) {
      listening.serve(copy);
      listeners.push(listening);
    }
    return copy;
  }

  for (let at = 0; at < count; at += 1) await start();
  return { copies, url, start, listeners };
}
