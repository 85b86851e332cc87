// `npm run -s mcp`: the catalog as an MCP server over stdio. It is a bridge to the running Toolroom, so that its calls
// share connections, executions and live events; without a running one it starts one and stops it when stdin ends.

import { parseArgs } from "node:util";
import { explain } from "./entry-point.mjs";
import { ToolroomServer } from "./find-server.mjs";
import { applyLocations, IS_PACKAGE } from "./locations.mjs";
import { ensureNode } from "./setup.mjs";
import { protocolOutput } from "./stdout-guard.mjs";

const HELP = `Serves Toolroom's tools over stdio, for clients that start MCP servers as a command.

  npm run -s mcp [-- --server <name> | --set <name>] [-- --tools a,b]

  --server <name>   serve only the tools of this MCP server
  --servers a,b     serve only the tools of these MCP servers
  --set <name>      serve only this toolset
  --cassette <name> serve the recorded tools and calls of this cassette, with --session and --faults as its address takes them
  --names plain     use the servers' own tool names, where only one tool has the name
  --tools a,b       serve only these tools
  --wait <seconds>  how long the first list waits, from the start of this command, for servers that start for the first time
  --data <folder>   the data folder of the Toolroom to use
  --config <file>   its configuration file
  --toolroom <address>  the Toolroom at this address, also one on another machine

Connects to --toolroom or TOOLROOM_URL if one is given, else to the Toolroom that proves to use the same database; starts one if none is running.`;

/** @param {Record<string, string | boolean | undefined>} values @param {number} spentMs of the time that the client waits for a list */
function buildAddress({ server, servers, set, cassette, tools, names, session, faults, wait }, spentMs) {
  const query = new URLSearchParams();
  if (typeof servers === "string") query.set("servers", servers);
  if (typeof wait === "string") query.set("wait", String(Math.max(0, Math.ceil(Number(wait) - spentMs / 1000))));
  if (typeof session === "string") query.set("session", session);
  if (typeof faults === "string") query.set("faults", faults);
  if (typeof tools === "string") query.set("tools", tools);
  if (typeof names === "string") query.set("names", names);
  const toolset = typeof set === "string" ? `/sets/${encodeURIComponent(set)}` : "";
  const recorded = typeof cassette === "string" ? `/cassettes/${encodeURIComponent(cassette)}` : "";
  const oneServer = typeof server === "string" ? `/${encodeURIComponent(server)}` : "";
  return `/mcp${recorded || toolset || oneServer}${query.size > 0 ? `?${query}` : ""}`;
}

function readArguments() {
  try {
    const options = /** @type {const} */ ({
      server: { type: "string" },
      servers: { type: "string" },
      wait: { type: "string" },
      set: { type: "string" },
      cassette: { type: "string" },
      session: { type: "string" },
      faults: { type: "string" },
      tools: { type: "string" },
      data: { type: "string" },
      config: { type: "string" },
      toolroom: { type: "string" },
      names: { type: "string" },
      help: { type: "boolean", short: "h" },
    });
    const { values } = parseArgs({ options, allowPositionals: false });
    if (values.wait !== undefined && !/^\d{1,3}$/.test(values.wait))
      throw new Error("--wait needs a number of seconds.");
    return values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    process.exit(2);
  }
}

/** @param {string} text */
function readAddress(text) {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  // The text is not repeated: it may hold a password.
  console.error("The address in --toolroom must begin with http:// or https://.");
  process.exit(2);
}

try {
  ensureNode();
} catch (error) {
  explain(error);
  process.exit(1);
}
const values = readArguments();
if (values.help) {
  console.error(HELP);
  process.exit(0);
}
applyLocations({ data: values.data, config: values.config });
if (values.toolroom !== undefined) process.env.TOOLROOM_URL = readAddress(values.toolroom);
// The folder was named for this call, whatever the environment has for others.
else if (values.data !== undefined) delete process.env.TOOLROOM_URL;
const bundle = "../dist/stdio-bridge.mjs";
const { startStdioBridge } = IS_PACKAGE
  ? await import(bundle)
  : await import("../src/server/mcp/gateway/stdio/stdio-bridge.mjs");
const toolroom = new ToolroomServer();
const bridge = startStdioBridge({
  input: process.stdin,
  output: protocolOutput,
  findUrl: async () => {
    // The client waits for a start of Toolroom too.
    const askedAt = performance.now();
    const url = await toolroom.find();
    return new URL(String(url).replace(/\/+$/, "") + buildAddress(values, performance.now() - askedAt));
  },
  report: (message) => console.error(message),
});

let ending = false;
/** @param {number} code */
async function end(code) {
  if (ending) return;
  ending = true;
  await bridge.close();
  await toolroom.end();
  process.exit(code);
}
bridge.closed.then((code) => end(code));
process.on("SIGTERM", () => void end(143));
process.on("SIGINT", () => void end(130));
