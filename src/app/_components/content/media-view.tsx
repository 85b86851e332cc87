"use client";

import { Download } from "lucide-react";
import { saveFile } from "@/app/_kit/save-file";
import { Button } from "@/app/_ui/button";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { formatBytes } from "@/lib/format";
import { AudioPreview, ImagePreview } from "./media-preview";
import { dataUrl, fileName, type Media } from "./read-media";

export interface MediaViewProps {
  media: Media;
  /** The description for users who cannot see or hear it. */
  label: string;
  uri?: string | null;
}

/** A picture or a sound, or a word why it is not shown; everything with data can be saved. */
export function MediaView({ media, label, uri = null }: MediaViewProps) {
  // Not in the server's HTML, where the data would stand a second time and a picture's style would break the policy.
  const inBrowser = useHydrated();
  const url = inBrowser && media.problem === null ? dataUrl(media) : null;
  return (
    <div className="flex flex-col items-start gap-2">
      {media.problem !== null && <p className="text-warn text-xs">{media.problem}</p>}
      {url !== null && media.kind === "image" && <ImagePreview url={url} alt={label} />}
      {url !== null && media.kind === "audio" && <AudioPreview url={url} label={label} />}
      {media.base64 !== null && (
        <Button icon={Download} onClick={() => saveMedia(media, uri)}>
          Save {formatBytes(media.bytes)}
        </Button>
      )}
    </div>
  );
}

function saveMedia(media: Media, uri: string | null): void {
  if (media.base64 === null) return;
  const bytes = Uint8Array.from(atob(media.base64), (char) => char.charCodeAt(0));
  saveFile(fileName(media, uri), new Blob([bytes], { type: media.mimeType }));
}
