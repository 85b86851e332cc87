import { getName, getStatus, settableEndpoints } from "../zwave/device.mjs";
import { incapable, ToolError } from "./tool-error.mjs";

/** The driver's answers to a set command (its `SetValueStatus`). */
const WORKING = 1;
const REFUSALS = new Map([
  [0, "the device does not support it"],
  [2, "the device refused it"],
  [3, "the device has no such endpoint"],
  [4, "the driver cannot do it"],
  [5, "the value is not valid for this device"],
]);
/** Below the minute that MCP clients usually wait, so that the caller hears what happened. */
const COMMAND_TIMEOUT_MS = 20_000;

/** @typedef {import("../zwave/network-state.mjs").ZwaveNode} ZwaveNode */
/** @typedef {import("./define-tool.mjs").ToolContext} ToolContext */

/**
 * @typedef {object} Target
 * @property {number} commandClass
 * @property {"switch" | "level"} capability
 * @property {number | undefined} endpoint
 * @property {boolean | number} value
 */

/** @param {ToolContext} context @param {ZwaveNode} node @param {Target} target */
function chooseEndpoint({ session }, node, { commandClass, capability, endpoint: wanted }) {
  const endpoints = settableEndpoints(node, commandClass);
  const [first] = endpoints;
  if (first === undefined) throw incapable(session.nodes, node, capability);
  const listed = endpoints.join(", ");
  if (wanted === undefined) {
    // Where there is a root value, endpoint 0, it stands for the whole device.
    if (endpoints.length === 1 || first === 0) return first;
    throw new ToolError(`Node ${node.nodeId} (${getName(node)}) has several loads: give endpoint, one of ${listed}.`);
  }
  if (endpoints.includes(wanted)) return wanted;
  throw new ToolError(`Node ${node.nodeId} (${getName(node)}) has no endpoint ${wanted} to set. It has ${listed}.`);
}

/** @param {unknown} error @param {ZwaveNode} node @param {ToolContext} context */
function explainCommandError(error, node, { signal }) {
  if (signal.aborted || !(error instanceof Error) || error.name !== "CommandError") return error;
  const failed = /** @type {import("../zwave/session.mjs").CommandError} */ (error);
  const who = `Node ${node.nodeId} (${getName(node)}, ${getStatus(node)})`;
  if (failed.code === "lost") {
    return new ToolError(`${failed.message}. Whether ${who} was set is not known; look with get_device.`);
  }
  if (failed.code === "timeout") {
    return new ToolError(
      `${who} did not carry it out: ${failed.message}. A sleeping device does so when it wakes up; look with get_device.`,
    );
  }
  return new ToolError(`${who} did not carry it out: ${failed.message}. Check that it has power and is in range.`);
}

/**
 * Sets a node's target value and asks the device what it is now, instead of trusting that it obeyed.
 * @param {ToolContext} context @param {ZwaveNode} node @param {Target} target
 */
export async function setValue(context, node, target) {
  const { session, signal } = context;
  const endpoint = chooseEndpoint(context, node, target);
  const at = { commandClass: target.commandClass, endpoint };
  const set = { nodeId: node.nodeId, valueId: { ...at, property: "targetValue" }, value: target.value };
  const poll = { nodeId: node.nodeId, valueId: { ...at, property: "currentValue" } };
  try {
    const { result } = await session.command("node.set_value", set, { timeoutMs: COMMAND_TIMEOUT_MS, signal });
    const refusal = REFUSALS.get(result?.status);
    if (refusal) {
      const details = result.message ? `: ${result.message}` : "";
      throw new ToolError(`Node ${node.nodeId} (${getName(node)}) was not set: ${refusal}${details}.`);
    }
    return { endpoint, value: await read(context, poll), moving: result?.status === WORKING };
  } catch (error) {
    throw explainCommandError(error, node, context);
  }
}

/**
 * What the device says; undefined when it was set but does not answer.
 * @param {ToolContext} context @param {object} poll
 */
async function read({ session, signal }, poll) {
  try {
    return (await session.command("node.poll_value", { ...poll }, { timeoutMs: COMMAND_TIMEOUT_MS, signal })).value;
  } catch (error) {
    if (error instanceof Error && error.name === "CommandError") return undefined;
    throw error;
  }
}
