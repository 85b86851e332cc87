import { BatteryCCGet, BatteryCCReport, BinarySwitchCCSet, NotificationCCGet } from "@zwave-js/cc";
import { createMockZWaveRequestFrame } from "@zwave-js/testing";

const REPORT_EVERY_MS = 20_000;
/** A metering device tells its new load shortly after it was switched. */
const REPORT_AFTER_SWITCHING_MS = 300;

/** @typedef {import("./house.mjs").SimulatedDevice} SimulatedDevice */
/** @typedef {import("@zwave-js/testing").MockNode} MockNode */
/** @typedef {import("@zwave-js/testing").MockNodeBehavior} MockNodeBehavior */

/** @param {SimulatedDevice} device @param {MockNode} node @param {(message: string) => void} log */
async function report(device, node, log) {
  try {
    for (const cc of device.reports?.(node) ?? []) {
      await node.sendToController(createMockZWaveRequestFrame(cc, { ackRequested: false }));
    }
  } catch (error) {
    log(`node ${device.id} could not report: ${error}`);
  }
}

/**
 * What zwave-js's own mock nodes leave out: they answer neither battery nor notification queries, and they report
 * nothing by themselves.
 * @param {SimulatedDevice} device @param {(message: string) => void} log
 * @returns {MockNodeBehavior[]}
 */
export function createBehaviors(device, log) {
  const { batteryLevel, notification, reports } = device;
  /** @type {MockNodeBehavior["handleCC"]} */
  const handleCC = (controller, node, received) => {
    if (received instanceof BatteryCCGet && batteryLevel !== undefined) {
      const cc = new BatteryCCReport({ nodeId: controller.ownNodeId, level: batteryLevel });
      return { action: "sendCC", cc };
    }
    if (received instanceof NotificationCCGet && notification) return { action: "sendCC", cc: notification(node) };
    if (received instanceof BinarySwitchCCSet && reports) {
      setTimeout(() => void report(device, node, log), REPORT_AFTER_SWITCHING_MS);
    }
    return undefined;
  };
  return [{ handleCC }];
}

/**
 * Lets the sensors report by themselves from now on.
 * @param {{ device: SimulatedDevice, node: MockNode }[]} household @param {(message: string) => void} log
 * @returns {() => void} ends it
 */
export function startReporting(household, log) {
  const timer = setInterval(async () => {
    for (const { device, node } of household) await report(device, node, log);
  }, REPORT_EVERY_MS);
  return () => clearInterval(timer);
}
