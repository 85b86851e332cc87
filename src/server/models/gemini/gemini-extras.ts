import { isPlainObject, type JsonValue } from "../../../lib/contract/json";

export const GEMINI = "gemini";

/** The fields that Gemini needs back with a part. */
export interface GeminiExtras {
  /** Signs the thought that led to the part. */
  thoughtSignature?: string;
  /** The id that Gemini gave a call. */
  id?: string;
  /** The end of the text that the signature covers. */
  text?: string;
}

/** Reads stored data; empty for data of another provider. */
export function readExtras(stored: JsonValue | undefined): GeminiExtras {
  if (!isPlainObject(stored) || stored.provider !== GEMINI) return {};
  const readText = (key: keyof GeminiExtras) => (typeof stored[key] === "string" ? stored[key] : undefined);
  return { thoughtSignature: readText("thoughtSignature"), id: readText("id"), text: readText("text") };
}

/** Undefined if there is nothing to store. */
export function createExtras(extras: GeminiExtras): JsonValue | undefined {
  const entries = Object.entries(extras).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : { provider: GEMINI, ...Object.fromEntries(entries) };
}
