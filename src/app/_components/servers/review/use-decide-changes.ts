"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ChangeDecision, HeldChange } from "@/lib/contract/held-change";
import { formatPlural } from "@/lib/format";

export interface DecideChanges {
  decide: (changes: readonly HeldChange[], decision: ChangeDecision) => void;
  pending: boolean;
  error: string | null;
}

/** Approves or blocks changed tools of a server, and reads again every view that shows them. */
export function useDecideChanges(server: string): DecideChanges {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();
  const mutation = useMutation(
    trpc.servers.decideChanges.mutationOptions({
      onSuccess: ({ decided, missed }, { decision }) => {
        if (missed.length > 0) {
          const title = `${formatPlural(missed.length, "change")} already decided or replaced by a newer one`;
          toast({ title, tone: "warn" });
        }
        if (decided.length === 0) return;
        const what = decided.length === 1 ? (decided[0] ?? "") : formatPlural(decided.length, "tool");
        toast({ title: decision === "approve" ? `${what} approved` : `${what} stays blocked`, tone: "ok" });
      },
      onSettled: () =>
        Promise.all([
          queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() }),
          queryClient.invalidateQueries({ queryKey: trpc.servers.list.queryKey() }),
          queryClient.invalidateQueries({ queryKey: trpc.servers.get.queryKey() }),
          queryClient.invalidateQueries({ queryKey: trpc.servers.tools.pathKey() }),
          queryClient.invalidateQueries({ queryKey: trpc.servers.heldChanges.pathKey() }),
        ]),
    }),
  );
  return {
    decide: (changes, decision) =>
      mutation.mutate({
        name: server,
        changes: changes.map(({ tool, hash, status }) => ({ tool, hash, status })),
        decision,
      }),
    pending: mutation.isPending,
    error: mutation.error === null ? null : `Couldn't save the decision: ${mutation.error.message}`,
  };
}
