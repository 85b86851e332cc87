"use client";

import { ArrowDownLeft, ArrowUpRight } from "lucide-react";
import { useId, useState } from "react";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { ClockTime } from "@/app/_ui/clock-time";
import { CopyButton } from "@/app/_ui/copy-button";
import type { ProtocolMessage } from "@/lib/contract/server";
import { formatBytes, formatDuration } from "@/lib/format";
import { utf8Bytes } from "@/lib/utf8-bytes";
import type { PairedMessage } from "./pair-messages";

const TONE: Record<ProtocolMessage["kind"], BadgeTone> = {
  request: "accent",
  response: "ok",
  error: "bad",
  notification: "neutral",
};

/** One message; its JSON when it is opened. */
export function MessageRow({ paired }: { paired: PairedMessage }) {
  const [open, setOpen] = useState(false);
  const bodyId = useId();
  const { message, durationMs, answered } = paired;
  const storedBytes = countStoredBytes(message);
  const sent = message.direction === "sent";
  const Arrow = sent ? ArrowUpRight : ArrowDownLeft;
  return (
    <li className="border-line not-first:border-t">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={() => setOpen(!open)}
        className="-outline-offset-2 flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-1.5 text-left hover:bg-rail"
      >
        <ClockTime at={message.at} className="w-22 shrink-0 font-mono text-faint text-xs tabular-nums" />
        <span className="flex w-20 shrink-0 items-center gap-1 text-mute text-xs">
          <Arrow aria-hidden size={13} strokeWidth={1.6} className={sent ? "text-accent" : "text-ok"} />
          {message.direction}
        </span>
        <span className="w-22 shrink-0">
          <Badge tone={TONE[message.kind]}>{message.kind}</Badge>
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs max-sm:basis-full">
          {message.method ?? <span className="text-mute">(unknown method)</span>}
          {message.id !== null && <span className="text-faint"> #{message.id.slice(0, 60)}</span>}
        </span>
        <span className="shrink-0 font-mono text-mute text-xs tabular-nums">
          {durationMs !== null && formatDuration(durationMs)}
          {message.kind === "request" && !answered && <span title="No response recorded">no response yet</span>}
        </span>
        <span className="w-16 shrink-0 text-right font-mono text-faint text-xs tabular-nums">
          {formatBytes(storedBytes)}
        </span>
      </button>
      {open && (
        <div id={bodyId} className="relative border-line border-t bg-bg px-4 py-2.5">
          {storedBytes < message.bytes && (
            <p className="pb-1.5 text-mute text-xs">
              Only the beginning is stored: {formatBytes(storedBytes)} of {formatBytes(message.bytes)}.
            </p>
          )}
          <CopyButton text={message.text} label="Copy message" className="absolute top-2 right-4 z-10 bg-bg" />
          <JsonTree text={message.text} label={`${message.kind} ${message.method ?? ""}`} />
        </div>
      )}
    </li>
  );
}

/** Returns the stored bytes: all of a whole message, the beginning of a long one. */
function countStoredBytes({ text, bytes }: ProtocolMessage): number {
  return text.length < bytes ? Math.min(bytes, utf8Bytes(text)) : bytes;
}
