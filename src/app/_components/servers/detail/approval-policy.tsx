"use client";

import { useId } from "react";
import { POLICY_LABELS, toPolicy } from "@/app/_components/approvals/summary/approval-words";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { NativeSelect } from "@/app/_ui/field";
import type { ServerDetail } from "@/lib/contract/server";

/** Sets which tools of the server require approval. A server of the configuration is changed in its file. */
export function ServerApprovalPolicy({ server }: { server: ServerDetail }) {
  const trpc = useTRPC();
  const id = useId();
  const { name } = server;
  const save = useAction(trpc.servers.setApproval.mutationOptions(), {
    stale: [trpc.servers.get.queryKey({ name }), trpc.tools.pathKey(), trpc.approvals.pathKey()],
    done: () => `${name}: approval policy saved`,
    failed: () => "Couldn't save the approval policy",
  });
  const policy = (save.isPending ? save.variables.policy : server.settings.approval) ?? "";
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-mute text-xs sm:ml-auto">
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
        {save.problem}
      </span>
    </div>
  );
}
