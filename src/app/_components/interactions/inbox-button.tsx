"use client";

import { MessageCircleQuestionMark } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { formatPlural } from "@/lib/format";
import { usePendingInteractions } from "./use-pending-interactions";

const InboxDialog = dynamic(() => import("./inbox-dialog").then((module) => module.InboxDialog), { ssr: false });

/** Stands in the top bar while servers wait for a person. Says so once when that begins or changes. */
export function InboxButton() {
  const pending = usePendingInteractions();
  const [open, setOpen] = useState(false);
  const count = pending.length;
  const close = () => {
    setOpen(false);
    // The button is gone, and with it the place that the keyboard came from. The dialog holds the focus until it has closed.
    if (count === 0) setTimeout(() => document.getElementById("main")?.focus(), 0);
  };
  return (
    <>
      <span role="status" className="sr-only">
        {count > 0 && `${formatPlural(count, "server request")} ${count === 1 ? "needs" : "need"} your input`}
      </span>
      {count > 0 && (
        <button
          type="button"
          data-status="waiting"
          aria-haspopup="dialog"
          aria-expanded={open}
          title="Servers need your input to continue"
          onClick={() => setOpen(true)}
          className="flex h-7 shrink-0 items-center gap-1.5 rounded-md bg-warn-bg px-2 font-medium text-warn text-xs"
        >
          <MessageCircleQuestionMark aria-hidden size={15} strokeWidth={1.6} />
          <span className="tabular-nums">{count}</span>
          <span className="max-lg:sr-only">{count === 1 ? "server request" : "server requests"}</span>
        </button>
      )}
      {open && <InboxDialog interactions={pending} onClose={close} />}
    </>
  );
}
