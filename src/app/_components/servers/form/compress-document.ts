import { COMPRESSED_DOCUMENT } from "@/lib/contract/openapi-constants";

/** Longer texts are sent and stored compressed. */
const MAX_PLAIN_CHARS = 100_000;
const CHUNK_BYTES = 32_768;

/** The text as it is sent: itself, or gzip in Base64. */
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
