import OpenAI from "openai";
import type { BaseAddress } from "../base-address";
import { faultOfAnswer, faultOfConnection, faultOfThrown, type VendorIdentity } from "../vendor-fault";
import type { ChatFault } from "../with-retries";
import { lenientFetch } from "./lenient-fetch";

const TIMEOUT_MS = 600_000;
/** The SDK wants one to be there; it is never sent. */
const NO_KEY = "none";
/** Codes of errors inside a stream that the same request would meet again. */
const LASTING_CODE = /^(context_length_exceeded|invalid_|image_|unsupported_|empty_image|bio_policy)/;

/** The vendor's client: without retries and logs of its own, and without what it would take from the environment. */
export function createOpenAISdk(apiKey: string | null, { url, authorization }: BaseAddress): OpenAI {
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
    fetch: lenientFetch,
  });
}

export function openAIFault(error: unknown, identity: VendorIdentity): ChatFault {
  if (error instanceof OpenAI.APIConnectionError) return faultOfConnection(error, identity);
  if (!(error instanceof OpenAI.APIError)) return faultOfThrown(error, identity);
  const code = [error.code, error.type].filter((part) => typeof part === "string").join(" ");
  const message = wordsOf(error);
  // An error inside a stream has the headers of an answer that began well.
  const status = error.status ?? statusOf(error);
  return faultOfAnswer({ status, message, code, headers: error.status ? error.headers : undefined }, identity);
}

/** The vendor's words; the SDK's own message has the number before them. */
export function wordsOf({ error, message }: InstanceType<typeof OpenAI.APIError>): string {
  const words = (error as { message?: unknown } | undefined)?.message;
  return typeof words === "string" ? words : message;
}

/** Routers give a number as the code of an error inside a stream. */
function statusOf({ code }: InstanceType<typeof OpenAI.APIError>): number | undefined {
  const number: unknown = code;
  if (typeof number === "number" && number >= 400 && number < 600) return number;
  return typeof code === "string" && LASTING_CODE.test(code) ? 400 : undefined;
}

/** An error that came as data. */
export function apiError(error: { code?: unknown; type?: unknown; message?: unknown }): Error {
  return new OpenAI.APIError(undefined, error, undefined, undefined as never);
}
