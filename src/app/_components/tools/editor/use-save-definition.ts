"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ToolDetail } from "@/lib/contract";

export interface SaveDefinition {
  save: (definitionText: string) => void;
  pending: boolean;
  /** The server's refusal, until the next attempt. */
  refusal: { message: string; problems: readonly string[]; text: string } | null;
}

/** Creates a tool, or changes the one that is edited; afterwards its page opens. */
export function useSaveDefinition(editing: string | null): SaveDefinition {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const toast = useToast();

  const after = {
    onSuccess: (tool: ToolDetail) => {
      queryClient.setQueryData(trpc.tools.get.queryKey({ name: tool.name }), tool);
      void queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() });
      toast({ title: editing === null ? `${tool.name} created` : `${tool.name} saved`, tone: "ok" });
      router.push(`/tools/${encodeURIComponent(tool.name)}`);
    },
  };
  const create = useMutation(trpc.tools.create.mutationOptions(after));
  const update = useMutation(trpc.tools.update.mutationOptions(after));
  const { error, variables, isPending, isSuccess } = editing === null ? create : update;

  return {
    save: (definitionText) =>
      editing === null ? create.mutate({ definitionText }) : update.mutate({ name: editing, definitionText }),
    // Until the page has changed, a second press must not save again.
    pending: isPending || isSuccess,
    refusal:
      error === null
        ? null
        : { message: error.message, problems: error.data?.problems ?? [], text: variables?.definitionText ?? "" },
  };
}
