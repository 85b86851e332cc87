import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { isRounded } from "../../../lib/json/decimal";
import { CallArguments } from "../../engine/executor/call-arguments";

/** A parameter whose value a stateless client repeats in the header `Mcp-Param-<name>`, for proxies that route by it. */
export interface ParameterHeader {
  path: string[];
  header: string;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_DEPTH = 20;

const declared = new WeakMap<JsonSchema, ParameterHeader[]>();

/** @param schema of a tool's arguments */
export function listParameterHeaders(schema: JsonSchema): readonly ParameterHeader[] {
  const known = declared.get(schema);
  if (known !== undefined) return known;
  const found: ParameterHeader[] = [];
  collect(schema, [], found);
  declared.set(schema, found);
  return found;
}

function collect(schema: JsonSchema, path: string[], found: ParameterHeader[]): void {
  const { properties } = schema;
  if (!isPlainObject(properties) || path.length >= MAX_DEPTH) return;
  for (const [key, property] of Object.entries(properties)) {
    if (!isPlainObject(property)) continue;
    const header = property["x-mcp-header"];
    const here = [...path, key];
    if (typeof header === "string" && TOKEN.test(header)) {
      found.push({ path: here, header });
    }
    collect(property, here, found);
  }
}

/** The value at a path of a call's arguments, with its original text; null where there is none. */
export function readParameter(args: CallArguments, path: readonly string[]): CallArguments | null {
  let member: CallArguments | null = args;
  for (const key of path) member = member?.member(key) ?? null;
  return member;
}

/** The text of a number for which programs that know doubles alone send no header, or another one; null for every other value. */
export function readLargeNumber({ value, text }: Pick<CallArguments, "value" | "text">): string | null {
  if (typeof value !== "number") return null;
  const number = text.trim();
  return isRounded(number) || (Number.isInteger(value) && !Number.isSafeInteger(value)) ? number : null;
}

/** The headers of numbers that the SDK leaves out or rounds. @param text of the arguments, where it was kept */
export function writeLargeNumbers(schema: unknown, value: unknown, text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!isPlainObject(schema)) return headers;
  const args = new CallArguments(value, text);
  for (const { path, header } of listParameterHeaders(schema)) {
    const parameter = readParameter(args, path);
    const number = parameter === null ? null : readLargeNumber(parameter);
    if (number !== null) headers[`Mcp-Param-${header}`] = number;
  }
  return headers;
}
