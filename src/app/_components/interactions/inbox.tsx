import { MessageCircleQuestionMark } from "lucide-react";
import { useState } from "react";
import { Dialog } from "@/app/_ui/dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import type { PendingInteraction } from "@/lib/contract/interaction";
import { QuestionList } from "./question-list";

/** The button to every question that waits, beside the page. What is typed stays when the dialog is closed. */
export function Inbox({ interactions }: { interactions: readonly PendingInteraction[] }) {
  const [open, setOpen] = useState(false);
  const count = interactions.length;
  const close = () => {
    setOpen(false);
    // The button is gone, and with it the place that the keyboard came from. The dialog holds the focus until it has closed.
    if (count === 0) setTimeout(() => document.getElementById("main")?.focus(), 0);
  };
  return (
    <>
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
          <MessageCircleQuestionMark size={15} />
          <span className="tabular-nums">{count}</span>
          <span className="max-lg:sr-only">{count === 1 ? "server request" : "server requests"}</span>
        </button>
      )}
      {open && (
        <Dialog
          onClose={close}
          side="right"
          title="Server requests"
          description="Each request comes from a running call that needs your response."
        >
          <QuestionList interactions={interactions} />
          {count === 0 && <EmptyState title="None pending" />}
        </Dialog>
      )}
    </>
  );
}
