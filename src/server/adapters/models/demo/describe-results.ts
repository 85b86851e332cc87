import { type FunctionCallContent, type FunctionResultContent, isPlainObject } from "../../../../lib/contract";
import { describeHouseResult } from "./house";

const MAX_TEXT_CHARS = 400;
const MAX_VALUE_CHARS = 80;
const MAX_KEYS = 8;
const MAX_NAMES = 12;

/** A sentence for each result. */
export function describeResults(
  results: readonly FunctionResultContent[],
  calls: ReadonlyMap<string, FunctionCallContent>,
): string {
  if (results.length === 1) return results.map((result) => describeResult(result, "")).join("");
  return results.map((result) => `- ${describeResult(result, describeArguments(calls.get(result.callId)))}`).join("\n");
}

function describeResult(content: FunctionResultContent, given: string): string {
  const { name, result, exception, items = [] } = content;
  const tool = `\`${name}\`${given}`;
  if (exception === undefined) {
    const device = describeHouseResult(content);
    if (device !== null) return device;
    const media = items.flatMap((item) => (item.type === "media" ? [item.kind] : []));
    return `${tool} returned ${describeValue(result ?? "")}${media.length === 0 ? "" : ` (with ${media.join(", ")})`}`;
  }
  const message = shorten(exception.message, MAX_TEXT_CHARS);
  switch (exception.kind) {
    case "rejected":
      return `${tool} was rejected. ${message}`;
    case "approval_expired":
      return `${tool} did not run: the approval expired. ${message}`;
    case "cancelled":
    case "interrupted":
      return `${tool} was stopped: ${message}`;
    default:
      return `${tool} failed: ${message}`;
  }
}

function describeArguments(call: FunctionCallContent | undefined): string {
  if (call === undefined) return "";
  const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
  return text === "{}" || text.includes("`") ? "" : ` with \`${shorten(text, MAX_VALUE_CHARS)}\``;
}

function describeValue(text: string): string {
  if (text.trim() === "") return "nothing.";
  const value = parseValue(text);
  if (typeof value === "number" || typeof value === "boolean") return `${text.trim()}.`;
  if (value === null) return "null.";
  if (Array.isArray(value)) return describeList(value, "item");
  if (isPlainObject(value)) return describeObject(Object.entries(value));
  return `“${shorten(String(value), MAX_TEXT_CHARS)}”`;
}

function describeObject(entries: readonly [string, unknown][]): string {
  const [first] = entries;
  if (first === undefined) return "an empty object.";
  if (entries.length === 1) {
    const [key, item] = first;
    if (key === "result") return describeValue(typeof item === "string" ? item : JSON.stringify(item));
    if (Array.isArray(item)) return describeList(item, shorten(key, MAX_VALUE_CHARS).replace(/s$/, ""));
  }
  const shown = entries.slice(0, MAX_KEYS).map(([key, item]) => {
    const text = typeof item === "string" ? item : JSON.stringify(item);
    return `${shorten(key, MAX_VALUE_CHARS)} ${shorten(text, MAX_VALUE_CHARS)}`;
  });
  const more = entries.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

function describeList(items: readonly unknown[], noun: string): string {
  if (items.length === 0) return "an empty list.";
  const count = items.length === 1 ? `1 ${noun}` : `${items.length} ${noun}s`;
  const names = items
    .slice(0, MAX_NAMES)
    .flatMap((item) =>
      isPlainObject(item) && typeof item.name === "string" ? [shorten(item.name, MAX_VALUE_CHARS)] : [],
    );
  if (names.length < Math.min(items.length, MAX_NAMES)) {
    return `${count}: ${shorten(JSON.stringify(items), MAX_TEXT_CHARS)}`;
  }
  const more = items.length - names.length;
  return `${count}: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function shorten(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
