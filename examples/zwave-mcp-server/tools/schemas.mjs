import { z } from "zod";
import { FULL_LEVEL, NODE_STATUS } from "../zwave/command-classes.mjs";

/** Z-Wave Long Range counts nodes up to this number. */
const LAST_NODE_ID = 4000;
const NODE_ID = "node_id must be a whole number from 1 up; list_devices names them";
const ENDPOINT = "endpoint must be a whole number from 0 to 127; leave it out for a device with one load";
const LEVEL = `level must be a whole number from 0 (off) to ${FULL_LEVEL} (full)`;

export const nodeId = z
  .int(NODE_ID)
  .min(1, NODE_ID)
  .max(LAST_NODE_ID, NODE_ID)
  .describe("The device's node id, as list_devices names it");

export const endpoint = z
  .int(ENDPOINT)
  .min(0, ENDPOINT)
  .max(127, ENDPOINT)
  .describe("Which part of a device with several loads, as get_device names it; leave it out when there is one")
  .optional();

export const level = z
  .int(LEVEL)
  .min(0, LEVEL)
  .max(FULL_LEVEL, LEVEL)
  .describe(`Brightness or position: 0 is off, ${FULL_LEVEL} is full`);

export const capability = z.enum(["switch", "level", "sensor"], "capability must be switch, level or sensor");

export const summary = z.object({
  node_id: z.int(),
  name: z.string(),
  location: z.string().nullable().describe("The room, or null when none was given"),
  product: z.string().nullable(),
  manufacturer: z.string().nullable(),
  status: z.enum(/** @type {[string, ...string[]]} */ (NODE_STATUS)),
  ready: z.boolean().describe("false while the Z-Wave driver is still finding out what the device can do"),
  capabilities: z
    .array(capability)
    .describe("switch: set_switch works; level: set_level works; sensor: get_sensor works"),
});

const reading = {
  label: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).nullable().describe("null: the device has not reported yet"),
  unit: z.string().optional(),
  meaning: z.string().optional().describe("What a number that stands for a state means"),
  endpoint: z.int(),
};
export const sensorReading = z.object(reading);
export const stateValue = z.object({
  ...reading,
  command_class: z.string(),
  property: z.string(),
  writeable: z.boolean(),
});
