"use client";

import { useMutation } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { useToast } from "@/app/_ui/toast";

/** Runs the same arguments again and goes to the new call, from which the two can be compared. */
export function ReplayButton({ executionId, label = "Replay" }: { executionId: string; label?: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const replay = useMutation(
    trpc.executions.replay.mutationOptions({
      onSuccess: (created) => router.push(`/executions/${created.id}`),
      onError: (error) => toast({ title: `Could not replay: ${error.message}`, tone: "bad" }),
    }),
  );
  return (
    <Button needs="run" disabled={replay.isPending} onClick={() => replay.mutate({ id: executionId })}>
      <RotateCcw aria-hidden size={13} strokeWidth={1.6} />
      {replay.isPending ? "Replaying…" : label}
    </Button>
  );
}
