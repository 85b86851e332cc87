"use client";

import { Dialog } from "@/app/_ui/dialog";
import type { ModelProviderSummary } from "@/lib/contract/model";
import { ProviderForm } from "./provider-form";

export interface ProviderDialogProps {
  /** The provider to change; null adds one. */
  editing: ModelProviderSummary | null;
  onClose: () => void;
}

export function ProviderDialog({ editing, onClose }: ProviderDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={editing === null ? "Add model provider" : `Edit ${editing.name}`}
      description="The key is stored encrypted on this server and sent only to the provider. It is never shown again."
    >
      <ProviderForm editing={editing} onDone={onClose} />
    </Dialog>
  );
}
