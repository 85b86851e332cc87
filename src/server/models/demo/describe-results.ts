import { type FunctionCallContent, type FunctionResultContent, formatArguments } from "../../../lib/contract/chat";

const MAX_TEXT_CHARS = 400;
const MAX_VALUE_CHARS = 80;
const PLAIN = /^(?:-?\d[\d.eE+-]*|true|false|null)$/;

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
    return `${tool} returned ${describeText(result ?? "")}${media.length === 0 ? "" : ` (with ${media.join(", ")})`}`;
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
  const text = formatArguments(call);
  return text === "{}" || text.includes("`") ? "" : ` with \`${shorten(text, MAX_VALUE_CHARS)}\``;
}

function describeText(text: string): string {
  const short = shorten(text, MAX_TEXT_CHARS);
  if (short === "") return "nothing.";
  if (PLAIN.test(short)) return `${short}.`;
  return short.includes("`") ? `“${short}”` : `\`${short}\`.`;
}

function shorten(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
