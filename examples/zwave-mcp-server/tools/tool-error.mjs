import { getName, listCapabilities } from "../zwave/device.mjs";

/** A call that cannot be carried out, told to the model: what is wrong and what would work. */
export class ToolError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "ToolError";
  }
}

const MOST_NAMED = 40;

/** @typedef {import("../zwave/network-state.mjs").ZwaveNode} ZwaveNode */

/** @param {Map<number, ZwaveNode>} nodes */
export const pickDevices = (nodes) => [...nodes.values()].filter((node) => !node.isControllerNode);

/** @param {ZwaveNode[]} devices */
function naming(devices) {
  if (devices.length === 0) return "none";
  const named = devices.slice(0, MOST_NAMED).map((node) => `${node.nodeId} (${getName(node)})`);
  const left = devices.length - named.length;
  return left > 0 ? `${named.join(", ")} and ${left} more` : named.join(", ");
}

/** @param {Map<number, ZwaveNode>} nodes @param {number} nodeId */
export function findDevice(nodes, nodeId) {
  const node = nodes.get(nodeId);
  if (node && !node.isControllerNode) return node;
  const what = node ? `Node ${nodeId} is the Z-Wave controller itself, not a device.` : `There is no node ${nodeId}.`;
  throw new ToolError(`${what} Devices: ${naming(pickDevices(nodes))}.`);
}

const CAN = { switch: "be switched", level: "be set to a level", sensor: "measure anything" };
const TOOL = { switch: "set_switch", level: "set_level", sensor: "get_sensor" };

/**
 * @param {Map<number, ZwaveNode>} nodes @param {ZwaveNode} node
 * @param {import("../zwave/device.mjs").Capability} capability
 */
export function incapable(nodes, node, capability) {
  const own = listCapabilities(node).map((can) => TOOL[can]);
  const others = pickDevices(nodes).filter((other) => listCapabilities(other).includes(capability));
  const instead =
    own.length > 0 ? `For this device use ${own.join(" or ")}` : "It offers nothing that a tool here can use";
  const unfinished = node.ready ? "" : " (its interview is not finished, so this may change)";
  const cannot = `Node ${node.nodeId} (${getName(node)}) cannot ${CAN[capability]}${unfinished}`;
  return new ToolError(`${cannot}. ${instead}. Devices that can: ${naming(others)}.`);
}
