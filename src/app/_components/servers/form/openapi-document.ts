import { COMPRESSED_DOCUMENT } from "@/lib/contract/openapi-constants";
import type { ServerSettingsInput } from "@/lib/contract/server";

/** Longer texts are sent and stored compressed. */
const MAX_PLAIN_CHARS = 100_000;
const CHUNK_BYTES = 32_768;
/** Enough to check whether there is one: the check comes with every change, and the text may be megabytes. */
const CHECKED_CHARS = 1000;

/** The text in the form that is sent: unchanged, or gzip in base64. */
export async function compressDocument(text: string): Promise<string> {
  if (text.length <= MAX_PLAIN_CHARS || isCompressed(text)) return text;
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return COMPRESSED_DOCUMENT + btoa(binary);
}

export const isCompressed = (text: string): boolean => text.startsWith(COMPRESSED_DOCUMENT);

/** Settings in the form for the check: a document is cut to its beginning. */
export function toChecked(settings: ServerSettingsInput): ServerSettingsInput {
  if (!("document" in settings) || settings.document.from !== "text" || settings.document.text === null) {
    return settings;
  }
  return { ...settings, document: { from: "text", text: settings.document.text.slice(0, CHECKED_CHARS) } };
}
