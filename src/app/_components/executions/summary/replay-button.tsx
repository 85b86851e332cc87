import { RotateCcw } from "lucide-react";
import { useRouter } from "next/navigation";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";

/** Runs the same arguments again and goes to the new call, from which the two can be compared. */
export function ReplayButton({ executionId, label = "Replay" }: { executionId: string; label?: string }) {
  const router = useRouter();
  const replay = useAction(trpc.executions.replay, {
    stale: [],
    failed: "Could not replay",
    report: "toast",
    onDone: ({ id }) => router.push(`/executions/${id}`),
  });
  return (
    <Button icon={RotateCcw} needs="run" disabled={replay.isPending} onClick={() => replay.mutate({ id: executionId })}>
      {replay.isPending ? "Replaying…" : label}
    </Button>
  );
}
