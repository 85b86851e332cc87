import { stringifyWithDigits } from "../../../lib/json/number-digits";
import { TimeSlice } from "../../engine/time-slice";

/** Levels whose members are formatted one by one: the sections of a file and their entries. */
const LEVELS = 2;
const INDENT = "  ";

/** `formatJson` that gives other work its turn between the entries of a large file. */
export function formatInSlices(value: object, slice: Slice = new TimeSlice()): Promise<string> {
  return formatLevel(value, 0, slice);
}

type Slice = Pick<TimeSlice, "pause">;

async function formatLevel(value: unknown, depth: number, slice: Slice): Promise<string> {
  if (depth === LEVELS || typeof value !== "object" || value === null) return formatWhole(value, depth);
  const isList = Array.isArray(value);
  const parts: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined && !isList) continue;
    const text = await formatLevel(member, depth + 1, slice);
    parts.push(isList ? text : `${JSON.stringify(key)}: ${text}`);
    await slice.pause();
  }
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return `${open}${close}`;
  const inner = `\n${INDENT.repeat(depth + 1)}`;
  return `${open}${inner}${parts.join(`,${inner}`)}\n${INDENT.repeat(depth)}${close}`;
}

function formatWhole(value: unknown, depth: number): string {
  // Undefined in a list is null.
  const text = stringifyWithDigits(value, INDENT.length) ?? "null";
  // A line break within a string is escaped.
  return depth === 0 ? text : text.replaceAll("\n", `\n${INDENT.repeat(depth)}`);
}
