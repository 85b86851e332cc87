import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { ReadCassette } from "../../lib/cassette/cassette-file";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import type { CassettePlay } from "../../lib/contract/cassette";
import { createHostPolicy } from "../../lib/http-guard";
import type { CassettePlayer } from "../engine/cassettes/cassette-ports";
import { UNKEYED } from "../engine/masking/call-mask";
import { createCassettePlayer } from "../features/cassettes/cassette-player";
import type { SessionLog } from "../features/cassettes/cassette-store";
import { createGateway } from "../mcp/gateway/gateway-http";
import type { GatewayPorts } from "../mcp/gateway/gateway-ports";
import { startStdioBridge } from "../mcp/gateway/stdio/stdio-bridge.mjs";
import type { StoredTask } from "../mcp/gateway/tasks/task-store";

export interface ServeCassetteOptions {
  cassette: ReadCassette;
  /** Replaces the file's own faults. */
  faults: string | undefined;
  input: Readable;
  output: Writable;
  report: (message: string) => void;
  signal: AbortSignal;
  version: string;
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const ID = "file";

/** Serves a cassette over stdio until the input ends, without a database. @returns what the client requested */
export async function serveCassetteFile(options: ServeCassetteOptions): Promise<CassettePlay[]> {
  const { input: facts, lines } = options.cassette;
  const { sessions, plays } = createMemoryLog();
  // This process has no tool that could run a call.
  const settings = { ...facts.settings, faults: options.faults ?? facts.settings.faults, passthrough: false };
  const player = createCassettePlayer({
    sessions,
    masking: UNKEYED,
    lines: async () => lines,
    find: async (name) => (name === facts.name ? { ...facts, settings, id: ID, bytes: 0 } : null),
  });
  const token = randomBytes(24).toString("base64url");
  const gateway = createGateway(toPorts(player, token, options.version));
  const server = createServer((request, response) => void gateway.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp/cassettes/${facts.name}`;
  // The bridge sends it with every request; other programs of this machine do not know it.
  process.env.TOOLROOM_API_TOKEN = token;
  const { input, output, report } = options;
  const bridge = startStdioBridge({ input, output, report, findUrl: async () => new URL(address) });
  options.signal.addEventListener("abort", () => void bridge.close(), { once: true });
  await bridge.closed;
  await gateway.close();
  server.closeAllConnections();
  server.close();
  return plays;
}

/** A log for one session, since the process is started for one client. */
function createMemoryLog(): { sessions: SessionLog; plays: CassettePlay[] } {
  const plays: CassettePlay[] = [];
  return {
    plays,
    sessions: {
      async note(_cassette, _session, decide) {
        const play = decide(plays);
        if (play !== null) plays.push({ ...play, ordinal: plays.length, at: Date.now() });
        return play;
      },
    },
  };
}

function toPorts(cassettes: CassettePlayer, token: string, version: string): GatewayPorts {
  const tasks = new Map<string, StoredTask>();
  const ofOwner = (owner: string): StoredTask[] => [...tasks.values()].filter((task) => task.owner === owner);
  let calls = 0;
  return {
    cassettes,
    version,
    logger: SILENT,
    hostPolicy: createHostPolicy({ host: "127.0.0.1" }),
    tools: () => [],
    serverNames: () => [],
    aliasNames: () => new Map(),
    executor: { execute: () => Promise.reject(new Error("A cassette file runs nothing")) },
    onToolsChanged: () => () => {},
    authenticate: (headers) =>
      headers.get("authorization") === `Bearer ${token}` ? LOCAL_PRINCIPAL : Promise.resolve(null),
    newId() {
      calls += 1;
      return `call_${calls}`;
    },
    tasks: {
      store: {
        create: async (task) => void tasks.set(task.id, task),
        find: async (id) => tasks.get(id) ?? null,
        list: async (owner) => ofOwner(owner),
        count: async (owner) => ofOwner(owner).length,
        deleteExpired: async () => {},
      },
      find: async () => null,
      summary: async () => null,
      cancel: async () => {},
    },
  };
}
