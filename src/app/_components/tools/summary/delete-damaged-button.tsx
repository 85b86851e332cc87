"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { useToast } from "@/app/_ui/toast";
import type { DamagedKind } from "@/lib/contract/catalogue-tool";

/** Deletes a stored row that cannot be read, and so is in no other list. */
export function DeleteDamagedButton({ kind, name }: { kind: DamagedKind; name: string }) {
  const [open, setOpen] = useState(false);
  const trpc = useTRPC();
  const client = useQueryClient();
  const toast = useToast();
  const deletion = useMutation(
    trpc.system.deleteDamaged.mutationOptions({
      async onSuccess() {
        await client.invalidateQueries();
        toast({ title: `${name} deleted`, tone: "ok" });
        setOpen(false);
      },
    }),
  );
  return (
    <>
      <Button needs="administer" className="mt-1" aria-label={`Delete ${kind} ${name}`} onClick={() => setOpen(true)}>
        Delete…
      </Button>
      {open && (
        <ConfirmDialog
          needs="administer"
          title={`Delete ${name}?`}
          description={`The stored ${kind} cannot be read by this version of Toolroom. It is deleted with all that is stored in it.`}
          action="Delete"
          running="Deleting…"
          isPending={deletion.isPending}
          failure="Couldn't delete"
          error={deletion.error}
          onConfirm={() => deletion.mutate({ kind, name })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
