"use client";

import Image from "next/image";
import { useState } from "react";
import { Dialog } from "@/app/_ui/dialog";

/** Transparent parts show what is behind them: squares, as picture editors do. */
const CHECKERED =
  "bg-[repeating-conic-gradient(var(--color-line)_0_25%,var(--color-panel)_0_50%)] bg-[length:16px_16px]";

/** A picture that came inside an answer; no server is asked for it. */
export function ImagePreview({ url, alt }: { url: string; alt: string }) {
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

export function AudioPreview({ url, label }: { url: string; label: string }) {
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
