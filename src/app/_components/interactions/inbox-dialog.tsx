"use client";

import { Dialog } from "@/app/_ui/dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import type { PendingInteraction } from "@/lib/contract";
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
      title="Questions of servers"
      description="Each comes from a call that waits for the answer."
    >
      <QuestionList interactions={interactions} />
      {interactions.length === 0 && <EmptyState title="Nothing is asked any more" />}
    </Dialog>
  );
}
