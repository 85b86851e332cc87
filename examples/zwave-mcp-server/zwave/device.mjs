import { COMMAND_CLASS, NODE_STATUS } from "./command-classes.mjs";
import { isRecord } from "./network-state.mjs";

/** @typedef {import("./network-state.mjs").ZwaveNode} ZwaveNode */
/** @typedef {import("./network-state.mjs").NodeValue} NodeValue */
/** @typedef {"switch" | "level" | "sensor"} Capability */

const MEASURING = [
  COMMAND_CLASS.binarySensor,
  COMMAND_CLASS.multilevelSensor,
  COMMAND_CLASS.meter,
  COMMAND_CLASS.notification,
  COMMAND_CLASS.battery,
];
/** Identity and settings: hundreds of values on some devices, and not what the device does. */
const NOT_STATE = [
  COMMAND_CLASS.configuration,
  COMMAND_CLASS.manufacturerSpecific,
  COMMAND_CLASS.nodeNaming,
  COMMAND_CLASS.version,
];
/** The pre-standard form of notifications, kept by the driver beside the readable one. */
const LEGACY_ALARM = ["alarmType", "alarmLevel"];

/** @param {ZwaveNode} node */
export const getName = (node) => node.name || node.label || `node ${node.nodeId}`;

/** @param {ZwaveNode} node */
export const getStatus = (node) => NODE_STATUS[node.status ?? 0] ?? "unknown";

/** Where on a node something can be set, lowest first. @param {ZwaveNode} node @param {number} commandClass */
export const settableEndpoints = (node, commandClass) =>
  [...node.values.values()]
    .filter((value) => value.commandClass === commandClass && value.property === "targetValue")
    .map(({ endpoint }) => endpoint)
    .sort((one, other) => one - other);

/** @param {unknown} value @returns {string | number | boolean | null} */
function plain(value) {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return /** @type {string | number | boolean} */ (value);
  // A duration, such as how long a dimmer is still on its way.
  if (isRecord(value) && "unit" in value)
    return [value.value, value.unit].filter((part) => part !== undefined).join(" ");
  return JSON.stringify(value);
}

/** Describes a value with its unit, or with its meaning where numbers stand for states. @param {NodeValue} value */
function describe(value) {
  const { label, unit, states } = value.metadata;
  const meaning = states?.[`${value.value}`];
  return {
    label: label || `${value.propertyName ?? value.property}`,
    value: plain(value.value),
    ...(unit ? { unit } : {}),
    ...(meaning ? { meaning } : {}),
    endpoint: value.endpoint,
  };
}

/** @param {NodeValue} value */
const isReading = (value) =>
  MEASURING.includes(value.commandClass) && !value.metadata.writeable && !LEGACY_ALARM.includes(`${value.property}`);

/** @param {ZwaveNode} node */
export const listReadings = (node) => [...node.values.values()].filter(isReading).map(describe);

/** @param {ZwaveNode} node */
export const getState = (node) =>
  [...node.values.values()]
    .filter(({ commandClass, property, metadata }) => {
      // A value that can only be written is a button, not a state.
      return metadata.readable !== false && !NOT_STATE.includes(commandClass) && !LEGACY_ALARM.includes(`${property}`);
    })
    .map((value) => ({
      ...describe(value),
      command_class: value.commandClassName ?? `${value.commandClass}`,
      property: [value.property, value.propertyKey].filter((part) => part !== undefined).join(" "),
      writeable: value.metadata.writeable === true,
    }));

/** @param {ZwaveNode} node @returns {Capability[]} */
export function listCapabilities(node) {
  /** @type {Capability[]} */
  const capabilities = [];
  if (settableEndpoints(node, COMMAND_CLASS.binarySwitch).length > 0) capabilities.push("switch");
  if (settableEndpoints(node, COMMAND_CLASS.multilevelSwitch).length > 0) capabilities.push("level");
  if ([...node.values.values()].some(isReading)) capabilities.push("sensor");
  return capabilities;
}

/** @param {ZwaveNode} node */
export const summarizeNode = (node) => ({
  node_id: node.nodeId,
  name: getName(node),
  location: node.location || null,
  product: node.label || node.deviceClass?.specific?.label || null,
  manufacturer: node.deviceConfig?.manufacturer ?? null,
  status: getStatus(node),
  ready: node.ready === true,
  capabilities: listCapabilities(node),
});
