import type { MediaContent } from "../../../lib/contract";

/** What a model reads in place of media that its provider does not take, or of which only the size was kept. */
export function mediaNote({ kind, mimeType, bytes }: MediaContent): string {
  return `[${kind} ${mimeType}, ${bytes} bytes: left out]`;
}

/** Base64 images of the types that every vendor with images takes. */
export function isCommonImage({ data, mimeType }: MediaContent): boolean {
  return data !== "" && COMMON_IMAGES.has(mimeType);
}

const COMMON_IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
