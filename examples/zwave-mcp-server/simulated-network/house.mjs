import { MeterCCReport, MultilevelSensorCCReport, NotificationCCReport, SwitchType } from "@zwave-js/cc";
import { CommandClasses } from "@zwave-js/core";
import { ccCaps } from "@zwave-js/testing";

/** @typedef {import("@zwave-js/testing").MockNode} MockNode */
/** @typedef {import("@zwave-js/cc").CommandClass} CommandClass */

/** Numbers of the Z-Wave specification. */
const SENSOR = { airTemperature: 1, illuminance: 3, humidity: 5 };
const SCALE = { celsius: 0, percent: 0, lux: 1, watt: 2 };
const METER = { electric: 1, consumed: 1 };
const NOTIFICATION = { accessControl: 6, homeSecurity: 7 };
const EVENT = { idle: 0, motionDetected: 8, doorOpen: 22, doorClosed: 23 };
const DEVICE_CLASS = {
  binarySwitch: { genericDeviceClass: 0x10, specificDeviceClass: 0x01 },
  multilevelSwitch: { genericDeviceClass: 0x11, specificDeviceClass: 0x01 },
  multilevelSensor: { genericDeviceClass: 0x21, specificDeviceClass: 0x01 },
  notificationSensor: { genericDeviceClass: 0x07, specificDeviceClass: 0x01 },
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** A value that swings around a middle once in a period, so that two looks at a sensor may differ. */
const swing = (/** @type {number} */ middle, /** @type {number} */ reach, periodMs = DAY_MS) =>
  middle + reach * Math.sin((2 * Math.PI * Date.now()) / periodMs);
const round = (/** @type {number} */ value, digits = 0) => Math.round(value * 10 ** digits) / 10 ** digits;

/** @type {Record<number, { scale: number, measure: () => number }>} */
const CLIMATE = {
  [SENSOR.airTemperature]: { scale: SCALE.celsius, measure: () => round(swing(21.2, 0.8), 1) },
  [SENSOR.illuminance]: { scale: SCALE.lux, measure: () => round(swing(180, 60)) },
  [SENSOR.humidity]: { scale: SCALE.percent, measure: () => round(swing(46, 4)) },
};

/** Someone walks by for half a minute of every two, and the door stands open for twenty seconds of every five minutes. */
const motion = () => (Date.now() % 120_000 < 30_000 ? EVENT.motionDetected : EVENT.idle);
const door = () => (Date.now() % 300_000 < 20_000 ? EVENT.doorOpen : EVENT.doorClosed);

/** A plug measures what its switch lets through. @param {MockNode} node */
const plugPower = (node) =>
  node.state.get("BinarySwitch_currentValue") === true ? round(swing(1180, 25, 60_000), 1) : 0;

/** A name takes at most 16 bytes in a node's memory. @param {string} name @param {string} location */
const naming = (name, location) =>
  ccCaps({ ccId: CommandClasses["Node Naming and Location"], version: 1, name, location });
const binarySwitch = () => ccCaps({ ccId: CommandClasses["Binary Switch"], version: 1, defaultValue: false });
const battery = () => ({ ccId: CommandClasses.Battery, version: 1 });
/** @param {number} type @param {number[]} events */
const notifications = (type, events) =>
  ccCaps({
    ccId: CommandClasses.Notification,
    version: 8,
    supportsV1Alarm: false,
    notificationTypesAndEvents: { [type]: events },
  });

/** @param {number} type @param {() => number} event */
const notificationReport = (type, event) => (/** @type {MockNode} */ node) =>
  new NotificationCCReport({
    nodeId: node.controller.ownNodeId,
    notificationType: type,
    notificationStatus: 0xff,
    notificationEvent: event(),
  });
const motionReport = notificationReport(NOTIFICATION.homeSecurity, motion);
const doorReport = notificationReport(NOTIFICATION.accessControl, door);

/** @param {MockNode} node */
const climateReports = (node) =>
  Object.entries(CLIMATE).map(
    ([type, { scale, measure }]) =>
      new MultilevelSensorCCReport({ nodeId: node.controller.ownNodeId, type: Number(type), scale, value: measure() }),
  );

/**
 * @typedef {object} SimulatedDevice
 * @property {number} id
 * @property {string} product what a device database would call it
 * @property {{ genericDeviceClass: number, specificDeviceClass: number }} deviceClass
 * @property {(node: () => MockNode) => unknown[]} commandClasses
 * @property {number} [batteryLevel]
 * @property {(node: MockNode) => CommandClass} [notification] its state, told when it is asked for
 * @property {(node: MockNode) => CommandClass[]} [reports] what it tells without being asked
 */

/** @type {SimulatedDevice[]} */
export const HOUSE = [
  {
    id: 2,
    product: "Simulated wall switch",
    deviceClass: DEVICE_CLASS.binarySwitch,
    commandClasses: () => [naming("Hall light", "Hall"), binarySwitch()],
  },
  {
    id: 3,
    product: "Simulated dimmer",
    deviceClass: DEVICE_CLASS.multilevelSwitch,
    commandClasses: () => [
      naming("Dining lamp", "Dining room"),
      ccCaps({
        ccId: CommandClasses["Multilevel Switch"],
        version: 4,
        defaultValue: 35,
        primarySwitchType: SwitchType["Down/Up"],
      }),
    ],
  },
  {
    id: 4,
    product: "Simulated multisensor",
    deviceClass: DEVICE_CLASS.multilevelSensor,
    batteryLevel: 87,
    notification: motionReport,
    reports: (node) => [...climateReports(node), motionReport(node)],
    commandClasses: () => [
      naming("Climate sensor", "Living room"),
      battery(),
      notifications(NOTIFICATION.homeSecurity, [EVENT.motionDetected]),
      ccCaps({
        ccId: CommandClasses["Multilevel Sensor"],
        version: 7,
        sensors: Object.fromEntries(
          Object.entries(CLIMATE).map(([type, { scale }]) => [type, { supportedScales: [scale] }]),
        ),
        getValue: (type) => CLIMATE[type ?? SENSOR.airTemperature]?.measure(),
      }),
    ],
  },
  {
    id: 5,
    product: "Simulated door sensor",
    deviceClass: DEVICE_CLASS.notificationSensor,
    batteryLevel: 64,
    notification: doorReport,
    reports: (node) => [doorReport(node)],
    commandClasses: () => [
      naming("Front door", "Hall"),
      battery(),
      notifications(NOTIFICATION.accessControl, [EVENT.doorOpen, EVENT.doorClosed]),
    ],
  },
  {
    id: 6,
    product: "Simulated smart plug",
    deviceClass: DEVICE_CLASS.binarySwitch,
    reports: (node) => [
      new MeterCCReport({
        nodeId: node.controller.ownNodeId,
        type: METER.electric,
        scale: SCALE.watt,
        rateType: METER.consumed,
        value: plugPower(node),
      }),
    ],
    commandClasses: (node) => [
      naming("Coffee machine", "Kitchen"),
      binarySwitch(),
      ccCaps({
        ccId: CommandClasses.Meter,
        // Mock meters of version 3 answer with a rate type that the driver refuses.
        version: 4,
        meterType: METER.electric,
        supportedScales: [SCALE.watt],
        supportedRateTypes: [METER.consumed],
        supportsReset: false,
        getValue: () => plugPower(node()),
      }),
    ],
  },
  {
    id: 7,
    product: "Simulated wall switch",
    deviceClass: DEVICE_CLASS.binarySwitch,
    commandClasses: () => [naming("Kitchen light", "Kitchen"), binarySwitch()],
  },
];
