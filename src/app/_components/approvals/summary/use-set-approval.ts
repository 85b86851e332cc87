"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ApprovalMode } from "@/lib/contract/approval";

export interface SetApproval {
  /** @param mode null removes the tool's own setting */
  set: (mode: ApprovalMode | null) => void;
  /** The mode that is being saved; undefined while none is. */
  saving: ApprovalMode | null | undefined;
  error: string | null;
}

/** Saves whether one tool requires approval, and reads again every view that shows it. */
export function useSetApproval(name: string): SetApproval {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();
  const save = useMutation(
    trpc.tools.setApproval.mutationOptions({
      onSuccess: ({ approval }) => {
        queryClient.setQueryData(trpc.tools.get.queryKey({ name }), (known) => known && { ...known, approval });
        toast({ title: `${name}: ${approval.required ? "approval required" : "no approval required"}`, tone: "ok" });
      },
      onSettled: () =>
        Promise.all([
          queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() }),
          queryClient.invalidateQueries({ queryKey: trpc.approvals.pathKey() }),
          queryClient.invalidateQueries({ queryKey: trpc.servers.get.queryKey() }),
        ]),
    }),
  );
  return {
    set: (mode) => save.mutate({ name, mode }),
    saving: save.isPending ? save.variables.mode : undefined,
    error: save.error === null ? null : `Couldn't save the approval setting: ${save.error.message}`,
  };
}
