import type { UseMutationOptions } from "@tanstack/react-query";
import { Square } from "lucide-react";
import { Button, type ButtonProps } from "@/app/_ui/button";
import { useAction } from "./use-action";

interface CancelButtonProps<Failure, Context> extends Pick<ButtonProps, "needs"> {
  mutation: UseMutationOptions<{ cancelled: boolean }, Failure, { id: string }, Context>;
  id: string;
  label: string;
}

/** Cancels what runs on the server, and stays disabled until that has ended. */
export function CancelButton<Failure extends { message: string }, Context>({
  mutation,
  id,
  label,
  ...access
}: CancelButtonProps<Failure, Context>) {
  const { mutate, isPending, data, problem } = useAction(mutation, { stale: [], failed: () => "Couldn't cancel" });
  return (
    <div className="flex flex-col items-end gap-1.5">
      <Button
        {...access}
        variant="danger"
        disabled={isPending || data?.cancelled === true}
        onClick={() => mutate({ id })}
      >
        <Square aria-hidden size={12} strokeWidth={1.6} />
        {data?.cancelled ? "Cancelling…" : label}
      </Button>
      <div role="status" className="text-xs empty:hidden">
        {problem !== null && <span className="text-bad">{problem}</span>}
        {data?.cancelled === false && "It has already ended."}
      </div>
    </div>
  );
}
