import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
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
  const save = useAction(trpc.tools.setApproval, {
    stale: [trpc.tools, trpc.approvals, trpc.servers.get],
    done: ({ approval }) => `${name}: ${approval.required ? "approval required" : "no approval required"}`,
    failed: "Couldn't save the approval setting",
  });
  return {
    set: (mode) => save.mutate({ name, mode }),
    saving: save.isPending ? save.variables.mode : undefined,
    error: save.problem,
  };
}
