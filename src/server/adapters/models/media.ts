import type { MediaContent } from "../../../lib/contract";

const COMMON_IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The text a model reads in place of media that its provider does not take, or whose data was not stored. */
export function describeMedia({ kind, mimeType, bytes }: MediaContent): string {
  return `[${kind} ${mimeType}, ${bytes} bytes: left out]`;
}

/** An image of a type that every vendor with images takes. */
export function isCommonImage({ data, mimeType }: MediaContent): boolean {
  return data !== "" && COMMON_IMAGES.has(mimeType);
}
