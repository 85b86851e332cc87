import { z } from "zod";
import { getState, summarizeNode } from "../zwave/device.mjs";
import { defineTool } from "./define-tool.mjs";
import { nodeId, stateValue, summary } from "./schemas.mjs";
import { findDevice } from "./tool-error.mjs";

export const getDevice = defineTool({
  name: "get_device",
  title: "Look at a device",
  description:
    "One device with everything it is doing: whether it is on, its level, its readings. Configuration parameters are left out.",
  input: z.strictObject({ node_id: nodeId }),
  output: summary.extend({ firmware_version: z.string().nullable(), values: z.array(stateValue) }),
  annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false },
  run(args, { session }) {
    const node = findDevice(session.nodes, args.node_id);
    return { ...summarizeNode(node), firmware_version: node.firmwareVersion ?? null, values: getState(node) };
  },
});
