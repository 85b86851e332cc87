"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { POLICY_LABELS, toPolicy } from "@/app/_components/approvals/summary/approval-words";
import { useTRPC } from "@/app/_trpc/client";
import { NativeSelect } from "@/app/_ui/field";
import { useToast } from "@/app/_ui/toast";
import type { ServerDetail } from "@/lib/contract/server";

/** Sets which tools of the server require approval. A server of the configuration is changed in its file. */
export function ServerApprovalPolicy({ server }: { server: ServerDetail }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();
  const id = useId();
  const { name } = server;
  const save = useMutation(
    trpc.servers.setApproval.mutationOptions({
      onSuccess: (changed) => {
        queryClient.setQueryData(trpc.servers.get.queryKey({ name }), changed);
        toast({ title: `${name}: approval policy saved`, tone: "ok" });
      },
      onSettled: () =>
        Promise.all([
          queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() }),
          queryClient.invalidateQueries({ queryKey: trpc.approvals.pathKey() }),
        ]),
    }),
  );
  const policy = (save.isPending ? save.variables.policy : server.settings.approval) ?? "";
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 pt-1 pb-0.5">
      <label htmlFor={id} className="text-faint">
        Approval policy
      </label>
      <NativeSelect
        needs="edit"
        id={id}
        value={policy}
        disabled={!server.editable || save.isPending}
        aria-describedby={server.editable ? undefined : `${id}-where`}
        className="w-44!"
        onChange={({ target }) => save.mutate({ name, policy: toPolicy(target.value) ?? null })}
        options={Object.entries(POLICY_LABELS)}
      />
      {!server.editable && (
        <span id={`${id}-where`}>
          Set <code className="font-mono">approval</code> in the configuration file to change it.
        </span>
      )}
      <span role="alert" className="text-bad empty:hidden">
        {save.error !== null && `Couldn't save the approval policy: ${save.error.message}`}
      </span>
    </div>
  );
}
