import { type ChatContent, type ChatResponse, type ChatResponseUpdate, formatArguments } from "../../lib/contract/chat";
import { formatBytes, formatCount } from "../../lib/format";
import { utf8Bytes } from "../../lib/utf8-bytes";
import { ChatClientError, DEFAULT_RESPONSE_LIMITS, type ResponseLimits } from "../engine/agent/chat-ports";

/** Calls above the limit are answered with a failure; past this many times the limit the response is cut off. */
const SURPLUS_CALLS = 8;

/**
 * Passes a stream on until the response exceeds a limit. Leaving the stream ends the request, so nothing more is read.
 * @throws ChatClientError of kind `response_too_large`
 */
export async function* limitStream(
  updates: AsyncIterable<ChatResponseUpdate>,
  limits: ResponseLimits,
): AsyncGenerator<ChatResponseUpdate> {
  let meter = new ResponseMeter(limits);
  for await (const update of updates) {
    // The response before a retry is void.
    if (update.type === "retry") meter = new ResponseMeter(limits);
    else if (update.type === "response") checkResponse(update.response, limits);
    else if (update.type === "call_delta") meter.addArguments(update.callId, update.argumentsDelta);
    else meter.addText(update.text);
    yield update;
  }
}

/** @throws ChatClientError of kind `response_too_large` */
export function checkResponse(response: ChatResponse, limits: ResponseLimits): ChatResponse {
  const meter = new ResponseMeter(limits);
  for (const { contents } of response.messages) {
    for (const [at, content] of contents.entries()) addContent(meter, content, at);
  }
  return response;
}

function addContent(meter: ResponseMeter, content: ChatContent, at: number): void {
  if (content.type === "text" || content.type === "reasoning") {
    meter.addText(content.text);
  } else if (content.type === "media") {
    meter.addText(content.data);
  } else if (content.type === "provider") {
    meter.addProviderData(JSON.stringify(content.value));
  } else if (content.type === "function_call") {
    meter.addArguments(String(at), formatArguments(content));
  }
}

/** Adds up one response. Every method throws once a limit is exceeded. */
class ResponseMeter {
  readonly #limits: ResponseLimits;
  readonly #argumentBytes = new Map<string, number>();
  #bytes = 0;
  #providerBytes = 0;

  constructor(limits: ResponseLimits) {
    this.#limits = limits;
  }

  addText(text: string): void {
    this.#add(utf8Bytes(text));
  }

  addArguments(callId: string, text: string): void {
    const bytes = utf8Bytes(text);
    const ofCall = (this.#argumentBytes.get(callId) ?? 0) + bytes;
    this.#argumentBytes.set(callId, ofCall);
    const { maxArgumentBytes, maxResponseCalls } = this.#limits;
    const maxCalls = maxResponseCalls * SURPLUS_CALLS;
    if (this.#argumentBytes.size > maxCalls) {
      throw tooLarge(`${formatCount(maxCalls)} tool calls`, "tools.max_response_calls");
    }
    const maxOfCall = Math.max(maxArgumentBytes, DEFAULT_RESPONSE_LIMITS.maxArgumentBytes);
    if (ofCall > maxOfCall) {
      throw tooLarge(`${formatBytes(maxOfCall)} for the arguments of one tool call`, "tools.max_argument_bytes");
    }
    this.#add(bytes);
  }

  /** Counted separately, since it repeats reasoning and signs it. */
  addProviderData(text: string): void {
    this.#providerBytes += utf8Bytes(text);
    if (this.#providerBytes > 2 * this.#limits.maxResponseBytes) throw responseTooLarge(this.#limits);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.maxResponseBytes) throw responseTooLarge(this.#limits);
  }
}

export function responseTooLarge({ maxResponseBytes }: ResponseLimits): ChatClientError {
  return tooLarge(formatBytes(maxResponseBytes), "tools.max_response_bytes");
}

function tooLarge(limit: string, setting: string): ChatClientError {
  const message = `The model's response exceeded the limit of ${limit} and was cut off. Ask for less at a time, or raise ${setting} in the configuration.`;
  return new ChatClientError("response_too_large", message);
}
