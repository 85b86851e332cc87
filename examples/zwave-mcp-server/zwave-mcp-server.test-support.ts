import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

export const SERVER_DIR = import.meta.dirname;
/** The first start downloads the packages. */
export const FIRST_START_MS = 300_000;

export interface Answer {
  jsonrpc: string;
  id: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server answered is what the tests look into
  result?: any;
  error?: { code: number; message: string };
}

/** One running server, with everything it wrote. */
export function startServer(
  env: Record<string, string> = {},
  directory = SERVER_DIR,
  options: { cwd?: string; uid?: number } = {},
) {
  const child = spawn(process.execPath, [path.join(directory, "start.mjs")], {
    ...options,
    // The driver prints nothing where NODE_ENV is "test".
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const waiting = new Map<number, (answer: Answer) => void>();
  let stderr = "";
  let lastId = 0;

  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    try {
      const answer: Answer = JSON.parse(line);
      waiting.get(answer.id)?.(answer);
    } catch {
      // Kept in `lines`, where the test about stdout finds it.
    }
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => {});
  const closed = once(child, "close").then(([code, signal]) => ({ code, signal }));

  const write = (text: string) => child.stdin.write(`${text}\n`);
  const request = (method: string, params: object = {}) => {
    const id = ++lastId;
    const answer = new Promise<Answer>((resolve, reject) => {
      waiting.set(id, resolve);
      closed.then(() => reject(new Error(`The server ended before it answered ${method}. It said:\n${stderr}`)));
    });
    write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return answer;
  };

  return {
    child,
    lines,
    stderr: () => stderr,
    closed,
    write,
    request,
    async initialize() {
      const clientInfo = { name: "test", version: "1" };
      const answer = await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
      return answer.result;
    },
    call: async (name: string, args: object = {}) =>
      (await request("tools/call", { name, arguments: args })).result ?? { protocolError: true },
    /** Resolves with the server's log as soon as it matches. */
    async logged(pattern: RegExp): Promise<string> {
      for (;;) {
        const match = pattern.exec(stderr);
        if (match) return match[1] ?? match[0];
        const ended = closed.then(() => {
          throw new Error(`The server ended without saying ${pattern}. It said:\n${stderr}`);
        });
        await Promise.race([once(child.stderr, "data"), ended]);
      }
    },
    async end() {
      child.kill("SIGTERM");
      await closed;
    },
  };
}

export type RunningServer = ReturnType<typeof startServer>;

/** The server's own first start, on a Z-Wave server that is not there. */
export async function ensureInstalled() {
  const server = startServer({ ZWAVE_SERVER_URL: "ws://127.0.0.1:1" });
  await server.initialize();
  await server.end();
}

export function isAlive(pid: number) {
  try {
    process.kill(pid, 0);
    // One that ended and that nobody has collected yet is gone, too.
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Settles when a process that is not our child is gone; a test that waits in vain ends by the runner's limit. */
export async function goneProcess(pid: number) {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
}

interface Socket {
  on(event: "message", listener: (data: Buffer) => void): void;
  send(data: string | Buffer): void;
  terminate(): void;
}

const NODE = {
  nodeId: 7,
  name: "Porch light",
  location: "Porch",
  ready: true,
  status: 4,
  isControllerNode: false,
  values: [
    { endpoint: 0, commandClass: 37, property: "currentValue", value: false, metadata: { label: "Current value" } },
    { endpoint: 0, commandClass: 37, property: "targetValue", metadata: { label: "Target value", writeable: true } },
  ],
};

/** A stand-in for zwave-js-server that can do what a real one does only on a bad day. */
export async function startFakeZwaveServer(port = 0) {
  // Loaded late: the example's packages are installed by its own first start.
  const { WebSocketServer } = createRequire(path.join(SERVER_DIR, "package.json"))("ws");
  const server = new WebSocketServer({ host: "127.0.0.1", port });
  await once(server, "listening");
  const sockets = new Set<Socket>();
  const received: string[] = [];
  /** By command; null is silence. */
  const answers: Record<string, object | null> = {
    initialize: { success: true, result: {} },
    start_listening: { success: true, result: { state: { nodes: [NODE] } } },
    "node.set_value": { success: true, result: { result: { status: 255 } } },
    "node.poll_value": { success: true, result: { value: true } },
  };
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.send(
      JSON.stringify({ type: "version", serverVersion: "3.10.2", minSchemaVersion: 0, maxSchemaVersion: 50 }),
    );
    socket.on("message", (data) => {
      const { messageId, command } = JSON.parse(data.toString());
      received.push(command);
      if (answers[command] === null) return;
      socket.send(JSON.stringify({ type: "result", messageId, ...answers[command] }));
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  const everySocket = (act: (socket: Socket) => void) => {
    for (const socket of sockets) act(socket);
  };
  return {
    url: `ws://127.0.0.1:${bound}`,
    port: bound,
    answers,
    received,
    connections: () => sockets.size,
    say: (data: string | Buffer) => everySocket((socket) => socket.send(data)),
    drop: () => everySocket((socket) => socket.terminate()),
    async close() {
      everySocket((socket) => socket.terminate());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
