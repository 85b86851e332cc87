import { COMMAND_CLASS, NODE_STATUS } from "./command-classes.mjs";

/**
 * @typedef {object} ValueId
 * @property {number} commandClass
 * @property {number} endpoint
 * @property {string | number} property
 * @property {string | number} [propertyKey]
 */

/**
 * @typedef {object} ValueMetadata
 * @property {string} [label]
 * @property {string} [unit]
 * @property {boolean} [readable]
 * @property {boolean} [writeable]
 * @property {Record<string, string>} [states]
 */

/** @typedef {{ commandClassName?: string, propertyName?: string, metadata: ValueMetadata, value: unknown }} ValueState */
/** @typedef {ValueId & ValueState} NodeValue */

/**
 * A node as zwave-js-server describes it, as far as this server reads it.
 * @typedef {object} ZwaveNode
 * @property {number} nodeId
 * @property {string} [name]
 * @property {string} [location]
 * @property {string} [label]
 * @property {string} [firmwareVersion]
 * @property {boolean} [ready]
 * @property {number} [status]
 * @property {boolean} [isControllerNode]
 * @property {{ manufacturer?: string, description?: string }} [deviceConfig]
 * @property {{ specific?: { label?: string } } | null} [deviceClass]
 * @property {Map<string, NodeValue>} values
 */

/** @param {unknown} value @returns {value is Record<string, any>} */
export const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {ValueId} id */
const toKey = (id) => JSON.stringify([id.endpoint, id.commandClass, id.property, id.propertyKey ?? null]);

/** @param {unknown} value @returns {value is Record<string, any> & ValueId} */
const isValueId = (value) =>
  isRecord(value) && typeof value.commandClass === "number" && ["string", "number"].includes(typeof value.property);

/** @param {Record<string, any> & ValueId} dump @param {unknown} value @returns {NodeValue} */
const toValue = (dump, value) => ({
  ...dump,
  endpoint: dump.endpoint ?? 0,
  metadata: isRecord(dump.metadata) ? dump.metadata : {},
  value,
});

/** @param {unknown} dump @returns {ZwaveNode | null} */
function toNode(dump) {
  if (!isRecord(dump) || !Number.isInteger(dump.nodeId)) return null;
  const listed = Array.isArray(dump.values) ? dump.values.filter(isValueId) : [];
  const values = listed.map((value) => toValue(value, value.value));
  return { .../** @type {any} */ (dump), values: new Map(values.map((value) => [toKey(value), value])) };
}

/** @type {Record<string, (node: ZwaveNode, args: unknown) => void>} */
const VALUE_EVENTS = {
  "value added": updateValue,
  "value updated": updateValue,
  "value removed": (node, args) => {
    if (isValueId(args)) node.values.delete(toKey({ ...args, endpoint: args.endpoint ?? 0 }));
  },
  "metadata updated": (node, args) => {
    if (!isValueId(args) || !isRecord(args.metadata)) return;
    const known = node.values.get(toKey({ ...args, endpoint: args.endpoint ?? 0 }));
    if (known) known.metadata = args.metadata;
  },
};

/** @type {Record<string, string>} */
const STATUS_EVENTS = { sleep: "asleep", "wake up": "awake", dead: "dead", alive: "alive" };

/** @param {ZwaveNode} node @param {unknown} args */
function updateValue(node, args) {
  if (!isValueId(args)) return;
  const known = node.values.get(toKey({ ...args, endpoint: args.endpoint ?? 0 }));
  const value = toValue({ ...known, ...args, metadata: known?.metadata }, args.newValue);
  node.values.set(toKey(value), value);
  if (value.commandClass !== COMMAND_CLASS.nodeNaming || typeof args.newValue !== "string") return;
  if (value.property === "name") node.name = args.newValue;
  if (value.property === "location") node.location = args.newValue;
}

/**
 * What the network looks like: the dump that `start_listening` answers with, kept current by events. What it does not
 * understand it leaves alone, since a server of another version may say more than this one knows.
 */
export function createNetworkState() {
  /** @type {Map<number, ZwaveNode>} */
  const nodes = new Map();

  /** @param {unknown} dump */
  const put = (dump) => {
    const node = toNode(dump);
    if (node) nodes.set(node.nodeId, node);
  };

  return {
    nodes,
    /** @param {unknown} state */
    load(state) {
      nodes.clear();
      if (isRecord(state) && Array.isArray(state.nodes)) state.nodes.forEach(put);
    },
    /** @param {Record<string, any>} event */
    apply(event) {
      if (event.source === "controller") {
        if (event.event === "node added") put(event.node);
        if (event.event === "node removed") nodes.delete(event.node?.nodeId);
        return;
      }
      const node = event.source === "node" ? nodes.get(event.nodeId) : undefined;
      if (!node) return;
      if (event.event === "ready") put(event.nodeState);
      else if (Object.hasOwn(STATUS_EVENTS, event.event)) {
        node.status = NODE_STATUS.indexOf(`${STATUS_EVENTS[event.event]}`);
      } else if (Object.hasOwn(VALUE_EVENTS, event.event)) VALUE_EVENTS[event.event]?.(node, event.args);
    },
  };
}
