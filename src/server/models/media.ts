import type { MediaContent } from "../../lib/contract/chat";

/** Image types that every vendor with images takes. */
const COMMON_IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The text a model reads in place of media that its provider does not take, or whose data was not stored. */
export function describeMedia({ kind, mimeType, bytes }: MediaContent): string {
  return `[${kind} ${mimeType}, ${bytes} bytes: left out]`;
}

export function isCommonImageType(mimeType: string): boolean {
  return COMMON_IMAGES.has(mimeType);
}

export function isCommonImage({ data, mimeType }: MediaContent): boolean {
  return data !== "" && isCommonImageType(mimeType);
}
