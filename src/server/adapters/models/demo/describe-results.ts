import { type FunctionCallContent, type FunctionResultContent, isPlainObject } from "../../../../lib/contract";

const MAX_TEXT_CHARS = 400;
const MAX_VALUE_CHARS = 80;
const MAX_KEYS = 8;

/** A sentence for each result. */
export function describeResults(
  results: readonly FunctionResultContent[],
  calls: ReadonlyMap<string, FunctionCallContent>,
): string {
  if (results.length === 1) return results.map((result) => describeResult(result, "")).join("");
  return results.map((result) => `- ${describeResult(result, describeArguments(calls.get(result.callId)))}`).join("\n");
}

function describeResult({ name, result, exception, items = [] }: FunctionResultContent, given: string): string {
  const tool = `\`${name}\`${given}`;
  if (exception === undefined) {
    const media = items.flatMap((item) => (item.type === "media" ? [item.kind] : []));
    return `${tool} gave ${describeValue(result ?? "")}${media.length === 0 ? "" : ` (with ${media.join(", ")})`}`;
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
  if (text.trim() === "") return "an empty answer.";
  const value = parseValue(text);
  if (typeof value === "number" || typeof value === "boolean") return `**${text.trim()}**.`;
  if (value === null) return "null.";
  if (Array.isArray(value)) {
    const count = value.length === 1 ? "1 item" : `${value.length} items`;
    return value.length === 0 ? "an empty list." : `${count}: ${shorten(JSON.stringify(value), MAX_TEXT_CHARS)}`;
  }
  if (isPlainObject(value)) return describeObject(Object.entries(value));
  return `“${shorten(String(value), MAX_TEXT_CHARS)}”`;
}

function describeObject(entries: readonly [string, unknown][]): string {
  if (entries.length === 0) return "an empty object.";
  const shown = entries.slice(0, MAX_KEYS).map(([key, item]) => {
    const text = typeof item === "string" ? item : JSON.stringify(item);
    return `${shorten(key, MAX_VALUE_CHARS)} ${shorten(text, MAX_VALUE_CHARS)}`;
  });
  const more = entries.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
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
