import { z } from "zod";
import { COMMAND_CLASS } from "../zwave/command-classes.mjs";
import { getName } from "../zwave/device.mjs";
import { defineTool } from "./define-tool.mjs";
import { endpoint, nodeId } from "./schemas.mjs";
import { setValue } from "./set-value.mjs";
import { findDevice } from "./tool-error.mjs";

export const setSwitch = defineTool({
  name: "set_switch",
  title: "Switch on or off",
  description:
    "Switches a device with the capability switch on or off, then reads from the device what it is now. Dimmers take set_level.",
  input: z.strictObject({
    node_id: nodeId,
    on: z.boolean("on must be true or false").describe("true switches on, false switches off"),
    endpoint,
  }),
  output: z.object({
    node_id: z.int(),
    name: z.string(),
    endpoint: z.int(),
    on: z.boolean().nullable().describe("What the device says it is now; null when it does not answer"),
    confirmed: z.boolean().describe("Whether that is what was asked for"),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(args, context) {
    const node = findDevice(context.session.nodes, args.node_id);
    const { value, endpoint } = await setValue(context, node, {
      commandClass: COMMAND_CLASS.binarySwitch,
      capability: "switch",
      endpoint: args.endpoint,
      value: args.on,
    });
    const on = typeof value === "boolean" ? value : null;
    return { node_id: node.nodeId, name: getName(node), endpoint, on, confirmed: on === args.on };
  },
});
