import {
  type ChatTool,
  type FunctionResultContent,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from "../../../../lib/contract";

/** The tools of one home server, such as the Z-Wave sample. */
export interface HouseTools {
  list: ChatTool;
  setSwitch: ChatTool | undefined;
  setLevel: ChatTool | undefined;
  getSensor: ChatTool | undefined;
}

export interface HouseCommand {
  devices: string;
  action: { on: boolean } | { level: number } | { sensor: string };
}

interface Device {
  id: number;
  name: string;
  words: Set<string>;
  capabilities: string[];
}

export interface HouseCall {
  tool: ChatTool;
  text: string;
}

const ON_FIRST = /^(?:turn|switch|put) (on|off) (.+)$/i;
const ON_LAST = /^(?:turn|switch|put) (.+) (on|off)$/i;
const LEVEL = /^(?:set|dim|turn|brighten) (.+) to (\d{1,3}) ?(?:%|percent)?$/i;
const READING = /^(temperature|humidity|illuminance|motion|battery)(?: level| status)? (?:of|in|at|from) (.+)$/i;
const OPEN = /^is (.+) (?:open|closed)$/i;
const OPENING =
  /^(?:(?:please|can you|could you|would you|now|also|and|then|just|what is|what's|show|read|get|tell me|the)[,\s]+)+/i;
const FILLERS = new Set(["the", "a", "an", "my", "our", "in", "of", "at", "all", "every"]);
const FULL_LEVEL = 99;
const MAX_COMMAND_CHARS = 200;
const MAX_DEVICES = 200;
const MAX_NAMED = 12;

export function findHouse(tools: readonly ChatTool[]): HouseTools | null {
  const list = tools.find(({ name }) => bareName(name) === "list_devices");
  if (list === undefined) return null;
  const prefix = list.name.slice(0, -"list_devices".length);
  const find = (name: string) => tools.find((tool) => tool.name === `${prefix}${name}`);
  const found = { setSwitch: find("set_switch"), setLevel: find("set_level"), getSensor: find("get_sensor") };
  return Object.values(found).some((tool) => tool !== undefined) ? { list, ...found } : null;
}

/** Null where the request is no command to a house. */
export function readHouseCommand(request: string): HouseCommand | null {
  if (request.length > MAX_COMMAND_CHARS) return null;
  const text = request
    .trim()
    .replace(OPENING, "")
    .replace(/[\s.!?]+$/, "");
  const first = ON_FIRST.exec(text);
  if (first !== null) return { devices: first[2] ?? "", action: { on: first[1]?.toLowerCase() === "on" } };
  const last = ON_LAST.exec(text);
  if (last !== null) return { devices: last[1] ?? "", action: { on: last[2]?.toLowerCase() === "on" } };
  const level = LEVEL.exec(text);
  if (level !== null) return { devices: level[1] ?? "", action: { level: Math.min(FULL_LEVEL, Number(level[2])) } };
  const reading = READING.exec(text);
  if (reading !== null) return { devices: reading[2] ?? "", action: { sensor: (reading[1] ?? "").toLowerCase() } };
  const open = OPEN.exec(text);
  return open === null ? null : { devices: open[1] ?? "", action: { sensor: "door" } };
}

/** The calls that a command means, and a sentence for each device it cannot operate. */
export function planHouseCalls(
  { devices: wanted, action }: HouseCommand,
  house: HouseTools,
  listed: readonly FunctionResultContent[],
): { calls: HouseCall[]; refusals: string[] } {
  const results = listed.flatMap(({ name, result }) => (name === house.list.name ? (result ?? []) : []));
  // The failed lookup is described by itself.
  if (results.length === 0) return { calls: [], refusals: [] };
  const devices = results.flatMap(readDevices);
  const calls: HouseCall[] = [];
  const refusals: string[] = [];
  for (const phrase of wanted.split(/(?:,| and )+/i)) {
    const matches = findDevices(phrase, devices, action);
    if (typeof matches === "string") refusals.push(matches);
    else {
      for (const device of matches) {
        const call = toCall(device, action, house);
        if (typeof call === "string") refusals.push(call);
        else calls.push(call);
      }
    }
  }
  return { calls, refusals };
}

/** What a device is now, in one sentence; null for a result that says nothing of one. */
export function describeHouseResult({ name, result }: FunctionResultContent): string | null {
  const tool = bareName(name);
  if (tool !== "set_switch" && tool !== "set_level" && tool !== "get_sensor") return null;
  const value = readObject(result ?? "");
  if (value === null || typeof value.name !== "string") return null;
  if (tool === "get_sensor") return describeReadings(value.name, value.readings);
  const state = tool === "set_switch" ? describeSwitch(value.on) : describeLevel(value.level);
  if (state === null) return `${value.name} was set but does not answer.`;
  if (value.confirmed === true) return `${value.name} is ${state}.`;
  return `${value.name} is ${value.moving === true ? "moving" : "not yet as requested"}: it reports ${state}.`;
}

function describeSwitch(on: JsonValue | undefined): string | null {
  return typeof on === "boolean" ? (on ? "on" : "off") : null;
}

function describeLevel(level: JsonValue | undefined): string | null {
  return typeof level === "number" ? `at ${Math.round((level / FULL_LEVEL) * 100)}%` : null;
}

function describeReadings(device: string, readings: JsonValue | undefined): string | null {
  if (!Array.isArray(readings)) return null;
  const parts = readings.slice(0, MAX_NAMED).flatMap((reading) => {
    if (!isPlainObject(reading) || typeof reading.label !== "string") return [];
    const value = typeof reading.meaning === "string" ? reading.meaning : JSON.stringify(reading.value ?? null);
    return [`${reading.label} ${value}${typeof reading.unit === "string" ? ` ${reading.unit}` : ""}`];
  });
  return `${device}: ${parts.join(", ") || "no readings"}.`;
}

function findDevices(phrase: string, devices: readonly Device[], action: HouseCommand["action"]): Device[] | string {
  const said: readonly string[] = phrase.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const words = said.filter((word) => !FILLERS.has(word));
  const isPlural = said.includes("all") || said.includes("every") || words.at(-1)?.endsWith("s") === true;
  const named = devices.filter(({ words: own }) => words.every((word) => own.has(toSingular(word))));
  const able = named.filter((device) => isAble(device, action));
  const matches = able.length > 0 ? able : named;
  const shown = phrase.trim();
  if (words.length === 0 || matches.length === 0) {
    return `No device matches “${shown}”; the house has ${listNames(devices)}.`;
  }
  if (matches.length === 1 || isPlural) return matches;
  return `“${shown}” matches ${listNames(matches)}; name one of them.`;
}

function isAble({ capabilities }: Device, action: HouseCommand["action"]): boolean {
  if ("sensor" in action) return capabilities.includes("sensor");
  if ("level" in action) return capabilities.includes("level");
  return capabilities.includes("switch") || capabilities.includes("level");
}

function toCall(device: Device, action: HouseCommand["action"], house: HouseTools): HouseCall | string {
  const { id, name } = device;
  const call = (tool: ChatTool | undefined, args: JsonObject): HouseCall | string =>
    tool === undefined ? `This run has no tool to operate ${name}.` : { tool, text: JSON.stringify(args) };
  if (!isAble(device, action)) {
    return `${name} cannot be ${"sensor" in action ? "read" : "level" in action ? "set to a level" : "switched"}.`;
  }
  if ("sensor" in action) return call(house.getSensor, { node_id: id, sensor: action.sensor });
  if ("level" in action) return call(house.setLevel, { node_id: id, level: action.level });
  if (device.capabilities.includes("switch")) return call(house.setSwitch, { node_id: id, on: action.on });
  return call(house.setLevel, { node_id: id, level: action.on ? FULL_LEVEL : 0 });
}

function readDevices(text: string): Device[] {
  const listed = readObject(text)?.devices;
  if (!Array.isArray(listed)) return [];
  return listed.slice(0, MAX_DEVICES).flatMap((device) => {
    if (!isPlainObject(device) || typeof device.node_id !== "number" || typeof device.name !== "string") return [];
    const { node_id: id, name, location, capabilities } = device;
    const spoken = `${name} ${typeof location === "string" ? location : ""}`.toLowerCase();
    const words = new Set((spoken.match(/[\p{L}\p{N}]+/gu) ?? []).map(toSingular));
    const able = Array.isArray(capabilities) ? capabilities.filter((each) => typeof each === "string") : [];
    return [{ id, name, words, capabilities: able }];
  });
}

function listNames(devices: readonly Device[]): string {
  const names = devices.slice(0, MAX_NAMED).map(({ name }) => name);
  return names.join(", ") || "no devices";
}

function toSingular(word: string): string {
  return word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word;
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf("__") + 1).replace(/^_/, "");
}

function readObject(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isPlainObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
