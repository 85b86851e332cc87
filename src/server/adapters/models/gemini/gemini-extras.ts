import { isPlainObject, type JsonValue } from "../../../../lib/contract";

export const GEMINI = "gemini";

/**
 * What Gemini wants back with a part: its signature of the thought that led there, and the id it gave a call. A signed
 * text keeps the end of the text that the signature stands for.
 */
export interface GeminiExtras {
  provider: typeof GEMINI;
  thoughtSignature?: string;
  id?: string;
  text?: string;
}

/** Reads what was stored; another provider's data gives nothing. */
export function readExtras(stored: JsonValue | undefined): Partial<GeminiExtras> {
  if (!isPlainObject(stored) || stored.provider !== GEMINI) return {};
  const text = (key: "thoughtSignature" | "id" | "text") => (typeof stored[key] === "string" ? stored[key] : undefined);
  return { thoughtSignature: text("thoughtSignature"), id: text("id"), text: text("text") };
}

/** Null where there is nothing to keep. */
export function makeExtras(
  thoughtSignature: string | undefined,
  more: { id?: string | undefined; text?: string | undefined },
): JsonValue | null {
  const kept = Object.entries({ thoughtSignature, ...more }).filter(([, value]) => value !== undefined);
  return kept.length === 0 ? null : { provider: GEMINI, ...Object.fromEntries(kept) };
}
