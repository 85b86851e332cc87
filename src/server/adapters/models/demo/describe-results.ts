import { type FunctionCallContent, type FunctionResultContent, isPlainObject } from "../../../../lib/contract";

const MAX_TEXT_CHARS = 400;
const MAX_VALUE_CHARS = 80;
const MAX_KEYS = 8;

/** What came back, a sentence a call. */
export function describeResults(
  results: readonly FunctionResultContent[],
  calls: ReadonlyMap<string, FunctionCallContent>,
): string {
  const several = results.length > 1;
  const sentences = results.map((result) => sentence(result, several ? calls.get(result.callId) : undefined));
  return several ? sentences.map((text) => `- ${text}`).join("\n") : (sentences[0] ?? "");
}

function sentence(result: FunctionResultContent, call: FunctionCallContent | undefined): string {
  const tool = `\`${result.name}\`${call === undefined ? "" : argumentsOf(call)}`;
  if (result.exception !== undefined) {
    const { kind, message } = result.exception;
    const said = cut(message, MAX_TEXT_CHARS);
    if (kind === "rejected") return `${tool} did not run: a person said no. ${said}`;
    if (kind === "approval_expired") return `${tool} did not run: nobody decided in time. ${said}`;
    if (kind === "cancelled" || kind === "interrupted") return `${tool} was stopped: ${said}`;
    return `${tool} failed: ${said}`;
  }
  const media = (result.items ?? []).filter(({ type }) => type === "media");
  const beside =
    media.length === 0 ? "" : ` (with ${media.map((item) => ("kind" in item ? item.kind : "")).join(", ")})`;
  return `${tool} gave ${valueText(result.result ?? "")}${beside}`;
}

function argumentsOf({ arguments: given }: FunctionCallContent): string {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return text === "{}" || text.includes("`") ? "" : ` with \`${cut(text, MAX_VALUE_CHARS)}\``;
}

function valueText(text: string): string {
  if (text.trim() === "") return "an empty answer.";
  const value = parsed(text);
  if (typeof value === "number" || typeof value === "boolean") return `**${text.trim()}**.`;
  if (value === null) return "null.";
  if (typeof value === "string") return `“${cut(value, MAX_TEXT_CHARS)}”`;
  if (Array.isArray(value)) {
    const count = value.length === 1 ? "1 item" : `${value.length} items`;
    return value.length === 0 ? "an empty list." : `${count}: ${cut(JSON.stringify(value), MAX_TEXT_CHARS)}`;
  }
  if (isPlainObject(value)) return objectText(value);
  return `“${cut(text, MAX_TEXT_CHARS)}”`;
}

function objectText(value: Record<string, unknown>): string {
  const entries = Object.entries(value);
  if (entries.length === 0) return "an empty object.";
  const shown = entries.slice(0, MAX_KEYS).map(([key, item]) => {
    const text = typeof item === "string" ? item : JSON.stringify(item);
    return `${cut(key, MAX_VALUE_CHARS)} ${cut(text, MAX_VALUE_CHARS)}`;
  });
  const more = entries.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cut(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
