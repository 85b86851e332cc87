import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { getDevice } from "../tools/get-device.mjs";
import { getSensor } from "../tools/get-sensor.mjs";
import { listDevices } from "../tools/list-devices.mjs";
import { setLevel } from "../tools/set-level.mjs";
import { setSwitch } from "../tools/set-switch.mjs";
import manifest from "./manifest.mjs";

/** @typedef {import("@modelcontextprotocol/sdk/types.js").CallToolResult} CallToolResult */

/** @type {import("../tools/define-tool.mjs").Tool<any, any>[]} */
const TOOLS = [listDevices, getDevice, setSwitch, setLevel, getSensor];
/** Errors whose message was written for the caller; any other is a defect of this server, whose trace its log keeps. */
const FOR_THE_CALLER = ["ToolError", "UnreachableError"];

/**
 * The MCP server over a Z-Wave connection. A tool that throws is answered by the SDK with an `isError` result.
 * @param {object} options
 * @param {() => Promise<import("../zwave/session.mjs").Session>} options.ready
 * @param {string} options.network what the tools act on, told to the model
 * @param {(message: string) => void} options.log
 */
export function createMcpServer({ ready, network, log }) {
  const server = new McpServer(
    { name: "zwave", title: "Z-Wave", version: manifest.version },
    {
      instructions: `Reads and switches the devices of ${network}. Start with list_devices: the other tools take its node ids.`,
    },
  );
  server.server.onerror = (error) => log(`protocol: ${error.message}`);

  for (const { name, title, description, input, output, annotations, run } of TOOLS) {
    const definition = { title, description, inputSchema: input, outputSchema: output, annotations };
    /** @type {(args: any, extra: { signal: AbortSignal }) => Promise<CallToolResult>} */
    const call = async (args, { signal }) => {
      try {
        const structuredContent = await run(args, { session: await ready(), signal });
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
      } catch (error) {
        const expected = error instanceof Error && FOR_THE_CALLER.includes(error.name);
        if (!expected && !signal.aborted) log(`${name} failed: ${error instanceof Error ? error.stack : error}`);
        throw error;
      }
    };
    server.registerTool(name, definition, call);
  }
  return server;
}
