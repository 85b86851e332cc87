import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createSimulatedNetwork } from "../simulated-network/launch.mjs";
import { log } from "../startup/log.mjs";
import { createConnection } from "../zwave/connection.mjs";
import { createMcpServer } from "./mcp-server.mjs";
import { watchOpenRequests } from "./open-requests.mjs";

/** How long calls that were read before the client closed stdin may still take. */
const LAST_ANSWERS_MS = 30_000;
const END_TIMEOUT_MS = 8_000;

/** @param {string | null} serverUrl */
function chooseNetwork(serverUrl) {
  if (serverUrl !== null) {
    return {
      description: "a Z-Wave network",
      locate: async () => serverUrl,
      wayOut:
        "Start zwave-js-server there or correct ZWAVE_SERVER_URL; without that variable a simulated house is used.",
      end: async () => {},
    };
  }
  const simulated = createSimulatedNetwork(log);
  return {
    description: "a simulated house (no hardware is behind it)",
    locate: simulated.locate,
    wayOut: "It is started again with the next call.",
    end: simulated.end,
  };
}

/**
 * Speaks MCP until the client closes stdin or a signal comes, then leaves nothing behind.
 * @param {{ stdin: NodeJS.ReadStream, stdout: import("node:stream").Writable, serverUrl: string | null }} options
 */
export async function serve({ stdin, stdout, serverUrl }) {
  const network = chooseNetwork(serverUrl);
  const connection = createConnection({ locate: network.locate, wayOut: network.wayOut, log });
  const server = createMcpServer({ ready: connection.ready, network: network.description, log });
  const transport = new StdioServerTransport(stdin, stdout);
  const open = watchOpenRequests(transport);

  let ending = false;
  /** @param {string} reason @param {number} [code] */
  async function end(reason, code = 0) {
    if (ending) return;
    ending = true;
    log(`ending: ${reason}`);
    setTimeout(() => process.exit(1), END_TIMEOUT_MS).unref();
    connection.end();
    await server.close();
    await network.end();
    stdout.end(() => process.exit(code));
    if (stdout.destroyed) process.exit(code);
  }
  const endOnError = (/** @type {unknown} */ error) => {
    log(`unexpected: ${error instanceof Error ? error.stack : error}`);
    void end("after an unexpected error", 1);
  };

  process.once("SIGTERM", () => void end("SIGTERM"));
  process.once("SIGINT", () => void end("SIGINT"));
  process.on("uncaughtException", endOnError);
  process.on("unhandledRejection", endOnError);
  stdout.on("error", () => void end("the client closed stdout"));
  stdin.once("end", async () => {
    await open.settled(LAST_ANSWERS_MS);
    await end("the client closed stdin");
  });

  await server.connect(transport);
  log(serverUrl === null ? "starting a simulated house, set ZWAVE_SERVER_URL for a real one" : "started");
  // In advance, so that the first call finds it there; a failure is logged, retried and told to whoever calls.
  connection.ready().catch(() => {});
}
