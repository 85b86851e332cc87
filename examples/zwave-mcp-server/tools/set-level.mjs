import { z } from "zod";
import { COMMAND_CLASS } from "../zwave/command-classes.mjs";
import { getName } from "../zwave/device.mjs";
import { defineTool } from "./define-tool.mjs";
import { endpoint, level, nodeId } from "./schemas.mjs";
import { setValue } from "./set-value.mjs";
import { findDevice } from "./tool-error.mjs";

export const setLevel = defineTool({
  name: "set_level",
  title: "Set a level",
  description:
    "Sets a dimmer's brightness or a blind's position (capability level), then reads from the device what it is now. Plain switches take set_switch.",
  input: z.strictObject({ node_id: nodeId, level, endpoint }),
  output: z.object({
    node_id: z.int(),
    name: z.string(),
    endpoint: z.int(),
    level: z.number().nullable().describe("What the device says it is now; null when it does not answer"),
    confirmed: z.boolean().describe("Whether that is what was asked for"),
    moving: z.boolean().describe("true while the device is on its way; get_device reports its position"),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(args, context) {
    const node = findDevice(context.session.nodes, args.node_id);
    const { value, endpoint, moving } = await setValue(context, node, {
      commandClass: COMMAND_CLASS.multilevelSwitch,
      capability: "level",
      endpoint: args.endpoint,
      value: args.level,
    });
    const current = typeof value === "number" ? value : null;
    const confirmed = current === args.level;
    return {
      node_id: node.nodeId,
      name: getName(node),
      endpoint,
      level: current,
      confirmed,
      moving: moving && !confirmed,
    };
  },
});
