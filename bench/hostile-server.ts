/** A complete server process with a stall probe inside, for `bench/hostile.ts`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const READY = /Toolroom is ready: (http:\/\/\S+)/;
const READY_LIMIT_MS = 120_000;

export const ECHO = {
  name: "echo",
  description: "Returns its arguments",
  type: "function",
  handler: "echo",
  parameters: { type: "object" },
  implementation: { type: "builtin", handler: "echo" },
};

const SEARCH = {
  name: "search_tools",
  description: "Finds tools",
  type: "function",
  handler: "search_tools",
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  implementation: { type: "internal", handler: "search_tools" },
};

export interface Probed {
  /** The longest time that the event loop was blocked since the last reading, in milliseconds. */
  longestMs: number;
  /** The most processor time of the process while it was blocked, which shows the cause on a busy machine. */
  longestCpuMs: number;
  rssBytes: number;
}

export interface HostileServer {
  url: string;
  /** From the start of the process to its first response, in milliseconds. */
  readyMs: number;
  /** Reads the probe and starts a new measurement; null when the server does not answer within `limitMs`. */
  probe(limitMs: number): Promise<Probed | null>;
  kill(): Promise<void>;
}

/** A folder for a database and a configuration that several starts may share. */
export async function createServerFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-hostile-"));
  await writeFile(path.join(folder, "toolroom.json"), JSON.stringify({ tools: { registry: [ECHO, SEARCH] } }));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function waitForUrl(child: ChildProcess): Promise<string> {
  let output = "";
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  child.stderr?.on("data", collect);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("not ready in time")), READY_LIMIT_MS);
    child.stdout?.on("data", (chunk: Buffer) => {
      collect(chunk);
      const url = READY.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once("exit", () => reject(new Error(`The server ended:\n${output}`)));
  });
}

/**
 * Starts the production build in `root`, which must have been built.
 * @throws Error when it is not ready within two minutes
 */
export async function startHostileServer(root: string, folder: string): Promise<HostileServer> {
  const startedAt = performance.now();
  const probePath = path.join(import.meta.dirname, "hostile-stall-probe.mjs");
  const child = spawn(process.execPath, ["--import", probePath, "server.mjs"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      ...process.env,
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: `file:${path.join(folder, "toolroom.db")}`,
      TOOLROOM_CONFIG: path.join(folder, "toolroom.json"),
      TOOLROOM_LOG_LEVEL: "error",
    },
  });
  const exited = once(child, "exit");
  const url = await waitForUrl(child).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  child.stdout?.resume();
  return {
    url,
    readyMs: performance.now() - startedAt,
    probe: (limitMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(null), limitMs);
        child.once("message", (message) => {
          clearTimeout(timer);
          resolve(message as Probed);
        });
        child.send({ probe: "read" });
      }),
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
