// The simulated Z-Wave network, as a process of its own: zwave-js prints to stdout, which is the protocol's in the MCP
// server and goes to stderr here. Tells its port to the process that started it, and ends when that one is gone.

const LOOPBACK = "127.0.0.1";
const END_TIMEOUT_MS = 2_500;

const log = (/** @type {string} */ message) => process.stderr.write(`simulated network: ${message}\n`);
const logLevel = process.env.ZWAVE_LOG_LEVEL ?? "error";

/** @type {(() => Promise<unknown>)[]} */
const endings = [];
let ending = false;

async function end(code = 0) {
  if (ending) return;
  ending = true;
  setTimeout(() => process.exit(1), END_TIMEOUT_MS).unref();
  for (const step of endings.reverse()) await step().catch((error) => log(`while ending: ${error}`));
  process.exit(code);
}

process.on("disconnect", () => void end());
// The event may have come before this line; undefined means that nobody was connected in the first place.
if (process.connected === false) await end();
process.on("SIGTERM", () => void end());
// Ctrl-C reaches the whole group; the MCP server ends first and then this process, by disconnecting.
process.on("SIGINT", () => {});

try {
  // Only now: loading the driver takes long enough for the end to come meanwhile.
  const { ZwavejsServer } = await import("@zwave-js/server");
  const { startSimulatedDriver } = await import("./start-driver.mjs");
  const { driver, end: endDriver } = await startSimulatedDriver({ log, logLevel });
  endings.push(endDriver);
  const server = new ZwavejsServer(driver, {
    // The number 0 means "unset" to this class and becomes 3000; the string reaches listen() and gets a free port.
    port: /** @type {any} */ ("0"),
    host: LOOPBACK,
    logger: {
      debug: () => {},
      info: (message) => (logLevel === "error" ? undefined : log(`${message}`)),
      warn: (message) => log(`${message}`),
      error: (message) => log(`${message}`),
    },
  });
  await server.start();
  endings.push(() => server.destroy());
  const { port } = /** @type {any} */ (server).server.address();
  log(`${driver.controller.nodes.size - 1} devices at ws://${LOOPBACK}:${port}`);
  process.send?.({ url: `ws://${LOOPBACK}:${port}` });
} catch (error) {
  log(`could not start: ${error instanceof Error ? error.stack : error}`);
  await end(1);
}
