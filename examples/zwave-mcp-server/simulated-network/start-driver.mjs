import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CommandClasses } from "@zwave-js/core";
import { MockController, MockNode } from "@zwave-js/testing";
import {
  createAndStartDriverWithMockPort,
  createDefaultMockControllerBehaviors,
  createDefaultMockNodeBehaviors,
} from "zwave-js/Testing";
import { createBehaviors, startReporting } from "./device-behaviors.mjs";
import { HOUSE } from "./house.mjs";

const HOME_ID = 0x7e570001;
/** An interview that hangs must not keep the other devices from being used. */
const INTERVIEWS_TIMEOUT_MS = 30_000;

const IDENTITY = [
  { ccId: CommandClasses.Version, version: 2 },
  { ccId: CommandClasses["Z-Wave Plus Info"], version: 2 },
  { ccId: CommandClasses["Manufacturer Specific"], version: 2 },
  { ccId: CommandClasses.Supervision, version: 1 },
];

/**
 * Device files as the driver's database has them, so that a simulated device says in every list that it is one.
 * @param {string} directory
 */
function writeDeviceFiles(directory) {
  mkdirSync(directory);
  for (const { id, product } of HOUSE) {
    const file = {
      manufacturer: "Toolroom",
      manufacturerId: "0xffff",
      label: product,
      description: "Exists in software only",
      devices: [{ productType: "0xffff", productId: `0x${id.toString(16).padStart(4, "0")}` }],
      firmwareVersion: { min: "0.0", max: "255.255" },
    };
    writeFileSync(path.join(directory, `${id}.json`), JSON.stringify(file));
  }
}

/** @param {MockController} controller @param {(message: string) => void} log */
async function addHousehold(controller, log) {
  const household = [];
  for (const device of HOUSE) {
    /** @type {MockNode} */
    const node = await MockNode.create({
      id: device.id,
      controller,
      capabilities: {
        ...device.deviceClass,
        productId: device.id,
        commandClasses: /** @type {any} */ ([...IDENTITY, ...device.commandClasses(() => node)]),
      },
    });
    node.defineBehavior(...createDefaultMockNodeBehaviors());
    node.defineBehavior(...createBehaviors(device, log));
    controller.addNode(node);
    household.push({ device, node });
  }
  return household;
}

/**
 * A real zwave-js driver on a mock serial port, with the house behind it; settles once the devices are interviewed.
 * @param {{ log: (message: string) => void, logLevel: string }} options
 */
export async function startSimulatedDriver({ log, logLevel }) {
  const directory = mkdtempSync(path.join(tmpdir(), "zwave-simulation-"));
  const removeDirectory = () => rmSync(directory, { recursive: true, force: true });
  process.once("exit", removeDirectory);
  const deviceFiles = path.join(directory, "devices");
  writeDeviceFiles(deviceFiles);

  const { driver, continueStartup, mockPort, serial } = await createAndStartDriverWithMockPort({
    storage: { cacheDir: path.join(directory, "cache"), deviceConfigPriorityDir: deviceFiles, throttle: "slow" },
    logConfig: { enabled: true, level: logLevel, forceConsole: true, showLogo: false },
    emitValueUpdateAfterSetValue: true,
  });
  driver.on("error", (error) => log(`driver: ${error.message}`));
  const controller = await MockController.create({ homeId: HOME_ID, ownNodeId: 1, mockPort, serial });
  controller.defineBehavior(...createDefaultMockControllerBehaviors());
  const household = await addHousehold(controller, log);

  await new Promise((resolve) => {
    driver.once("all nodes ready", () => resolve(undefined));
    setTimeout(resolve, INTERVIEWS_TIMEOUT_MS).unref();
    continueStartup();
  });
  const stopReporting = startReporting(household, log);
  const end = async () => {
    stopReporting();
    await driver.destroy();
    controller.destroy();
    removeDirectory();
  };
  return { driver, end };
}
