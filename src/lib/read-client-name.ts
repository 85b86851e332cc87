import { isPlainObject } from "./contract/json";

const MAX_CHARS = 100;
const OUTSIDE_PRINTABLE = /[^\x20-\x7e]/g;

/** Reads what an MCP client says of itself: printable, short, empty where it says nothing. */
export function readClientName(info: unknown): { name: string; version: string } {
  const { name, version } = isPlainObject(info) ? info : {};
  return { name: toPrintable(name), version: toPrintable(version) };
}

function toPrintable(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_CHARS).replace(OUTSIDE_PRINTABLE, "?").trim() : "";
}
