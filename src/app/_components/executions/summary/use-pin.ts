import { useQueryClient } from "@tanstack/react-query";
import { client, trpc } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";

type Pin = (id: string, pinned: boolean) => void;

/** Pins and unpins; shown at once, taken back when the server refuses. */
export function usePin(onChanged?: Pin): Pin {
  const queryClient = useQueryClient();
  const toast = useToast();

  function show(id: string, pinned: boolean): void {
    queryClient.setQueryData(trpc.executions.get.queryKey({ id }), (detail) =>
      detail ? { ...detail, pinned } : detail,
    );
    onChanged?.(id, pinned);
  }

  return (id, pinned) => {
    show(id, pinned);
    client.executions.setPinned.mutate({ id, pinned }).catch((error: unknown) => {
      show(id, !pinned);
      const reason = error instanceof Error ? error.message : String(error);
      toast({ title: `Could not ${pinned ? "pin" : "unpin"}: ${reason}`, tone: "bad" });
    });
  };
}
