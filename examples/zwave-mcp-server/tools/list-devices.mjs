import { z } from "zod";
import { summarizeNode } from "../zwave/device.mjs";
import { defineTool } from "./define-tool.mjs";
import { capability, summary } from "./schemas.mjs";
import { pickDevices, ToolError } from "./tool-error.mjs";

export const listDevices = defineTool({
  name: "list_devices",
  title: "List the devices",
  description: "The devices of the Z-Wave network: node id, name, room, and which of the other tools work for each.",
  input: z.strictObject({
    location: z
      .string("location must be a room's name")
      .describe("Only devices of this room; upper and lower case are the same")
      .optional(),
    capability: capability.describe("Only devices that can do this").optional(),
  }),
  output: z.object({ devices: z.array(summary) }),
  annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false },
  run(args, { session }) {
    const all = pickDevices(session.nodes).map(summarizeNode);
    const room = args.location?.trim().toLowerCase();
    const inRoom = room ? all.filter(({ location }) => location?.toLowerCase() === room) : all;
    if (room && inRoom.length === 0) {
      const rooms = [...new Set(all.map(({ location }) => location))].filter((location) => location !== null);
      throw new ToolError(`No device is in ${args.location}. Rooms: ${rooms.join(", ") || "none is named"}.`);
    }
    const wanted = args.capability;
    return { devices: wanted ? inRoom.filter(({ capabilities }) => capabilities.includes(wanted)) : inRoom };
  },
});
