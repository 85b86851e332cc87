"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { ToolRowMenu } from "@/app/_components/tools/actions/tool-row-menu";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ToolDetail } from "@/lib/contract/catalogue-tool";

/** Edit, duplicate, switch, delete with undo: the list's menu, on the tool's own page. */
export function ToolActionsMenu({ tool }: { tool: ToolDetail }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const toast = useToast();
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() });
  const refused = (error: { message: string }): void => toast({ title: error.message, tone: "bad" });
  const setEnabled = useMutation(trpc.tools.setEnabled.mutationOptions({ onSuccess: refresh, onError: refused }));
  const restore = useMutation(
    trpc.tools.restore.mutationOptions({
      onSuccess: async (restored) => {
        await refresh();
        router.push(`/tools/${encodeURIComponent(restored.name)}`);
      },
      onError: refused,
    }),
  );
  const remove = useMutation(
    trpc.tools.delete.mutationOptions({
      onSuccess: ({ id }) => {
        router.push("/tools");
        toast({ title: `${tool.name} deleted`, action: { label: "Undo", onClick: () => restore.mutate({ id }) } });
      },
      onError: refused,
      onSettled: refresh,
    }),
  );
  return (
    <ToolRowMenu
      tool={tool}
      actions={{
        setEnabled: (_tool, enabled) => setEnabled.mutate({ name: tool.name, enabled }),
        remove: () => remove.mutate({ name: tool.name, revision: tool.lastEdit?.revision }),
      }}
    />
  );
}
