import { type AnswerBlock, readBlock } from "@/app/_components/content/result-content";
import { isPlainObject } from "@/lib/contract/json";

export interface SamplingMessage {
  key: string;
  role: string;
  blocks: AnswerBlock[];
}

/** A server's request for a model response. */
export interface SamplingRequest {
  systemPrompt: string | null;
  messages: SamplingMessage[];
  /** Other parameters to show, as name and value. */
  facts: [string, string][];
}

/** Null where the text is no request: it is then shown as it came. */
export function readSampling(paramsText: string): SamplingRequest | null {
  const params = parsed(paramsText);
  if (!isPlainObject(params)) return null;
  const messages = own(params, "messages");
  const systemPrompt = own(params, "systemPrompt");
  return {
    systemPrompt: typeof systemPrompt === "string" && systemPrompt !== "" ? systemPrompt : null,
    messages: Array.isArray(messages) ? messages.map(readMessage) : [],
    facts: [
      ["Max tokens", own(params, "maxTokens")],
      ["Temperature", own(params, "temperature")],
      ["Stop sequences", own(params, "stopSequences")],
      ["Model hints", modelHints(own(params, "modelPreferences"))],
      ["Context", own(params, "includeContext")],
    ].flatMap(([name, value]): [string, string][] =>
      value === undefined || value === null ? [] : [[String(name), shown(value)]],
    ),
  };
}

function readMessage(message: unknown, index: number): SamplingMessage {
  const role = own(message, "role");
  const content = own(message, "content");
  const blocks = Array.isArray(content) ? content : content === undefined ? [] : [content];
  return {
    key: String(index),
    role: typeof role === "string" ? role : "unknown",
    blocks: blocks.map((block, at) =>
      readBlock(typeof block === "string" ? { type: "text", text: block } : block, String(at)),
    ),
  };
}

function modelHints(preferences: unknown): unknown {
  const hints = own(preferences, "hints");
  if (!Array.isArray(hints)) return null;
  const names = hints.map((hint) => own(hint, "name")).filter((name) => typeof name === "string");
  return names.length === 0 ? null : names.join(", ");
}

const MAX_CHARS = 500;

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function own(holder: unknown, key: string): unknown {
  return isPlainObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}
