import { fileName, type Media } from "./read-media";

/** Hands the data to the browser's downloads. It is saved, never opened: an HTML or SVG file would run as this site. */
export function saveMedia(media: Media, uri: string | null): void {
  if (media.base64 === null) return;
  const bytes = Uint8Array.from(atob(media.base64), (char) => char.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: media.mimeType }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName(media, uri);
  link.click();
  // The browser has taken the data by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
