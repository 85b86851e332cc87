import { Download } from "lucide-react";
import Image from "next/image";
import { useState } from "react";
import { saveFile } from "@/app/_kit/save-file";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { formatBytes } from "@/lib/format";
import { dataUrl, fileName, type Media } from "./read-media";

/** Transparent parts show what is behind them: squares, as picture editors do. */
const CHECKERED =
  "bg-[repeating-conic-gradient(var(--color-line)_0_25%,var(--color-panel)_0_50%)] bg-[length:16px_16px]";

interface MediaViewProps {
  media: Media;
  /** The description for users who cannot see or hear it. */
  label: string;
  uri?: string | null;
}

/** A picture or a sound, or a word why it is not shown; everything with data can be saved. */
export function MediaView({ media, label, uri = null }: MediaViewProps) {
  // The server's HTML leaves it out: it would hold the data twice, and a picture's style would break the content
  // security policy.
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

/** A picture that is part of an answer; it needs no request. */
function ImagePreview({ url, alt }: { url: string; alt: string }) {
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  const [broken, setBroken] = useState(false);
  const [open, setOpen] = useState(false);
  if (broken)
    return <p className="text-warn text-xs">This browser can't show the data as an image. Save it to view it.</p>;
  return (
    <div className="flex flex-col items-start gap-1">
      <button
        type="button"
        aria-label={`Enlarge: ${alt}`}
        onClick={() => setOpen(true)}
        className={`max-w-full border border-line ${CHECKERED}`}
      >
        <Image
          unoptimized
          src={url}
          alt={alt}
          width={480}
          height={320}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
          onError={() => setBroken(true)}
          className="h-auto max-h-80 w-auto max-w-full"
        />
      </button>
      {size !== null && size.width > 0 && (
        <span className="font-mono text-2xs text-mute">
          {size.width} × {size.height}
        </span>
      )}
      {open && (
        <Dialog onClose={() => setOpen(false)} title={alt} size="lg">
          <div className={`mx-auto w-fit max-w-full overflow-auto ${CHECKERED}`}>
            <Image
              unoptimized
              src={url}
              alt={alt}
              width={size?.width || 480}
              height={size?.height || 320}
              className="max-w-none"
            />
          </div>
        </Dialog>
      )}
    </div>
  );
}

function AudioPreview({ url, label }: { url: string; label: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <p className="text-warn text-xs">This browser can't play the data. Save it to play it.</p>;
  return (
    // biome-ignore lint/a11y/useMediaCaption: a tool's sound comes without a transcript; a text block may be one
    <audio
      controls
      preload="metadata"
      src={url}
      aria-label={label}
      onError={() => setBroken(true)}
      className="w-full"
    />
  );
}
