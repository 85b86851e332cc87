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
      title={editing === null ? "Add a model provider" : `Edit ${editing.name}`}
      description="The key goes to this server, which stores it encrypted, and to the provider. It never comes back here."
    >
      <ProviderForm editing={editing} onDone={onClose} />
    </Dialog>
  );
}
