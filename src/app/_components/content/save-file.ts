import { saveFile } from "@/app/_kit/save-file";
import { fileName, type Media } from "./read-media";

export function saveMedia(media: Media, uri: string | null): void {
  if (media.base64 === null) return;
  const bytes = Uint8Array.from(atob(media.base64), (char) => char.charCodeAt(0));
  saveFile(fileName(media, uri), new Blob([bytes], { type: media.mimeType }));
}
