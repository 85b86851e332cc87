"use client";

import { Dialog } from "@/app/_ui/dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import type { PendingInteraction } from "@/lib/contract/interaction";
import { QuestionList } from "./question-list";

export interface InboxDialogProps {
  interactions: readonly PendingInteraction[];
  onClose: () => void;
}

/** Every question that waits, beside the page. What is typed stays when the dialog is closed. */
export function InboxDialog({ interactions, onClose }: InboxDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      side="right"
      title="Server requests"
      description="Each request comes from a running call that needs your response."
    >
      <QuestionList interactions={interactions} />
      {interactions.length === 0 && <EmptyState title="None pending" />}
    </Dialog>
  );
}
