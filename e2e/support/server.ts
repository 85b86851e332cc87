import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitUntil } from "../../src/lib/wait-until.test-support";
import { signInOwner, WITH_ACCOUNTS } from "./accounts";
import { chooseDatabase } from "./database";

const ROOT = path.resolve(import.meta.dirname, "../..");
const READY = /Toolroom is ready: (http:\/\/\S+)/;
const START_LIMIT_MS = 30_000;

/** The messages in a page's console while its server stops, is away or starts: for `allowProblems` in tests that restart one. */
export const SERVER_AWAY = /status of 503 \(Service Unavailable\)|net::ERR_|Failed to load chunk/;

export interface ServerOptions {
  /** Keep a database over a restart by naming the first server's; a new, empty one otherwise. */
  databaseFile?: string;
  /** For a restart under the same address; a free port otherwise. */
  port?: number;
  /** Further settings, such as TOOLROOM_CONFIG. */
  env?: Record<string, string>;
}

/** One server process of its own, on loopback. */
export interface ExtraServer {
  url: string;
  port: number;
  databaseFile: string;
  /** Everything it has printed. */
  output(): string;
  /** Asks it to end (SIGTERM) and gives its exit code, null when a signal ended it. */
  stop(): Promise<number | null>;
  /** Ends it at once (SIGKILL), as a crash would. */
  kill(): Promise<void>;
}

interface OwnedServer extends ExtraServer {
  pid: number;
  signal(signal: "SIGSTOP" | "SIGCONT" | "SIGTERM"): void;
  hasEnded(): boolean;
  dispose(): Promise<void>;
}

async function whenReady(child: ChildProcess, output: () => string): Promise<string> {
  const findUrl = () => READY.exec(output())?.[1];
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await waitUntil(() => findUrl() !== undefined || hasEnded(), { timeoutMs: START_LIMIT_MS }).catch(() => {});
  const url = findUrl();
  if (url) return url;
  child.kill("SIGKILL");
  throw new Error(`The server did not start.\n${output()}`);
}

/** A journey asks the demo model: the environment's keys of real providers are removed. */
const NO_MODEL_KEYS = {
  ANTHROPIC_API_KEY: "",
  OPENAI_API_KEY: "",
  GEMINI_API_KEY: "",
  GOOGLE_API_KEY: "",
  OLLAMA_HOST: "",
};

/** Starts the production build that the main server runs too. The `startServer` fixture ends what it started. */
export async function launchServer(options: ServerOptions = {}): Promise<OwnedServer> {
  const directory = options.databaseFile ? null : await mkdtemp(path.join(tmpdir(), "toolroom-e2e-"));
  const databaseFile = options.databaseFile ?? path.join(directory ?? tmpdir(), "toolroom.db");
  const database = await chooseDatabase(databaseFile);
  let text = "";
  const withAccounts = WITH_ACCOUNTS && options.env?.TOOLROOM_AUTH === undefined;
  const child = spawn(process.execPath, ["server.mjs"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...NO_MODEL_KEYS,
      HOST: "127.0.0.1",
      PORT: String(options.port ?? 0),
      ...database,
      TOOLROOM_CONFIG: path.join(ROOT, "config", "toolroom.example.json"),
      ...(withAccounts && { TOOLROOM_AUTH: "on" }),
      // Servers, models and identity providers of journeys listen on loopback, which accounts would close.
      TOOLROOM_PRIVATE_ADDRESSES: "allow",
      ...options.env,
    },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const exited = once(child, "exit");
  const url = await whenReady(child, () => text);
  if (withAccounts) {
    await signInOwner(url, () => text).catch((error: unknown) => {
      child.kill("SIGKILL");
      throw error;
    });
  }
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<number | null> => {
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    url,
    port: Number(new URL(url).port),
    databaseFile,
    output: () => text,
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: () => end("SIGTERM"),
    kill: async () => {
      await end("SIGKILL");
    },
    dispose: async () => {
      await end("SIGKILL");
      if (directory) await rm(directory, { recursive: true, force: true });
    },
  };
}
