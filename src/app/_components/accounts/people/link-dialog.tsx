"use client";

import type { ReactNode } from "react";
import { SecretText } from "@/app/_components/accounts/summary/secret-text";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";

export interface LinkDialogProps {
  title: string;
  description: string;
  token: string;
  onClose: () => void;
  children?: ReactNode;
}

/** A one-time link, which the server keeps no readable copy of. */
export function LinkDialog({ title, description, token, onClose, children }: LinkDialogProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={description}>
      <div className="flex flex-col gap-4">
        {/* In the fragment, which browsers send to no server. */}
        <SecretText label="Link" text={`${window.location.origin}/join#${token}`} />
        <p className="text-mute text-xs">
          Copy it now: it is shown once. It can be used once, so send it to this person only.
        </p>
        {children}
        <Button size="md" variant="primary" onClick={onClose} className="self-end">
          Done
        </Button>
      </div>
    </Dialog>
  );
}
