import { z } from "zod";
import { getName, getStatus, listReadings } from "../zwave/device.mjs";
import { defineTool } from "./define-tool.mjs";
import { nodeId, sensorReading } from "./schemas.mjs";
import { findDevice, incapable, ToolError } from "./tool-error.mjs";

export const getSensor = defineTool({
  name: "get_sensor",
  title: "Read a sensor",
  description:
    "What a device with the capability sensor last reported: temperature, humidity, motion, doors, power, battery. Sensors report by themselves; a sleeping one is not woken.",
  input: z.strictObject({
    node_id: nodeId,
    sensor: z
      .string("sensor must be a part of a reading's name, such as temperature")
      .min(1, "sensor must not be empty; leave it out for all readings")
      .describe("A part of the name of the reading, such as temperature, motion or battery; leave it out for all")
      .optional(),
  }),
  output: z.object({ node_id: z.int(), name: z.string(), status: z.string(), readings: z.array(sensorReading) }),
  annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false },
  run(args, { session }) {
    const node = findDevice(session.nodes, args.node_id);
    const all = listReadings(node);
    if (all.length === 0) throw incapable(session.nodes, node, "sensor");
    const wanted = args.sensor?.toLowerCase() ?? "";
    const readings = all.filter(({ label }) => label.toLowerCase().includes(wanted));
    if (readings.length === 0) {
      const known = all.map(({ label }) => label).join(", ");
      throw new ToolError(
        `Node ${node.nodeId} (${getName(node)}) has no sensor named ${args.sensor}. It has: ${known}.`,
      );
    }
    return { node_id: node.nodeId, name: getName(node), status: getStatus(node), readings };
  },
});
