"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { approvalReason } from "@/app/_components/approvals/approval-words";
import { useTRPC } from "@/app/_trpc/client";
import { NativeSelect } from "@/app/_ui/field";
import { useToast } from "@/app/_ui/toast";
import type { ToolDetail } from "@/lib/contract";
import type { ApprovalMode, ToolApproval } from "@/lib/contract/approval";

type Choice = ApprovalMode | "follow";

/** Whether a person is asked before the tool runs: what holds, why, and the choice to have it otherwise. */
export function ApprovalSetting({ tool }: { tool: ToolDetail }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();
  const id = useId();
  const { approval, name } = tool;
  const save = useMutation(
    trpc.tools.setApproval.mutationOptions({
      onSuccess: (summary) => {
        queryClient.setQueryData(
          trpc.tools.get.queryKey({ name }),
          (known) => known && { ...known, approval: summary.approval },
        );
        toast({ title: `${name} ${summary.approval.required ? "asks" : "does not ask"} before it runs`, tone: "ok" });
      },
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() }),
    }),
  );
  const shown: Choice = save.isPending ? (save.variables.mode ?? "follow") : (approval.mode ?? "follow");
  const choose = (choice: string): void => save.mutate({ name, mode: modeOf(choice) });
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Approval
      </label>
      <NativeSelect
        id={id}
        value={shown}
        disabled={save.isPending}
        aria-describedby={`${id}-why`}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="follow">{followLabel(tool)}</option>
        <option value="always">Always ask</option>
        <option value="never">Never ask</option>
      </NativeSelect>
      <p id={`${id}-why`} data-status={approval.required ? "asks" : "free"} className="text-mute text-xs">
        {approvalReason(approval)}
      </p>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {save.error !== null && `The choice was not saved: ${save.error.message}`}
      </div>
    </div>
  );
}

function modeOf(choice: string): ApprovalMode | null {
  return choice === "always" || choice === "never" ? choice : null;
}

/** What holds where nobody chose; whether it asks is only known while nobody has. */
export function followLabel({ approval, definition }: Pick<ToolDetail, "approval" | "definition">): string {
  const effect = approval.mode === null ? (approval.required ? " (asks)" : " (does not ask)") : "";
  return `Follows its ${followed(approval, definition)}${effect}`;
}

function followed({ because }: ToolApproval, definition: ToolDetail["definition"]): string {
  if (because === "definition" || definition.approval === "always" || definition.approval === "never") {
    return "definition";
  }
  return because === "policy" ? "hint and the policy" : "hint";
}
