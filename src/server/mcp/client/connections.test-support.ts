import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import type { InteractionAnswer } from "../../../lib/contract/interaction";
import type { ServerLogLine } from "../../../lib/contract/server";
import { IS_LINUX } from "../../../lib/platform";
import type {
  ConnectionSettings,
  ContentChange,
  InteractionBroker,
  ListedTool,
  McpConnections,
} from "../../engine/mcp-ports";
import type { SentLogMessage, ToolContext, ToolLogger } from "../../engine/ports";
import { createMcpConnections, type McpConnectionsOptions } from "./mcp-connections";

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const SERVERS = path.join(ROOT, "e2e/support/mcp-servers");

export type Question = Parameters<InteractionBroker["ask"]>[0];

export interface Bench {
  connections: McpConnections;
  states: { server: string; state: ConnectionState }[];
  lists: { server: string; tools: readonly ListedTool[] }[];
  lines: { server: string; line: ServerLogLine }[];
  changes: { server: string; change: ContentChange }[];
  questions: { question: Question; signal: AbortSignal }[];
}

export interface BenchOptions extends Partial<Omit<McpConnectionsOptions, "events">> {
  answer?: (question: Question, signal: AbortSignal) => Promise<InteractionAnswer> | InteractionAnswer;
  /** A concurrent test's own, which it gets as its context. */
  onFinished?: typeof onTestFinished;
}

const QUIET = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}

/** Connections that end with the test, and everything that they told. */
export function openBench({ answer, limits, onFinished = onTestFinished, ...options }: BenchOptions = {}): Bench {
  const bench: Omit<Bench, "connections"> = { states: [], lists: [], lines: [], questions: [], changes: [] };
  const stored = new Map<string, string>();
  const protocols = new Map<string, string>();
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-servers-"));
  const connections = createMcpConnections({
    events: {
      onState: (server, state) => bench.states.push({ server, state }),
      onTools: (server, tools) => bench.lists.push({ server, tools }),
      onLog: (server, line) => bench.lines.push({ server, line }),
      onContent: (server, change) => bench.changes.push({ server, change }),
    },
    credentials: {
      read: async (server) => stored.get(server) ?? null,
      write: async (server, text) => void (text === null ? stored.delete(server) : stored.set(server, text)),
    },
    personal: {
      credentials: { read: async () => null, writeSignIn: async () => {}, signIns: async () => [] },
      isUser: () => true,
      getPage: (server) => `/servers/${server}`,
    },
    protocols: {
      read: async (server) => protocols.get(server) ?? null,
      write: async (server, text) => void (text === null ? protocols.delete(server) : protocols.set(server, text)),
    },
    interactions: {
      async ask(question, signal) {
        bench.questions.push({ question, signal });
        return answer === undefined ? { action: "decline" } : answer(question, signal);
      },
    },
    sampling: { respond: () => Promise.reject(new Error("this test answers no sampling requests")) },
    logger: QUIET,
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    variables: process.env,
    rootDir: ROOT,
    getFolder: (server) => path.join(folder, server),
    client: { name: "toolroom-test", version: "0.0.0" },
    limits: { backoff: { initialMs: 100, maxMs: 1000, factor: 2 }, debounceMs: 50, closeGraceMs: 300, ...limits },
    fastPath: process.env.TOOLROOM_FAST_PATH !== "off",
    ...options,
  });
  onFinished(async () => {
    await connections.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { ...bench, connections };
}

type StdioSettings = Extract<ConnectionSettings, { transport: "stdio" }>;
type HttpSettings = Extract<ConnectionSettings, { transport: "http" | "sse" }>;

const COMMON = { enabled: true, protocol: "auto" as const, connectTimeoutMs: 15_000, roots: [] };

/** One of our own servers, by the name of its file. */
export function script(name: string, given: Partial<StdioSettings> = {}): StdioSettings {
  const { args = [], ...rest } = given;
  const file = path.join(SERVERS, `${name}.mjs`);
  return {
    ...COMMON,
    name,
    transport: "stdio",
    command: process.execPath,
    args: [file, ...args],
    env: {},
    cwd: null,
    ...rest,
  };
}

/** One of the reference servers from npm. */
export function npmServer(name: string, given: Partial<StdioSettings> = {}): StdioSettings {
  const { args = [], ...rest } = given;
  const file = path.join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  return {
    ...COMMON,
    name,
    transport: "stdio",
    command: process.execPath,
    args: [file, ...args],
    env: {},
    cwd: null,
    ...rest,
  };
}

export function remote(name: string, url: string, given: Partial<HttpSettings> = {}): HttpSettings {
  return { ...COMMON, name, transport: "http", url, headers: {}, auth: { type: "none" }, ...given };
}

export interface RecordedContext extends ToolContext {
  logged: string[];
  sent: SentLogMessage[];
  remarks: string[];
  steps: { progress: number; total: number | undefined; message: string | undefined }[];
  holds: number;
  released: number;
  /** How often the call said that it uses its actor's own credential. */
  personal: number;
  /** Ids of the tasks that the call ran as. */
  tasks: string[];
}

/** Builds the context that the executor gives to a call, and records its use. */
export function buildContext(given: Partial<ToolContext> = {}): RecordedContext {
  const logged: string[] = [];
  const log: ToolLogger["info"] = (fields, message) => void logged.push(message ?? String(fields));
  const context: RecordedContext = {
    signal: new AbortController().signal,
    logger: { debug: log, info: log, warn: log, error: log },
    executionId: "exec_test",
    toolName: "test__tool",
    actor: { kind: "user", name: "test" } as unknown as ToolContext["actor"],
    progress: (progress, total, message) => void context.steps.push({ progress, total, message }),
    hold: () => {
      context.holds += 1;
      return () => {
        context.released += 1;
      };
    },
    relayLog: (_level, text, sent) => {
      logged.push(text);
      context.sent.push(sent);
    },
    setTimeoutHint: (text) => void context.remarks.push(text),
    usePersonalCredential: () => {
      context.personal += 1;
    },
    markTask: (id) => void context.tasks.push(id),
    tasks: [],
    personal: 0,
    remarks: [],
    logged,
    sent: [],
    steps: [],
    holds: 0,
    released: 0,
    ...given,
  };
  return context;
}

export function readText(result: { content: { type: string; [key: string]: unknown }[] }): string {
  return String(result.content[0]?.text);
}

/** False also for a zombie, which only waits to be collected. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return !IS_LINUX;
  }
}

/** Children of this process that live, and what it has open; Linux only. */
export function ownResources(): { children: number; descriptors: number } {
  const children = readdirSync("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(parent) === process.pid && state !== "Z";
    } catch {
      return false;
    }
  });
  return { children: children.length, descriptors: readdirSync("/proc/self/fd").length };
}
