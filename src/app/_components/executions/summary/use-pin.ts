import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";

/** Pins and unpins; shown at once, taken back when the server refuses. */
export function usePin(onChanged?: (id: string, pinned: boolean) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();

  function apply(id: string, pinned: boolean): void {
    queryClient.setQueryData(trpc.executions.get.queryKey({ id }), (detail) =>
      detail ? { ...detail, pinned } : detail,
    );
    onChanged?.(id, pinned);
  }

  return useMutation(
    trpc.executions.setPinned.mutationOptions({
      onMutate: ({ id, pinned }) => apply(id, pinned),
      onError: (error, { id, pinned }) => {
        apply(id, !pinned);
        toast({ title: `Could not ${pinned ? "pin" : "unpin"}: ${error.message}`, tone: "bad" });
      },
    }),
  );
}
