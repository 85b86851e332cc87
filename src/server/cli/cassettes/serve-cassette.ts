import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { parseCassette } from "../../../lib/cassette/cassette-file";
import { countPlays, FAIL_ON, formatFigures } from "../../../lib/cassette/decide-play";
import { parseFaults } from "../../../lib/cassette/faults";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { CassettePlay } from "../../../lib/contract/cassette";
import { getMessage } from "../../../lib/get-message";
import { createHostPolicy } from "../../../lib/http-guard";
import { UNKEYED } from "../../engine/masking/call-mask";
import { createCassettePlayer } from "../../features/cassettes/cassette-player";
import type { SessionLog } from "../../features/cassettes/cassette-store";
import { createGateway } from "../../mcp/gateway/gateway-http";
import type { GatewayPorts } from "../../mcp/gateway/gateway-ports";
import { startStdioBridge } from "../../mcp/gateway/stdio/stdio-bridge.mjs";
import type { StoredTask } from "../../mcp/gateway/tasks/task-store";
import { CommandError, EXIT, usageError } from "../command-error";
import type { CommandIo } from "../command-io";

export type FailOn = keyof typeof FAIL_ON;

export interface ServeOptions {
  faults?: string;
  failOn: readonly FailOn[];
  report?: string;
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const ID = "file";

/** Serves a cassette file over stdio until stdin ends, without a Toolroom, and reports what the client used. */
export async function serveCassette(
  file: string,
  { faults, failOn, report }: ServeOptions,
  io: CommandIo,
): Promise<void> {
  const { input, content, lines } = await readCassette(path.resolve(io.cwd, file));
  const problem = faults === undefined ? null : parseFaults(faults);
  if (typeof problem === "string") throw usageError(`--faults: ${problem}.`);
  // Nothing that could run a call is here.
  const settings = { ...input.settings, faults: faults ?? input.settings.faults, passthrough: false };
  const { sessions, plays } = createMemoryLog();
  const player = createCassettePlayer({
    ...{ sessions, masking: UNKEYED, lines: async () => lines },
    find: async (name) => (name === input.name ? { ...input, settings, id: ID, bytes: 0 } : null),
  });
  const token = randomBytes(24).toString("base64url");
  const gateway = createGateway(toPorts(player, token, io.version));
  const server = createServer((request, response) => void gateway.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp/cassettes/${input.name}`;
  // The bridge sends it with every request; other programs of this machine do not know it.
  process.env.TOOLROOM_API_TOKEN = token;
  const bridge = startStdioBridge({
    ...{ input: io.stdin, output: io.stdout, findUrl: async () => new URL(address) },
    report: (message) => void io.stderr.write(`${message}\n`),
  });
  io.signal.addEventListener("abort", () => void bridge.close(), { once: true });
  await bridge.closed;
  await gateway.close();
  server.closeAllConnections();
  server.close();
  const figures = countPlays(content.calls.length, plays);
  io.stderr.write(`${formatFigures(figures)}\n`);
  for (const { outcome, message } of plays) if (outcome === "missed") io.stderr.write(`miss: ${message}\n`);
  if (report !== undefined) {
    const text = JSON.stringify({ cassette: input.name, line: formatFigures(figures), figures, plays }, null, 2);
    await writeFile(path.resolve(io.cwd, report), `${text}\n`);
  }
  const failed = failOn.filter((name) => figures[FAIL_ON[name]] > 0);
  if (failed.length > 0) throw new CommandError(EXIT.failed, `The session has ${failed.join(", ")}.`);
}

async function readCassette(file: string): Promise<ReturnType<typeof parseCassette>> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw usageError(`The file cannot be read: ${getMessage(error)}.`);
  });
  try {
    return parseCassette(text);
  } catch (error) {
    throw usageError(`The cassette file cannot be read. ${getMessage(error)}.`);
  }
}

/** One session: the process is started for one client. */
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

function toPorts(cassettes: NonNullable<GatewayPorts["cassettes"]>, token: string, version: string): GatewayPorts {
  const tasks = new Map<string, StoredTask>();
  const ofOwner = (owner: string): StoredTask[] => [...tasks.values()].filter((task) => task.owner === owner);
  let calls = 0;
  return {
    ...{
      cassettes,
      version,
      logger: SILENT,
      hostPolicy: createHostPolicy("127.0.0.1", undefined),
    },
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
