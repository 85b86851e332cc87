import OpenAI from "openai";
import { isPlainObject } from "../../../lib/contract/json";
import type { BaseAddress } from "../base-address";
import type { VendorFetch } from "../vendor-fetch";

const TIMEOUT_MS = 600_000;
/** The SDK requires a key; this one is never sent. */
const NO_KEY = "none";
const MAX_MODELS = 2000;
/** Kinds of models that do not chat, by the names that vendors give them. */
const NO_CHAT =
  /embed|whisper|\btts\b|transcribe|moderation|dall-e|image|sora|realtime|audio|rerank|davinci|babbage|-instruct-0914|guard/i;

/** The vendor's SDK without its retries and logs, and without what it would take from the environment. */
export function createOpenAISdk(
  apiKey: string | null,
  { url, authorization }: BaseAddress,
  fetch: VendorFetch,
): OpenAI {
  return new OpenAI({
    apiKey: apiKey ?? NO_KEY,
    ...(apiKey === null && { defaultHeaders: { authorization } }),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: url,
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: "off",
    fetch: acceptWholeBody(fetch),
  });
}

/** Some endpoints answer a request for a stream with one body, which becomes a stream of one event. */
function acceptWholeBody(fetch: VendorFetch): VendorFetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get("content-type") ?? "";
    if (!type.includes("json") || !wantsStream(init)) return response;
    const text = await response.text();
    // Throws a SyntaxError for a body that is not JSON. In JSON a line end is white space; an event's data is one line.
    JSON.parse(text);
    const event = `data: ${text.replace(/[\r\n]+/g, " ")}\n\n`;
    return new Response(event, { headers: { "content-type": "text/event-stream" } });
  };
}

function wantsStream(init: RequestInit | undefined): boolean {
  return typeof init?.body === "string" && init.body.includes('"stream":true');
}

/** Names of models that chat, sorted. Takes `{ data }`, `{ models }` and a bare list. @throws SyntaxError for others */
export async function listOpenAIModels(sdk: OpenAI, signal: AbortSignal): Promise<string[]> {
  const body: unknown = await sdk.get("/models", { signal });
  const object: Record<string, unknown> = isPlainObject(body) ? body : {};
  const list = [body, object.data, object.models].find((each) => Array.isArray(each));
  if (!Array.isArray(list)) throw new SyntaxError("no list of models");
  const names = list.slice(0, MAX_MODELS).map((model: unknown) => {
    if (typeof model === "string") return model;
    return isPlainObject(model) ? (model.id ?? model.name) : null;
  });
  const usable = names.filter((name): name is string => typeof name === "string" && name !== "" && !NO_CHAT.test(name));
  return [...new Set(usable)].sort();
}
